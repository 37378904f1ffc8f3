import type { PurgeLimits } from '../engine/store.ts'
import type { Connection, SqliteRow } from './sqlite-driver.ts'
import { CounterSums } from './sqlite-rows.ts'
import { endedSql } from './sqlite-schema.ts'
import { entriesPerTask } from './task-rows.ts'

/** One step of a purge, and where the next one goes on; null when nothing is left to do. */
export interface PurgeStep {
  readonly rows: number
  readonly next: PurgePlace | null
}

/** Which scopes have been searched for old tasks, and whether to look for the rest. */
export interface PurgePlace {
  readonly scope: number
  readonly phase: 'trash' | 'tasks' | 'events' | 'answers' | 'mail'
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
    if (place.phase === 'answers') return oldAnswers(connection, limits.answers, place)
    return oldMail(connection, limits.answers, place)
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
    rows += Number(connection.statement('delete from mail where task = ?').run(key).changes)
    rows += Number(connection.statement('delete from task where key = ?').run(key).changes)
  }
  return { rows, next: place }
}

function oldTasks(connection: Connection, limits: PurgeLimits['tasks'], place: PurgePlace): PurgeStep {
  if (limits === undefined) return { rows: 0, next: { ...place, phase: 'events' } }
  const { agent, tenant, before, unfinished = false } = limits
  const end = place.scope + stepScopes
  const [index, ended] = unfinished ? ['task_time', ''] : ['task_state', `and ${endedSql}`]
  const found = connection
    .statement(
      `select task.key, task.scope, task.state, task.time from scope cross join task indexed by ${index}
       on task.scope = scope.key ${ended} and time < ? and holder is null
       where scope.key >= ? and scope.key < ? and agent = ? and tenant = coalesce(?, tenant) limit ${stepTasks}`,
    )
    .all(before, place.scope, end, agent, tenant ?? null)
  if (found.length === 0) {
    const further = connection.statement('select min(key) as key from scope where key >= ?').get(end)?.key
    return { rows: 0, next: typeof further === 'number' ? { ...place, scope: further } : { ...place, phase: 'events' } }
  }
  throwAway(connection, found)
  return { rows: 0, next: { ...place, phase: 'trash' } }
}

/** Takes tasks out of everybody's sight, and out of the hands of those who hold them. */
function throwAway(connection: Connection, found: readonly SqliteRow[]): void {
  const sums = new CounterSums()
  for (const row of found) {
    sums.add(number(row, 'scope'), -1, { state: number(row, 'state'), time: number(row, 'time') })
    const key = number(row, 'key')
    connection
      .statement('update task set scope = ?, id = ?, dropped = 1, holder = null, context = ? where key = ?')
      .run(trash, String(key), '', key)
  }
  sums.write(connection)
}

/** Whose data go: one owner's, in all tenants or one, or all of a tenant. */
export interface Whose {
  readonly agent: string
  readonly tenant?: string
  readonly owner?: string
}

/** Takes one small step to delete everything of an owner or a tenant: tells how many tasks went, and whether there are more. */
export function eraseStep(connection: Connection, { agent, tenant, owner }: Whose): EraseStep {
  return connection.transaction('immediate', () => {
    const whose = 'agent = ? and tenant = coalesce(?, tenant) and owner = coalesce(?, owner)'
    const values = [agent, tenant ?? null, owner ?? null]
    const found = connection
      .statement(
        `select task.key, task.scope, task.state, task.time from scope cross join task indexed by task_time
         on task.scope = scope.key where ${whose} limit ${stepTasks}`,
      )
      .all(...values)
    throwAway(connection, found)
    if (found.length === 0) {
      connection.statement(`delete from answer where scope in (select key from scope where ${whose})`).run(...values)
    }
    return { erased: found.length }
  })
}

/** What a step of `eraseStep` did; 0 when all is gone. */
export interface EraseStep {
  readonly erased: number
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

/** An answer that is not still to come from a process. */
const given = '(process is null or process not in (select id from process))'

function oldAnswers(connection: Connection, before: number | undefined, place: PurgePlace): PurgeStep {
  const next: PurgePlace = { ...place, phase: 'mail' }
  if (before === undefined) return { rows: 0, next }
  const oldest = connection
    .statement(`select key, time from answer where ${given} order by key limit ${stepRows}`)
    .all()
  const young = oldest.findIndex((row) => number(row, 'time') >= before)
  const old = young < 0 ? oldest : oldest.slice(0, young)
  const last = old.at(-1)
  if (last === undefined) return { rows: 0, next }
  const rows = Number(
    connection.statement(`delete from answer where key <= ? and ${given}`).run(number(last, 'key')).changes,
  )
  return { rows, next: old.length < stepRows ? next : place }
}

/** Mail is of no use to anybody once its sender has long known how it ended, or nobody holds its task. */
function oldMail(connection: Connection, before: number | undefined, place: PurgePlace): PurgeStep {
  if (before === undefined) return { rows: 0, next: null }
  const some = `select id from mail where time < ? and (outcome is not null or not exists (
    select 1 from task where task.key = mail.task and holder is not null)) order by id limit ${stepRows}`
  const rows = Number(connection.statement(`delete from mail where id in (${some})`).run(before).changes)
  return { rows, next: rows < stepRows ? null : place }
}
