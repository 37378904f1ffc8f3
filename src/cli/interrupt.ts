const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const

/** A signal with which a person or a supervisor ends a command. */
export type EndSignal = keyof typeof numbers

/** The exit code of a command that such a signal ended. */
export function signalExitCode(signal: EndSignal): number {
  return 128 + numbers[signal]
}

/** The wish of a person to end a command. */
export interface Interrupt {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Which signal came; undefined when none has. */
  readonly by: EndSignal | undefined
  /** Stops listening. */
  release(): void
}

/** Listens for the signals that end a command. The first one is told; the second one ends the process at once. */
export function listenForInterrupt(onFirst: (signal: EndSignal) => void = () => {}): Interrupt {
  const controller = new AbortController()
  let by: EndSignal | undefined
  const onSignal = (signal: EndSignal): void => {
    if (by !== undefined) process.exit(signalExitCode(signal))
    by = signal
    onFirst(signal)
    controller.abort()
  }
  const names = Object.keys(numbers) as EndSignal[]
  for (const name of names) process.on(name, onSignal)
  return {
    signal: controller.signal,
    get by() {
      return by
    },
    release() {
      for (const name of names) process.off(name, onSignal)
    },
  }
}
