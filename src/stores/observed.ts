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
  readonly #log: Logger
  readonly #traced: boolean
  readonly #slow: number
  #noted = Number.NEGATIVE_INFINITY
  #unnoted = 0

  constructor({ meter, log = silent, traced = false, slow = 1_000 }: ObserveStoreOptions) {
    this.#meter = meter
    this.#log = log
    this.#traced = traced
    this.#slow = slow
  }

  append(entries: readonly Entry[], work: () => Promise<void>): Promise<void> {
    return this.watch('append', work, this.#meter === undefined ? undefined : () => this.#count(entries))
  }

  #count(entries: readonly Entry[]): void {
    const counts = { message: 0, status: 0, chunk: 0 }
    for (const { kind } of entries) counts[kind] += 1
    for (const kind of kinds) {
      if (counts[kind] > 0) this.#meter?.add('parlance_events_appended_total', counts[kind], kind)
    }
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

  #ended(operation: string, outcome: string, took: number): void {
    this.#meter?.record('parlance_store_operation_duration_seconds', took / 1_000, operation, outcome)
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

const kinds = ['message', 'status', 'chunk'] as const

function storeSpan(parent: Span, operation: string): Span {
  const { name, kind } = spanTable.store
  return parent.child(name.replace('{operation}', operation), { kind, attributes: { 'db.operation.name': operation } })
}
