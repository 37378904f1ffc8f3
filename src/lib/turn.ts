type Schedule = (callback: () => void) => void

const immediate = (globalThis as { setImmediate?: Schedule }).setImmediate

const schedule: Schedule = immediate ?? ((callback) => void setTimeout(callback, 0))
let waiting: (() => void)[] = []

function runWaiting(): void {
  const callbacks = waiting
  waiting = []
  let called = 0
  try {
    for (const callback of callbacks) {
      called += 1
      callback()
    }
  } finally {
    if (called < callbacks.length) {
      if (waiting.length === 0) schedule(runWaiting)
      waiting.unshift(...callbacks.slice(called))
    }
  }
}

/** Calls back when everything that is ready in this turn of the event loop has run; all callbacks of a turn share one timer. */
export const endOfTurn: Schedule = (callback) => {
  if (waiting.length === 0) schedule(runWaiting)
  waiting.push(callback)
}

/** Lets the event loop take other work before the caller goes on. */
export function nextTurn(): Promise<void> {
  return new Promise(schedule)
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
