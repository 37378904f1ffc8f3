import type { Cursor, ListQuery, Scope, Snapshot, TaskPage } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import type { SqliteRow, SqliteValue } from './sqlite-driver.ts'
import type { TaskReader } from './sqlite-read.ts'
import { bucketOf } from './sqlite-rows.ts'
import { stateNumbers } from './states.ts'
import { counterSpans, snapshotOf, type TaskRow, taskColumns } from './task-rows.ts'

/** Reads one page and its total at one instant. A task that cannot be read is left out and logged. */
export function listTasks(
  reader: TaskReader,
  scope: Scope,
  { query, log }: { readonly query: ListQuery; readonly log: Logger },
): TaskPage {
  return reader.connection.transaction('deferred', () => {
    const key = reader.scope(scope)
    if (key === undefined) return { tasks: [], total: 0 }
    const rows = pageRows(reader, key, { query, log })
    const more = rows.length > query.pageSize
    const page = more ? rows.slice(0, query.pageSize) : rows
    return {
      tasks: snapshots(reader, page, { query, log }),
      ...(more && { next: cursorOf(page.at(-1)!, query) }),
      total: total(reader, key, query),
    }
  })
}

function cursorOf({ key, time, id }: TaskRow, { order }: ListQuery): Cursor {
  return order === 'created' ? [key, 0] : [time, id]
}

/** The rows of a page, and one more when there is a next page. */
function pageRows(
  reader: TaskReader,
  scope: number,
  { query, log }: { readonly query: ListQuery; readonly log: Logger },
): TaskRow[] {
  const { contextId, state, since, cursor, order, pageSize } = query
  const where = ['scope = ?']
  const values: SqliteValue[] = [scope]
  const filter = (condition: string, ...given: SqliteValue[]) => {
    where.push(condition)
    values.push(...given)
  }
  if (contextId !== undefined) filter('context = ?', contextId)
  if (state !== undefined) filter('state = ?', stateNumbers[state])
  if (since !== undefined) filter('time >= ?', since)
  if (cursor !== undefined) {
    if (order === 'created') filter('key < ?', cursor[0])
    else filter('time <= ? and (time < ? or id < ?)', cursor[0], cursor[0], String(cursor[1]))
  }
  const index = contextId !== undefined ? 'task_context' : state !== undefined ? 'task_state' : 'task_time'
  const sorted = order === 'created' ? 'key desc' : 'time desc, id desc'
  const select = (columns: string, limit: number) =>
    reader.connection
      .statement(
        `select ${columns} from task indexed by ${index} where ${where.join(' and ')} order by ${sorted} limit ?`,
      )
      .all(...values, limit)
  try {
    return select(taskColumns, pageSize + 1) as unknown as TaskRow[]
  } catch {
    // A row holds a number that the driver cannot give out: it is left out, and some of the next ones take its place.
    const sql = `select ${taskColumns} from task where key = ?`
    const read = (row: SqliteRow) => reader.connection.statement(sql).all(row.key as number) as unknown as TaskRow[]
    const keys = select('key', pageSize + 100)
    return keys.flatMap((row) => readable(read, { row, log, id: `number ${String(row.key)}` })).slice(0, pageSize + 1)
  }
}

/** What `read` makes of a row; nothing when it throws, which is logged. */
function readable<Row, T>(
  read: (row: Row) => T[],
  { row, log, id }: { readonly row: Row; readonly log: Logger; readonly id: string },
): T[] {
  try {
    return read(row)
  } catch (error) {
    log.error('task store: a task cannot be read and is left out', { task: id, reason: (error as Error).message })
    return []
  }
}

function snapshots(
  reader: TaskReader,
  rows: readonly TaskRow[],
  { query, log }: { query: ListQuery; log: Logger },
): Snapshot[] {
  const { view } = query
  const read = (some: readonly TaskRow[]) => {
    const { messages, chunks } = reader.content(some, view)
    return some.map((row) =>
      snapshotOf(row, messages.get(row.key) ?? [], {
        chunks: chunks.get(row.key) ?? [],
        historyLength: view.historyLength,
      }),
    )
  }
  try {
    return read(rows)
  } catch {
    return rows.flatMap((row) => readable((one) => read([one]), { row, log, id: row.id }))
  }
}

/** Number of tasks that match: from the counters, or counted where a context bounds them. */
function total(reader: TaskReader, scope: number, { contextId, state, since }: ListQuery): number {
  const stateNumber = state === undefined ? undefined : stateNumbers[state]
  if (contextId !== undefined) {
    const conditions = ['scope = ?', 'context = ?']
    const values: SqliteValue[] = [scope, contextId]
    if (since !== undefined) {
      conditions.push('time >= ?')
      values.push(since)
    }
    if (stateNumber !== undefined) {
      conditions.push('state = ?')
      values.push(stateNumber)
    }
    return number(
      reader,
      `select count(*) as number from task indexed by task_context where ${conditions.join(' and ')}`,
      values,
    )
  }
  if (since === undefined || since <= 0) return counted(reader, scope, { span: 0, from: 0, to: 1, state: stateNumber })

  let sum = 0
  let from = since
  for (let span = counterSpans.length - 1; span > 0; span--) {
    const width = counterSpans[span]!
    const end =
      span === 1
        ? Number.MAX_SAFE_INTEGER
        : bucketOf(from, span - 1) * counterSpans[span - 1]! + counterSpans[span - 1]!
    const first = Math.ceil(from / width) * width
    if (span === counterSpans.length - 1) sum += partOfMinute(reader, scope, { from, to: first, state: stateNumber })
    sum += counted(reader, scope, { span, from: first / width, to: Math.floor(end / width), state: stateNumber })
    from = end
  }
  return sum
}

/** Sums the counters of the buckets from ≤ n < to. */
function counted(
  reader: TaskReader,
  scope: number,
  { span, from, to, state }: { span: number; from: number; to: number; state: number | undefined },
): number {
  if (from >= to) return 0
  const filter = state === undefined ? '' : 'and state = ?'
  const sql = `select coalesce(sum(number), 0) as number from counter
    where scope = ? and span = ? and bucket >= ? and bucket < ? ${filter}`
  return number(reader, sql, [scope, span, from, to, ...(state === undefined ? [] : [state])])
}

function partOfMinute(
  reader: TaskReader,
  scope: number,
  { from, to, state }: { from: number; to: number; state: number | undefined },
): number {
  if (from >= to) return 0
  const filter = state === undefined ? '' : 'and state = ?'
  const index = state === undefined ? 'task_time' : 'task_state'
  const sql = `select count(*) as number from task indexed by ${index} where scope = ? and time >= ? and time < ? ${filter}`
  return number(reader, sql, [scope, from, to, ...(state === undefined ? [] : [state])])
}

function number(reader: TaskReader, sql: string, values: readonly SqliteValue[]): number {
  return reader.connection.statement(sql).get(...values)?.number as number
}
