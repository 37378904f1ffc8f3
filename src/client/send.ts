import { newId } from '../lib/ids.ts'
import type { CallContext, StreamReply } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { idempotencyExtension, idempotencyKeyHeader, resumeExtension } from '../protocol/extensions.ts'
import type { SendMessageRequest, StreamResponse, TaskStatus } from '../protocol/generated/v1/types.ts'
import { isInterrupted, isTerminal } from '../protocol/task.ts'
import { sameStatus } from './difference.ts'
import { type FollowOptions, follow, type Link } from './follow.ts'
import { createRequest } from './message.ts'
import type { SendInput, SendOptions } from './options.ts'
import { isSettled, type Progress, takeIn } from './progress.ts'

/** What a send within a conversation knows besides. */
export interface Turn {
  /** The status that the message replies to. */
  readonly replied?: TaskStatus | undefined
  /** Told of each step. */
  readonly onProgress?: (progress: Progress) => void
}

/** After so many polls without a change an old question counts as a new one. */
const quietPolls = 5

/** An answer, an end, or a question other than the one that the message replies to. */
function untilSettled(request: SendMessageRequest, { replied }: Turn): FollowOptions['enough'] {
  let old = replied
  return (progress, quiet) => {
    const { task } = progress
    if (!isSettled(progress)) return false
    if (task === undefined || isTerminal(task.status.state)) return true
    // The first copy of a task that is continued may still show the question it had asked before.
    if (old === undefined && request.message.taskId !== undefined) old = task.status
    return old === undefined || !sameQuestion(old, task.status) || quiet >= quietPolls
  }
}

/** Some agents move the words of a question into the history once it is replied to, and leave the rest until they work. */
function sameQuestion(old: TaskStatus, { message, state, timestamp }: TaskStatus): boolean {
  if (message !== undefined) return sameStatus(old, { message, state, ...(timestamp !== undefined && { timestamp }) })
  return old.state === state && old.timestamp === timestamp
}

/**
 * Sends a message and follows what comes of it: by its own stream where the agent has streaming, else by polling. Gives
 * each event once; ends at an answer, at the end of the task, or when the task waits for somebody.
 */
export async function* sendAndFollow(
  link: Link,
  input: SendInput,
  { options, turn, progress }: { options: SendOptions; turn: Turn; progress: Progress },
): AsyncGenerator<StreamResponse> {
  const request = await createRequest(input, options)
  const { signal, historyLength } = options
  const context = link.context({
    signal,
    extensions: [...(link.resumable ? [resumeExtension] : []), ...(link.repeatable ? [idempotencyExtension] : [])],
    ...(link.repeatable && { headers: { [idempotencyKeyHeader]: newId() } }),
  })
  const enough = untilSettled(request, turn)
  try {
    const reply = link.streaming ? await openStream(link, request, context) : undefined
    if (reply === undefined) {
      const first = await sendOnce(link, request, context)
      takeIn(progress, first, link.warn)
      turn.onProgress?.(progress)
      yield first
      if (enough(progress, 0)) return
    }
    for await (const event of follow(link, progress, { reply, signal, historyLength, enough })) {
      turn.onProgress?.(progress)
      yield event
    }
  } catch (error) {
    if (signal?.aborted && options.cancelOnAbort) cancelQuietly(link, progress)
    throw error
  }
}

/** The stream of a send; undefined when the agent turns out to have no streaming, and has taken nothing in. */
async function openStream(
  link: Link,
  request: SendMessageRequest,
  context: CallContext,
): Promise<StreamReply | undefined> {
  try {
    return await link.endpoint.stream({ operation: 'SendStreamingMessage', request, context })
  } catch (thrown) {
    const { code, message } = A2AError.from(thrown)
    const refused =
      code === 'MethodNotFound' || (code === 'UnsupportedOperation' && request.message.taskId === undefined)
    if (!refused) throw thrown
    link.warn(`card: says that streaming works, but the agent refuses it: ${message}`)
    return undefined
  }
}

async function sendOnce(link: Link, request: SendMessageRequest, context: CallContext): Promise<StreamResponse> {
  const configuration = { ...request.configuration, returnImmediately: true }
  const { result } = await link.endpoint.unary({
    operation: 'SendMessage',
    request: { ...request, configuration },
    context,
  })
  return result.value
}

/** Asks the agent to stop, without making anybody wait for it. */
function cancelQuietly(link: Link, { task }: Progress): void {
  if (task === undefined || isTerminal(task.status.state)) return
  const signal = AbortSignal.timeout(10_000)
  link.endpoint
    .unary({ operation: 'CancelTask', request: { id: task.id }, context: link.context({ signal }) })
    .catch((error: unknown) => link.warn(`cancel: the task could not be canceled: ${A2AError.from(error).message}`))
}

/** Follows a task that exists: first the task as it stands, then each event, until `enough`. */
export async function* followTask(
  link: Link,
  id: string,
  { progress, ...options }: FollowOptions & { readonly progress: Progress },
): AsyncGenerator<StreamResponse> {
  const { signal, historyLength } = options
  const request = { id, ...(historyLength !== undefined && { historyLength }) }
  const { result } = await link.endpoint.unary({ operation: 'GetTask', request, context: link.context({ signal }) })
  progress.task = result.value
  yield { task: result.value }
  if (isTerminal(result.value.status.state) || options.enough(progress, 0)) return
  yield* follow(link, progress, options)
}

/** A state in which somebody has to act, other than the one it was waited in. */
export function untilChanged(from: TaskStatus | undefined): FollowOptions['enough'] {
  return ({ task }) =>
    task !== undefined &&
    (isTerminal(task.status.state) ||
      (isInterrupted(task.status.state) && (from === undefined || !sameStatus(from, task.status))))
}
