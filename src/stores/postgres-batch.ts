import type { AppendUnit } from './commit-queue.ts'
import { type PostgresValue, storable } from './postgres-connection.ts'
import { stateNumbers } from './states.ts'
import { chunkRow, counterSpans, entriesPerTask, handedOver } from './task-rows.ts'

/** A task that this process holds, as the database knows it. */
export interface HeldTask {
  readonly key: number
  readonly scope: number
  readonly fence: number
  state: number
  time: number
  seq: number
}

/** An append with its task: what stands before it, and what comes of it. */
export interface HeldUnit {
  readonly unit: AppendUnit
  readonly task: HeldTask
  readonly isNew: boolean
}

/** The tables that one commit writes to, with the type of each column. */
const tables = {
  made: [
    'bigint key, integer scope, text id, text context, smallint state, bigint time, integer seq, integer status,',
    'integer holder, boolean waiting, text metadata',
  ].join(' '),
  moved:
    'bigint key, integer fence, integer before, integer seq, smallint state, bigint time, integer status, integer holder, boolean waiting',
  message: 'bigint id, text text',
  status: 'bigint id, smallint state, bigint time, text metadata',
  chunk: 'bigint id, integer artifact, smallint flags, text head, text metadata, text parts',
  counter: 'bigint key, integer scope, smallint span, bigint bucket, smallint state, integer delta',
  answer: 'bigint key, integer scope, text name, text digest',
  mail: 'bigint key, bigint mail, integer seq',
} as const

type Table = keyof typeof tables

const columns = Object.fromEntries(
  Object.entries(tables).map(([table, text]) => [table, text.split(', ').map((column) => column.split(' '))]),
) as unknown as { readonly [T in Table]: readonly (readonly [type: string, name: string])[] }

/** Rows of a commit, column by column. */
export class Batch {
  readonly #rows = new Map<Table, PostgresValue[][]>()
  readonly #node: number
  readonly #shard: number
  readonly #now: number

  constructor(units: readonly HeldUnit[], { node, shard, now }: { node: number; shard: number; now: number }) {
    this.#node = node
    this.#shard = shard
    this.#now = now
    for (const unit of units) this.#unit(unit)
  }

  /** Number of the rows of a table that go with some tasks, or with all. */
  #countOf(table: Table, keys: ReadonlySet<number> | undefined): number {
    const tasks = this.#rows.get(table)?.[0] ?? []
    return keys === undefined ? tasks.length : tasks.filter((key) => keys.has(key as number)).length
  }

  /** Number of the idempotency keys that go with some tasks, or with all. */
  keyedOf(keys?: ReadonlySet<number>): number {
    return this.#countOf('answer', keys)
  }

  /** Number of the pieces of mail that some tasks take in, or all. */
  mailOf(keys?: ReadonlySet<number>): number {
    return this.#countOf('mail', keys)
  }

  #add(table: Table, ...values: PostgresValue[]): void {
    let lists = this.#rows.get(table)
    if (lists === undefined) {
      lists = columns[table].map(() => [])
      this.#rows.set(table, lists)
    }
    for (let index = 0; index < values.length; index++) lists[index]?.push(values[index] as PostgresValue)
  }

  #unit({ unit, task, isNew }: HeldUnit): void {
    const { hold, entries, release, waiting } = unit
    const { key, scope } = task
    const status = entries.findLast((entry) => entry.kind === 'status')
    const state = status === undefined ? undefined : stateNumbers[status.state]
    const seq = entries.at(-1)?.seq ?? task.seq
    const holder = release === 'handOver' ? handedOver : release ? null : this.#node
    if (isNew) {
      const { id, contextId, metadata = null } = hold.task as NonNullable<typeof hold.task>
      const [first, time, at] = [state ?? 1, status?.time ?? 0, status?.seq ?? 0]
      this.#add('made', key, scope, id, storable(contextId), first, time, seq, at, holder, waiting, metadata)
      this.#count(task, { state: first, time, by: 1 })
    } else {
      const moves = [state ?? null, status?.time ?? null, status?.seq ?? null] as const
      this.#add('moved', key, task.fence, task.seq, seq, ...moves, holder, waiting)
      if (status !== undefined && state !== undefined) {
        this.#count(task, { state: task.state, time: task.time, by: -1 })
        this.#count(task, { state, time: status.time, by: 1 })
      }
    }
    const base = key * entriesPerTask
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index] as (typeof entries)[number]
      const id = base + entry.seq
      if (entry.kind === 'message') this.#add('message', id, entry.text)
      else if (entry.kind === 'status') {
        if (entry.message !== undefined) this.#add('message', id, entry.message)
        this.#add('status', id, stateNumbers[entry.state], entry.time, entry.metadata ?? null)
      } else {
        const { flags, parts, last } = chunkRow(entries, index)
        this.#add('chunk', id, entry.artifact, flags, entry.head ?? null, entry.metadata ?? null, parts)
        index = last
      }
    }
    for (const { key: name, digest } of unit.idempotency) this.#add('answer', key, scope, name, digest)
    for (const { mail, seq: entry } of unit.accepted) this.#add('mail', key, mail, entry)
  }

  #count({ key, scope }: HeldTask, { state, time, by }: { state: number; time: number; by: 1 | -1 }): void {
    for (const [span, width] of counterSpans.entries()) {
      this.#add('counter', key, scope, span, Math.floor(time / width), state, by)
    }
  }

  /** One statement that writes everything: of each task all of it, or nothing where this node no longer holds it. It tells the keys of the tasks it wrote. */
  statement(): { readonly name: string; readonly text: string; readonly values: readonly PostgresValue[] } {
    const values: PostgresValue[] = [this.#node, this.#now, this.#shard]
    const parts: string[] = []
    let name = 'commit'
    const given = (table: Table, lists: readonly PostgresValue[][]): string => {
      const arrays = columns[table].map(([type], index) => {
        values.push(lists[index] as unknown as PostgresValue)
        return `$${values.length}::${type}[]`
      })
      return `unnest(${arrays.join(', ')}) as ${table}_given (${columns[table].map(([, column]) => column).join(', ')})`
    }
    for (const table of Object.keys(tables) as Table[]) {
      const lists = this.#rows.get(table)
      if (lists !== undefined) {
        name += `_${table}`
        parts.push(`${table} as (${writes[table](given(table, lists))})`)
      } else if (table === 'made' || table === 'moved') {
        parts.push(`${table} as (select null::bigint as key where false)`)
      }
      if (table === 'moved') parts.push('done as (select key from made union all select key from moved)')
    }
    const answers = this.keyedOf() > 0 ? '(select count(*) from answer)' : '0'
    const mail = this.mailOf() > 0 ? '(select count(*) from mail)' : '0'
    // Each number that the statement is given is used, so that its type is known whatever it writes.
    const text = `with ${parts.join(', ')} select done.key, ${answers}::integer as answers, ${mail}::integer as mail, $2::bigint as now, $3::integer as shard, $1::integer as node from done`
    return { name, text, values }
  }
}

const ofTask = (table: string): string => `join done on done.key = ${table}_given.id / ${entriesPerTask}`

const writes: { readonly [T in Table]: (given: string) => string } = {
  made: (given) =>
    `insert into $.task (key, scope, id, context, state, time, seq, status, holder, waiting, metadata, created)
     select made_given.*, $2::bigint from ${given} where exists (select 1 from $.node where node.number = $1)
     on conflict do nothing returning key`,
  moved: (given) =>
    `update $.task set seq = moved_given.seq, state = coalesce(moved_given.state, task.state),
     time = coalesce(moved_given.time, task.time), status = coalesce(moved_given.status, task.status),
     holder = moved_given.holder, waiting = moved_given.waiting from ${given}
     where task.key = moved_given.key and task.holder = $1 and task.fence = moved_given.fence
     and task.seq = moved_given.before returning task.key`,
  message: (given) => `insert into $.message (id, text) select message_given.* from ${given} ${ofTask('message')}`,
  status: (given) =>
    `insert into $.status (id, state, time, metadata) select status_given.* from ${given} ${ofTask('status')}`,
  chunk: (given) =>
    `insert into $.chunk (id, artifact, flags, head, metadata, parts) select chunk_given.* from ${given} ${ofTask('chunk')}`,
  counter: (given) =>
    `insert into $.counter (scope, span, bucket, state, shard, number)
     select scope, span, bucket, state, $3::smallint, sum(delta) from ${given} join done using (key)
     group by 1, 2, 3, 4 having sum(delta) <> 0 order by 1, 2, 3, 4
     on conflict (scope, span, bucket, state, shard) do update set number = counter.number + excluded.number`,
  answer: (given) =>
    `insert into $.answer (scope, name, digest, time, task)
     select scope, name, digest, $2::bigint, key from ${given} join done using (key)
     on conflict (scope, name) do update set digest = excluded.digest, time = excluded.time, task = excluded.task,
     text = null, node = null where answer.node = $1
     or (answer.node is not null and not exists (select 1 from $.node where node.number = answer.node)) returning task`,
  mail: (given) =>
    `update $.mail set seq = mail_given.seq from ${given} join done using (key) where mail.id = mail_given.mail returning mail.id`,
}
