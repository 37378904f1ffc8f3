// A store with the fault that the proof must find: it says that entries are on disk before they are. What it reads is true, so
// that nothing but a kill at the wrong moment shows the fault.
const later = 15

/** Wraps a store so that `append` resolves at once and the commit follows some milliseconds later. */
export function tellEarly(store) {
  const pending = new Map()

  function early(id, log) {
    return {
      append(entries, options) {
        const before = pending.get(id) ?? Promise.resolve()
        const written = Promise.all([before, new Promise((resolve) => setTimeout(resolve, later))])
          .then(() => log.append(entries, options))
          .finally(() => pending.get(id) === written && pending.delete(id))
        pending.set(id, written)
        return Promise.resolve()
      },
    }
  }

  const reading =
    (name) =>
    async (scope, id, ...rest) => {
      await pending.get(id)
      return store[name](scope, id, ...rest)
    }

  const methods = {
    create: (task) => early(task.id, store.create(task)),
    async claim(scope, id) {
      await pending.get(id)
      const claimed = await store.claim(scope, id)
      return typeof claimed === 'object' ? { ...claimed, log: early(id, claimed.log) } : claimed
    },
    head: reading('head'),
    read: reading('read'),
    entries: reading('entries'),
    list: async (...given) => {
      await Promise.all(pending.values())
      return store.list(...given)
    },
    answer: async (...given) => {
      await Promise.all(pending.values())
      return store.answer(...given)
    },
    close: async () => {
      await Promise.all(pending.values())
      await store.close()
    },
  }
  return new Proxy(store, {
    get(target, name) {
      const member = methods[name] ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
