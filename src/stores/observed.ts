import type { AppendOptions, Entry, Store, TaskLog } from '../engine/store.ts'
import { type Logger, silent } from '../lib/log.ts'
import { activeSpan, type Span } from '../lib/trace.ts'
import type { Meter } from '../observe/metric-table.ts'
import { spanTable } from '../observe/span-table.ts'
import { A2AError } from '../protocol/errors.ts'

export interface ObserveStoreOptions {
  readonly meter?: Meter
  readonly log?: Logger
  /** Whether operations become spans of the traces that they belong to. */
  readonly traced?: boolean
  /** Milliseconds from which on an operation is told to the log, once a minute at most; 1,000. */
  readonly slow?: number
}

/** Operations that are measured. What is missing here waits for nothing, or for as long as it likes. */
const measured = [
  'head',
  'read',
  'list',
  'entries',
  'answer',
  'reserve',
  'forget',
  'remember',
  'abandoned',
  'post',
  'posted',
  'withdraw',
  'mail',
  'settle',
  'behind',
  'tenants',
  'purge',
  'erase',
  'check',
] as const satisfies readonly (keyof Store)[]

const slowNoteEvery = 60_000

/** The same store, whose operations are measured, traced, and told to the log when they are slow. */
export function observeStore(store: Store, options: ObserveStoreOptions): Store {
  const { meter, traced = false, log = silent } = options
  if (meter === undefined && !traced && log === silent) return store
  const watcher = new Watcher(options)
  const observed: Record<string, unknown> = {}
  for (const name of measured) {
    const member = store[name] as ((...given: unknown[]) => Promise<unknown>) | undefined
    if (member === undefined) continue
    const call = member.bind(store)
    observed[name] = (...given: unknown[]) => watcher.watch(name, () => call(...given))
  }
  return {
    ...(observed as Pick<Store, (typeof measured)[number]>),
    create: (task) => new ObservedLog(store.create(task), watcher),
    claim: async (scope, id) => {
      const claimed = await watcher.watch('claim', () => store.claim(scope, id))
      if (claimed === undefined || claimed === 'held') return claimed
      return { ...claimed, log: new ObservedLog(claimed.log, watcher) }
    },
    watch: (id, changed) => store.watch(id, changed),
    listen: (listener) => store.listen(listener),
    close: () => store.close(),
  }
}

class ObservedLog implements TaskLog {
  readonly #log: TaskLog
  readonly #watcher: Watcher

  constructor(log: TaskLog, watcher: Watcher) {
    this.#log = log
    this.#watcher = watcher
  }

  append(entries: readonly Entry[], options?: AppendOptions): Promise<void> {
    return this.#watcher.append(entries, () => this.#log.append(entries, options))
  }
}

class Watcher {
  readonly #meter: Meter | undefined
  readonly #entries: Readonly<Record<Entry['kind'], (by?: number) => void>> | undefined
  /** How long operations took that went well. */
  readonly #times = new Map<string, (seconds: number) => void>()
  readonly #log: Logger
  readonly #traced: boolean
  readonly #slow: number
  #noted = Number.NEGATIVE_INFINITY
  #unnoted = 0

  constructor({ meter, log = silent, traced = false, slow = 1_000 }: ObserveStoreOptions) {
    this.#meter = meter
    if (meter !== undefined) {
      const count = (kind: Entry['kind']) => meter.counter('parlance_events_appended_total', kind)
      this.#entries = { message: count('message'), status: count('status'), chunk: count('chunk') }
    }
    this.#log = log
    this.#traced = traced
    this.#slow = slow
  }

  append(entries: readonly Entry[], work: () => Promise<void>): Promise<void> {
    return this.watch('append', work, this.#entries && (() => this.#count(entries)))
  }

  #count(entries: readonly Entry[]): void {
    for (const { kind } of entries) this.#entries?.[kind]()
  }

  watch<T>(operation: string, work: () => Promise<T>, done?: () => void): Promise<T> {
    const parent = this.#traced ? activeSpan() : undefined
    const span = parent?.recording === true ? storeSpan(parent, operation) : undefined
    const began = performance.now()
    return work().then(
      (value) => {
        this.#ended(operation, 'ok', performance.now() - began)
        done?.()
        span?.end()
        return value
      },
      (error: unknown) => {
        const { code } = A2AError.from(error)
        this.#ended(operation, code, performance.now() - began)
        span?.fail(code)
        span?.end()
        throw error
      },
    )
  }

  #measure(
    meter: Meter,
    { operation, outcome, seconds }: { operation: string; outcome: string; seconds: number },
  ): void {
    const name = 'parlance_store_operation_duration_seconds'
    if (outcome !== 'ok') {
      meter.record(name, seconds, operation, outcome)
      return
    }
    let time = this.#times.get(operation)
    if (time === undefined) {
      time = meter.histogram(name, operation, outcome)
      this.#times.set(operation, time)
    }
    time(seconds)
  }

  #ended(operation: string, outcome: string, took: number): void {
    if (this.#meter !== undefined) this.#measure(this.#meter, { operation, outcome, seconds: took / 1_000 })
    if (took < this.#slow) return
    const now = performance.now()
    if (now - this.#noted < slowNoteEvery) {
      this.#unnoted += 1
      return
    }
    this.#log.warn('The store is slow', {
      operation,
      milliseconds: Math.round(took),
      outcome,
      ...(this.#unnoted > 0 && { sinceLastNote: this.#unnoted }),
    })
    this.#noted = now
    this.#unnoted = 0
  }
}

function storeSpan(parent: Span, operation: string): Span {
  const { name, kind } = spanTable.store
  return parent.child(name.replace('{operation}', operation), { kind, attributes: { 'db.operation.name': operation } })
}
