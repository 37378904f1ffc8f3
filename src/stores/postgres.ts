import {
  type Abandoned,
  type Answer,
  type Claimed,
  type Entry,
  holdLost,
  type IdempotencyKey,
  type ListQuery,
  type Mail,
  type MailState,
  type NewMail,
  type NewTask,
  type PurgeLimits,
  type Scope,
  type Snapshot,
  type Store,
  type StoreHealth,
  type StoreListener,
  type TaskHead,
  type TaskLog,
  type TaskPage,
  type View,
} from '../engine/store.ts'
import { type Logger, silent } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import { isTerminal } from '../protocol/task.ts'
import { CommitQueue, type Hold, type Release } from './commit-queue.ts'
import { Hints } from './hints.ts'
import { PostgresCalls } from './postgres-calls.ts'
import { PostgresCommits } from './postgres-commit.ts'
import { Postgres } from './postgres-connection.ts'
import { listTasks } from './postgres-list.ts'
import { migrate } from './postgres-migrate.ts'
import { type Lease, Node, usualLease } from './postgres-node.ts'
import { erase, purge } from './postgres-purge.ts'
import { PostgresReader } from './postgres-read.ts'
import { scopeKey } from './scope-key.ts'
import { type CachedTask, TaskCache } from './task-cache.ts'
import { headOf } from './task-rows.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq; `schema` names the schema, `parlance` without it. */
  readonly url: string
  readonly log?: Logger
  /** Connections at most, besides the one that listens; 10. */
  readonly connections?: number
  /** When a silent node counts as dead, so that others may take its tasks. Default: after 15 s, signing every 5 s. */
  readonly lease?: Lease
  /** How long one statement may take, milliseconds; 5,000. */
  readonly patience?: number
}

/** Bytes of tasks that are kept in memory while they work and for a moment after. */
const cacheBytes = 64 * 2 ** 20

/** How long a task that ended here is told from memory, milliseconds: only deletion by another node could make that untrue. */
const trusted = 1_000

/** Appends that may wait for the database before new tasks are refused. */
const longestQueue = 20_000

/**
 * Opens a store in a PostgreSQL database (13 or later), which any number of nodes share; makes its tables where they are missing.
 * Rejects with A2AError Unavailable when the database does not answer.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, log = silent, connections, lease = usualLease, patience } = options
  const database = new Postgres({ url, log, ...(connections && { connections }), ...(patience && { patience }) })
  const store = new PostgresStore(database, { log, lease })
  try {
    await migrate(database)
    await store.start()
    return store
  } catch (error) {
    await store.close().catch(() => {})
    throw error
  }
}

class PostgresStore implements Store {
  readonly #database: Postgres
  readonly #log: Logger
  readonly #node: Node
  readonly #commits: PostgresCommits
  readonly #queue: CommitQueue
  readonly #calls: PostgresCalls
  readonly #reader: PostgresReader
  readonly #hints: Hints
  readonly #cache = new TaskCache(cacheBytes)
  #closed: Promise<void> | undefined

  constructor(database: Postgres, { log, lease }: { log: Logger; lease: Lease }) {
    this.#database = database
    this.#log = log
    this.#node = new Node(database, { lease, log, onLost: () => this.#lose() })
    this.#commits = new PostgresCommits(database, this.#node, log)
    this.#calls = new PostgresCalls(database)
    this.#reader = new PostgresReader(database)
    this.#hints = new Hints(0, this.#node)
    this.#queue = new CommitQueue(this.#commits, {
      longest: longestQueue,
      committed: (hold, entries, release) => this.#committed(hold, entries, release),
      refused: (hold) => this.#cache.delete(scopeKey(hold.scope), hold.id),
    })
  }

  #committed(hold: Hold, entries: readonly Entry[], release: Release): void {
    this.#hints.changed(hold.id)
    if (release === 'handOver') this.#hints.abandoned()
    const scope = scopeKey(hold.scope)
    if (hold.task !== undefined) this.#cache.begin(scope, hold.task, hold.number)
    const cached = this.#cache.get(scope, hold.id)
    if (cached?.hold !== hold.number) return
    this.#cache.add(cached, entries)
    if (release === false) return
    cached.hold = undefined
    cached.releasedAt = performance.now()
    if (isTerminal(cached.record.head(false).state)) this.#cache.ended(cached)
  }

  /** A task whose text is at hand and true: this node holds it, or it has just ended here. */
  #cached(scope: Scope, id: string): CachedTask | undefined {
    const cached = this.#cache.get(scopeKey(scope), id)
    if (cached === undefined || !this.#node.alive) return undefined
    if (cached.hold !== undefined) return cached
    const fresh = performance.now() - cached.releasedAt < trusted && isTerminal(cached.record.head(false).state)
    if (!fresh) this.#cache.delete(scopeKey(scope), id)
    return fresh ? cached : undefined
  }

  /** The same, unless the database may know more of it. */
  async #told(scope: Scope, id: string): Promise<CachedTask | undefined> {
    const cached = this.#cached(scope, id)
    if (cached?.hold === undefined) return cached
    return (await this.#commits.landed(id)) ? this.#cached(scope, id) : undefined
  }

  async start(): Promise<void> {
    await this.#node.start()
    this.#hints.process = this.#node.number
  }

  #lose(): void {
    this.#queue.lose()
    this.#cache.clear()
    for (const listener of this.#hints.listeners) listener.lost()
  }

  create(task: NewTask): TaskLog {
    return this.#logOf(this.#queue.hold(task.scope, task.id, { task, seq: 0 }))
  }

  #logOf(hold: Hold): TaskLog {
    return {
      append: (entries, options) => {
        if (hold.appended === 0 && hold.task !== undefined && this.#database.away) return this.#away()
        return this.#queue.append(hold, entries, options) as Promise<unknown> as Promise<void>
      },
    }
  }

  #away(): Promise<never> {
    const text = 'The database of the task store does not answer at the moment; try again'
    return Promise.reject(new A2AError('Unavailable', text, { retryAfter: 1 }))
  }

  async claim(scope: Scope, id: string): Promise<Claimed | 'held' | undefined> {
    const key = await this.#scope(scope)
    if (key === undefined) return undefined
    const hold = this.#queue.hold(scope, id, { seq: 0 })
    const claimed = await this.#calls.claim(key, id, this.#living())
    if (claimed === undefined || claimed === 'held') return claimed
    const { context, state, time, seq, fence, left } = claimed
    hold.seq = seq
    hold.appended = seq
    this.#commits.keep(hold, { key: claimed.key, scope: key, fence, state, time, seq })
    try {
      const row = { key: claimed.key, id, context, state, time, seq, status: 0, holder: 0, dropped: 0, metadata: null }
      const head = headOf(row)
      const artifacts = await this.#reader.artifacts(claimed.key)
      return { log: this.#logOf(hold), head, artifacts, ...(left && { left }) }
    } catch (error) {
      // Nobody can go on with such a task, but whoever asks for it must not wait for a holder either.
      await this.#queue.append(hold, [], { release: left === undefined ? true : 'handOver' }).catch(() => {})
      throw error
    }
  }

  /** This node's number; refuses while it counts for nothing. */
  #living(): number {
    this.#hints.process = this.#node.number
    if (this.#node.alive) return this.#node.number
    throw holdLost('This process has lost touch with the database of the task store; try again')
  }

  async #scope(scope: Scope): Promise<number | undefined> {
    this.#refuseClosed()
    return this.#commits.scope(scope)
  }

  async head(scope: Scope, id: string): Promise<TaskHead | undefined> {
    const cached = await this.#told(scope, id)
    if (cached !== undefined) return cached.record.head(cached.hold !== undefined)
    const key = await this.#scope(scope)
    if (key === undefined) return undefined
    const row = await this.#reader.row(key, id)
    return row && this.#readable(id, async () => headOf(row))
  }

  async read(scope: Scope, id: string, view: View): Promise<Snapshot | undefined> {
    const cached = await this.#told(scope, id)
    if (cached !== undefined) {
      const head = cached.record.head(cached.hold !== undefined)
      if (view.at === undefined || view.at === head.seq) return { text: cached.record.text(view), head }
    }
    const key = await this.#scope(scope)
    return key === undefined ? undefined : this.#readable(id, () => this.#reader.read(key, id, view))
  }

  async list(scope: Scope, query: ListQuery): Promise<TaskPage> {
    const key = await this.#scope(scope)
    if (key === undefined) return { tasks: [], total: 0 }
    return listTasks({ database: this.#database, scope: key, log: this.#log }, query)
  }

  async entries(
    scope: Scope,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly Entry[] | undefined> {
    const key = await this.#scope(scope)
    return key === undefined ? undefined : this.#readable(id, () => this.#reader.entries(key, id, range))
  }

  async answer(scope: Scope, key: string): Promise<Answer | undefined> {
    const number = await this.#scope(scope)
    return number === undefined ? undefined : this.#calls.answer(number, key)
  }

  async reserve(scope: Scope, idempotency: IdempotencyKey): Promise<Answer | undefined> {
    const number = (await this.#commits.scope(scope, { made: true })) as number
    for (;;) {
      if (await this.#calls.reserve(number, idempotency, this.#living())) return undefined
      const known = await this.#calls.answer(number, idempotency.key)
      // Gone in the meantime: then it may be this node's after all.
      if (known !== undefined) return known
    }
  }

  async forget(scope: Scope, key: string): Promise<void> {
    const number = await this.#scope(scope)
    if (number !== undefined) await this.#calls.forget(number, key, this.#node.number)
  }

  async remember(scope: Scope, key: string, answer: Answer): Promise<void> {
    const number = (await this.#commits.scope(scope, { made: true })) as number
    await this.#calls.remember(number, key, { answer, node: this.#node.number })
  }

  abandoned(agent: string, limit: number): Promise<readonly Abandoned[]> {
    this.#refuseClosed()
    return this.#calls.abandoned(agent, limit)
  }

  async post(scope: Scope, id: string, mail: NewMail): Promise<number | undefined> {
    const key = await this.#scope(scope)
    const posted = key === undefined ? undefined : await this.#calls.post(key, id, { mail, node: this.#living() })
    if (posted === undefined) return undefined
    this.#hints.mail(posted.holder)
    return posted.id
  }

  posted(mail: number): Promise<MailState | undefined> {
    return this.#reader.posted(mail)
  }

  withdraw(mail: number): Promise<boolean> {
    return this.#calls.withdraw(mail)
  }

  mail(): Promise<readonly Mail[]> {
    this.#hints.process = this.#node.number
    return this.#calls.take(this.#node.number)
  }

  async settle(states: readonly (MailState & { readonly mail: number })[]): Promise<void> {
    for (const id of await this.#calls.settle(states, this.#node.number)) this.#hints.changed(id)
  }

  async behind(tasks: Parameters<Store['behind']>[0]): ReturnType<Store['behind']> {
    const asked: { id: string; scope: number; seq: number }[] = []
    for (const { scope, id, seq } of tasks) {
      const key = await this.#scope(scope)
      if (key !== undefined) asked.push({ id, scope: key, seq })
    }
    return asked.length === 0 ? [] : this.#calls.behind(asked)
  }

  watch(id: string, changed: () => void): () => void {
    return this.#hints.watch(id, changed)
  }

  listen(listener: StoreListener): () => void {
    return this.#hints.listen(listener)
  }

  tenants(agent: string): Promise<readonly string[]> {
    return this.#calls.tenants(agent)
  }

  purge(limits: PurgeLimits): Promise<number> {
    if (limits.tasks !== undefined) this.#cache.forgetReleased()
    return purge(this.#database, limits)
  }

  erase(whose: Parameters<Store['erase']>[0]): Promise<number> {
    this.#cache.clear()
    return erase(this.#database, whose)
  }

  async check(): Promise<StoreHealth> {
    const began = performance.now()
    await this.#calls.ping()
    if (!this.#node.alive) this.#living()
    return { kind: 'postgres', latency: performance.now() - began }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#queue.close()
    this.#hints.abandoned()
    this.#hints.close()
    await this.#node.close()
    await this.#database.close()
  }

  #refuseClosed(): void {
    if (this.#closed !== undefined) throw new A2AError('Unavailable', 'The task store is closed')
  }

  async #readable<T>(id: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (A2AError.is(error)) throw error
      this.#log.error('task store: a task cannot be read', { task: id, reason: (error as Error).message })
      throw new A2AError('Internal', 'The stored task cannot be read', { cause: error })
    }
  }
}
