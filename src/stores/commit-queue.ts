import {
  type Answer,
  type AppendOptions,
  type Entry,
  holdLost,
  type IdempotencyKey,
  isHoldLost,
  type NewTask,
  type Scope,
} from '../engine/store.ts'
import { A2AError } from '../protocol/errors.ts'
import { checkNumbers } from './replay.ts'

/** A task that this process holds, as the main thread sees it. */
export interface Hold {
  readonly number: number
  readonly scope: Scope
  readonly id: string
  /** Set until the first commit has stored the task. */
  task: NewTask | undefined
  /** Number of the last committed entry. */
  seq: number
  /** Number of the last entry that was appended. */
  appended: number
  released: boolean
  /** The queue's, as long as something can be written with it. */
  epoch: number
}

/** How an append gives its task up: not at all, for good, or to whoever takes it over. */
export type Release = NonNullable<AppendOptions['release']>

/** Entries of one task that are committed together. */
export interface AppendUnit {
  readonly kind: 'append'
  readonly hold: Hold
  readonly entries: readonly Entry[]
  readonly idempotency: readonly IdempotencyKey[]
  readonly accepted: NonNullable<AppendOptions['accepted']>
  readonly release: Release
  readonly waiting: boolean
}

/** One write among those that are committed together. */
export type CommitUnit =
  | AppendUnit
  | { readonly kind: 'claim'; readonly hold: Hold }
  | { readonly kind: 'remember'; readonly scope: Scope; readonly key: string; readonly answer: Answer }

/** What a claim found: the head of the task that is now held, and how its holder before left it. */
export interface ClaimedRow {
  readonly key: number
  readonly context: string
  readonly state: number
  readonly time: number
  readonly seq: number
  readonly left: 'waiting' | 'begun' | null
}

/** What became of a unit: null for done or (claim) for no such task, a text for why it was refused; `lost`: others may have the task. */
export type UnitResult = null | 'held' | ClaimedRow | { readonly refused: string; readonly lost?: true }

/** What commits: one database. */
export interface CommitPort {
  /** Commits units together; null when all of them are done. Rejects with A2AError when nothing was written. */
  commit(units: readonly CommitUnit[]): Promise<readonly UnitResult[] | null>
}

interface Waiting {
  readonly done: Promise<UnitResult>
  readonly resolve: (result: UnitResult) => void
  readonly reject: (error: A2AError) => void
}

interface PendingAppend extends Waiting, AppendUnit {
  readonly entries: Entry[]
  readonly idempotency: IdempotencyKey[]
  readonly accepted: { readonly mail: number; readonly seq: number }[]
  release: Release
  waiting: boolean
}

type Pending = PendingAppend | (Waiting & Exclude<CommitUnit, AppendUnit>)

export interface CommitQueueOptions {
  /** Units that may wait; more are refused. */
  readonly longest?: number
  /** Called when entries are durable, before their promise settles. */
  readonly committed: (hold: Hold, entries: readonly Entry[], release: Release) => void
  /** Called when entries were refused, which may mean that another process has the task now. */
  readonly refused: (hold: Hold) => void
}

function waiting(): Waiting {
  let resolve!: Waiting['resolve']
  let reject!: Waiting['reject']
  const done = new Promise<UnitResult>((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { done, resolve, reject }
}

/** Gathers writes while a commit is under way, and commits them together when it is done. */
export class CommitQueue {
  readonly #port: CommitPort
  readonly #options: CommitQueueOptions
  #gathering = new Map<Hold, PendingAppend>()
  #pending: Pending[] = []
  #busy = false
  #scheduled = false
  #holds = 0
  #epoch = 0
  #closed: Promise<void> | undefined
  #idle: (() => void) | undefined

  constructor(port: CommitPort, options: CommitQueueOptions) {
    this.#port = port
    this.#options = options
  }

  /** A hold on a task; `seq` tells where its log stands. */
  hold(scope: Scope, id: string, { task, seq }: { task?: NewTask; seq: number }): Hold {
    return { number: ++this.#holds, scope, id, task, seq, appended: seq, released: false, epoch: this.#epoch }
  }

  append(
    hold: Hold,
    entries: readonly Entry[],
    { release = false, idempotency, accepted, waiting: unbegun = false }: AppendOptions = {},
  ): Promise<unknown> {
    try {
      this.#refuseClosed()
      if (hold.epoch !== this.#epoch) throw holdLost()
      if (hold.released) throw new A2AError('Unavailable', 'The task was released: claim it before writing to it again')
      checkNumbers(entries, hold.appended)
      if (hold.task !== undefined && hold.appended === 0) this.#refuseFull()
    } catch (error) {
      return Promise.reject(error)
    }
    hold.released = release !== false
    if (entries.length === 0 && hold.task !== undefined && hold.appended === 0) return Promise.resolve()
    hold.appended += entries.length
    let unit = this.#gathering.get(hold)
    if (unit === undefined) {
      const { done, resolve, reject } = waiting()
      const empty = { entries: [], idempotency: [], accepted: [] }
      unit = { kind: 'append', hold, ...empty, release, waiting: unbegun, done, resolve, reject }
      this.#gathering.set(hold, unit)
      this.#add(unit)
    }
    for (const entry of entries) unit.entries.push(entry)
    if (idempotency !== undefined) unit.idempotency.push(idempotency)
    if (accepted !== undefined) unit.accepted.push(...accepted)
    unit.release = release
    unit.waiting = unbegun
    return unit.done
  }

  /** Nothing can be written any more with the holds so far, as others may have taken them. */
  lose(): void {
    this.#epoch += 1
    const lost = this.#pending.filter((unit) => 'hold' in unit)
    this.#pending = this.#pending.filter((unit) => !('hold' in unit))
    this.#gathering.clear()
    for (const unit of lost) unit.reject(holdLost())
  }

  async claim(hold: Hold): Promise<UnitResult> {
    this.#refuseClosed()
    return this.#add({ ...waiting(), kind: 'claim', hold }).done
  }

  async remember(scope: Scope, key: string, answer: Answer): Promise<void> {
    this.#refuseClosed()
    await this.#add({ ...waiting(), kind: 'remember', scope, key, answer }).done
  }

  /** Commits what is pending; nothing is taken any more. */
  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      if (this.#pending.length === 0 && !this.#busy) resolve()
      else this.#idle = resolve
    })
    return this.#closed
  }

  /** What is new can be tried again later; what is under way cannot. */
  #refuseFull(): void {
    if (this.#pending.length < (this.#options.longest ?? Number.POSITIVE_INFINITY)) return
    throw new A2AError('Unavailable', 'The task store is slow and has much to write; try again later', {
      retryAfter: 1,
    })
  }

  #refuseClosed(): void {
    if (this.#closed !== undefined) throw new A2AError('Unavailable', 'The task store is closed')
  }

  #add<T extends Pending>(unit: T): T {
    this.#pending.push(unit)
    this.#schedule()
    return unit
  }

  #schedule(): void {
    if (this.#busy || this.#scheduled) return
    this.#scheduled = true
    // The whole turn is gathered first: the larger a commit, the less of its sync falls to each task.
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#scheduled = false
    const units = this.#pending
    this.#pending = []
    // A new one, as the tables of a map that is cleared keep what was in them, and each other.
    this.#gathering = new Map()
    if (units.length === 0) {
      this.#finish()
      return
    }
    this.#busy = true
    this.#port.commit(units).then(
      (results) => this.#settle(units, results),
      (error: unknown) => this.#failAll(units, A2AError.from(error)),
    )
  }

  #settle(units: readonly Pending[], results: readonly UnitResult[] | null): void {
    for (const [index, unit] of units.entries()) this.#settleUnit(unit, results?.[index] ?? null)
    this.#finish()
  }

  #settleUnit(unit: Pending, result: UnitResult): void {
    if (result !== null && typeof result === 'object' && 'refused' in result) {
      if (unit.kind === 'append') this.#options.refused(unit.hold)
      this.#fail(unit, result.lost ? holdLost(result.refused) : new A2AError('Unavailable', result.refused))
      return
    }
    if (unit.kind === 'append') {
      const { hold, entries, release } = unit
      hold.seq += entries.length
      this.#options.committed(hold, entries, release)
      hold.task = undefined
    }
    unit.resolve(result)
  }

  #failAll(units: readonly Pending[], error: A2AError): void {
    for (const unit of units) this.#fail(unit, error)
    this.#finish()
  }

  /** What was appended after a refused append cannot be written either: its numbers would leave a gap. */
  #fail(unit: Pending, error: A2AError): void {
    unit.reject(error)
    if (unit.kind !== 'append') return
    const { hold } = unit
    hold.appended = hold.seq
    hold.released = false
    if (isHoldLost(error)) hold.epoch = -1
    const next = this.#gathering.get(hold)
    if (next === undefined) return
    this.#gathering.delete(hold)
    this.#pending = this.#pending.filter((pending) => pending !== next)
    next.reject(error)
  }

  #finish(): void {
    this.#busy = false
    if (this.#pending.length > 0) this.#schedule()
    else this.#idle?.()
  }
}
