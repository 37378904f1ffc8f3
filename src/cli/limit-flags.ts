import type { Limits } from '../engine/limits.ts'
import type { RateLimit } from '../server/rate-limit.ts'
import { parseAge, parseCount, parseDuration } from './arguments.ts'
import { usageError } from './command-error.ts'

/** The flags of `parlance serve` that bound what callers and runs may take. */
export interface LimitFlags {
  readonly maxRuns?: string
  readonly maxRunsPerTenant?: string
  readonly maxRunsPerOwner?: string
  readonly maxWaiting?: string
  readonly runTime?: string
  readonly idleTime?: string
  readonly retain?: string
  readonly rate?: string
}

/** A flag, the limit that it sets, and how it is read. */
const table: readonly {
  readonly flag: keyof LimitFlags
  readonly limit: keyof Limits
  readonly read: (text: string, flag: string) => number
}[] = [
  { flag: 'maxRuns', limit: 'runs', read: (text, flag) => parseCount(text, flag, 1) },
  { flag: 'maxRunsPerTenant', limit: 'runsPerTenant', read: (text, flag) => parseCount(text, flag, 1) },
  { flag: 'maxRunsPerOwner', limit: 'runsPerOwner', read: (text, flag) => parseCount(text, flag, 1) },
  { flag: 'maxWaiting', limit: 'waiting', read: parseCount },
  { flag: 'runTime', limit: 'runTime', read: parseDuration },
  { flag: 'idleTime', limit: 'idleTime', read: parseDuration },
  { flag: 'retain', limit: 'retain', read: parseAge },
]

/** `max-runs` for `maxRuns`. */
function flagName(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** The limits that the flags set. */
export function readLimits(flags: LimitFlags): Partial<Limits> {
  const given = table.flatMap(({ flag, limit, read }) => {
    const text = flags[flag]
    return text === undefined ? [] : [[limit, read(text, flagName(flag))]]
  })
  return Object.fromEntries(given) as Partial<Limits>
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }

/** The rate that `--rate` names: `10/s`, `600/m`, or `10/s:50` with 50 calls at once. */
export function readRate(text: string): RateLimit {
  const match = /^(\d+(?:\.\d+)?)\/(s|m|h)(?::(\d+))?$/.exec(text.trim())
  const perSecond = Number(match?.[1]) / (seconds[match?.[2] ?? ''] ?? Number.NaN)
  const burst = match?.[3] === undefined ? undefined : Number(match[3])
  if (match === null || !(perSecond > 0) || (burst !== undefined && burst < 1)) {
    throw usageError(
      `--rate: ${JSON.stringify(text)} is not a rate`,
      'write 10/s, 600/m, or 10/s:50 for 50 calls at once',
    )
  }
  return { perSecond, ...(burst !== undefined && { burst }) }
}
