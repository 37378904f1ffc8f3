import type { Entry, MailState, Snapshot, View } from '../engine/store.ts'
import type { Postgres, PostgresRow, Statement } from './postgres-connection.ts'
import { storable } from './postgres-connection.ts'
import { fold, withHeads } from './replay.ts'
import { stateName } from './states.ts'
import {
  type ChunkRow,
  chunksOf,
  contents,
  entriesPerTask,
  type MessageRow,
  snapshotOf,
  type TaskRow,
  taskColumns,
} from './task-rows.ts'

interface StatusRow {
  readonly id: number
  readonly state: number
  readonly time: number
  readonly metadata: string | null
}

/** All rows of a task's content that one question finds, from one instant of the database. */
interface Found {
  readonly row: TaskRow | undefined
  readonly messages: readonly MessageRow[]
  readonly chunks: readonly ChunkRow[]
  readonly statuses: readonly StatusRow[]
}

const range = (table: string): string =>
  `${table}.id > task.key * ${entriesPerTask} and ${table}.id < (task.key + 1) * ${entriesPerTask}`

const task = `select ${taskColumns} from $.task as task where id = $1 and scope = $2`

/** What follows the row of a task in an answer: rows of its content, whose columns are those of a chunk. */
const chunks = `select 2, own.* from task cross join lateral (
    select chunk.id, chunk.artifact, chunk.flags, chunk.head, chunk.metadata, chunk.parts
    from $.chunk where ${range('chunk')} offset 0) as own`

const message = 'message.id, null::integer, null::smallint, null, null, message.text'
const current = `message.id = task.key * ${entriesPerTask} + task.status`

/** The messages that a view takes: all, none but that of the status, or some of the newest and that of the status. */
const messages = {
  // `offset 0` has each task looked up by itself: a join would be thought to meet a good part of the whole table.
  all: () => `select 1, own.* from task cross join lateral (
    select ${message} from $.message where ${range('message')} offset 0) as own`,
  current: () => `select 1, ${message} from task join $.message on ${current}`,
  newest: (limit: string) => `select 1, newest.* from task cross join lateral (
      (select ${message} from $.message where ${range('message')} order by message.id desc limit ${limit} + 1)
      union (select ${message} from $.message where ${current})) as newest`,
}

/** What a statement takes of some tasks, the rows of `task`: first a row of each as JSON, then its content. */
export interface Content {
  /** Tells one view from another in the name of a statement. */
  readonly name: string
  readonly text: string
  readonly values: readonly number[]
}

/** The part of a statement that finds what a view shows; `parameter` is the number of the next one. `place` is put with each row, and comes back as `artifact`. */
export function contentOf(
  { historyLength, artifacts }: View,
  { parameter, place }: { parameter: number; place: string },
): Content {
  const kind = historyLength === undefined ? 'all' : historyLength === 0 ? 'current' : 'newest'
  const head = `select 0 as kind, key as id, (${place})::integer as artifact, null::smallint as flags, null as head, null as metadata,
    row_to_json(task)::text as body from task`
  const parts = [head, messages[kind](`$${parameter}::integer`), ...(artifacts ? [chunks] : [])]
  return {
    name: `${kind}${artifacts ? '_with' : ''}`,
    text: `${parts.join(' union all ')} order by 1, 2`,
    values: kind === 'newest' ? [Math.min(historyLength as number, 2 ** 31 - 2)] : [],
  }
}

const log: Statement = {
  name: 'read_log',
  text: `with task as (${task} and not dropped and $4::integer > 0),
    first as (select coalesce(max(chunk.id), 0) as id from task join $.chunk
      on chunk.id > task.key * ${entriesPerTask} and chunk.id <= task.key * ${entriesPerTask} + $3::integer + 1)
    select 0 as kind, key as id, null::integer as artifact, null::smallint as flags, null as head, null as metadata,
      row_to_json(task)::text as body from task
    union all select 1, message.id, null, null, null, null, message.text from task join $.message
      on message.id > task.key * ${entriesPerTask} + $3::integer and message.id <= task.key * ${entriesPerTask} + $4::integer
    union all select 2, chunk.id, chunk.artifact, chunk.flags, chunk.head, chunk.metadata, chunk.parts
      from task cross join first join $.chunk
      on chunk.id >= case when first.id > 0 then first.id else task.key * ${entriesPerTask} + $3::integer end
      and chunk.id <= task.key * ${entriesPerTask} + $4::integer
    union all select 3, status.id, status.state, null, null, status.metadata, status.time::text from task join $.status
      on status.id > task.key * ${entriesPerTask} + $3::integer and status.id <= task.key * ${entriesPerTask} + $4::integer
    order by 1, 2`,
}

const statements = {
  row: { name: 'row', text: task },
  heads: {
    name: 'heads',
    text: `select distinct on (artifact) artifact, head from $.chunk
      where head is not null and id > $1 and id < $2 and artifact = any($3::integer[]) order by artifact, id desc`,
  },
  artifacts: {
    name: 'artifacts',
    text: `select id, artifact, flags, head, metadata, '' as parts from $.chunk where id > $1 and id < $2 order by id`,
  },
  posted: { name: 'posted', text: 'select seq, started, outcome from $.mail where id = $1' },
} satisfies Record<string, Statement>

/** Reads tasks; every answer comes from one instant of the database. */
export class PostgresReader {
  readonly #database: Postgres

  constructor(database: Postgres) {
    this.#database = database
  }

  async row(scope: number, id: string): Promise<TaskRow | undefined> {
    const { rows } = await this.#database.query(statements.row, [storable(id), scope])
    return rows[0] as TaskRow | undefined
  }

  async read(scope: number, id: string, view: View): Promise<Snapshot | undefined> {
    const { at } = view
    if (at !== undefined) return this.#past(scope, id, { view, at })
    const { name, text, values } = contentOf(view, { parameter: 3, place: '0' })
    const statement = { name: `read_${name}`, text: `with task as (${task}) ${text}` }
    const found = await this.#find(statement, [storable(id), scope, ...values])
    const { row, messages, chunks } = found
    return row && snapshotOf(row, messages, { chunks, historyLength: view.historyLength })
  }

  async #past(scope: number, id: string, { view, at }: { view: View; at: number }): Promise<Snapshot | undefined> {
    const row = await this.row(scope, id)
    if (row === undefined) return undefined
    if (at === row.seq) {
      const now = await this.read(scope, id, {
        artifacts: view.artifacts,
        ...(view.historyLength !== undefined && { historyLength: view.historyLength }),
      })
      if (now?.head.seq === at) return now
    }
    if (at < 1 || at > row.seq) return undefined
    const found = await this.#log(scope, id, { after: 0, last: at })
    if (found === undefined) return undefined
    const ids = { id: row.id, contextId: row.context, metadata: row.metadata ?? undefined }
    return fold(ids, found.entries, { view, held: row.holder !== null })
  }

  async entries(
    scope: number,
    id: string,
    { after, limit }: { readonly after: number; readonly limit: number },
  ): Promise<readonly Entry[] | undefined> {
    const found = await this.#log(scope, id, { after, last: Math.min(after + limit, entriesPerTask - 1) })
    if (found === undefined) return undefined
    const wanted = new Map<number, number>()
    const heads = new Map<number, string>()
    withHeads(found.entries, ({ artifact, seq }) => {
      wanted.set(artifact, Math.min(seq, wanted.get(artifact) ?? seq))
      return undefined
    })
    if (wanted.size > 0) {
      const base = found.key * entriesPerTask
      for (const [artifact, seq] of wanted) {
        const { rows } = await this.#database.query(statements.heads, [base, base + seq, [artifact]])
        if (rows[0] !== undefined) heads.set(artifact, rows[0].head as string)
      }
    }
    return withHeads(found.entries, ({ artifact }) => heads.get(artifact))
  }

  /** Entries `after` < n ≤ `last` of a task, as far as there are; undefined when they were dropped or there is no such task. */
  async #log(
    scope: number,
    id: string,
    { after, last: wanted }: { after: number; last: number },
  ): Promise<{ readonly key: number; readonly entries: readonly Entry[] } | undefined> {
    const { row, messages, chunks, statuses } = await this.#find(log, [storable(id), scope, after, wanted])
    if (row === undefined) return undefined
    const last = Math.min(row.seq, wanted)
    const base = row.key * entriesPerTask
    const entries: Entry[] = []
    const place = (entry: Entry): void => {
      if (entry.seq > after && entry.seq <= last) entries[entry.seq - after - 1] = entry
    }
    for (const { id: number, text } of messages) place({ kind: 'message', seq: number - base, text })
    for (const { id: number, state, time, metadata } of statuses) {
      const name = stateName(state)
      if (name === undefined) throw new Error(`unknown state ${state}`)
      const message = entries[number - base - after - 1]
      place({
        kind: 'status',
        seq: number - base,
        state: name,
        time,
        ...(message?.kind === 'message' && { message: message.text }),
        ...(metadata !== null && { metadata }),
      })
    }
    for (const chunk of chunks) for (const entry of chunksOf(chunk)) place(entry)
    for (let index = 0; index < last - after; index++) {
      if (entries[index] === undefined) throw new Error(`entry ${after + index + 1} is missing`)
    }
    return { key: row.key, entries }
  }

  async #find(statement: Statement, values: (string | number)[]): Promise<Found> {
    const { rows } = await this.#database.query(statement, values)
    let row: TaskRow | undefined
    const messages: MessageRow[] = []
    const chunks: ChunkRow[] = []
    const statuses: StatusRow[] = []
    for (const found of rows) {
      const { kind, id, artifact, flags, head, metadata, body } = found as PostgresRow & ChunkRow & { body: string }
      if (kind === 0) row = JSON.parse(body) as TaskRow
      else if (kind === 1) messages.push({ id, text: body })
      else if (kind === 2) chunks.push({ id, artifact, flags, head, metadata, parts: body })
      else statuses.push({ id, state: artifact, time: Number(body), metadata })
    }
    return { row, messages, chunks, statuses }
  }

  /** Artifacts by position, as whoever goes on writing needs them. */
  async artifacts(key: number): Promise<readonly { readonly artifactId: string; readonly closed: boolean }[]> {
    const values = [key * entriesPerTask, (key + 1) * entriesPerTask]
    const { rows } = await this.#database.query(statements.artifacts, values)
    return contents(rows as unknown as ChunkRow[]).map(({ head, closed }) => {
      const { artifactId } = JSON.parse(head) as { artifactId: string }
      return { artifactId, closed }
    })
  }

  /** What became of mail. */
  async posted(mail: number): Promise<MailState | undefined> {
    const { rows } = await this.#database.query(statements.posted, [mail])
    const [row] = rows as { seq: number | null; started: number | null; outcome: string | null }[]
    if (row === undefined) return undefined
    const { seq, started, outcome } = row
    return {
      ...(seq !== null && { seq }),
      ...(started !== null && { startedAt: started }),
      ...(outcome !== null && { outcome }),
    }
  }
}
