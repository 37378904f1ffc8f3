// A store whose writes are slow, fail once now and then, or fail for a while: what disks and databases do.

/** Wraps a store; `slow` delays each append by up to so many milliseconds, `failing` is the part of appends that fail, `outage` the milliseconds of each minute in which all do. */
export function faulty(store, { slow = 0, failing = 0, outage = 0 }) {
  const fails = () => Math.random() < failing || Date.now() % 60_000 < outage
  const refuse = async () => {
    const error = new Error('The disk is full')
    throw Object.assign(error, { isA2AError: true, code: 'Unavailable', metadata: {}, violations: [], retryAfter: 1 })
  }
  const wrap = (log) => {
    let last = Promise.resolve()
    return {
      append(entries, options) {
        const written = last.then(async () => {
          if (slow > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * slow))
          return fails() ? refuse() : log.append(entries, options)
        })
        last = written.catch(() => {})
        return written
      },
    }
  }
  const methods = {
    create: (task) => wrap(store.create(task)),
    async claim(scope, id) {
      const claimed = await store.claim(scope, id)
      return typeof claimed === 'object' ? { ...claimed, log: wrap(claimed.log) } : claimed
    },
  }
  return new Proxy(store, {
    get(target, name) {
      const member = methods[name] ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
