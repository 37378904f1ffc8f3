/**
 * Work that is never done twice at once: a call while it is under way has it done once more afterwards, however many calls came.
 * Every call resolves when work that began after it is done.
 */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = (): Promise<void> => {
    const done = work().finally(() => {
      if (running === done) running = undefined
    })
    running = done
    return done
  }
  return () => {
    if (running === undefined) return begin()
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
}
