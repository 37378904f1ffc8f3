// What the tables of this folder are made of.
import type { TaskContext, Yielded } from 'parlance/server'

/** One way to work on a message. */
export type Behaviour = (task: TaskContext) => AsyncIterable<Yielded>

/** Rows by the beginning of a text. */
export type BehaviourTable = Readonly<Record<string, Behaviour>>

/** Gives these events, made anew for each task. */
export function give(events: () => readonly Yielded[]): Behaviour {
  return async function* () {
    yield* events()
  }
}

/** The row with the longest prefix of a text. */
export function rowOf(table: BehaviourTable, text: string): Behaviour | undefined {
  const prefixes = Object.keys(table).filter((prefix) => text.startsWith(prefix))
  const longest = prefixes.sort((one, other) => other.length - one.length)[0]
  return longest === undefined ? undefined : table[longest]
}

/** Waits for milliseconds, or until the run is told to stop; tells whether the time has passed. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (passed: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(passed)
    }
    const stop = (): void => end(false)
    const timer = setTimeout(() => end(true), milliseconds)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop)
  })
}

/** Waits until the run is told to stop. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Text of the first part of a message. */
export function firstText(message: TaskContext['message'] | undefined): string {
  return message?.parts[0]?.text ?? ''
}
