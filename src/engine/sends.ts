import { Outcome } from '../lib/deferred.ts'
import { newId } from '../lib/ids.ts'
import { readTraceParent } from '../lib/trace.ts'
import { backgroundTimer, endOfTurn } from '../lib/turn.ts'
import { type Encoded, encodeText } from '../protocol/encoded.ts'
import type { CallContext, StreamEvent } from '../protocol/endpoint.ts'
import { A2AError, invalidParams } from '../protocol/errors.ts'
import type {
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
} from '../protocol/generated/v1/types.ts'
import { isInterrupted } from '../protocol/task.ts'
import { checkContext, reach, requireHead, TerminalTask, taskNotFound } from './claim.ts'
import type { Core } from './core.ts'
import type { Feed } from './feed.ts'
import { handKeyOn } from './idempotency.ts'
import type { Job } from './jobs.ts'
import { Live } from './live.ts'
import { messageMail } from './mail.ts'
import { checkMediaTypes } from './media-types.ts'
import { checkHistoryLength } from './reads.ts'
import { followMail } from './remote.ts'
import type { Decision, Run } from './run.ts'
import { shuttingDown } from './stop-reason.ts'
import type { IdempotencyKey, Scope, Snapshot, View } from './store.ts'
import { once, tail } from './streams.ts'

/** One SendMessage or SendStreamingMessage, with what its caller is. */
export interface Send {
  readonly scope: Scope
  readonly request: SendMessageRequest
  readonly context: CallContext
  /** Extensions that are active for this call. */
  readonly extensions: readonly string[]
  readonly idempotency?: IdempotencyKey
  /** Whether the answer is a stream. */
  readonly streaming: boolean
}

/** A send that led to a task: which, and where its stream begins. */
export interface StartedTask {
  readonly kind: 'task'
  readonly taskId: string
  readonly job: Job
  /** The last entry that the first frame of a stream shows. */
  readonly seq: number
  /** The task that this send made, and for a stream the hold on its feed. */
  readonly made?: { readonly live: Live; readonly feed?: Feed }
}

/** What became of a send at the moment at which it is known whether there is a task. */
export type Started = Exclude<Decision, { kind: 'task' }> | StartedTask

function createJob({ now }: Core, { request, extensions, context, streaming }: Send): Job {
  const trace = readTraceParent(context.headers)
  return {
    message: request.message,
    metadata: request.metadata ?? {},
    acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
    extensions,
    settled: new Outcome(),
    receivedAt: now(),
    ...(trace && { trace }),
    ...(!streaming && { caller: context }),
  }
}

/** Each event of a task repeats its context. */
const longestContextId = 1_000

/** Checks a send as far as that needs no store (§3.1.1, §3.3.4). */
export function checkSend(core: Core, { message, configuration }: SendMessageRequest): void {
  checkHistoryLength(configuration?.historyLength, 'configuration.historyLength')
  if ((message.contextId?.length ?? 0) > longestContextId) {
    const description = `must be ${longestContextId} characters at most; leave it out to get one`
    throw invalidParams([{ field: 'message.contextId', description }])
  }
  if (configuration?.taskPushNotificationConfig !== undefined) throw new A2AError('PushNotificationNotSupported')
  if (message.taskId === undefined) checkMediaTypes(core.agent, message.parts)
}

/** Gives the message to its task, or to a new one; resolves once it is known and stored what that led to. */
export async function start(core: Core, send: Send): Promise<Started> {
  if (core.stopping) throw shuttingDown()
  return send.request.message.taskId === undefined ? startTask(core, send) : continueTask(core, send)
}

async function startTask(core: Core, send: Send): Promise<Started> {
  const { scope, request } = send
  const id = newId()
  const contextId = request.message.contextId ?? newId()
  const job = createJob(core, send)
  const live = new Live(core, scope, { id, contextId, log: core.store.create({ scope, id, contextId }) })
  // Held before anything runs, so that the stream finds every frame here and none has to be read back.
  const feed = send.streaming ? core.feeds.acquire(id, contextId) : undefined
  let run: Run
  try {
    run = live.begin(job, { idempotency: send.idempotency })
  } catch (error) {
    live.discard()
    if (feed !== undefined) core.feeds.release(feed)
    throw error
  }
  // Most runs decide within the turn, and need no timer for it.
  let timer: { stop(): void } | undefined
  endOfTurn(() => {
    if (!run.decided) timer = backgroundTimer(() => run.decide(), core.limits.decideAfter)
  })
  try {
    const decision = await run.decision.wait()
    if (decision.kind === 'task')
      return { kind: 'task', taskId: id, job, seq: 2, made: { live, ...(feed && { feed }) } }
    if (feed !== undefined) core.feeds.release(feed)
    return decision
  } catch (error) {
    if (feed !== undefined) core.feeds.release(feed)
    throw error
  } finally {
    timer?.stop()
  }
}

async function continueTask(core: Core, send: Send): Promise<Started> {
  const { scope, request } = send
  const id = request.message.taskId as string
  const job = createJob(core, send)
  checkContext(await requireHead(core, scope, id), request.message.contextId)
  const { message, metadata, acceptedOutputModes, extensions, trace } = job
  const { idempotency, context, streaming } = send
  try {
    const reached = await reach(
      core,
      { scope, id },
      {
        use: (live) => {
          checkMediaTypes(core.agent, message.parts)
          live.accept(job, { idempotency })
          return { live, seq: live.seq }
        },
        mail: messageMail({
          message,
          metadata,
          acceptedOutputModes,
          extensions,
          ...(trace && { trace }),
          ...(idempotency && { idempotency }),
        }),
        ...handKeyOn(core, send),
      },
    )
    if ('mail' in reached) {
      void followMail(core, { scope, id }, { mail: reached.mail, job, caller: context, streaming })
      return { kind: 'task', taskId: id, job, seq: reached.mail.seq }
    }
    const { live, seq } = reached.here
    await live.committed()
    return { kind: 'task', taskId: id, job, seq }
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
  if (configuration?.returnImmediately === true) await started.made?.live.committed()
  else await job.settled.wait()
  const { text } = await readTask(core, send.scope, { id, view: viewOf(configuration) })
  return encodeText<SendMessageResponse>(`{"task":${text}}`)
}

/** The stream of SendStreamingMessage: the task as the message found it, then every event until the task is terminal or asks for input. */
export async function streamSend(
  core: Core,
  send: Send,
  { started, close }: { started: Started; close: () => void },
): Promise<AsyncIterable<readonly StreamEvent[]>> {
  if (started.kind === 'message') {
    close()
    return once(encodeText<StreamResponse>(`{"message":${JSON.stringify(started.message)}}`) as StreamEvent)
  }
  const { scope, context } = send
  const { job, made } = started
  try {
    const snapshot = await firstFrame(core, send, started)
    return await tail(core, {
      scope,
      snapshot,
      close,
      ...(made?.feed && { feed: made.feed }),
      // INPUT_REQUIRED of an earlier turn is not the answer to this message.
      endsAt: ({ entry }) =>
        entry.kind === 'status' &&
        isInterrupted(entry.state) &&
        entry.state === 'TASK_STATE_INPUT_REQUIRED' &&
        job.startedAt !== undefined &&
        job.startedAt < entry.seq,
      endsWhenIdle: () => job.startedAt !== undefined,
      caller: context,
    })
  } catch (error) {
    if (made?.feed !== undefined) core.feeds.release(made.feed)
    throw error
  }
}

async function firstFrame(
  core: Core,
  { scope, request }: Send,
  { taskId: id, seq, made }: StartedTask,
): Promise<Snapshot> {
  const view = viewOf(request.configuration)
  if (made !== undefined) {
    await made.live.created()
    return made.live.firstSnapshot(view.historyLength)
  }
  await core.lives.get(id)?.committed()
  return (await core.store.read(scope, id, { ...view, at: seq })) ?? readTask(core, scope, { id, view })
}
