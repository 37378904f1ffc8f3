import { holdLost, type NewTask, type Scope } from '../engine/store.ts'
import { jitter, pause } from '../lib/backoff.ts'
import { Outcome } from '../lib/deferred.ts'
import type { Logger } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import type { AppendUnit, CommitPort, CommitUnit, Hold, UnitResult } from './commit-queue.ts'
import { Batch, type HeldTask, type HeldUnit } from './postgres-batch.ts'
import { databaseError, isAway, type Postgres, type Statement, storable } from './postgres-connection.ts'
import type { Node } from './postgres-node.ts'
import { counterShards, keyBlock } from './postgres-schema.ts'
import { scopeKey } from './scope-key.ts'
import { stateNumbers } from './states.ts'
import { entriesPerTask } from './task-rows.ts'

const lost: UnitResult = { refused: holdLost().message, lost: true }
const used: UnitResult = { refused: 'The idempotency key was used a moment ago' }
const full: UnitResult = { refused: `A task holds at most ${entriesPerTask - 1} entries` }

const rememberedScopes = 65_536

const statements = {
  findScope: {
    name: 'find_scope',
    text: 'select key from $.scope where agent = $1 and tenant = $2 and owner = $3',
  },
  makeScope: {
    name: 'make_scope',
    text: 'insert into $.scope (agent, tenant, owner) values ($1, $2, $3) on conflict do nothing returning key',
  },
  keys: { name: 'keys', text: `select nextval('$.task_key') as key` },
  found: {
    name: 'found',
    text: `select key, fence, seq, exists (select 1 from $.node where number = $2) as entered from unnest($1::bigint[]) as given
      left join $.task on task.key = given`,
  },
} satisfies Record<string, Statement>

/** Commits appends, those of one turn together, each whole or not at all and exactly once. */
export class PostgresCommits implements CommitPort {
  readonly #database: Postgres
  readonly #node: Node
  readonly #log: Logger
  readonly #held = new WeakMap<Hold, HeldTask>()
  readonly #scopes = new Map<string, number>()
  readonly #flights = new Map<string, Outcome<boolean>>()
  #nextKey = 0
  #lastKey = -1

  constructor(database: Postgres, node: Node, log: Logger) {
    this.#database = database
    this.#node = node
    this.#log = log
  }

  /** Notes that a hold was taken on a stored task. */
  keep(hold: Hold, task: HeldTask): void {
    this.#held.set(hold, task)
  }

  /** The key of a scope; undefined when nothing is stored in it, unless it is to be `made`. */
  async scope(scope: Scope, { made = false }: { made?: boolean } = {}): Promise<number | undefined> {
    const name = scopeKey(scope)
    const known = this.#scopes.get(name)
    if (known !== undefined) return known
    const values = [storable(scope.agent), storable(scope.tenant), storable(scope.owner)]
    for (;;) {
      const found = await this.#database.attempt(statements.findScope, values)
      const key =
        found.rows[0]?.key ?? (made ? (await this.#database.attempt(statements.makeScope, values)).rows[0]?.key : -1)
      if (key === -1) return undefined
      // Made by another node in this very moment: it can be read now.
      if (key === undefined) continue
      if (this.#scopes.size >= rememberedScopes) this.#scopes.clear()
      this.#scopes.set(name, key as number)
      return key as number
    }
  }

  async commit(units: readonly CommitUnit[]): Promise<readonly UnitResult[] | null> {
    const flight = new Outcome<boolean>()
    for (const { hold } of units as readonly AppendUnit[]) this.#flights.set(hold.id, flight)
    try {
      const results = await this.#commit(units as readonly AppendUnit[], flight)
      return results.every((result) => result === null) ? null : results
    } finally {
      this.#flights.clear()
      // What waits for it looks at the task after what was written has been taken in.
      setImmediate(() => flight.resolve(true))
    }
  }

  /**
   * Waits for a write to a task that is under way: others may see it already. False when nobody can tell whether it was done, so
   * that only the database knows the task.
   */
  async landed(id: string): Promise<boolean> {
    return (await this.#flights.get(id)?.wait()) ?? true
  }

  async #commit(units: readonly AppendUnit[], flight: Outcome<boolean>): Promise<UnitResult[]> {
    const results: UnitResult[] = units.map(({ entries }) =>
      (entries.at(-1)?.seq ?? 0) >= entriesPerTask ? full : null,
    )
    let open = units.map((_, index) => index).filter((index) => results[index] === null)
    /** Whether a try broke off that may have been written all the same. */
    let unsure = false
    for (let attempt = 1; open.length > 0; attempt++) {
      if (!this.#node.alive) {
        for (const index of open) results[index] = lost
        break
      }
      try {
        const held = await this.#hold(open.map((index) => units[index] as AppendUnit))
        const outcome = await this.#write(held, { unsure })
        for (const [at, index] of open.entries()) results[index] = outcome[at] ?? null
        break
      } catch (error) {
        const cause = A2AError.is(error) ? error.cause : error
        if (!isAway(cause)) {
          if (open.length === 1) {
            if (!(cause instanceof Refused)) {
              this.#log.error('task store: a write failed', { reason: String((cause as Error)?.message) })
            }
            results[open[0] as number] =
              cause instanceof Refused ? cause.result : { refused: databaseError(error).message }
            break
          }
          const alone = await Promise.all(open.map((index) => this.#commit([units[index] as AppendUnit], flight)))
          for (const [at, index] of open.entries()) results[index] = alone[at]?.[0] ?? null
          break
        }
        flight.resolve(false)
        if (isUnsent(cause) && !unsure) open = this.#refuseNew(units, { open, results, error: databaseError(error) })
        else unsure = true
        await pause(jitter(attempt, { base: 50, cap: 1_000 }))
      }
    }
    return results
  }

  /** A task that is new can be tried again later: it need not wait for the database. */
  #refuseNew(
    units: readonly AppendUnit[],
    { open, results, error }: { open: readonly number[]; results: UnitResult[]; error: A2AError },
  ): number[] {
    return open.filter((index) => {
      if (this.#held.has((units[index] as AppendUnit).hold)) return true
      results[index] = { refused: error.message }
      return false
    })
  }

  /** The tasks of some appends; new ones get their keys. */
  async #hold(units: readonly AppendUnit[]): Promise<HeldUnit[]> {
    const held: HeldUnit[] = []
    for (const unit of units) {
      const { hold } = unit
      let task = this.#held.get(hold)
      const isNew = hold.task !== undefined
      if (task === undefined && isNew) {
        const scope = (await this.scope(hold.scope, { made: true })) as number
        task = { key: await this.#key(), scope, fence: 1, state: 1, time: 0, seq: 0 }
        this.#held.set(hold, task)
      }
      if (task === undefined) throw new TypeError('an append without a hold')
      held.push({ unit, task, isNew })
    }
    return held
  }

  async #key(): Promise<number> {
    if (this.#nextKey > this.#lastKey) {
      const found = await this.#database.attempt(statements.keys, [])
      this.#nextKey = found.rows[0]?.key as number
      this.#lastKey = this.#nextKey + keyBlock - 1
    }
    return this.#nextKey++
  }

  async #write(held: readonly HeldUnit[], { unsure }: { unsure: boolean }): Promise<UnitResult[]> {
    const node = this.#node.number
    const batch = new Batch(held, { node, shard: node % counterShards, now: Date.now() })
    const done = await this.#run(batch)
    const missing = held.filter(({ task }) => !done.has(task.key))
    const reasons = missing.length === 0 ? undefined : await this.#why(missing, { node, unsure })
    return held.map((unit) => {
      const result = done.has(unit.task.key) ? null : (reasons?.get(unit.task.key) ?? lost)
      if (result === null) this.#advance(unit)
      return result
    })
  }

  /** Writes a batch; tells the keys of the tasks that were written. */
  async #run(batch: Batch): Promise<ReadonlySet<number>> {
    const { name, text, values } = batch.statement()
    if (batch.keyedOf() === 0 && batch.mailOf() === 0) {
      const { rows } = await this.#database.attempt({ name, text }, values)
      return new Set(rows.map(({ key }) => key as number))
    }
    return this.#database.transaction(async (client) => {
      const query = { name, text: this.#database.sql(text), values: values as unknown[] }
      const { rows } = await client.query<{ key: number; answers: number; mail: number }>(query)
      const keys = new Set(rows.map(({ key }) => key))
      // A task without its answer would be made again by whoever repeats the request.
      if ((rows[0]?.answers ?? 0) < batch.keyedOf(keys)) throw new Refused(used)
      // A message whose mail was taken back would be in the task a second time when its sender has claimed that.
      if ((rows[0]?.mail ?? 0) < batch.mailOf(keys)) throw new Refused(lost)
      return keys
    })
  }

  /** Why tasks were not written: their hold is lost, their id is taken, or they were written by a try that seemed to fail. */
  async #why(
    missing: readonly HeldUnit[],
    { node, unsure }: { node: number; unsure: boolean },
  ): Promise<ReadonlyMap<number, UnitResult>> {
    const { rows } = await this.#database.attempt(statements.found, [missing.map(({ task }) => task.key), node])
    const stored = new Map(rows.map((row) => [row.key as number, row]))
    const entered = rows[0]?.entered === true
    return new Map(
      missing.map(({ unit, task, isNew }) => {
        const row = stored.get(task.key)
        const last = unit.entries.at(-1)?.seq ?? task.seq
        if (unsure && row?.fence === task.fence && row.seq === last) return [task.key, null]
        if (isNew && row === undefined && entered) return [task.key, taken(unit.hold.task as NewTask)]
        return [task.key, lost]
      }),
    )
  }

  #advance({ unit, task }: HeldUnit): void {
    task.seq = unit.entries.at(-1)?.seq ?? task.seq
    const status = unit.entries.findLast((entry) => entry.kind === 'status')
    if (status === undefined) return
    task.state = stateNumbers[status.state]
    task.time = status.time
  }
}

/** What the database would have written must not be: a key was used, or mail was taken back, in the meantime. */
class Refused extends Error {
  readonly result: UnitResult

  constructor(result: UnitResult) {
    super('refused')
    this.result = result
  }
}

function taken({ id }: NewTask): UnitResult {
  return { refused: `A task with the id ${id} is stored already` }
}

/** Whether a statement did not even get to the database. */
function isUnsent(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  return (
    code === 'ECONNREFUSED' ||
    /timeout exceeded when trying to connect|Connection terminated due to connection timeout/.test(message ?? '')
  )
}
