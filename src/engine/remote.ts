import { A2AError, type A2AErrorOptions, type ErrorCode } from '../protocol/errors.ts'
import { isInterrupted, isTerminal } from '../protocol/task.ts'
import type { Core } from './core.ts'
import type { Job } from './jobs.ts'
import type { Live } from './live.ts'
import { Pulse } from './pulse.ts'
import { shuttingDown } from './stop-reason.ts'
import type { MailState, NewMail, Scope, TaskHead } from './store.ts'

/** Where a task is found. */
export interface TaskPlace {
  readonly scope: Scope
  readonly id: string
}

/** Mail that the process which holds the task has taken in. */
export interface TakenMail extends MailState {
  readonly number: number
  readonly seq: number
}

/** How mail ended, as its text says it: all that the sender's caller is to know. */
export type MailOutcome = { readonly settled: number } | { readonly error: SentError }

interface SentError extends Pick<A2AErrorOptions, 'metadata' | 'violations' | 'retryAfter'> {
  readonly code: ErrorCode
  readonly message: string
}

/** The text of an outcome that is an error. */
export function sentError({ code, message, metadata, violations, retryAfter }: A2AError): SentError {
  return {
    code,
    message,
    ...(metadata && { metadata }),
    ...(violations && { violations }),
    ...(retryAfter && { retryAfter }),
  }
}

function receivedError({ code, message, ...options }: SentError): A2AError {
  return new A2AError(code, message, options)
}

/** How long mail lies before it is taken back, to see whether its task can be taken over; milliseconds. */
const patience = 1_000

/** How long a task may be held by nobody before mail that was taken in counts as done, milliseconds: its holder ended before it could tell. */
const silence = 2_000

/**
 * Leaves mail for the process that holds a task, and waits until that has taken it in. Undefined: no other process holds the task, or the
 * mail was not taken in and nobody will.
 */
export async function ask(core: Core, { scope, id }: TaskPlace, mail: NewMail): Promise<TakenMail | undefined> {
  const { store } = core
  const number = await store.post(scope, id, mail)
  if (number === undefined) return undefined
  const pulse = new Pulse(store, id, { shortest: 20, longest: 250 })
  const end = core.now() + patience
  try {
    for (;;) {
      await pulse.next()
      const state = await store.posted(number)
      if (state?.seq !== undefined) return { ...state, seq: state.seq, number }
      if (state?.outcome !== undefined) return { ...state, seq: settledAt(state.outcome), number }
      const lies = state !== undefined && core.now() < end && (await store.head(scope, id))?.held === true
      if (lies) continue
      // Mail that a holder has in hand is waited for: it may become part of the task at any moment.
      if (state === undefined || (await store.withdraw(number))) return undefined
    }
  } finally {
    pulse.stop()
  }
}

/** Where a task stood when mail was done with; throws what went wrong instead. */
function settledAt(outcome: string): number {
  const ended = JSON.parse(outcome) as MailOutcome
  if ('error' in ended) throw receivedError(ended.error)
  return ended.settled
}

/** Waits until the process that took mail in tells how it ended; throws when that was an error, or the caller leaves. */
export async function answered(
  core: Core,
  place: TaskPlace,
  {
    mail,
    onStart,
    signal,
  }: { mail: TakenMail; onStart?: (seq: number) => void; signal?: () => AbortSignal | undefined },
): Promise<void> {
  const pulse = new Pulse(core.store, place.id, { shortest: 50, longest: 1_000 })
  let told = false
  let leftAt: number | undefined
  let state: MailState | undefined = mail
  try {
    for (;;) {
      if (state?.startedAt !== undefined && !told) {
        told = true
        onStart?.(state.startedAt)
      }
      if (state?.outcome !== undefined) {
        settledAt(state.outcome)
        return
      }
      const left = await isLeft(core, place)
      leftAt = left ? (leftAt ?? core.now()) : undefined
      if (leftAt !== undefined && core.now() - leftAt >= silence) return
      await pulse.next()
      if (core.stopping) throw shuttingDown()
      if (signal?.()?.aborted) throw new A2AError('Cancelled')
      // A store that does not answer now is asked again: the message is in, and only what becomes of it is not known yet.
      state = await core.store.posted(mail.number).catch(() => ({}))
    }
  } finally {
    pulse.stop()
  }
}

async function isLeft(core: Core, { scope, id }: TaskPlace): Promise<boolean> {
  const head = await core.store.head(scope, id).catch(() => null)
  return head === undefined || head?.held === false
}

/** A send whose run is at work in another process. */
export interface RemoteSend {
  readonly job: Job
  readonly caller: { readonly signal?: AbortSignal }
  /** Whether a stream follows the run, which has to learn of its end. */
  readonly streaming: boolean
}

/** Lets a send wait, and its stream end, as if the run that another process has for its message were here. */
export async function followMail(core: Core, place: TaskPlace, send: RemoteSend & { mail: TakenMail }): Promise<void> {
  const { job, caller, mail, streaming } = send
  const onStart = (seq: number): void => begun(core, place.id, { job, seq })
  try {
    await answered(core, place, { mail, onStart, signal: () => caller.signal })
    if (job.startedAt === undefined) onStart(mail.seq)
    job.settled.resolve()
  } catch (error) {
    job.settled.reject(error)
    core.feeds.find(place.id)?.wake()
    return
  }
  if (streaming) await tellIdle(core, place, caller)
}

function begun(core: Core, id: string, { job, seq }: { job: Job; seq: number }): void {
  job.startedAt = seq
  const feed = core.feeds.find(id)
  if (feed === undefined) return
  if (!core.lives.has(id)) feed.idleAt = undefined
  feed.wake()
}

/** Lets a repeated send wait for what this process makes of a task: the run at work, or the end that is being written. */
export async function waitHere(live: Live, job: Job): Promise<void> {
  if (live.run !== undefined && !live.releasing) return live.jobs.join(job)
  await live.ended.wait()
  if (live.left) job.settled.reject(shuttingDown())
  else job.settled.resolve()
}

/** Lets a repeated send wait for what the run comes to that another process has at work for the task, found as `head`. */
export async function followRun(core: Core, place: TaskPlace, send: RemoteSend & { head: TaskHead }): Promise<void> {
  const { job, caller, head, streaming } = send
  const settled = ({ state, time, held }: TaskHead): boolean =>
    !held || isTerminal(state) || (isInterrupted(state) && time > head.time)
  await untilHead(core, place, { caller, until: settled })
  const live = core.lives.get(place.id)
  // This process has taken the task over.
  if (live !== undefined) return waitHere(live, job)
  if (core.stopping) job.settled.reject(shuttingDown())
  else if (caller.signal?.aborted) job.settled.reject(new A2AError('Cancelled'))
  else job.settled.resolve()
  if (streaming) await tellIdle(core, place, caller)
}

/** Tells the feed of a task when no process works on it any more. */
async function tellIdle(core: Core, place: TaskPlace, caller: RemoteSend['caller']): Promise<void> {
  const head = await untilHead(core, place, { caller, until: ({ held }) => !held })
  const feed = core.feeds.find(place.id)
  if (head === undefined || feed === undefined || core.lives.has(place.id)) return
  if (head.seq > feed.committed) feed.skip(head.seq)
  feed.idleAt = feed.committed
  feed.wake()
}

/** Looks at a task until its row is as it should be; undefined when it is gone or here, or the caller or this process stops. */
async function untilHead(
  core: Core,
  { scope, id }: TaskPlace,
  { caller, until }: { caller: RemoteSend['caller']; until: (head: TaskHead) => boolean },
): Promise<TaskHead | undefined> {
  const pulse = new Pulse(core.store, id, { shortest: 50, longest: 1_000 })
  try {
    for (;;) {
      const head = await core.store.head(scope, id).catch(() => null)
      if (head === undefined || (head !== null && until(head))) return head
      await pulse.next()
      if (core.stopping || caller.signal?.aborted || core.lives.has(id)) return undefined
    }
  } finally {
    pulse.stop()
  }
}
