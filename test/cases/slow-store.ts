import type { Store, TaskLog } from '../../src/engine/store.ts'
import { delay, wrapStore } from '../harness.ts'

/** A store whose writes are told so many milliseconds late, one after the other as they came. */
export function slowStore(store: Store, ms: number): Store {
  const slow = (log: TaskLog): TaskLog => {
    let last: Promise<unknown> = Promise.resolve()
    return {
      append(entries, options) {
        const written = last.then(() => delay(ms)).then(() => log.append(entries, options))
        last = written.catch(() => {})
        return written
      },
    }
  }
  return wrapStore(store, {
    create: (task) => slow(store.create(task)),
    async claim(scope, id) {
      const claimed = await store.claim(scope, id)
      return typeof claimed === 'object' ? { ...claimed, log: slow(claimed.log) } : claimed
    },
    close: async () => {},
  })
}
