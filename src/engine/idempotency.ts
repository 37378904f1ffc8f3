import { pause } from '../lib/backoff.ts'
import { Outcome } from '../lib/deferred.ts'
import type { CallContext } from '../protocol/endpoint.ts'
import { A2AError, invalidParams } from '../protocol/errors.ts'
import { idempotencyKeyHeader } from '../protocol/extensions.ts'
import type { SendMessageRequest, SendMessageResponse } from '../protocol/generated/v1/types.ts'
import { type Reach, requireHead } from './claim.ts'
import type { Core } from './core.ts'
import type { Job } from './jobs.ts'
import { followRun, waitHere } from './remote.ts'
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

/** Sends with a key that are under way in this process, by `placeOf`, so that a repeat joins instead of starting again. */
export type KeyedSends = Map<string, { readonly digest: string; readonly started: Promise<Started> }>

/** What a key is known by among all keys of this process. */
export function placeOf({ tenant, owner }: Scope, key: string): string {
  return JSON.stringify([tenant, owner, key])
}

/** Refuses a key that was used for another request. */
export function checkDigest(given: string, known: string): void {
  if (given === known) return
  const description = 'was used for another request; use a new key, or repeat the very same request'
  throw invalidParams([{ field: 'Idempotency-Key', description }])
}

/** A send with a key. */
type KeyedSend = Send & { readonly idempotency: IdempotencyKey }

/** Starts a send, or finds what the first send with the same key led to (the idempotency extension). */
export async function startOnce(core: Core, send: KeyedSend, start: () => Promise<Started>): Promise<Started> {
  const { scope, idempotency } = send
  const place = placeOf(scope, idempotency.key)
  const running = core.keyed.get(place)
  if (running !== undefined) {
    checkDigest(idempotency.digest, running.digest)
    try {
      const first = await running.started
      // Not the wait of the first caller, who may leave: this one waits for itself.
      return first.kind === 'message'
        ? first
        : await recall(core, send, { digest: running.digest, taskId: first.taskId })
    } catch (error) {
      if (!A2AError.is(error) || error.code !== 'Cancelled' || send.context.signal?.aborted) throw error
      // The first caller left before anything was begun; this one is still here.
      return startOnce(core, send, start)
    }
  }
  const started = begin(core, send, start)
  core.keyed.set(place, { digest: idempotency.digest, started })
  try {
    return await started
  } finally {
    core.keyed.delete(place)
  }
}

/** Another process has taken the key while this one had to let it go: what that made of it is the answer. */
class KeyTaken extends Error {}

async function begin(core: Core, send: KeyedSend, start: () => Promise<Started>): Promise<Started> {
  const { scope, idempotency } = send
  const { store } = core
  for (;;) {
    const known = await lookUp(core, send)
    if (known !== undefined) return recall(core, send, known)
    try {
      const started = await start()
      if (started.kind === 'message') {
        const text = JSON.stringify({ message: started.message })
        await store.remember(scope, idempotency.key, { digest: idempotency.digest, text })
      } else await started.made?.live.committed()
      return started
    } catch (error) {
      await store.forget?.(scope, idempotency.key).catch(() => {})
      if (!(error instanceof KeyTaken)) throw error
    }
  }
}

/** How long to wait for the process that has a send with the same key under way, milliseconds. */
const patience = 10_000

/** What is known under the key of a send; undefined: nothing, and it is this process' to use. */
async function lookUp(core: Core, { scope, idempotency, context }: KeyedSend): Promise<Answer | undefined> {
  const { store } = core
  const end = core.now() + patience
  for (let wait = 20; ; wait = Math.min(wait * 2, 500)) {
    const known = await (store.reserve?.(scope, idempotency) ?? store.answer(scope, idempotency.key))
    if (known === undefined) return undefined
    checkDigest(idempotency.digest, known.digest)
    if (!('pending' in known)) return known
    if (core.now() > end || core.stopping) {
      throw new A2AError('Unavailable', 'The first request with this key is still under way; try again', {
        retryAfter: 1,
      })
    }
    await pause(wait)
    if (context.signal?.aborted) throw new A2AError('Cancelled')
  }
}

/** Lets go of a key while its message is left to another process, which takes it for itself. */
export function handKeyOn(core: Core, { scope, idempotency }: Send): Pick<Reach<never>, 'onPost' | 'onReturn'> {
  const { store } = core
  if (idempotency === undefined || store.reserve === undefined) return {}
  return {
    onPost: async () => store.forget?.(scope, idempotency.key),
    async onReturn() {
      if ((await store.reserve?.(scope, idempotency)) !== undefined) throw new KeyTaken()
    },
  }
}

async function recall(core: Core, { scope, context, streaming }: Send, answer: Answer): Promise<Started> {
  if ('text' in answer) {
    const { message } = JSON.parse(answer.text) as SendMessageResponse
    if (message === undefined) throw new A2AError('Internal')
    return { kind: 'message', message }
  }
  if (!('taskId' in answer)) throw new A2AError('Internal')
  const { taskId: id } = answer
  const head = await requireHead(core, scope, id)
  const live = core.lives.get(id)
  const job: Job = {
    message: { messageId: '', role: 'ROLE_USER', parts: [] },
    metadata: {},
    acceptedOutputModes: [],
    extensions: [],
    startedAt: head.seq,
    settled: new Outcome(),
  }
  if (live !== undefined) void waitHere(live, job)
  else if (head.held) void followRun(core, { scope, id }, { job, caller: context, streaming, head })
  else job.settled.resolve()
  return { kind: 'task', taskId: id, seq: head.seq, job }
}
