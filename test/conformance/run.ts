import { type Check, type Level, type Scene, Skip } from './scene.ts'
import type { Subject } from './subject.ts'
import { allBindings, type Binding, type Peer } from './wire/peer.ts'

/** What one check came to on one binding; `-` is none in particular. */
export interface Result {
  readonly suite: string
  readonly id: string
  readonly level: Level
  readonly binding: Binding | '-'
  readonly outcome: 'pass' | 'fail' | 'skip'
  readonly title: string
  /** Why it failed or was left out. */
  readonly reason: string
}

export interface RunOptions {
  readonly suite: string
  readonly checks: readonly Check[]
  /** Only ids that hold one of these. */
  readonly only?: readonly string[]
  /** How many are played at once; 12. */
  readonly jobs?: number
}

const limit = 30_000

/** Where a check is played: a binding, none in particular, or the reason why nowhere. */
function places(subject: Subject, { on = allBindings }: Check): readonly (Binding | '-')[] {
  if (on === 'once') return ['-']
  return on.length === 1 ? on : on.filter((binding) => subject.address(binding) !== undefined)
}

/** Plays checks against a server; the results are in the order of the checks. */
export async function runChecks(subject: Subject, { suite, checks, only, jobs = 12 }: RunOptions): Promise<Result[]> {
  const wanted = checks.filter(({ id }) => only === undefined || only.some((part) => id.includes(part)))
  const plays = wanted.flatMap((check) => places(subject, check).map((binding) => ({ check, binding })))
  const results: Result[] = []
  let next = 0
  async function work(): Promise<void> {
    for (let at = next++; at < plays.length; at = next++) {
      const { check, binding } = plays[at] as (typeof plays)[number]
      const { id, level, title } = check
      results[at] = { suite, id, level, binding, title, ...(await playCheck(subject, check, binding)) }
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return results
}

async function playCheck(
  subject: Subject,
  check: Check,
  binding: Binding | '-',
): Promise<Pick<Result, 'outcome' | 'reason'>> {
  const place = binding === '-' ? allBindings.find((each) => subject.address(each) !== undefined) : binding
  if (place === undefined || subject.address(place) === undefined) {
    return { outcome: 'skip', reason: `the card names no interface for ${binding}` }
  }
  const opened: Peer[] = []
  const open: Scene['open'] = (wanted, options) => {
    const peer = subject.peer(wanted, options)
    opened.push(peer)
    return peer
  }
  let timer: NodeJS.Timeout | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`took more than ${limit / 1000} s`)), limit)
    })
    await Promise.race([check.run({ subject, peer: open(place), open }), late])
    return { outcome: 'pass', reason: '' }
  } catch (error) {
    const reason = (error as Error).message.split('\n').slice(0, 12).join(' ')
    return { outcome: error instanceof Skip ? 'skip' : 'fail', reason }
  } finally {
    clearTimeout(timer)
    for (const peer of opened) peer.close()
  }
}
