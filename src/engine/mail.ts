import { Outcome } from '../lib/deferred.ts'
import { oneAtATime } from '../lib/one-at-a-time.ts'
import { A2AError } from '../protocol/errors.ts'
import type { CancelTaskRequest } from '../protocol/generated/v1/types.ts'
import type { Core } from './core.ts'
import { checkDigest, placeOf } from './idempotency.ts'
import type { Job } from './jobs.ts'
import type { Live } from './live.ts'
import { checkMediaTypes } from './media-types.ts'
import { type MailOutcome, sentError } from './remote.ts'
import type { IdempotencyKey, Mail, MailState, NewMail } from './store.ts'

/** A message on its way to the process that holds its task. */
export interface SentMessage
  extends Pick<Job, 'message' | 'metadata' | 'acceptedOutputModes' | 'extensions' | 'trace'> {
  readonly idempotency?: IdempotencyKey
}

/** Mail that gives a message to a task. */
export function messageMail(sent: SentMessage): NewMail {
  return { kind: 'message', text: JSON.stringify(sent) }
}

/** Mail that was taken in, and when it is done. */
interface Taken {
  readonly settled: Promise<void>
}

/** Makes the function that takes in what other processes ask of the tasks held here. */
export function createMailbox(core: Core): () => Promise<void> {
  /** Mail whose time has not come. */
  const waiting = new Set<Mail>()

  async function take(mail: Mail): Promise<void> {
    waiting.delete(mail)
    const live = core.lives.get(mail.taskId)
    // Without a hold here, it is taken back by its sender, or found by the next holder.
    if (live === undefined || live.releasing) return
    try {
      const taken = await (mail.kind === 'cancel' ? takeCancel(core, live, mail) : takeMessage(core, live, mail))
      if (taken === undefined) waiting.add(mail)
      else void report(live, { mail, taken })
    } catch (error) {
      if (!live.left) void tell(core, { mail: mail.id, outcome: refused(error) })
    }
  }

  /** Tells the sender how it ended, unless the task goes on elsewhere: then its next holder will. */
  async function report(live: Live, { mail, taken }: { mail: Mail; taken: Taken }): Promise<void> {
    const outcome = await taken.settled.then(() => outcomeText({ settled: live.published }), refused)
    if (!live.left) await tell(core, { mail: mail.id, outcome })
  }

  return oneAtATime(async () => {
    if (core.lives.size === 0) return
    // One after the other, so that the second use of a key sees the first.
    for (const mail of [...waiting, ...(await core.store.mail())]) await take(mail)
  })
}

function refused(error: unknown): string {
  return outcomeText({ error: sentError(A2AError.from(error)) })
}

function outcomeText(outcome: MailOutcome): string {
  return JSON.stringify(outcome)
}

/** Tells a sender of its mail, however long the store takes to answer. */
async function tell(core: Core, state: MailState & { readonly mail: number }): Promise<void> {
  for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
    const told = await core.store.settle([state]).then(
      () => true,
      () => core.stopping,
    )
    if (told) return
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

async function takeCancel(core: Core, live: Live, mail: Mail): Promise<Taken> {
  const { metadata } = JSON.parse(mail.text) as Pick<CancelTaskRequest, 'metadata'>
  // Said before anything is done: the sender must not take back what then happens.
  if (mail.seq === undefined) await core.store.settle([{ mail: mail.id, seq: live.published }])
  if (!live.releasing) live.cancel(metadata)
  return { settled: live.ended.wait() }
}

/** Gives a message to its task; undefined when its time has not come. */
async function takeMessage(core: Core, live: Live, mail: Mail): Promise<Taken | undefined> {
  const { idempotency, ...sent } = JSON.parse(mail.text) as SentMessage
  const job: Job = {
    ...sent,
    receivedAt: core.now(),
    settled: new Outcome(),
    onStart: (startedAt) => void tell(core, { mail: mail.id, startedAt }),
  }
  if (mail.seq !== undefined) return joined(core, live, { mail, job, seq: mail.seq })
  if (idempotency !== undefined) return takeKeyed(core, live, { mail, job, idempotency })
  checkMediaTypes(core.agent, job.message.parts)
  live.accept(job, { mail: mail.id })
  return { settled: job.settled.wait() }
}

/** A message that is part of the task already waits for the run that has it. */
async function joined(
  core: Core,
  live: Live,
  { mail, job, seq }: { mail: Mail; job: Job; seq: number },
): Promise<Taken> {
  await core.store.settle([{ mail: mail.id, seq, startedAt: seq }])
  job.startedAt = seq
  if (live.run === undefined || live.releasing) job.settled.resolve()
  else live.jobs.join(job)
  return { settled: job.settled.wait() }
}

async function takeKeyed(
  core: Core,
  live: Live,
  { mail, job, idempotency }: { mail: Mail; job: Job; idempotency: IdempotencyKey },
): Promise<Taken | undefined> {
  const { scope, id } = live
  const { key, digest } = idempotency
  const place = placeOf(scope, key)
  if (core.keyed.has(place)) return undefined
  const known = await (core.store.reserve?.(scope, idempotency) ?? core.store.answer(scope, key))
  if (known !== undefined) {
    if ('pending' in known) return undefined
    checkDigest(digest, known.digest)
    return joined(core, live, { mail, job, seq: live.published })
  }
  let refusal: unknown
  try {
    checkMediaTypes(core.agent, job.message.parts)
    if (!live.releasing) live.accept(job, { idempotency, mail: mail.id })
  } catch (error) {
    refusal = error
  }
  if (refusal !== undefined || live.releasing) {
    await core.store.forget?.(scope, key)
    if (refusal !== undefined) throw refusal
    return undefined
  }
  const { seq } = live
  const stored = live.committed().then(() => ({ kind: 'task' as const, taskId: id, job, seq }))
  core.keyed.set(place, { digest, started: stored })
  await stored.catch(() => {})
  core.keyed.delete(place)
  return { settled: job.settled.wait() }
}
