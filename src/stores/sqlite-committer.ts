import type { PurgeLimits } from '../engine/store.ts'
import type { UnitResult } from './commit-queue.ts'
import type { Batch } from './sqlite-batch.ts'
import { answerCall, type CallName, type Holder } from './sqlite-calls.ts'
import { type SqliteDriver, type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { writeFailure } from './sqlite-failure.ts'
import { openForWriting } from './sqlite-file.ts'
import { type Gate, passGate } from './sqlite-gate.ts'
import { enter, type LeaseTimes, leave, type ProcessMark, sign } from './sqlite-lease.ts'
import { type EraseStep, eraseStep, type PurgePlace, type PurgeStep, purgeStep, type Whose } from './sqlite-purge.ts'
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
  | { readonly kind: 'commit'; readonly batch: Batch; readonly process: number }
  | { readonly kind: 'call'; readonly name: CallName; readonly given: unknown }
  | { readonly kind: 'purge'; readonly limits: PurgeLimits; readonly place: PurgePlace }
  | { readonly kind: 'erase'; readonly whose: Whose }
  | { readonly kind: 'close' }

/** `failed` tells why nothing was written, `detail` the same in the words of SQLite; `lost` the number of this process since it was taken for dead. */
export type CommitterReply =
  | { readonly results: readonly UnitResult[] | null }
  | { readonly value: unknown }
  | { readonly lost: number }
  | PurgeStep
  | EraseStep
  | { readonly failed: string; readonly detail: string }

/** The one that writes: it owns the writing connection, on whichever thread it lives. */
export class Committer {
  /** Number under which this process holds tasks. */
  process = 0
  readonly #self: ProcessMark
  readonly #lease: LeaseTimes
  readonly #connection: ReturnType<typeof openForWriting>
  #writer: CommitWriter
  readonly #timer: NodeJS.Timeout
  readonly #gate: Gate | undefined

  /** `onLost` is told the new number of this process when others took it for dead. */
  constructor(
    driver: SqliteDriver,
    { path, self, lease, gate, onLost }: Omit<CommitterOptions, 'driver'> & { onLost?: (process: number) => void },
  ) {
    this.#gate = gate
    this.#self = self
    this.#lease = lease
    const connection = openForWriting(driver, path)
    this.#connection = connection
    try {
      this.#writer = new CommitWriter({ connection, holder: this.#enter() })
    } catch (error) {
      connection.close()
      throw error
    }
    this.#timer = setInterval(() => {
      try {
        this.#pass(() => {
          if (sign(connection, this.process)) return
          this.#writer = this.#writer.entered(this.#enter())
          onLost?.(this.process)
        })
      } catch {
        // The next beat tries again; a file that stays unwritable shows at the next commit.
      }
    }, lease.heartbeat)
    this.#timer.unref()
  }

  #enter(): Holder {
    const [self, { expires }] = [this.#self, this.#lease]
    this.process = enter(this.#connection, { self, expires })
    return this.#holder
  }

  get #holder(): Holder {
    return { id: this.process, self: this.#self, expires: this.#lease.expires }
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
        if (request.process !== this.process) {
          this.#writer.learn(request.batch)
          return { lost: this.process }
        }
        const results = this.#writer.commit(request.batch)
        return { results: results.every((result) => result === null) ? null : results }
      }
      if (request.kind === 'call') {
        const place = { connection: this.#connection, holder: this.#holder }
        return { value: answerCall(place, request.name, request.given as never) }
      }
      if (request.kind === 'erase') return eraseStep(this.#connection, request.whose)
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
export async function openCommitter(options: CommitterOptions, onLost: (process: number) => void): Promise<Committer> {
  return new Committer(await sqliteDriver(options.driver), { ...options, onLost })
}
