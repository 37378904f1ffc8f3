import type { Answer, Entry, IdempotencyKey, NewTask, Scope } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import { checkNumbers } from './replay.ts'
import { BatchBuilder, type UnitResult } from './sqlite-batch.ts'
import type { CommitterReply } from './sqlite-committer.ts'
import type { CommitterPort } from './sqlite-thread.ts'

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
}

interface Waiting {
  readonly done: Promise<UnitResult>
  readonly resolve: (result: UnitResult) => void
  readonly reject: (error: A2AError) => void
}

interface PendingAppend extends Waiting {
  readonly kind: 'append'
  readonly hold: Hold
  readonly entries: Entry[]
  readonly idempotency: IdempotencyKey[]
  release: boolean
}

type Pending =
  | PendingAppend
  | (Waiting & { readonly kind: 'claim'; readonly hold: Hold })
  | (Waiting & { readonly kind: 'remember'; readonly scope: Scope; readonly key: string; readonly answer: Answer })

export interface CommitQueueOptions {
  readonly log: Logger
  /** Called when entries are durable, before their promise settles. */
  readonly committed: (hold: Hold, entries: readonly Entry[], release: boolean) => void
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
  readonly #port: CommitterPort
  readonly #options: CommitQueueOptions
  readonly #builder = new BatchBuilder()
  #gathering = new Map<Hold, PendingAppend>()
  #pending: Pending[] = []
  #busy = false
  #scheduled = false
  #holds = 0
  #closed: Promise<void> | undefined
  #idle: (() => void) | undefined

  constructor(port: CommitterPort, options: CommitQueueOptions) {
    this.#port = port
    this.#options = options
  }

  /** A hold on a task; `seq` tells where its log stands. */
  hold(scope: Scope, id: string, { task, seq }: { task?: NewTask; seq: number }): Hold {
    return { number: ++this.#holds, scope, id, task, seq, appended: seq, released: false }
  }

  append(
    hold: Hold,
    entries: readonly Entry[],
    { release = false, idempotency }: { readonly release?: boolean; readonly idempotency?: IdempotencyKey } = {},
  ): Promise<unknown> {
    try {
      this.#refuseClosed()
      if (hold.released) throw new A2AError('Unavailable', 'The task was released: claim it before writing to it again')
      checkNumbers(entries, hold.appended)
    } catch (error) {
      return Promise.reject(error)
    }
    hold.released = release
    if (entries.length === 0 && hold.task !== undefined && hold.appended === 0) return Promise.resolve()
    hold.appended += entries.length
    let unit = this.#gathering.get(hold)
    if (unit === undefined) {
      const { done, resolve, reject } = waiting()
      unit = { kind: 'append', hold, entries: [], idempotency: [], release, done, resolve, reject }
      this.#gathering.set(hold, unit)
      this.#add(unit)
    }
    for (const entry of entries) unit.entries.push(entry)
    if (idempotency !== undefined) unit.idempotency.push(idempotency)
    unit.release = release
    return unit.done
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
    for (const unit of units) this.#build(unit)
    this.#port.ask({ kind: 'commit', batch: this.#builder.take() }).then(
      (reply) => this.#settle(units, reply),
      (error: unknown) => this.#failAll(units, A2AError.from(error)),
    )
  }

  #build(unit: Pending): void {
    if (unit.kind === 'append') {
      const { hold, entries, release, idempotency } = unit
      this.#builder.append({ hold: hold.number, task: hold.task, entries, release, idempotency })
    } else if (unit.kind === 'claim') {
      this.#builder.claim(unit.hold.number, unit.hold.scope, unit.hold.id)
    } else {
      this.#builder.remember(unit.scope, unit.key, unit.answer)
    }
  }

  #settle(units: readonly Pending[], reply: CommitterReply): void {
    if ('failed' in reply) {
      this.#options.log.error('task store: a commit failed', { reason: reply.detail })
      this.#failAll(units, new A2AError('Unavailable', reply.failed, { cause: reply.detail }))
      return
    }
    const results = 'results' in reply ? reply.results : null
    for (const [index, unit] of units.entries()) this.#settleUnit(unit, results?.[index] ?? null)
    this.#finish()
  }

  #settleUnit(unit: Pending, result: UnitResult): void {
    if (result !== null && typeof result === 'object' && 'refused' in result) {
      if (unit.kind === 'append') this.#options.refused(unit.hold)
      this.#fail(unit, new A2AError('Unavailable', result.refused))
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
