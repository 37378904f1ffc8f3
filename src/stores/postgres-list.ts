import type { Cursor, ListQuery, Snapshot, TaskPage } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import type { Postgres, PostgresRow, PostgresValue } from './postgres-connection.ts'
import { storable } from './postgres-connection.ts'
import { contentOf } from './postgres-read.ts'
import { stateNumbers } from './states.ts'
import {
  type ChunkRow,
  counterSpans,
  entriesPerTask,
  type MessageRow,
  snapshotOf,
  type TaskRow,
  taskColumns,
} from './task-rows.ts'

/** The text of a statement that is put together, and what it is given. */
class Builder {
  readonly values: PostgresValue[] = []

  /** A parameter with a value. */
  give(value: PostgresValue, type: string): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}

interface Place {
  readonly database: Postgres
  readonly scope: number
  readonly log: Logger
}

/** A page and its total, from one instant of the database. A task that cannot be read is left out and logged. */
export async function listTasks({ database, scope, log }: Place, query: ListQuery): Promise<TaskPage> {
  const { rows } = await database.query(...listStatement(scope, query))
  const tasks: (TaskRow & { readonly created: number })[] = []
  const messages = new Map<number, MessageRow[]>()
  const chunks = new Map<number, ChunkRow[]>()
  let total = 0
  for (const found of rows) {
    const { kind, id, artifact, body, ...rest } = found as unknown as PostgresRow &
      ChunkRow & { kind: number; body: string }
    if (kind === 0) tasks[artifact - 1] = JSON.parse(body) as (typeof tasks)[number]
    else if (kind === 1) push(messages, { id, text: body })
    else if (kind === 2)
      push(chunks, { id, artifact, flags: rest.flags, head: rest.head, metadata: rest.metadata, parts: body })
    else total = Number(body)
  }
  const more = tasks.length > query.pageSize
  const page = more ? tasks.slice(0, query.pageSize) : tasks
  const last = page.at(-1)
  return {
    tasks: page.flatMap((row): Snapshot[] => {
      const content = { chunks: chunks.get(row.key) ?? [], historyLength: query.view.historyLength }
      try {
        return [snapshotOf(row, messages.get(row.key) ?? [], content)]
      } catch (error) {
        log.error('task store: a task cannot be read and is left out', {
          task: row.id,
          reason: (error as Error).message,
        })
        return []
      }
    }),
    ...(more && last !== undefined && { next: cursorOf(last, query) }),
    total,
  }
}

function push<T extends { readonly id: number }>(map: Map<number, T[]>, row: T): void {
  const key = Math.floor(row.id / entriesPerTask)
  const rows = map.get(key)
  if (rows === undefined) map.set(key, [row])
  else rows.push(row)
}

function cursorOf(row: TaskRow & { readonly created: number }, { order }: ListQuery): Cursor {
  return order === 'created' ? [row.created, row.key] : [row.time, row.id]
}

/** The statement behind one page; exported to be explained. */
export function listStatement(scope: number, query: ListQuery): Parameters<Postgres['query']> {
  const { contextId, state, since, cursor, order, pageSize, view } = query
  const builder = new Builder()
  const where = [`scope = ${builder.give(scope, 'integer')}`]
  if (contextId !== undefined) where.push(`context = ${builder.give(storable(contextId), 'text')}`)
  if (state !== undefined) where.push(`state = ${builder.give(stateNumbers[state], 'smallint')}`)
  if (since !== undefined) where.push(`time >= ${builder.give(since, 'bigint')}`)
  const filters = [...where]
  const keys = order === 'created' ? ['created', 'key'] : ['time', 'id']
  if (cursor !== undefined) {
    const tie =
      order === 'created' ? builder.give(Number(cursor[1]), 'bigint') : builder.give(String(cursor[1]), 'text')
    where.push(`(${keys.join(', ')}) < (${builder.give(cursor[0], 'bigint')}, ${tie})`)
  }
  const sorted = keys.map((key) => `${key} desc`).join(', ')
  const limit = builder.give(pageSize + 1, 'integer')
  const total = totalOf(builder, { filters, query })
  const content = contentOf(view, { parameter: builder.values.length + 1, place: 'place' })
  const page = `select ${taskColumns}, created, row_number() over (order by ${sorted}) as place
    from $.task where ${where.join(' and ')} order by ${sorted} limit ${limit}`
  const text = `with task as (${page}), total as (select ${total} as number)
    select 3 as kind, 0::bigint as id, null::integer as artifact, null::smallint as flags, null as head, null as metadata,
      number::text as body from total union all ${content.text}`
  const given = { contextId, state, since: since !== undefined && (since <= 0 ? 'all' : 'some'), cursor }
  const name = `list_${order ?? 'status'}_${content.name}_${Object.values(given)
    .map((value) => (value ? (value === 'all' ? 2 : 1) : 0))
    .join('')}`
  return [{ name, text }, [...builder.values, ...content.values]]
}

/** The number of tasks that match, as SQL: from the counters, or counted where a context bounds them. */
function totalOf(
  builder: Builder,
  { filters, query: { contextId, since } }: { filters: readonly string[]; query: ListQuery },
): string {
  if (contextId !== undefined) return `(select count(*) from $.task where ${filters.join(' and ')})`
  const [scope] = filters as [string]
  const ofState = filters.find((filter) => filter.startsWith('state'))
  const counted = (span: number, range: string): string =>
    `(select coalesce(sum(number), 0) from $.counter where ${scope} and span = ${span}${range}${ofState ? ` and ${ofState}` : ''})`
  if (since === undefined || since <= 0) return counted(0, ' and bucket = 0')
  const sums: string[] = []
  let from = since
  for (let span = counterSpans.length - 1; span > 0; span--) {
    const width = counterSpans[span] as number
    const above = counterSpans[span - 1] as number
    const first = Math.ceil(from / width)
    if (span === counterSpans.length - 1) {
      const part = `time >= ${builder.give(from, 'bigint')} and time < ${builder.give(first * width, 'bigint')}`
      sums.push(`(select count(*) from $.task where ${scope} and ${part}${ofState ? ` and ${ofState}` : ''})`)
    }
    const start = ` and bucket >= ${builder.give(first, 'bigint')}`
    if (span === 1) sums.push(counted(span, start))
    else {
      const end = (Math.floor(from / above) + 1) * above
      sums.push(counted(span, `${start} and bucket < ${builder.give(Math.floor(end / width), 'bigint')}`))
      from = end
    }
  }
  return sums.join(' + ')
}
