type Schedule = (callback: () => void) => void

const immediate = (globalThis as { setImmediate?: Schedule }).setImmediate

/** Calls back when everything that is ready in this turn of the event loop has run. */
export const endOfTurn: Schedule = immediate ?? ((callback) => void setTimeout(callback, 0))

/** Lets the event loop take other work before the caller goes on. */
export function nextTurn(): Promise<void> {
  return new Promise(endOfTurn)
}

/** A timer that does not keep a process alive. */
export function backgroundTimer(callback: () => void, ms: number): { stop(): void } {
  const timer = setTimeout(callback, ms) as { unref?: () => void } & ReturnType<typeof setTimeout>
  timer.unref?.()
  return { stop: () => clearTimeout(timer) }
}

/** Calls back again and again until stopped; does not keep a process alive. */
export function backgroundInterval(callback: () => void, ms: number): { stop(): void } {
  const timer = setInterval(callback, ms) as { unref?: () => void } & ReturnType<typeof setInterval>
  timer.unref?.()
  return { stop: () => clearInterval(timer) }
}
