import type { Store, TaskLog } from '../../src/engine/store.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import { delay, wrapStore } from '../harness.ts'

/** What is wrong with the writes of a store at the moment. */
export interface Trouble {
  /** Milliseconds that each write takes. */
  slow: number
  /** Whether the next write of a task fails, which then has written nothing. */
  fails: () => boolean
}

/** A store whose writes go wrong as `trouble` says. */
export function faultyStore(store: Store, trouble: Trouble): Store {
  const wrap = (log: TaskLog): TaskLog => {
    let last: Promise<unknown> = Promise.resolve()
    return {
      append(entries, options) {
        const written = last.then(async () => {
          if (trouble.slow > 0) await delay(trouble.slow)
          if (trouble.fails()) throw new A2AError('Unavailable', 'The disk is full', { retryAfter: 1 })
          await log.append(entries, options)
        })
        last = written.catch(() => {})
        return written
      },
    }
  }
  return wrapStore(store, {
    create: (task) => wrap(store.create(task)),
    async claim(scope, id) {
      const claimed = await store.claim(scope, id)
      return typeof claimed === 'object' ? { ...claimed, log: wrap(claimed.log) } : claimed
    },
  })
}
