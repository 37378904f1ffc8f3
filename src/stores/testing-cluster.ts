import assert from 'node:assert/strict'
import { isHoldLost, type Store, type TaskLog } from '../engine/store.ts'
import { A2AError } from '../protocol/errors.ts'
import { scope } from './testing-entries.ts'

/** A database that several processes use, and how the others come to take one of them for dead. */
export interface SharedDatabase {
  /** The store of one more process. */
  open(): Promise<Store>
  /** What others do when a process has been silent for too long; once for each store. It may not have noticed when this resolves. */
  takeForDead(store: Store): Promise<void>
}

/** Several processes on one database. */
export interface Cluster {
  /** The store of one more process. */
  open(): Promise<Store>
  /** Lets others take a process for dead, which goes on and may not know of it yet. */
  silence(store: Store): Promise<void>
  /** Ends a store as if its process had died: nothing works with it any more. */
  kill(store: Store): Promise<void>
  /** Lets others take a process for dead; resolves when it has noticed. */
  expire(store: Store): Promise<void>
  /** Closes all stores. */
  close(): Promise<void>
}

/** The processes on a database. */
export function clusterOf({ open, takeForDead }: SharedDatabase): Cluster {
  const inner = new Map<Store, { readonly store: Store; dead: boolean }>()
  const found = (store: Store): { readonly store: Store; dead: boolean } => {
    const entry = inner.get(store)
    if (entry === undefined) throw new Error('not a store of this cluster')
    return entry
  }
  return {
    async open() {
      const entry = { store: await open(), dead: false }
      const dead = () => Promise.reject(new A2AError('Unavailable', 'This process is dead'))
      const mortal = new Proxy(entry.store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target)
          if (typeof member !== 'function') return member
          if (!entry.dead || name === 'watch' || name === 'listen') return member.bind(target)
          return dead
        },
      })
      inner.set(mortal, entry)
      return mortal
    },
    silence: (store) => takeForDead(found(store).store),
    async kill(store) {
      const entry = found(store)
      entry.dead = true
      await takeForDead(entry.store)
    },
    async expire(store) {
      let lost = false
      const stop = store.listen({ mail() {}, abandoned() {}, lost: () => (lost = true) })
      await takeForDead(found(store).store)
      await eventually(() => lost)
      stop()
    },
    async close() {
      for (const { store } of inner.values()) await store.close()
    },
  }
}

/** One sentence of what holds among several processes on one database. */
export interface ClusterCase {
  readonly name: string
  readonly run: (cluster: Cluster) => Promise<void>
}

/** Waits until something holds; fails when it does not within five seconds. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 5_000
  while (!(await check())) {
    assert.ok(performance.now() < deadline, 'waited five seconds for something that never came')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Takes hold of a task that is there and free, and tells how it was left. */
export async function claimed(
  store: Store,
  id: string,
): Promise<{ log: TaskLog; seq: number; left: string | undefined }> {
  const found = await store.claim(scope, id)
  assert.ok(found !== undefined && found !== 'held', `task ${id} is free`)
  return { log: found.log, seq: found.head.seq, left: found.left }
}

/** Takes hold of a free task with a store that may just be entering its database again. */
export async function claimedAtLast(store: Store, id: string): ReturnType<typeof claimed> {
  await eventually(() => store.check().then(() => true, isUnavailable))
  return claimed(store, id)
}

function isUnavailable(error: unknown): false {
  assert.ok(A2AError.is(error) && error.code === 'Unavailable', String(error))
  return false
}

/** Passes when an append is refused because the hold is lost. */
export async function losesHold(written: Promise<unknown>): Promise<void> {
  await assert.rejects(written, (error) => {
    assert.ok(isHoldLost(error), `the hold is lost, not ${String(error)}`)
    return true
  })
}
