import { encodeText } from '../protocol/encoded.ts'
import type { StreamEvent } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type { StreamResponse, SubscribeToTaskRequest } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import { requireHead, taskNotFound } from './claim.ts'
import type { Core } from './core.ts'
import type { Feed } from './feed.ts'
import { type FollowOptions, follow } from './follow.ts'
import type { Scope, Snapshot, TaskHead } from './store.ts'

/** The first frame of a task stream. */
export function taskFrame({ text, head }: Snapshot): StreamEvent {
  return encodeText<StreamResponse>(`{"task":${text}}`, head.seq) as StreamEvent
}

/** Counts the open streams of each owner. */
export class OpenStreams {
  readonly #counts = new Map<string, number>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes a place, or refuses; the place is given back by the returned function. */
  open({ tenant, owner }: Scope): () => void {
    const key = JSON.stringify([tenant, owner])
    const count = this.#counts.get(key) ?? 0
    if (count >= this.#limit) {
      throw new A2AError('ResourceExhausted', `You hold ${count} open streams, which is the limit; close some first`, {
        retryAfter: 5,
      })
    }
    this.#counts.set(key, count + 1)
    let open = true
    return () => {
      if (!open) return
      open = false
      const left = (this.#counts.get(key) ?? 1) - 1
      if (left === 0) this.#counts.delete(key)
      else this.#counts.set(key, left)
    }
  }
}

export interface TailOptions extends Pick<FollowOptions, 'endsAt' | 'endsWhenIdle' | 'caller'> {
  readonly scope: Scope
  readonly snapshot: Snapshot
  /** The task's feed, when the caller has acquired it already. */
  readonly feed?: Feed
  /** A place among the owner's open streams, given back when the stream ends. */
  readonly close: () => void
}

/** A stream of one frame. */
export async function* once(frame: StreamEvent): AsyncIterable<readonly StreamEvent[]> {
  yield [frame]
}

/** A snapshot of a task, then every frame after it (§3.1.6). */
export async function tail(core: Core, options: TailOptions): Promise<AsyncIterable<readonly StreamEvent[]>> {
  const { scope, snapshot, close, feed: held, ...rest } = options
  const { id, contextId } = snapshot.head
  const feed = held ?? core.feeds.acquire(id, contextId)
  if (isTerminal(snapshot.head.state)) {
    core.feeds.release(feed)
    close()
    return once(taskFrame(snapshot))
  }
  if (held === undefined && !core.lives.has(id)) {
    const head = await core.store.head(scope, id)
    // Without a writer here the feed knows nothing; what is committed up to now is in the snapshot or the store.
    if (head !== undefined && !core.lives.has(id)) {
      feed.committed = Math.max(feed.committed, head.seq)
      feed.idleAt = head.held ? undefined : feed.committed
      if (!feed.closed) core.feeds.watch(feed, scope)
    }
  }
  return follow(feed, {
    store: core.store,
    scope,
    after: snapshot.head.seq,
    first: taskFrame(snapshot),
    readers: core.readers,
    onEnd: () => {
      close()
      core.feeds.release(feed)
    },
    ...rest,
  })
}

/** What SubscribeToTask needs to know besides the task. */
export interface SubscribeOptions {
  readonly streams: OpenStreams
  readonly lastEventId: string | undefined
  readonly caller: { readonly signal?: AbortSignal }
}

/**
 * SubscribeToTask (§3.1.6). With a last event id the stream starts with the task as it stood then, also when the task has
 * ended; an id that says nothing any more gets the task as it stands now.
 */
export async function subscribe(
  core: Core,
  { scope, request }: { scope: Scope; request: SubscribeToTaskRequest },
  options: SubscribeOptions,
): Promise<AsyncIterable<readonly StreamEvent[]>> {
  const head = await requireHead(core, scope, request.id)
  const at = resumePoint(options.lastEventId, head)
  if (options.lastEventId === undefined && isTerminal(head.state)) {
    throw new A2AError('UnsupportedOperation', `The task is ${head.state}; read it with GetTask`, {
      metadata: { taskId: head.id, state: head.state },
    })
  }
  const close = options.streams.open(scope)
  try {
    const { store } = core
    const resumed = at === undefined ? undefined : await store.read(scope, head.id, { artifacts: true, at })
    const snapshot = resumed ?? (await store.read(scope, head.id, { artifacts: true }))
    if (snapshot === undefined) throw taskNotFound(request.id)
    return tail(core, {
      scope,
      snapshot,
      close,
      caller: options.caller,
    })
  } catch (error) {
    close()
    throw error
  }
}

function resumePoint(lastEventId: string | undefined, head: TaskHead): number | undefined {
  if (lastEventId === undefined || !/^\d{1,10}$/.test(lastEventId)) return undefined
  const seq = Number(lastEventId)
  return seq >= 1 && seq <= head.seq ? seq : undefined
}
