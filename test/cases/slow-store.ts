import type { Store, TaskLog } from '../../src/engine/store.ts'
import { delay } from '../harness.ts'

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
  return {
    create: (task) => slow(store.create(task)),
    async claim(scope, id) {
      const claimed = await store.claim(scope, id)
      return typeof claimed === 'object' ? { ...claimed, log: slow(claimed.log) } : claimed
    },
    head: (scope, id) => store.head(scope, id),
    read: (scope, id, view) => store.read(scope, id, view),
    list: (scope, query) => store.list(scope, query),
    entries: (scope, id, range) => store.entries(scope, id, range),
    answer: (scope, key) => store.answer(scope, key),
    remember: (scope, key, answer) => store.remember(scope, key, answer),
    abandoned: (agent, limit) => store.abandoned(agent, limit),
    purge: (before) => store.purge(before),
    close: async () => {},
  }
}
