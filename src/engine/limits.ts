/** Bounds that keep one caller or one run from harming the rest. Times in milliseconds, sizes in characters. */
export interface Limits {
  /** How long a send waits for the first event before a task is made. */
  readonly decideAfter: number
  /** How long an executor may go on after a cancel before CANCELED is forced. */
  readonly cancelGrace: number
  /** Runs that may be at work at once in this process, and how many of one tenant or of one owner; absent: no bound of their own. */
  readonly runs: number
  readonly runsPerTenant?: number
  readonly runsPerOwner?: number
  /** Runs that may wait for a place among them. */
  readonly waiting: number
  readonly runTime: number
  /** How long a run may go without an event. */
  readonly idleTime: number
  /** Messages that may wait for one task. */
  readonly queue: number
  /** Streams that one owner may hold open. */
  readonly streamsPerOwner: number
  /** JSON text of one event. */
  readonly eventSize: number
  /** How often to look for tasks that a dead process left, and for what may be dropped. */
  readonly sweepEvery: number
  /** How often to look for what other processes did of which no hint came: events of tasks that they work on, mail for tasks at work here. */
  readonly pollEvery: number
  /** How long the events of an ended task are kept for resuming readers. */
  readonly replayWindow: number
  /** How long tasks are kept after their last status; absent: for ever. */
  readonly retain?: number
  /** How long an idempotency key is remembered. */
  readonly idempotencyWindow: number
}

const minute = 60_000
const hour = 60 * minute

/** The bounds that hold unless others are given. */
export const standardLimits: Limits = {
  decideAfter: 20,
  cancelGrace: 2_000,
  runs: 10_000,
  waiting: 10_000,
  runTime: 6 * hour,
  idleTime: 30 * minute,
  queue: 100,
  streamsPerOwner: 1_000,
  eventSize: 16 * 1024 * 1024,
  sweepEvery: 5_000,
  pollEvery: 250,
  replayWindow: hour,
  idempotencyWindow: 24 * hour,
}
