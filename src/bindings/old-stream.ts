import { encodeValue } from '../protocol/encoded.ts'
import type { Call, Endpoint, StreamEvent } from '../protocol/endpoint.ts'
import type { StreamResponse, SubscribeToTaskRequest, Task } from '../protocol/generated/v1/types.ts'
import type { StreamOperation } from '../protocol/operations.ts'
import { notHeld } from './held-events.ts'
import { wantsNoHistory, withoutHistory } from './no-history.ts'
import { type RemoteStream, resumed } from './stream-reply.ts'

type Groups = AsyncGenerator<readonly StreamEvent[]>

interface Asked {
  readonly call: Call<StreamOperation>
  readonly endpoint: Endpoint
}

/**
 * Makes a stream of 0.3 begin as 1.0 wants it: with a task or a message. A peer that begins with an update is asked for
 * the task where one was there before the stream; else the first update tells enough of it.
 */
export async function followOld(stream: RemoteStream, asked: Asked): Promise<RemoteStream> {
  const given = stream.events[Symbol.asyncIterator]() as Groups
  const groups = wantsNoHistory(asked.call.request) ? cutHistory(given) : given
  const { done, value: first } = await groups.next()
  if (done || first === undefined) return stream
  const events = await begin(first, groups, { ...asked, ...(stream.close && { close: stream.close }) })
  return {
    events,
    extensions: stream.extensions,
    get retry() {
      return stream.retry
    },
  }
}

/** No request of 0.3 for a stream says that no history is wanted. */
async function* cutHistory(groups: Groups): Groups {
  for await (const group of groups)
    yield group.map((event) => encodeValue(withoutHistory(event.value), event.id) as StreamEvent)
}

async function begin(
  first: readonly StreamEvent[],
  groups: Groups,
  { call, endpoint, close }: Asked & Pick<RemoteStream, 'close'>,
): Promise<AsyncIterable<readonly StreamEvent[]>> {
  const { statusUpdate, artifactUpdate } = first[0]?.value ?? {}
  const update = statusUpdate ?? artifactUpdate
  if (update === undefined) return resumed(first, groups)
  const { taskId: id, contextId } = update
  const { message: _, ...status } = statusUpdate?.status ?? { state: 'TASK_STATE_WORKING' as const }
  const made: Task = { id, contextId, status }
  if (!isThere(call)) return resumed([encodeEvent({ task: made }), ...first], groups)
  const reading = endpoint.unary({ operation: 'GetTask', request: { id }, context: call.context }).then(
    ({ result }): Task => result.value,
    // Who tells of a task and cannot be asked for it has told what there is.
    () => undefined,
  )
  const { came, rest } = close === undefined ? { came: [], rest: groups } : await until(reading, groups, close)
  const task = await reading
  const told = [...first, ...came]
  return resumed([encodeEvent({ task: task ?? made }), ...(task === undefined ? told : notHeld(task, told))], rest)
}

/** What a stream gives until something else is there, and what it gives afterwards. */
async function until(
  other: Promise<unknown>,
  groups: Groups,
  close: () => void,
): Promise<{ readonly came: readonly StreamEvent[]; readonly rest: Pick<Groups, 'next' | 'return'> }> {
  const came: StreamEvent[] = []
  // What was sent before the answer, over another connection, may come in just after it.
  const stop = other.then(() => new Promise<void>((resolve) => setTimeout(resolve)))
  for (;;) {
    let next: ReturnType<Groups['next']> | undefined = groups.next()
    const group = await Promise.race([
      next.then(
        ({ done, value }) => (done ? undefined : value),
        () => undefined,
      ),
      stop.then(() => undefined),
    ])
    if (group !== undefined) {
      came.push(...group)
      continue
    }
    const rest = {
      next() {
        const given = next ?? groups.next()
        next = undefined
        return given
      },
      // It may be waiting for the next event.
      return(value: unknown) {
        close()
        return groups.return(value)
      },
    }
    return { came, rest }
  }
}

/** Whether the task of a stream is older than the stream. */
function isThere({ operation, request }: Call<StreamOperation>): boolean {
  if (operation === 'SubscribeToTask') return (request as SubscribeToTaskRequest).id !== ''
  return 'message' in request && request.message.taskId !== undefined
}

function encodeEvent(event: StreamResponse): StreamEvent {
  return encodeValue(event)
}
