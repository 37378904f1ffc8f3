import type { Abandoned, Answer, Entry, MailState, Scope, Snapshot, View } from '../engine/store.ts'
import { fold, withHeads } from './replay.ts'
import { scopeKey } from './scope-key.ts'
import { answerOf, type Holder } from './sqlite-calls.ts'
import type { Connection } from './sqlite-driver.ts'
import { stateName } from './states.ts'
import {
  type ChunkRow,
  chunkColumns,
  chunksOf,
  contents,
  entriesPerTask,
  type MessageRow,
  snapshotOf,
  type TaskRow,
  taskColumns,
} from './task-rows.ts'

/** The content of some tasks, by key. */
export interface Content {
  readonly messages: ReadonlyMap<number, readonly MessageRow[]>
  readonly chunks: ReadonlyMap<number, readonly ChunkRow[]>
}

interface StatusRow {
  readonly id: number
  readonly state: number
  readonly time: number
  readonly metadata: string | null
}

const inTask = (table: string) =>
  `${table}.id > task.value * ${entriesPerTask} and ${table}.id < (task.value + 1) * ${entriesPerTask}`

/** Reads tasks; every answer comes from one instant of the database. */
export class TaskReader {
  readonly connection: Connection
  readonly #scopes = new Map<string, number>()
  /** The tasks that had nothing newer at a version of the file, and the number each was compared with. */
  #compared: { readonly version: number; readonly seqs: Map<string, number> } = { version: -1, seqs: new Map() }

  constructor(connection: Connection) {
    this.connection = connection
  }

  /** The key of a scope that has stored anything. */
  scope(scope: Scope): number | undefined {
    const name = scopeKey(scope)
    const known = this.#scopes.get(name)
    if (known !== undefined) return known
    const row = this.connection
      .statement('select key from scope where agent = ? and tenant = ? and owner = ?')
      .get(scope.agent, scope.tenant, scope.owner)
    if (row === undefined) return undefined
    if (this.#scopes.size >= 65_536) this.#scopes.clear()
    this.#scopes.set(name, row.key as number)
    return row.key as number
  }

  row(scope: Scope, id: string): TaskRow | undefined {
    const key = this.scope(scope)
    if (key === undefined) return undefined
    const sql = `select ${taskColumns} from task where id = ? and scope = ?`
    return this.connection.statement(sql).get(id, key) as TaskRow | undefined
  }

  read(scope: Scope, id: string, view: View): Snapshot | undefined {
    return this.connection.transaction('deferred', () => {
      const row = this.row(scope, id)
      if (row === undefined) return undefined
      if (view.at !== undefined && view.at !== row.seq) return this.#past(row, view, view.at)
      const { messages, chunks } = this.content([row], view)
      return snapshotOf(row, messages.get(row.key) ?? [], {
        chunks: chunks.get(row.key) ?? [],
        historyLength: view.historyLength,
      })
    })
  }

  #past(row: TaskRow, view: View, at: number): Snapshot | undefined {
    if (row.dropped !== 0 || at < 1 || at > row.seq) return undefined
    const ids = { id: row.id, contextId: row.context, metadata: row.metadata ?? undefined }
    return fold(ids, this.#entries(row, 0, at), { view, held: row.holder !== null })
  }

  /** Messages and chunks of all these tasks, in one statement each. */
  content(rows: readonly TaskRow[], { historyLength, artifacts }: View): Content {
    const keys = JSON.stringify(rows.map(({ key }) => key))
    const messages = this.#messages(rows, keys, historyLength)
    const chunks = artifacts
      ? this.connection
          .statement(`select chunk.* from json_each(?) as task cross join chunk where ${inTask('chunk')}`)
          .all(keys)
      : []
    return { messages: byTask(messages as unknown as MessageRow[]), chunks: byTask(chunks as unknown as ChunkRow[]) }
  }

  #messages(rows: readonly TaskRow[], keys: string, historyLength: number | undefined): unknown[] {
    if (historyLength === undefined) {
      const sql = `select message.* from json_each(?) as task cross join message where ${inTask('message')}`
      return this.connection.statement(sql).all(keys)
    }
    const statuses = JSON.stringify(rows.map(({ key, status }) => key * entriesPerTask + status))
    const current = 'select * from message where id in (select value from json_each(?))'
    if (historyLength === 0) return this.connection.statement(current).all(statuses)
    // The newest ones, of which one may be the message of the status; which may also be older than all of them.
    const newest = `
      select message.* from json_each(?) as task cross join message where message.id in (
        select newest.id from message as newest where ${inTask('newest')} order by newest.id desc limit ?
      ) union ${current}`
    return this.connection.statement(newest).all(keys, historyLength + 1, statuses)
  }

  entries(
    scope: Scope,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): readonly Entry[] | undefined {
    return this.connection.transaction('deferred', () => {
      const row = this.row(scope, id)
      if (row === undefined || row.dropped !== 0) return undefined
      const last = Math.min(row.seq, range.after + range.limit)
      const found = this.#entries(row, range.after, last)
      const base = row.key * entriesPerTask
      return withHeads(found, ({ seq, artifact }) => {
        const sql = `select head from chunk indexed by chunk_head
          where head is not null and id > ? and id < ? and artifact = ? order by id desc limit 1`
        return this.connection.statement(sql).get(base, base + seq, artifact)?.head as string | undefined
      })
    })
  }

  /** Entries `after` < n ≤ `last` of a task; throws when one is missing. */
  #entries(row: TaskRow, after: number, last: number): Entry[] {
    if (last <= after) return []
    const { connection } = this
    const base = row.key * entriesPerTask
    const [from, to] = [base + after, base + last]
    const entries: Entry[] = []
    const place = (entry: Entry) => {
      if (entry.seq > after && entry.seq <= last) entries[entry.seq - after - 1] = entry
    }
    for (const message of connection.statement('select * from message where id > ? and id <= ?').all(from, to)) {
      place({ kind: 'message', seq: (message.id as number) - base, text: message.text as string })
    }
    for (const status of connection.statement('select * from status where id > ? and id <= ?').all(from, to)) {
      const { id, state, time, metadata } = status as unknown as StatusRow
      const name = stateName(state)
      if (name === undefined) throw new Error(`unknown state ${state}`)
      const message = entries[id - from - 1]
      place({
        kind: 'status',
        seq: id - base,
        state: name,
        time,
        ...(message?.kind === 'message' && { message: message.text }),
        ...(metadata !== null && { metadata }),
      })
    }
    // A row may begin before the first entry that is asked for.
    const start = connection
      .statement('select max(id) as id from chunk where id > ? and id <= ?')
      .get(base, from + 1)?.id
    const sql = `select ${chunkColumns} from chunk where id >= ? and id <= ?`
    for (const chunk of connection.statement(sql).all((start as number | null) ?? from, to)) {
      for (const entry of chunksOf(chunk as unknown as ChunkRow)) place(entry)
    }
    for (let index = 0; index < last - after; index++) {
      if (entries[index] === undefined) throw new Error(`entry ${after + index + 1} is missing`)
    }
    return entries
  }

  /** Artifacts by position, as whoever goes on writing needs them. */
  artifacts(key: number): { readonly artifactId: string; readonly closed: boolean }[] {
    const rows = this.connection
      .statement(
        `select id, artifact, flags, head, metadata, '' as parts from chunk where id > ? and id < ? order by id`,
      )
      .all(key * entriesPerTask, (key + 1) * entriesPerTask) as unknown as ChunkRow[]
    return contents(rows).map(({ head, closed }) => {
      const { artifactId } = JSON.parse(head) as { artifactId: string }
      return { artifactId, closed }
    })
  }

  answer(scope: Scope, name: string, options: Omit<Holder, 'id'>): Answer | undefined {
    const key = this.scope(scope)
    const known = key === undefined ? undefined : answerOf(this.connection, options, [key, name])
    if (known === undefined) return undefined
    const { process: _, ...answer } = known
    return answer as Answer
  }

  /** What became of mail. */
  posted(mail: number): MailState | undefined {
    const row = this.connection.statement('select seq, started, outcome from mail where id = ?').get(mail)
    if (row === undefined) return undefined
    const { seq, started, outcome } = row as { seq: number | null; started: number | null; outcome: string | null }
    return {
      ...(seq !== null && { seq }),
      ...(started !== null && { startedAt: started }),
      ...(outcome !== null && { outcome }),
    }
  }

  /** Those of some tasks that have later entries. A task is not looked at again before another connection has changed the file. */
  behind(
    tasks: readonly { readonly scope: Scope; readonly id: string; readonly seq: number }[],
  ): readonly { readonly id: string; readonly seq: number }[] {
    const version = this.connection.statement('pragma data_version').get()?.data_version as number
    if (version !== this.#compared.version) this.#compared = { version, seqs: new Map() }
    const { seqs } = this.#compared
    const moved: { readonly id: string; readonly seq: number }[] = []
    for (const { scope, id, seq } of tasks) {
      const name = `${scopeKey(scope)} ${id}`
      if (seqs.get(name) === seq) continue
      const now = this.row(scope, id)?.seq ?? 0
      if (now > seq) moved.push({ id, seq: now })
      else seqs.set(name, seq)
    }
    return moved
  }

  tenants(agent: string): string[] {
    const rows = this.connection.statement('select distinct tenant from scope where agent = ?').all(agent)
    return rows.map(({ tenant }) => tenant as string)
  }

  /** Tasks of an agent whose holder is not among the living. */
  abandoned(
    agent: string,
    { living, limit }: { readonly living: readonly number[]; readonly limit: number },
  ): Abandoned[] {
    const rows = this.connection
      .statement(
        `select task.id, scope.tenant, scope.owner from task indexed by task_held join scope on scope.key = task.scope
         where holder is not null and holder not in (select value from json_each(?)) and scope.agent = ? limit ?`,
      )
      .all(JSON.stringify(living), agent, limit) as unknown as { id: string; tenant: string; owner: string }[]
    return rows.map(({ id, tenant, owner }) => ({ scope: { agent, tenant, owner }, id }))
  }
}

function byTask<T extends { readonly id: number }>(rows: readonly T[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const key = Math.floor(row.id / entriesPerTask)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  for (const group of groups.values()) group.sort((a, b) => a.id - b.id)
  return groups
}
