import { holdLost } from '../engine/store.ts'
import type { ClaimedRow, UnitResult } from './commit-queue.ts'
import { type Batch, entryKinds, releaseFlags, unitHeader, unitKinds } from './sqlite-batch.ts'
import { type Holder, openAnswer } from './sqlite-calls.ts'
import type { Connection, SqliteValue } from './sqlite-driver.ts'
import type { HeldTask, HeldTasks, KnownScope } from './sqlite-held.ts'
import { leave, lives } from './sqlite-lease.ts'
import { CounterSums, insertRows } from './sqlite-rows.ts'
import { entriesPerTask, handedOver } from './task-rows.ts'

/** Where a unit stands in its batch: after its header, and its first string. */
export interface Unit {
  readonly kind: number
  readonly at: number
  readonly text: number
}

/** What a commit works with. */
export interface CommitParts {
  readonly connection: Connection
  readonly holder: Holder
  readonly held: HeldTasks
}

interface NewHead {
  readonly state: number
  readonly time: number
  readonly seq: number
  readonly status: number
  readonly flags: number
}

const lost: UnitResult = { refused: holdLost().message, lost: true }
const full = { refused: `A task holds at most ${entriesPerTask - 1} entries` }

/** The statements of one transaction; used once. */
export class Commit {
  readonly #numbers: readonly number[]
  readonly #strings: readonly (string | null)[]
  readonly #connection: Connection
  readonly #holder: Holder
  readonly #held: HeldTasks
  readonly #tasks: SqliteValue[] = []
  readonly #messages: SqliteValue[] = []
  readonly #statuses: SqliteValue[] = []
  readonly #chunks: SqliteValue[] = []
  readonly #sums = new CounterSums()
  #nextKey = 0
  /** What to remember once the transaction is written. */
  readonly settled: (() => void)[] = []
  /** Scopes whose keys hold only if the transaction is written. */
  readonly scopes: KnownScope[] = []

  constructor({ numbers, strings }: Batch, { connection, holder, held }: CommitParts) {
    this.#numbers = numbers
    this.#strings = strings
    this.#connection = connection
    this.#holder = holder
    this.#held = held
  }

  run(units: readonly Unit[]): UnitResult[] {
    const results: UnitResult[] = units.map((unit) => (unit.kind === unitKinds.append ? this.#append(unit) : null))
    const connection = this.#connection
    insertRows(connection, 'task (key, scope, id, context, state, time, seq, status, holder, waiting, metadata)', {
      values: this.#tasks,
    })
    insertRows(connection, 'message (id, text)', { values: this.#messages })
    insertRows(connection, 'status (id, state, time, metadata)', { values: this.#statuses })
    insertRows(connection, 'chunk (id, artifact, flags, head, metadata, parts)', { values: this.#chunks })
    this.#sums.write(connection)
    units.forEach((unit, index) => {
      if (unit.kind === unitKinds.claim) results[index] = this.#claim(unit)
      if (unit.kind === unitKinds.remember) this.#remember(unit)
    })
    return results
  }

  #append({ at, text }: Unit): UnitResult {
    const numbers = this.#numbers
    const number = numbers[at]!
    const scopeNumber = numbers[at + 1]!
    const flags = numbers[at + 2]!
    const seq = numbers[at + 3]!
    const status = numbers[at + 6]!
    if (seq >= entriesPerTask) return full
    const state = status === 0 ? 1 : numbers[at + 4]!
    const time = status === 0 ? 0 : numbers[at + 5]!
    const head: NewHead = { state, time, seq, status, flags }
    let cursor = text
    let hold: HeldTask | undefined
    if (scopeNumber < 0) {
      hold = this.#held.get(number)
      if (hold === undefined || !this.#isThere(at + 9, numbers[at + 8]!) || !this.#advance(hold, head)) {
        this.#held.drop(number)
        return lost
      }
      if (status !== 0) {
        this.#sums.add(hold.scope, -1, hold)
        this.#sums.add(hold.scope, 1, { state, time })
      }
    } else {
      const scope = this.#scopeKey(scopeNumber)
      const key = this.#newKey()
      const waiting = flags & releaseFlags.waiting ? 1 : 0
      const [id, context, metadata] = this.#strings.slice(cursor, cursor + 3) as [string, string, string | null]
      cursor += 3
      this.#tasks.push(key, scope, id, context, state, time, seq, status, this.#holderAfter(flags), waiting, metadata)
      hold = { key, scope, state, time, waiting }
      this.#sums.add(scope, 1, hold)
    }
    this.#settle(number, hold, { head, isNew: scopeNumber >= 0 })
    for (let index = numbers[at + 7]!; index > 0; index--) {
      const [key, digest] = [this.#strings[cursor]!, this.#strings[cursor + 1]!]
      this.#answer([hold.scope, key, digest, Date.now(), hold.key, null], { owned: true })
      cursor += 2
    }
    this.#accept(at + 9, numbers[at + 8]!)
    this.#entries(hold.key * entriesPerTask, at, cursor)
    return null
  }

  #holderAfter(flags: number): number | null {
    if (flags & releaseFlags.handOver) return handedOver
    return flags & releaseFlags.release ? null : this.#holder.id
  }

  /** Whether the mail that entries take in is still there: its sender takes it back once this process counts as dead. */
  #isThere(at: number, count: number): boolean {
    for (let index = at; index < at + 2 * count; index += 2) {
      if (this.#connection.statement('select 1 from mail where id = ?').get(this.#numbers[index]!) === undefined)
        return false
    }
    return true
  }

  #accept(at: number, count: number): void {
    for (let index = at; index < at + 2 * count; index += 2) {
      const [mail, seq] = [this.#numbers[index]!, this.#numbers[index + 1]!]
      this.#connection.statement('update mail set seq = ? where id = ?').run(seq, mail)
    }
  }

  /** Writes the head of a stored task, if this process still holds it. */
  #advance(hold: HeldTask, head: NewHead): boolean {
    const columns: string[] = []
    const values: number[] = []
    if (head.seq > 0) {
      columns.push('seq = ?')
      values.push(head.seq)
    }
    if (head.status > 0) {
      columns.push('state = ?, time = ?, status = ?')
      values.push(head.state, head.time, head.status)
    }
    if (head.flags & releaseFlags.handOver) columns.push(`holder = ${handedOver}`)
    else if (head.flags & releaseFlags.release) columns.push('holder = null')
    const waiting = head.flags & releaseFlags.waiting ? 1 : 0
    if (waiting !== hold.waiting) columns.push(`waiting = ${waiting}`)
    if (columns.length === 0) columns.push('holder = holder')
    const { changes } = this.#connection
      .statement(`update task set ${columns.join(', ')} where key = ? and holder = ?`)
      .run(...values, hold.key, this.#holder.id)
    return Number(changes) === 1
  }

  #settle(number: number, hold: HeldTask, { head, isNew }: { readonly head: NewHead; readonly isNew: boolean }): void {
    const held = this.#held
    if (head.flags & releaseFlags.release) {
      if (!isNew) this.settled.push(() => held.drop(number))
    } else if (isNew) {
      this.settled.push(() => held.keep(number, hold))
    } else {
      const waiting = head.flags & releaseFlags.waiting ? 1 : 0
      if (head.status === 0 && waiting === hold.waiting) return
      this.settled.push(() => {
        hold.waiting = waiting
        if (head.status === 0) return
        hold.state = head.state
        hold.time = head.time
      })
    }
  }

  #entries(base: number, at: number, text: number): void {
    const numbers = this.#numbers
    const strings = this.#strings
    const end = at - unitHeader + numbers[at - unitHeader + 1]!
    let index = at + 9 + 2 * numbers[at + 8]!
    let cursor = text
    while (index < end) {
      const kind = numbers[index]!
      const id = base + numbers[index + 1]!
      if (kind === entryKinds.message) {
        this.#messages.push(id, strings[cursor++]!)
        index += 2
      } else if (kind === entryKinds.status) {
        const message = strings[cursor]!
        if (message !== null) this.#messages.push(id, message)
        this.#statuses.push(id, numbers[index + 2]!, numbers[index + 3]!, strings[cursor + 1]!)
        cursor += 2
        index += 4
      } else {
        this.#chunks.push(
          id,
          numbers[index + 2]!,
          numbers[index + 3]!,
          strings[cursor]!,
          strings[cursor + 1]!,
          strings[cursor + 2]!,
        )
        cursor += 3
        index += 4
      }
    }
  }

  #claim({ at, text }: Unit): UnitResult {
    const scope = this.#scopeKey(this.#numbers[at + 1]!)
    const row = this.#connection
      .statement('select key, context, state, time, seq, holder, waiting from task where id = ? and scope = ?')
      .get(this.#strings[text]!, scope) as
      | (Omit<ClaimedRow, 'left'> & { holder: number | null; waiting: number })
      | undefined
    if (row === undefined) return null
    const { holder, waiting, ...claimed } = row
    const { id, ...options } = this.#holder
    if (holder !== null && (holder === id || lives(this.#connection, holder, options))) return 'held'
    // Told so, a process that was only silent gives up all that it held at once.
    if (holder !== null && holder !== handedOver) leave(this.#connection, holder)
    this.#connection.statement('update task set holder = ?, fence = fence + 1 where key = ?').run(id, row.key)
    const number = this.#numbers[at]!
    this.settled.push(() => this.#held.keep(number, { key: row.key, scope, state: row.state, time: row.time, waiting }))
    return { ...claimed, left: holder === null ? null : waiting === 1 ? 'waiting' : 'begun' }
  }

  #remember({ at, text }: Unit): void {
    const scope = this.#scopeKey(this.#numbers[at]!)
    const [key, digest, taskId, answer] = this.#strings.slice(text, text + 4) as [
      string,
      string,
      string | null,
      string | null,
    ]
    const found =
      taskId === null
        ? undefined
        : this.#connection.statement('select key from task where id = ? and scope = ?').get(taskId, scope)
    this.#answer([scope, key, digest, Date.now(), (found?.key as number | undefined) ?? null, answer])
  }

  /** Writes an answer, also in place of one that was still to come from this process or a dead one. With `owned`, anybody else's refuses the unit. */
  #answer(values: SqliteValue[], { owned = false }: { owned?: boolean } = {}): void {
    const connection = this.#connection
    const into = 'insert into answer (scope, name, digest, time, task, text) values (?, ?, ?, ?, ?, ?)'
    if (Number(connection.statement(`${into} on conflict do nothing`).run(...values).changes) === 1) return
    const [scope, name, ...content] = values
    const open = openAnswer(connection, this.#holder, [scope as number, name as string])
    if (open === undefined) {
      if (owned) throw new Error('UNIQUE constraint failed: answer.name')
      return
    }
    connection
      .statement('update answer set digest = ?, time = ?, task = ?, text = ?, process = null where key = ?')
      .run(...content, open)
  }

  #newKey(): number {
    if (this.#nextKey === 0) {
      this.#nextKey = Number(this.#connection.statement('select max(key) as key from task').get()?.key ?? 0)
    }
    return ++this.#nextKey
  }

  #scopeKey(number: number): number {
    const scope = this.#held.scope(number)
    if (scope.key === undefined) {
      const { agent, tenant, owner } = scope
      const find = 'select key from scope where agent = ? and tenant = ? and owner = ?'
      const row =
        this.#connection.statement(find).get(agent, tenant, owner) ??
        this.#connection
          .statement('insert into scope (agent, tenant, owner) values (?, ?, ?) returning key')
          .get(agent, tenant, owner)
      scope.key = row?.key as number
      this.scopes.push(scope)
    }
    return scope.key
  }
}
