import type { PurgeLimits } from '../engine/store.ts'
import { pause } from '../lib/backoff.ts'
import { type Postgres, type PostgresValue, storable } from './postgres-connection.ts'
import { living } from './postgres-node.ts'
import { endedStates } from './states.ts'
import { counterSpans, entriesPerTask } from './task-rows.ts'

/** What one step touches at most, which keeps it to some milliseconds. */
const stepTasks = 100
const stepRows = 1_000

/** How long to leave the database to others between two steps, milliseconds. */
const restBetween = 5

const ended = endedStates.join(', ')

const spans = counterSpans
  .map((width, span) => (span === 0 ? '(0, 9223372036854775807)' : `(${span}, ${width})`))
  .join(', ')

/** Deletes the rows of some tasks. `offset 0` has each task looked up by itself: a join would be thought to meet a good part of the whole table. */
const deleteRows = (table: string, tasks = 'gone'): string => `delete from $.${table} where id = any (array(
    select own.id from ${tasks} cross join lateral (select id from $.${table} as own
      where own.id > ${tasks}.key * ${entriesPerTask} and own.id < (${tasks}.key + 1) * ${entriesPerTask} offset 0) as own))`

/** Deletes tasks (`gone`: their keys, scopes, states and times), what belongs to them, and their part of the counters. */
const deleteTasks = (choice: string): string => `
  with gone as (delete from $.task where key in (${choice}) returning key, scope, state, time),
  messages as (${deleteRows('message')}),
  statuses as (${deleteRows('status')}),
  chunks as (${deleteRows('chunk')}),
  answers as (delete from $.answer using gone where answer.task = gone.key),
  mail as (delete from $.mail using gone where mail.task = gone.key),
  counted as (insert into $.counter (scope, span, bucket, state, shard, number)
    select gone.scope, spans.span, gone.time / spans.width, gone.state, 0, -count(*)
    from gone cross join (values ${spans}) as spans (span, width) group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (scope, span, bucket, state, shard) do update set number = counter.number + excluded.number)
  select count(*)::integer as number from gone`

/** Those of some scopes that are old enough, as nobody else is dealing with them. */
const old = (unfinished: boolean): string => `
  select old.key from $.scope cross join lateral (
    select key from $.task where task.scope = scope.key and time < $1 and holder is null
    ${unfinished ? '' : `and state in (${ended})`} limit ${stepTasks} for update skip locked) as old
  where agent = $2 and tenant = coalesce($3::text, tenant) limit ${stepTasks}`

const statements = {
  unfinished: { name: 'purge_all', text: deleteTasks(old(true)) },
  finished: { name: 'purge_ended', text: deleteTasks(old(false)) },
  events: {
    name: 'purge_events',
    text: `with old as (select key from $.task where not dropped and state in (3, 4, 5, 7) and time < $1 and holder is null
        limit ${stepTasks} for update skip locked),
      gone as (${deleteRows('status', 'old')} returning 1),
      marked as (update $.task set dropped = true from old where task.key = old.key returning 1)
      select (select count(*) from gone)::integer as number, (select count(*) from marked)::integer as steps`,
  },
  answers: {
    name: 'purge_answers',
    text: `with gone as (delete from $.answer where key in
        (select key from $.answer where time < $1 and (node is null or not ${living('answer.node')}) order by key limit ${stepRows} for update skip locked) returning 1)
      select count(*)::integer as number from gone`,
  },
  mail: {
    name: 'purge_mail',
    text: `with gone as (delete from $.mail where id in
        (select id from $.mail where time < $1 and (outcome is not null or not exists (
          select 1 from $.task where task.key = mail.task and holder is not null)) order by id limit ${stepRows} for update skip locked) returning 1)
      select count(*)::integer as number from gone`,
  },
  nodes: {
    name: 'purge_nodes',
    text: `delete from $.node where heartbeat < clock_timestamp() - 100 * expires
      and not exists (select 1 from $.task where holder = node.number)`,
  },
  erase: {
    name: 'erase',
    text: deleteTasks(`select task.key from $.scope join $.task on task.scope = scope.key
      where agent = $1 and tenant = coalesce($2::text, tenant) and owner = coalesce($3::text, owner) limit ${stepTasks} for update of task`),
  },
  forget: {
    name: 'erase_answers',
    text: `delete from $.answer using $.scope where answer.scope = scope.key
      and agent = $1 and tenant = coalesce($2::text, tenant) and owner = coalesce($3::text, owner)`,
  },
} as const

/** Does one thing in small steps until a step finds less than it could take; tells how many rows or tasks went. */
async function steps(
  database: Postgres,
  statement: { readonly name: string; readonly text: string },
  { values, most }: { values: readonly PostgresValue[]; most: number },
): Promise<number> {
  for (let gone = 0; ; ) {
    const { rows } = await database.query(statement, values)
    const { number, steps = number } = rows[0] as { number: number; steps?: number }
    gone += number
    if (steps < most) return gone
    await pause(restBetween)
  }
}

/** Drops what is old; several nodes may do so at once. */
export async function purge(database: Postgres, { events, answers, tasks }: PurgeLimits): Promise<number> {
  let gone = 0
  if (tasks !== undefined) {
    const { agent, tenant, before, unfinished = false } = tasks
    const values = [before, storable(agent), tenant === undefined ? null : storable(tenant)]
    const statement = unfinished ? statements.unfinished : statements.finished
    gone += await steps(database, statement, { values, most: stepTasks })
  }
  if (events !== undefined) gone += await steps(database, statements.events, { values: [events], most: stepTasks })
  if (answers !== undefined) {
    gone += await steps(database, statements.answers, { values: [answers], most: stepRows })
    gone += await steps(database, statements.mail, { values: [answers], most: stepRows })
    await database.query(statements.nodes, [])
  }
  return gone
}

/** Drops everything of an owner or a tenant; whoever works on such a task cannot write any more. */
export async function erase(
  database: Postgres,
  { agent, tenant, owner }: { readonly agent: string; readonly tenant?: string; readonly owner?: string },
): Promise<number> {
  const values = [storable(agent), ...[tenant, owner].map((name) => (name === undefined ? null : storable(name)))]
  const gone = await steps(database, statements.erase, { values, most: stepTasks })
  await database.query(statements.forget, values)
  return gone
}
