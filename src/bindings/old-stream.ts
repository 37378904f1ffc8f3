import { encodeValue } from '../protocol/encoded.ts'
import type { Call, Endpoint, StreamEvent } from '../protocol/endpoint.ts'
import type { StreamResponse, SubscribeToTaskRequest, Task } from '../protocol/generated/v1/types.ts'
import type { StreamOperation } from '../protocol/operations.ts'
import { type RemoteStream, resumed } from './stream-reply.ts'

/**
 * Makes a stream of 0.3 begin as 1.0 wants it: with a task or a message. A peer that begins with an update is asked for
 * the task where one was there before the stream; else the first update tells enough of it.
 */
export async function followOld(
  stream: RemoteStream,
  { call, endpoint }: { readonly call: Call<StreamOperation>; readonly endpoint: Endpoint },
): Promise<RemoteStream> {
  const groups = stream.events[Symbol.asyncIterator]() as AsyncGenerator<readonly StreamEvent[]>
  const { done, value: first } = await groups.next()
  if (done || first === undefined) return stream
  const events = resumed(await begin(first, { call, endpoint }), groups)
  return {
    events,
    extensions: stream.extensions,
    get retry() {
      return stream.retry
    },
  }
}

async function begin(
  group: readonly StreamEvent[],
  { call, endpoint }: { readonly call: Call<StreamOperation>; readonly endpoint: Endpoint },
): Promise<readonly StreamEvent[]> {
  const [first, ...rest] = group
  const { statusUpdate, artifactUpdate } = first?.value ?? {}
  const update = statusUpdate ?? artifactUpdate
  if (first === undefined || update === undefined) return group
  const { taskId: id, contextId } = update
  if (!isThere(call)) {
    const { message: _, ...status } = statusUpdate?.status ?? { state: 'TASK_STATE_WORKING' as const }
    return [encodeEvent({ task: { id, contextId, status } }), ...group]
  }
  const read = await endpoint.unary({ operation: 'GetTask', request: { id }, context: call.context })
  const task: Task = read.result.value
  // The task was read after that piece came, and holds it.
  const kept = artifactUpdate?.append === true ? rest : group
  return [encodeEvent({ task }), ...kept]
}

/** Whether the task of a stream is older than the stream. */
function isThere({ operation, request }: Call<StreamOperation>): boolean {
  if (operation === 'SubscribeToTask') return (request as SubscribeToTaskRequest).id !== ''
  return 'message' in request && request.message.taskId !== undefined
}

function encodeEvent(event: StreamResponse): StreamEvent {
  return encodeValue(event)
}
