import { Outcome } from '../lib/deferred.ts'
import type { CallContext } from '../protocol/endpoint.ts'
import { A2AError, invalidParams } from '../protocol/errors.ts'
import { idempotencyKeyHeader } from '../protocol/extensions.ts'
import type { SendMessageRequest, SendMessageResponse } from '../protocol/generated/v1/types.ts'
import type { Core } from './core.ts'
import type { Job } from './live.ts'
import type { Send, Started } from './sends.ts'
import type { Answer, IdempotencyKey, Scope } from './store.ts'

const longestKey = 255

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The key of a send that may be repeated; undefined when the caller sends none. */
export async function idempotencyKey(
  context: CallContext,
  request: SendMessageRequest,
): Promise<IdempotencyKey | undefined> {
  const key = context.headers[idempotencyKeyHeader]
  if (key === undefined || key === '') return undefined
  if (key.length > longestKey) {
    throw invalidParams([{ field: 'Idempotency-Key', description: `must be ${longestKey} characters at most` }])
  }
  return { key, digest: await digest(JSON.stringify(request, sortMembers)) }
}

/** The same request may come over another binding, which has its members in another order. */
function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** Sends with a key that are under way in this process, so that a repeat joins instead of starting again. */
export type PendingSends = Map<string, { readonly digest: string; readonly started: Promise<Started> }>

function checkDigest(given: string, known: string): void {
  if (given === known) return
  const description = 'was used for another request; use a new key, or repeat the very same request'
  throw invalidParams([{ field: 'Idempotency-Key', description }])
}

/** Starts a send, or finds what the first send with the same key led to (the idempotency extension). */
export async function startOnce(
  core: Core,
  send: Send & { readonly idempotency: IdempotencyKey },
  { pending, start }: { pending: PendingSends; start: () => Promise<Started> },
): Promise<Started> {
  const { scope, idempotency } = send
  const place = JSON.stringify([scope.tenant, scope.owner, idempotency.key])
  const running = pending.get(place)
  if (running !== undefined) {
    checkDigest(idempotency.digest, running.digest)
    return joined(await running.started)
  }
  const started = begin(core, send, start)
  pending.set(place, { digest: idempotency.digest, started })
  try {
    return await started
  } finally {
    pending.delete(place)
  }
}

/** The same send, without what belongs to the stream of its first caller. */
function joined(started: Started): Started {
  if (started.kind === 'message') return started
  const { made: _, ...rest } = started
  return rest
}

async function begin(
  core: Core,
  { scope, idempotency }: { scope: Scope; idempotency: IdempotencyKey },
  start: () => Promise<Started>,
): Promise<Started> {
  const known = await core.store.answer(scope, idempotency.key)
  if (known !== undefined) {
    checkDigest(idempotency.digest, known.digest)
    return recall(core, scope, known)
  }
  const started = await start()
  if (started.kind === 'message') {
    const text = JSON.stringify({ message: started.message })
    await core.store.remember(scope, idempotency.key, { digest: idempotency.digest, text })
  } else await core.lives.get(started.taskId)?.committed()
  return started
}

async function recall(core: Core, scope: Scope, answer: Answer): Promise<Started> {
  if ('text' in answer) {
    const { message } = JSON.parse(answer.text) as SendMessageResponse
    if (message === undefined) throw new A2AError('Internal')
    return { kind: 'message', message }
  }
  const live = core.lives.get(answer.taskId)
  const head = await core.store.head(scope, answer.taskId)
  if (head === undefined) throw new A2AError('TaskNotFound')
  const job: Job = {
    message: { messageId: '', role: 'ROLE_USER', parts: [] },
    metadata: {},
    acceptedOutputModes: [],
    extensions: [],
    startedAt: head.seq,
    settled: new Outcome(),
  }
  if (live?.run === undefined) job.settled.resolve()
  else live.join(job)
  return { kind: 'task', taskId: answer.taskId, seq: head.seq, job }
}
