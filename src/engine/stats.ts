import type { Core } from './core.ts'

/** What an engine has in hand. */
export interface EngineStats {
  readonly runs: { readonly active: number; readonly waiting: number }
  /** Tasks that this process holds. */
  readonly held: number
  /** Messages that wait for a run of their task to end. */
  readonly queued: number
  /** How many entries each reader of a task is behind; only where that is measured. */
  readonly behind: readonly number[]
}

/** Counts what is there now; the cost grows with the tasks that are held. */
export function engineStats({ admission, lives, readers }: Core): EngineStats {
  let queued = 0
  for (const live of lives.values()) queued += live.jobs.queue.length
  return {
    runs: { active: admission.running, waiting: admission.waiting },
    held: lives.size,
    queued,
    behind: Array.from(readers ?? [], ({ behind }) => behind),
  }
}
