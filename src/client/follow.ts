import { cancelled } from '../bindings/fetch-call.ts'
import { jitter, pause } from '../lib/backoff.ts'
import type { CallContext, Endpoint, StreamEvent, StreamReply } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { lastEventIdHeader, resumeExtension } from '../protocol/extensions.ts'
import type { StreamResponse, Task } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import { difference, sameStatus } from './difference.ts'
import type { PollingOptions, RetryOptions } from './options.ts'
import { isSettled, type Progress, takeIn } from './progress.ts'

/** How an agent is reached and what it can do. */
export interface Link {
  readonly endpoint: Endpoint
  /** Whether the card says that streaming works (§3.3.4). */
  readonly streaming: boolean
  /** Whether streams can be picked up by the number of the last event. */
  readonly resumable: boolean
  /** Whether a send can be made repeatable. */
  readonly repeatable: boolean
  readonly retry: RetryOptions
  readonly polling: PollingOptions
  /** The context of a call, with these extensions and headers besides the usual ones. */
  context(options: {
    readonly signal?: AbortSignal | undefined
    readonly extensions?: readonly string[]
    readonly headers?: Readonly<Record<string, string>>
  }): CallContext
  warn(text: string): void
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
  readonly historyLength?: number | undefined
  /** Whether what is known now is what the caller waits for. Asked after each event, and after each poll with the number of polls since something changed. */
  readonly enough: (progress: Progress, quietPolls: number) => boolean
}

/** A stream that lived this long, milliseconds, was a sound one although it broke. */
const soundAfter = 5_000

/**
 * Codes with which an agent says that there is nothing to subscribe to. Some know a task only while it is worked on; whether
 * it is there, reading it tells.
 */
const notSubscribable: ReadonlySet<string> = new Set([
  'TaskNotFound',
  'UnsupportedOperation',
  'MethodNotFound',
  'MethodNotAllowed',
  'NotFound',
  'InvalidParams',
])

/**
 * Follows a task to the point the caller waits for, over as many connections as it takes, and gives each event once and
 * in order. `reply` is the stream to begin with; without it, the task in `progress` is polled or subscribed to.
 *
 * A stream that breaks is picked up by the number of its last event where the agent has that extension; else the task as
 * it then stands is compared with what is known, and the difference becomes events.
 */
export async function* follow(
  link: Link,
  progress: Progress,
  { reply, ...options }: FollowOptions & { readonly reply?: StreamReply | undefined },
): AsyncGenerator<StreamResponse> {
  let stream = reply
  let rejoined = false
  let attempts = 0
  for (;;) {
    let failure: A2AError | undefined
    if (stream !== undefined) {
      const started = Date.now()
      const { lastEventId } = progress
      try {
        let first = rejoined
        for await (const group of stream.events) {
          for (const frame of group) {
            for (const event of take(link, progress, { frame, rejoined, first })) {
              attempts = 0
              yield event
            }
            first = false
            if (options.enough(progress, 0)) return
          }
        }
      } catch (thrown) {
        failure = A2AError.from(thrown)
        if (!failure.retryable || progress.task === undefined) throw failure
      }
      if (failure === undefined && isSettled(progress)) return
      if (Date.now() - started > soundAfter || progress.lastEventId !== lastEventId) attempts = 0
      await rest(link, attempts, { failure, hint: (stream as { retry?: number }).retry, signal: options.signal })
    }
    if (progress.task === undefined) {
      throw new A2AError('InvalidAgentResponse', 'The event stream ended without a task or a message')
    }
    attempts += 1
    const next = await subscribe(link, progress.task, { progress, attempts, signal: options.signal })
    if (next === 'again') continue
    if (next === 'poll') return yield* poll(link, progress, options)
    stream = next
    rejoined = true
  }
}

async function rest(
  link: Link,
  attempts: number,
  {
    failure,
    hint,
    signal,
  }: { failure: A2AError | undefined; hint: number | undefined; signal: AbortSignal | undefined },
): Promise<void> {
  const asked = failure?.retryAfter === undefined ? hint : failure.retryAfter * 1000
  const own = jitter(attempts, link.retry)
  await pause(asked === undefined ? own : Math.min(link.retry.cap, asked) + own, signal)
  if (signal?.aborted) throw cancelled(signal)
}

/** A new stream of the task; or what to do instead. */
async function subscribe(
  link: Link,
  task: Task,
  { progress, attempts, signal }: { progress: Progress; attempts: number; signal: AbortSignal | undefined },
): Promise<StreamReply | 'again' | 'poll'> {
  if (!link.streaming) return 'poll'
  const last = link.resumable ? progress.lastEventId : undefined
  const context = link.context({
    signal,
    ...(link.resumable && { extensions: [resumeExtension] }),
    ...(last !== undefined && { headers: { [lastEventIdHeader]: String(last) } }),
  })
  try {
    return await link.endpoint.stream({ operation: 'SubscribeToTask', request: { id: task.id }, context })
  } catch (thrown) {
    const error = A2AError.from(thrown)
    if (notSubscribable.has(error.code)) return 'poll'
    if (!error.retryable) throw error
    if (attempts > link.retry.reconnects) {
      const text = `The connection to task ${task.id} was lost and could not be made again; the task may go on: ${error.message}`
      throw new A2AError(error.code, text, { cause: error, origin: error.origin, metadata: error.metadata })
    }
    await rest(link, attempts, { failure: error, hint: undefined, signal })
    return 'again'
  }
}

/** The events of a frame: none that were seen before. `first` tells that it is the one after a return. */
function take(
  link: Link,
  progress: Progress,
  { frame, rejoined, first }: { frame: StreamEvent; rejoined: boolean; first: boolean },
): StreamResponse[] {
  const event = frame.value
  if (link.resumable && frame.id !== undefined) {
    const last = progress.lastEventId ?? -1
    // A snapshot with a smaller number is of an agent that has begun to count anew.
    if (frame.id === last || (frame.id < last && !(first && event.task))) return []
    progress.lastEventId = frame.id
  }
  const { task } = progress
  if (event.task !== undefined && task !== undefined) {
    if (!first) link.warn('stream: a task frame after the first; it was taken for updates')
    return takeIn(progress, event, link.warn) ? difference(task, event.task) : []
  }
  if (rejoined && task !== undefined && repeats(task, event)) return []
  return takeIn(progress, event, link.warn) ? [event] : []
}

/** Whether an event after a return tells what the snapshot told. */
function repeats(task: Task, { statusUpdate, artifactUpdate }: StreamResponse): boolean {
  if (statusUpdate !== undefined) {
    return statusUpdate.status.timestamp !== undefined && sameStatus(task.status, statusUpdate.status)
  }
  if (artifactUpdate === undefined || artifactUpdate.append === true) return false
  const known = task.artifacts?.find(({ artifactId }) => artifactId === artifactUpdate.artifact.artifactId)
  return JSON.stringify(known) === JSON.stringify(artifactUpdate.artifact)
}

/** Reads the task again and again and gives what changed as events. */
async function* poll(link: Link, progress: Progress, options: FollowOptions): AsyncGenerator<StreamResponse> {
  const { signal } = options
  let quiet = 0
  let failures = 0
  for (;;) {
    const known = progress.task as Task
    const read = await readTask(link, known.id, options)
    if (A2AError.is(read)) {
      failures += 1
      if (failures > link.retry.reconnects) throw read
      await rest(link, failures, { failure: read, hint: undefined, signal })
      continue
    }
    failures = 0
    const events = difference(known, read)
    progress.task = read
    yield* events
    quiet = events.length > 0 ? 0 : quiet + 1
    if (options.enough(progress, quiet) || isTerminal(read.status.state)) return
    await pause(link.polling.base / 8 + jitter(quiet, link.polling), signal)
    if (signal?.aborted) throw cancelled(signal)
  }
}

/** The task, or the passing reason why it cannot be read now. */
async function readTask(link: Link, id: string, { signal, historyLength }: FollowOptions): Promise<Task | A2AError> {
  const request = { id, ...(historyLength !== undefined && { historyLength }) }
  try {
    const { result } = await link.endpoint.unary({ operation: 'GetTask', request, context: link.context({ signal }) })
    return result.value
  } catch (thrown) {
    const error = A2AError.from(thrown)
    if (error.retryable) return error
    throw error
  }
}
