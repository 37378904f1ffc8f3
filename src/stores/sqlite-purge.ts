import type { Connection } from './sqlite-driver.ts'
import { CounterSums } from './sqlite-rows.ts'
import { endedSql, entriesPerTask } from './sqlite-schema.ts'

/** What may go: what is older than these times, milliseconds since 1970. */
export interface PurgeLimits {
  readonly events?: number
  readonly tasks?: number
  readonly answers?: number
}

/** One step of a purge, and where the next one goes on; null when nothing is left to do. */
export interface PurgeStep {
  readonly rows: number
  readonly next: PurgePlace | null
}

/** Which scopes have been searched for old tasks, and whether to look for the rest. */
export interface PurgePlace {
  readonly scope: number
  readonly phase: 'trash' | 'tasks' | 'events' | 'answers'
}

/** Where a purge begins. */
export const purgeStart: PurgePlace = { scope: 1, phase: 'trash' }

/** What one step touches at most, which keeps it to some milliseconds. */
const stepRows = 500
const stepTasks = 100
const stepScopes = 1000

/** A deleted task loses its scope first, in which nobody finds it; then its rows go, a few at a time. */
const trash = 0

/** Takes one small step, in one transaction. */
export function purgeStep(connection: Connection, limits: PurgeLimits, place: PurgePlace): PurgeStep {
  return connection.transaction('immediate', () => {
    if (place.phase === 'trash') return emptyTrash(connection, place)
    if (place.phase === 'tasks') return oldTasks(connection, limits.tasks, place)
    if (place.phase === 'events') return oldEvents(connection, limits.events, place)
    return oldAnswers(connection, limits.answers, place)
  })
}

function number(row: Readonly<Record<string, unknown>>, column: string): number {
  return row[column] as number
}

function emptyTrash(connection: Connection, place: PurgePlace): PurgeStep {
  const found = connection.statement(`select key from task where scope = ? limit ${stepTasks}`).all(trash)
  if (found.length === 0) return { rows: 0, next: { ...place, phase: 'tasks' } }
  let rows = 0
  for (const row of found) {
    const key = number(row, 'key')
    for (const table of ['chunk', 'message', 'status']) {
      const some = `select id from ${table} where id > ? and id < ? limit ?`
      const { changes } = connection
        .statement(`delete from ${table} where id in (${some})`)
        .run(key * entriesPerTask, (key + 1) * entriesPerTask, stepRows - rows)
      rows += Number(changes)
      if (rows >= stepRows) return { rows, next: place }
    }
    rows += Number(connection.statement('delete from answer where task = ?').run(key).changes)
    rows += Number(connection.statement('delete from task where key = ?').run(key).changes)
  }
  return { rows, next: place }
}

function oldTasks(connection: Connection, before: number | undefined, place: PurgePlace): PurgeStep {
  if (before === undefined) return { rows: 0, next: { ...place, phase: 'events' } }
  const end = place.scope + stepScopes
  const found = connection
    .statement(
      `select task.key, task.scope, task.state, task.time from scope cross join task indexed by task_state
       on task.scope = scope.key and ${endedSql} and time < ? and holder is null
       where scope.key >= ? and scope.key < ? limit ${stepTasks}`,
    )
    .all(before, place.scope, end)
  if (found.length === 0) {
    const further = connection.statement('select min(key) as key from scope where key >= ?').get(end)?.key
    return { rows: 0, next: typeof further === 'number' ? { ...place, scope: further } : { ...place, phase: 'events' } }
  }
  const sums = new CounterSums()
  for (const row of found) {
    sums.add(number(row, 'scope'), -1, { state: number(row, 'state'), time: number(row, 'time') })
    const key = number(row, 'key')
    connection.statement('update task set scope = ?, id = ?, dropped = 1 where key = ?').run(trash, String(key), key)
  }
  sums.write(connection)
  return { rows: 0, next: { ...place, phase: 'trash' } }
}

function oldEvents(connection: Connection, before: number | undefined, place: PurgePlace): PurgeStep {
  const next: PurgePlace = { ...place, phase: 'answers' }
  if (before === undefined) return { rows: 0, next }
  const found = connection
    .statement(
      `select key from task indexed by task_replay
       where dropped = 0 and ${endedSql} and time < ? and holder is null limit ${stepTasks}`,
    )
    .all(before)
  let rows = 0
  for (const row of found) {
    const key = number(row, 'key')
    const range = [key * entriesPerTask, (key + 1) * entriesPerTask] as const
    rows += Number(connection.statement('delete from status where id > ? and id < ?').run(...range).changes)
    connection.statement('update task set dropped = 1 where key = ?').run(key)
  }
  return { rows, next: found.length < stepTasks ? next : place }
}

function oldAnswers(connection: Connection, before: number | undefined, place: PurgePlace): PurgeStep {
  if (before === undefined) return { rows: 0, next: null }
  const oldest = connection.statement(`select key, time from answer order by key limit ${stepRows}`).all()
  const young = oldest.findIndex((row) => number(row, 'time') >= before)
  const old = young < 0 ? oldest : oldest.slice(0, young)
  const last = old.at(-1)
  if (last === undefined) return { rows: 0, next: null }
  const rows = Number(connection.statement('delete from answer where key <= ?').run(number(last, 'key')).changes)
  return { rows, next: old.length < stepRows ? null : place }
}
