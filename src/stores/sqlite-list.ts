import type { ListQuery, Scope, Snapshot, TaskPage } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import type { SqliteValue } from './sqlite-driver.ts'
import type { TaskReader } from './sqlite-read.ts'
import { bucketOf } from './sqlite-rows.ts'
import { counterSpans } from './sqlite-schema.ts'
import { snapshotOf, type TaskRow, taskColumns } from './sqlite-text.ts'
import { stateNumbers } from './states.ts'

/** Reads one page and its total at one instant. A task that cannot be read is left out and logged. */
export function listTasks(
  reader: TaskReader,
  scope: Scope,
  { query, log }: { query: ListQuery; log: Logger },
): TaskPage {
  return reader.connection.transaction('deferred', () => {
    const key = reader.scope(scope)
    if (key === undefined) return { tasks: [], total: 0 }
    const rows = pageRows(reader, key, query)
    const more = rows.length > query.pageSize
    if (more) rows.pop()
    const last = rows.at(-1)
    const next =
      query.order === 'created' ? ([last?.key ?? 0, 0] as const) : ([last?.time ?? 0, last?.id ?? ''] as const)
    return { tasks: snapshots(reader, rows, { query, log }), ...(more && { next }), total: total(reader, key, query) }
  })
}

function pageRows(reader: TaskReader, scope: number, query: ListQuery): TaskRow[] {
  const { contextId, state, since, cursor, order } = query
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
  const sql = `select ${taskColumns} from task indexed by ${index} where ${where.join(' and ')} order by ${sorted} limit ?`
  return reader.connection.statement(sql).all(...values, query.pageSize + 1) as unknown as TaskRow[]
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
    return rows.flatMap((row) => {
      try {
        return read([row])
      } catch (error) {
        log.error('task store: a task cannot be read and is left out', {
          task: row.id,
          reason: (error as Error).message,
        })
        return []
      }
    })
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
