import { deferred } from '../lib/deferred.ts'
import { newId } from '../lib/ids.ts'
import { backgroundTimer } from '../lib/turn.ts'
import { type Encoded, encodeText } from '../protocol/encoded.ts'
import type { CallContext, StreamEvent } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type {
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
} from '../protocol/generated/v1/types.ts'
import { isInterrupted } from '../protocol/task.ts'
import { checkContext, requireHead, TerminalTask, taskNotFound, withLive } from './claim.ts'
import type { Core } from './core.ts'
import { type Job, Live } from './live.ts'
import { checkMediaTypes } from './media-types.ts'
import { checkHistoryLength } from './reads.ts'
import type { Decision, Run } from './run.ts'
import type { IdempotencyKey, Scope, Snapshot, View } from './store.ts'
import { type OpenStreams, once, tail } from './streams.ts'

/** One SendMessage or SendStreamingMessage, with what its caller is. */
export interface Send {
  readonly scope: Scope
  readonly request: SendMessageRequest
  readonly context: CallContext
  /** Extensions that are active for this call. */
  readonly extensions: readonly string[]
  readonly idempotency?: IdempotencyKey
}

/** What became of a send at the moment at which it is known whether there is a task. */
export type Started =
  | Exclude<Decision, { kind: 'task' }>
  | { readonly kind: 'task'; readonly taskId: string; readonly job: Job; readonly seq: number }

function createJob({ request, extensions }: Send): Job {
  return {
    message: request.message,
    metadata: request.metadata ?? {},
    acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
    extensions,
    settled: deferred<void>(),
  }
}

/** Checks a send as far as that needs no store (§3.1.1, §3.3.4). */
export function checkSend(core: Core, { message, configuration }: SendMessageRequest): void {
  checkHistoryLength(configuration?.historyLength, 'configuration.historyLength')
  if (configuration?.taskPushNotificationConfig !== undefined) throw new A2AError('PushNotificationNotSupported')
  if (message.taskId === undefined) checkMediaTypes(core.agent, message.parts)
}

/** Gives the message to its task, or to a new one; resolves once it is known and stored what that led to. */
export async function start(core: Core, send: Send): Promise<Started> {
  if (core.stopping) throw new A2AError('Unavailable', 'The server is shutting down; send again', { retryAfter: 1 })
  return send.request.message.taskId === undefined ? startTask(core, send) : continueTask(core, send)
}

async function startTask(core: Core, send: Send): Promise<Started> {
  const { scope, request } = send
  const id = newId()
  const contextId = request.message.contextId ?? newId()
  const job = createJob(send)
  const live = new Live(core, scope, { id, contextId, log: core.store.create({ scope, id, contextId }) })
  const run: Run = live.begin(job)
  run.idempotency = send.idempotency
  const timer = backgroundTimer(() => run.decide(), core.limits.decideAfter)
  try {
    const decision = await run.decision.promise
    if (decision.kind === 'message') return decision
    return { kind: 'task', taskId: id, job, seq: 2 }
  } finally {
    timer.stop()
  }
}

async function continueTask(core: Core, send: Send): Promise<Started> {
  const { scope, request } = send
  const id = request.message.taskId as string
  const job = createJob(send)
  checkContext(await requireHead(core, scope, id), request.message.contextId)
  try {
    const started = await withLive(core, { scope, id }, (live) => {
      checkMediaTypes(core.agent, request.message.parts)
      live.accept(job, send.idempotency)
      return { live, seq: live.seq }
    })
    await started.live.committed()
    return { kind: 'task', taskId: id, job, seq: started.seq }
  } catch (error) {
    if (!(error instanceof TerminalTask)) throw error
    throw new A2AError(
      'UnsupportedOperation',
      `The task is ${error.head.state}; send the message without taskId to start another`,
      {
        metadata: { taskId: id, state: error.head.state },
      },
    )
  }
}

function viewOf(configuration: SendMessageConfiguration | undefined): View {
  const length = configuration?.historyLength
  return { artifacts: true, ...(length !== undefined && { historyLength: length }) }
}

async function readTask(core: Core, scope: Scope, { id, view }: { id: string; view: View }): Promise<Snapshot> {
  const snapshot = await core.store.read(scope, id, view)
  if (snapshot === undefined) throw taskNotFound(id)
  return snapshot
}

/** The answer to SendMessage: at once when asked for, else when the task is terminal, interrupted, or left alone (§3.2.2). */
export async function answerSend(core: Core, send: Send, started: Started): Promise<Encoded<SendMessageResponse>> {
  if (started.kind === 'message') {
    return encodeText<SendMessageResponse>(`{"message":${JSON.stringify(started.message)}}`)
  }
  const { taskId: id, job } = started
  const { configuration } = send.request
  if (configuration?.returnImmediately === true) await core.lives.get(id)?.committed()
  else await untilSettled(job, send.context.signal)
  const { text } = await readTask(core, send.scope, { id, view: viewOf(configuration) })
  return encodeText<SendMessageResponse>(`{"task":${text}}`)
}

async function untilSettled(job: Job, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return job.settled.promise
  const gone = deferred<never>()
  const leave = (): void => gone.reject(new A2AError('Cancelled'))
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  try {
    await Promise.race([job.settled.promise, gone.promise])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

/** The stream of SendStreamingMessage: the task as the message found it, then every event until the task is terminal or asks for input. */
export async function streamSend(
  core: Core,
  send: Send,
  { started, streams }: { started: Started; streams: OpenStreams },
): Promise<AsyncIterable<readonly StreamEvent[]>> {
  if (started.kind === 'message') {
    return once(encodeText<StreamResponse>(`{"message":${JSON.stringify(started.message)}}`) as StreamEvent)
  }
  const { scope, request, context } = send
  const { taskId: id, job, seq } = started
  const close = streams.open(scope)
  try {
    await core.lives.get(id)?.committed()
    const at = await core.store.read(scope, id, { ...viewOf(request.configuration), at: seq })
    const snapshot = at ?? (await readTask(core, scope, { id, view: viewOf(request.configuration) }))
    return tail(core, {
      scope,
      snapshot,
      close,
      committed: seq,
      // INPUT_REQUIRED of an earlier turn is not the answer to this message.
      endsAt: ({ entry }) =>
        entry.kind === 'status' &&
        isInterrupted(entry.state) &&
        entry.state === 'TASK_STATE_INPUT_REQUIRED' &&
        job.startedAt !== undefined &&
        job.startedAt < entry.seq,
      endsWhenIdle: () => job.startedAt !== undefined,
      ...(context.signal && { signal: context.signal }),
    })
  } catch (error) {
    close()
    throw error
  }
}
