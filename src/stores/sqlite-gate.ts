/**
 * Keeps a thread out of native code while the process exits under it: a driver may crash there instead of returning.
 * Two cells of memory that both threads see: whether the thread works, and whether the process exits.
 */
export type Gate = Int32Array<SharedArrayBuffer>

const working = 0
const exiting = 1

export function openGate(): Gate {
  return new Int32Array(new SharedArrayBuffer(8))
}

/** On the thread: does some work, unless the process exits. */
export function passGate<T>(gate: Gate, work: () => T): T | undefined {
  Atomics.store(gate, working, 1)
  try {
    return Atomics.load(gate, exiting) === 0 ? work() : undefined
  } finally {
    Atomics.store(gate, working, 0)
    Atomics.notify(gate, working)
  }
}

/** On the main thread: lets no more work begin, and waits for what is under way, at most `milliseconds`. */
export function shutGate(gate: Gate, milliseconds: number): void {
  Atomics.store(gate, exiting, 1)
  Atomics.wait(gate, working, 1, milliseconds)
}
