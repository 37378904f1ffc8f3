import type {
  Abandoned,
  Answer,
  Claimed,
  Entry,
  ListQuery,
  NewTask,
  Scope,
  Snapshot,
  Store,
  TaskHead,
  TaskLog,
  TaskPage,
  View,
} from '../engine/store.ts'
import { type Logger, silent } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import { isTerminal } from '../protocol/task.ts'
import { scopeKey } from './scope-key.ts'
import { TaskCache } from './sqlite-cache.ts'
import { type SqliteDriver, type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { defaultDatabasePath, inMemory, openForReading, prepareFile } from './sqlite-file.ts'
import { type LeaseTimes, leaseTimes, livingProcesses, type ProcessMark, thisProcess } from './sqlite-lease.ts'
import { listTasks } from './sqlite-list.ts'
import { purgeStart } from './sqlite-purge.ts'
import { CommitQueue, type Hold } from './sqlite-queue.ts'
import { TaskReader } from './sqlite-read.ts'
import { headOf } from './sqlite-text.ts'
import { type CommitterPort, committerHere, committerThread } from './sqlite-thread.ts'

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
}

/**
 * Opens a store in one SQLite file, which several processes may share. Everything is on disk (synchronous = FULL) before it is told.
 * Rejects with A2AError Unavailable, naming the path and what to do, when the file cannot be used.
 */
export async function openSqliteStore(options: SqliteStoreOptions = {}): Promise<Store> {
  const { log = silent, lease = leaseTimes, cacheBytes = 64 * 2 ** 20 } = options
  const driver = typeof options.driver === 'object' ? options.driver : await sqliteDriver(options.driver)
  const path = prepareFile(options.path ?? defaultDatabasePath())
  const self = thisProcess()
  const here = options.thread === 'main' || path === inMemory || typeof options.driver === 'object'
  const thread = here
    ? undefined
    : await committerThread({ path, driver: driver.name as SqliteDriverName, self, lease })
  if (thread !== undefined) {
    const reader = new TaskReader(openForReading(driver, path))
    return new SqliteStore({ port: thread, reader, log, lease, self, cacheBytes })
  }
  if (!here) log.warn('task store: the file of the writing thread is not there, so that commits block the process')
  const { port, committer } = committerHere(driver, { path, self, lease })
  return new SqliteStore({ port, reader: new TaskReader(committer.connection), log, lease, self, cacheBytes })
}

interface Parts {
  readonly port: CommitterPort
  readonly reader: TaskReader
  readonly log: Logger
  readonly lease: LeaseTimes
  readonly self: ProcessMark
  readonly cacheBytes: number
}

class SqliteStore implements Store {
  readonly #parts: Parts
  readonly #queue: CommitQueue
  readonly #cache: TaskCache
  #closed: Promise<void> | undefined

  constructor(parts: Parts) {
    this.#parts = parts
    this.#cache = new TaskCache(parts.cacheBytes)
    this.#queue = new CommitQueue(parts.port, {
      log: parts.log,
      committed: (hold, entries, release) => this.#committed(hold, entries, release),
      refused: (hold) => this.#cache.delete(scopeKey(hold.scope), hold.id),
    })
  }

  #committed(hold: Hold, entries: readonly Entry[], release: boolean): void {
    const scope = scopeKey(hold.scope)
    if (hold.task !== undefined) this.#cache.begin(scope, hold.task, hold.number)
    const cached = this.#cache.get(scope, hold.id)
    if (cached?.hold !== hold.number) return
    if (release) cached.hold = undefined
    this.#cache.add(cached, entries)
    if (release && isTerminal(cached.record.head(false).state)) this.#cache.ended(cached)
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
    const { key, seq } = result
    hold.seq = seq
    hold.appended = seq
    let claimed: Claimed
    try {
      claimed = this.#readable(id, () => ({
        log: this.#log(hold),
        head: headOf({ ...result, id, status: 0, holder: 0, dropped: 0, metadata: null }),
        artifacts: this.#parts.reader.artifacts(key),
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
    if (!held && !isTerminal(record.head(false).state)) {
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
    return this.#parts.reader.answer(scope, key)
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

  async purge(before: {
    readonly events?: number
    readonly tasks?: number
    readonly answers?: number
  }): Promise<number> {
    let rows = 0
    for (let place: typeof purgeStart | null = purgeStart; place !== null; ) {
      this.#refuseClosed()
      const reply = await this.#parts.port.ask({ kind: 'purge', limits: before, place })
      if ('failed' in reply) throw new A2AError('Unavailable', reply.failed, { cause: reply.detail })
      if (!('rows' in reply)) break
      rows += reply.rows
      place = reply.next
      // Room for commits, also where each step blocks this thread.
      await new Promise((resolve) => setImmediate(resolve))
    }
    if (before.tasks !== undefined) this.#cache.forgetReleased()
    return rows
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { port, reader } = this.#parts
    await this.#queue.close()
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
