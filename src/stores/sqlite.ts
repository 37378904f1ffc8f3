import type {
  Abandoned,
  Answer,
  Claimed,
  Entry,
  ListQuery,
  Mail,
  MailState,
  NewMail,
  NewTask,
  PurgeLimits,
  Scope,
  Snapshot,
  Store,
  StoreHealth,
  StoreListener,
  TaskHead,
  TaskLog,
  TaskPage,
  View,
} from '../engine/store.ts'
import { type Logger, silent } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import { isTerminal } from '../protocol/task.ts'
import { CommitQueue, type Hold, type Release } from './commit-queue.ts'
import { type HintBus, Hints } from './hints.ts'
import { scopeKey } from './scope-key.ts'
import { hasMail } from './sqlite-calls.ts'
import { type SqliteDriver, type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { defaultDatabasePath, inMemory, openForReading, prepareFile } from './sqlite-file.ts'
import { type LeaseTimes, leaseTimes, livingProcesses, type ProcessMark, thisProcess } from './sqlite-lease.ts'
import { listTasks } from './sqlite-list.ts'
import { SqliteWriter } from './sqlite-port.ts'
import { purgeStart } from './sqlite-purge.ts'
import { TaskReader } from './sqlite-read.ts'
import { type CommitterPort, committerHere, committerThread } from './sqlite-thread.ts'
import { TaskCache } from './task-cache.ts'
import { headOf } from './task-rows.ts'

export { defaultDatabasePath, type LeaseTimes, type SqliteDriver, type SqliteDriverName }

export interface SqliteStoreOptions {
  /** The file; made with its folder when it is not there. `:memory:` is a database that ends with the store. Default: `defaultDatabasePath()`. */
  readonly path?: string
  readonly log?: Logger
  /** Default: the first that this Node.js has. A driver of one's own commits on the main thread. */
  readonly driver?: SqliteDriverName | SqliteDriver
  /** Where commits happen. On `main` each one blocks the process. Default: `worker`. */
  readonly thread?: 'worker' | 'main'
  /** Bytes of tasks that are kept in memory while they work and for some time after. Default: 64 MiB. */
  readonly cacheBytes?: number
  /** When a silent process counts as dead, so that others may take its tasks. Default: after 15 s, signing every 5 s. */
  readonly lease?: LeaseTimes
  /** Whether several processes serve from the file, which then keep order among themselves also for idempotency keys. */
  readonly shared?: boolean
  /** How they tell each other at once what else they would find out by asking. */
  readonly hints?: HintBus
}

/**
 * Opens a store in one SQLite file, which several processes may share. Everything is on disk (synchronous = FULL) before it is told.
 * Rejects with A2AError Unavailable, naming the path and what to do, when the file cannot be used.
 */
export async function openSqliteStore(options: SqliteStoreOptions = {}): Promise<Store> {
  const { log = silent, lease = leaseTimes, cacheBytes = 64 * 2 ** 20, shared = false, hints } = options
  const driver = typeof options.driver === 'object' ? options.driver : await sqliteDriver(options.driver)
  const path = prepareFile(options.path ?? defaultDatabasePath())
  const self = thisProcess()
  const here = options.thread === 'main' || path === inMemory || typeof options.driver === 'object'
  const parts = { log, lease, self, cacheBytes, shared, ...(hints && { bus: hints }) }
  const thread = here
    ? undefined
    : await committerThread({ path, driver: driver.name as SqliteDriverName, self, lease })
  if (thread !== undefined) {
    const reader = new TaskReader(openForReading(driver, path))
    return new SqliteStore({ ...parts, port: thread, reader })
  }
  if (!here) log.warn('task store: the file of the writing thread is not there, so that commits block the process')
  const { port, committer } = committerHere(driver, { path, self, lease })
  return new SqliteStore({ ...parts, port, reader: new TaskReader(committer.connection) })
}

interface Parts {
  readonly port: CommitterPort
  readonly reader: TaskReader
  readonly log: Logger
  readonly lease: LeaseTimes
  readonly self: ProcessMark
  readonly cacheBytes: number
  readonly shared: boolean
  readonly bus?: HintBus
}

class SqliteStore implements Store {
  readonly #parts: Parts
  readonly #writer: SqliteWriter
  readonly #hints: Hints
  readonly reserve?: NonNullable<Store['reserve']>
  readonly forget?: NonNullable<Store['forget']>
  readonly #queue: CommitQueue
  readonly #cache: TaskCache
  #closed: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#cache = new TaskCache(parts.cacheBytes)
    this.#writer = new SqliteWriter(parts.port, parts.log)
    this.#hints = new Hints(parts.port.process, parts.bus)
    this.#queue = new CommitQueue(this.#writer, {
      committed: (hold, entries, release) => this.#committed(hold, entries, release),
      refused: (hold) => this.#cache.delete(scopeKey(hold.scope), hold.id),
    })
    parts.port.onLost = () => this.#lose()
    if (!parts.shared) return
    this.reserve = async (scope, { key, digest }) =>
      (await this.#writer.call('reserve', { scope, key, digest })) ?? undefined
    this.forget = async (scope, key) => {
      await this.#writer.call('forget', { scope, key })
    }
  }

  /** Others took this process for dead: it goes on under another number, without what it held. */
  #lose(): void {
    this.#hints.process = this.#parts.port.process
    this.#queue.lose()
    this.#cache.clear()
    for (const listener of this.#hints.listeners) listener.lost()
  }

  #committed(hold: Hold, entries: readonly Entry[], release: Release): void {
    this.#hints.changed(hold.id)
    if (release === 'handOver') this.#hints.abandoned()
    const scope = scopeKey(hold.scope)
    if (hold.task !== undefined) this.#cache.begin(scope, hold.task, hold.number)
    const cached = this.#cache.get(scope, hold.id)
    if (cached?.hold !== hold.number) return
    if (release !== false) cached.hold = undefined
    this.#cache.add(cached, entries)
    if (release !== false && isTerminal(cached.record.head(false).state)) this.#cache.ended(cached)
  }

  create(task: NewTask): TaskLog {
    return this.#log(this.#queue.hold(task.scope, task.id, { task, seq: 0 }))
  }

  #log(hold: Hold): TaskLog {
    return {
      append: (entries, options) => this.#queue.append(hold, entries, options) as Promise<unknown> as Promise<void>,
    }
  }

  async claim(scope: Scope, id: string): Promise<Claimed | 'held' | undefined> {
    const hold = this.#queue.hold(scope, id, { seq: 0 })
    const result = await this.#queue.claim(hold)
    if (result === null) return undefined
    if (result === 'held' || !('key' in result)) return 'held'
    const { key, seq, left } = result
    hold.seq = seq
    hold.appended = seq
    let claimed: Claimed
    try {
      claimed = this.#readable(id, () => ({
        log: this.#log(hold),
        head: headOf({ ...result, id, status: 0, holder: 0, dropped: 0, metadata: null }),
        artifacts: this.#parts.reader.artifacts(key),
        ...(left !== null && { left }),
      }))
    } catch (error) {
      // Nobody can go on with such a task, but whoever asks for it must not wait for a holder either.
      await this.#queue.append(hold, [], { release: true })
      throw error
    }
    const name = scopeKey(scope)
    const cached = this.#cache.get(name, id)
    if (cached !== undefined && cached.record.seq === seq && !cached.record.packed) cached.hold = hold.number
    else this.#cache.delete(name, id)
    return claimed
  }

  /** A task whose text is at hand and true: nobody else can have changed it. */
  #cached(scope: Scope, id: string): { text(view: View): string; head(): TaskHead } | undefined {
    const name = scopeKey(scope)
    const cached = this.#cache.get(name, id)
    if (cached === undefined) return undefined
    const { record } = cached
    let held = cached.hold !== undefined
    // What has ended is only ever deleted; whether another process did so has to be asked where there are others.
    if (!held && (this.#parts.shared || !isTerminal(record.head(false).state))) {
      const row = this.#parts.reader.row(scope, id)
      if (row?.seq !== record.seq) {
        this.#cache.delete(name, id)
        return undefined
      }
      held = row.holder !== null
    }
    return { text: (view) => record.text(view), head: () => record.head(held) }
  }

  async head(scope: Scope, id: string): Promise<TaskHead | undefined> {
    this.#refuseClosed()
    const cached = this.#cached(scope, id)
    if (cached !== undefined) return cached.head()
    return this.#readable(id, () => {
      const row = this.#parts.reader.row(scope, id)
      return row && headOf(row)
    })
  }

  async read(scope: Scope, id: string, view: View): Promise<Snapshot | undefined> {
    this.#refuseClosed()
    const cached = this.#cached(scope, id)
    if (cached !== undefined) {
      const head = cached.head()
      if (view.at === undefined || view.at === head.seq) return { text: cached.text(view), head }
    }
    return this.#readable(id, () => this.#parts.reader.read(scope, id, view))
  }

  async list(scope: Scope, query: ListQuery): Promise<TaskPage> {
    this.#refuseClosed()
    return listTasks(this.#parts.reader, scope, { query, log: this.#parts.log })
  }

  async entries(
    scope: Scope,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly Entry[] | undefined> {
    this.#refuseClosed()
    return this.#readable(id, () => this.#parts.reader.entries(scope, id, range))
  }

  async answer(scope: Scope, key: string): Promise<Answer | undefined> {
    this.#refuseClosed()
    const { reader, self, lease } = this.#parts
    return reader.answer(scope, key, { self, expires: lease.expires })
  }

  remember(scope: Scope, key: string, answer: Answer): Promise<void> {
    return this.#queue.remember(scope, key, answer)
  }

  async abandoned(agent: string, limit: number): Promise<readonly Abandoned[]> {
    this.#refuseClosed()
    const { reader, self, lease, port } = this.#parts
    // This process lives, however long it has been too busy to sign.
    const living = [port.process, ...livingProcesses(reader.connection, { self, expires: lease.expires })]
    return reader.abandoned(agent, { living, limit })
  }

  async post(scope: Scope, id: string, { kind, text }: NewMail): Promise<number | undefined> {
    const posted = await this.#writer.call('post', { scope, id, kind, text })
    if (posted === null) return undefined
    this.#hints.mail(posted.process)
    return posted.mail
  }

  async posted(mail: number): Promise<MailState | undefined> {
    this.#refuseClosed()
    return this.#parts.reader.posted(mail)
  }

  withdraw(mail: number): Promise<boolean> {
    return this.#writer.call('withdraw', { mail })
  }

  async mail(): Promise<readonly Mail[]> {
    this.#refuseClosed()
    const { reader, port } = this.#parts
    return hasMail(reader.connection, port.process) ? this.#writer.call('take', null) : []
  }

  async settle(states: readonly (MailState & { readonly mail: number })[]): Promise<void> {
    for (const id of await this.#writer.call('settle', { states })) this.#hints.changed(id)
  }

  async behind(tasks: Parameters<Store['behind']>[0]): ReturnType<Store['behind']> {
    this.#refuseClosed()
    return this.#parts.reader.behind(tasks)
  }

  watch(id: string, changed: () => void): () => void {
    return this.#hints.watch(id, changed)
  }

  listen(listener: StoreListener): () => void {
    return this.#hints.listen(listener)
  }

  async tenants(agent: string): Promise<readonly string[]> {
    this.#refuseClosed()
    return this.#parts.reader.tenants(agent)
  }

  async purge(limits: PurgeLimits): Promise<number> {
    let rows = 0
    for (let place: typeof purgeStart | null = purgeStart; place !== null; ) {
      this.#refuseClosed()
      const reply = await this.#writer.ask({ kind: 'purge', limits, place })
      if (!('rows' in reply)) break
      rows += reply.rows
      place = reply.next
      // Room for commits, also where each step blocks this thread.
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (limits.tasks !== undefined) this.#cache.forgetReleased()
    return rows
  }

  async erase(whose: Parameters<Store['erase']>[0]): Promise<number> {
    for (let tasks = 0; ; ) {
      this.#refuseClosed()
      const reply = await this.#writer.ask({ kind: 'erase', whose })
      if ('erased' in reply && reply.erased > 0) tasks += reply.erased
      else {
        this.#cache.clear()
        // Its content goes with what else is thrown away.
        await this.purge({})
        return tasks
      }
    }
  }

  async check(): Promise<StoreHealth> {
    this.#refuseClosed()
    const began = performance.now()
    await this.#writer.call('ping', null)
    return { kind: 'sqlite', latency: performance.now() - began }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { port, reader } = this.#parts
    await this.#queue.close()
    this.#hints.abandoned()
    this.#hints.close()
    this.#cache.clear()
    if (!port.shared) reader.connection.close()
    try {
      await port.ask({ kind: 'close' })
    } catch {
      // A thread that has died holds nothing that could be closed.
    }
    await port.end()
  }

  #refuseClosed(): void {
    if (this.#closed !== undefined) throw new A2AError('Unavailable', 'The task store is closed')
  }

  #readable<T>(id: string, read: () => T): T {
    try {
      return read()
    } catch (error) {
      this.#parts.log.error('task store: a task cannot be read', { task: id, reason: (error as Error).message })
      throw new A2AError('Internal', 'The stored task cannot be read', { cause: error })
    }
  }
}
