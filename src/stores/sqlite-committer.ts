import type { Batch, UnitResult } from './sqlite-batch.ts'
import { type SqliteDriver, type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { writeFailure } from './sqlite-failure.ts'
import { openForWriting } from './sqlite-file.ts'
import { type Gate, passGate } from './sqlite-gate.ts'
import { enter, type LeaseTimes, leave, type ProcessMark, sign } from './sqlite-lease.ts'
import { type PurgeLimits, type PurgePlace, type PurgeStep, purgeStep } from './sqlite-purge.ts'
import { CommitWriter } from './sqlite-writer.ts'

/** What a committer needs to know; crosses to its thread, so that the driver goes by name there. */
export interface CommitterOptions {
  readonly path: string
  readonly driver: SqliteDriverName
  readonly self: ProcessMark
  readonly lease: LeaseTimes
  /** Passed by each piece of work on a thread. */
  readonly gate?: Gate
}

/** What a committer is asked; it answers in the order of the questions. */
export type CommitterRequest =
  | { readonly kind: 'commit'; readonly batch: Batch }
  | { readonly kind: 'purge'; readonly limits: PurgeLimits; readonly place: PurgePlace }
  | { readonly kind: 'close' }

/** `failed` tells why nothing was written, `detail` the same in the words of SQLite. */
export type CommitterReply =
  | { readonly results: readonly UnitResult[] | null }
  | PurgeStep
  | { readonly failed: string; readonly detail: string }

/** The one that writes: it owns the writing connection, on whichever thread it lives. */
export class Committer {
  readonly process: number
  readonly #connection: ReturnType<typeof openForWriting>
  readonly #writer: CommitWriter
  readonly #timer: NodeJS.Timeout
  readonly #gate: Gate | undefined

  constructor(driver: SqliteDriver, { path, self, lease, gate }: Omit<CommitterOptions, 'driver'>) {
    this.#gate = gate
    const connection = openForWriting(driver, path)
    this.#connection = connection
    try {
      this.process = enter(connection, { self, expires: lease.expires })
    } catch (error) {
      connection.close()
      throw error
    }
    this.#writer = new CommitWriter({ connection, holder: { id: this.process, self, expires: lease.expires } })
    this.#timer = setInterval(() => {
      try {
        this.#pass(() => sign(connection, this.process, self))
      } catch {
        // The next beat tries again; a file that stays unwritable shows at the next commit.
      }
    }, lease.heartbeat)
    this.#timer.unref()
  }

  /** The connection, for reading where one connection must do. */
  get connection(): ReturnType<typeof openForWriting> {
    return this.#connection
  }

  /** Does what is asked; undefined when the process is about to exit. */
  answer(request: CommitterRequest): CommitterReply | undefined {
    return this.#pass(() => this.#answer(request))
  }

  #pass<T>(work: () => T): T | undefined {
    return this.#gate === undefined ? work() : passGate(this.#gate, work)
  }

  #answer(request: CommitterRequest): CommitterReply {
    try {
      if (request.kind === 'commit') {
        const results = this.#writer.commit(request.batch)
        return { results: results.every((result) => result === null) ? null : results }
      }
      if (request.kind === 'purge') return purgeStep(this.#connection, request.limits, request.place)
      return this.#close()
    } catch (error) {
      return { failed: writeFailure(error), detail: (error as Error).message }
    }
  }

  #close(): CommitterReply {
    clearInterval(this.#timer)
    try {
      leave(this.#connection, this.process)
    } finally {
      this.#connection.close()
    }
    return { results: null }
  }
}

/** A committer with the driver that the options name. */
export async function openCommitter(options: CommitterOptions): Promise<Committer> {
  return new Committer(await sqliteDriver(options.driver), options)
}
