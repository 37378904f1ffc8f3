import type { Answer, IdempotencyKey, Mail, MailState, NewMail, Scope } from '../engine/store.ts'
import type { Connection, SqliteValue } from './sqlite-driver.ts'
import { lives, livingProcesses, type ProcessMark } from './sqlite-lease.ts'
import { handedOver } from './task-rows.ts'

/** Under which number this process holds tasks, and how it tells the dead. */
export interface Holder {
  readonly id: number
  readonly self: ProcessMark
  readonly expires: number
}

/** What a call works with. */
interface Place {
  readonly connection: Connection
  readonly holder: Holder
}

/** The number of an answer that is still to come from this process, or from one that died; undefined for any other. */
export function openAnswer(
  connection: Connection,
  { id, ...options }: Holder,
  [scope, name]: readonly [scope: number, name: string],
): number | undefined {
  const row = connection.statement('select key, process from answer where scope = ? and name = ?').get(scope, name)
  const process = row?.process as number | null | undefined
  if (process === null || process === undefined) return undefined
  return process === id || !lives(connection, process, options) ? (row?.key as number) : undefined
}

function scopeOf(connection: Connection, { agent, tenant, owner }: Scope): number | undefined {
  const find = 'select key from scope where agent = ? and tenant = ? and owner = ?'
  return connection.statement(find).get(agent, tenant, owner)?.key as number | undefined
}

/** What is known under a key; a reservation of a dead process is nothing. */
export function answerOf(
  connection: Connection,
  { self, expires }: Omit<Holder, 'id'>,
  [scope, name]: readonly [scope: number, name: string],
): (Answer & { readonly process?: number }) | undefined {
  const row = connection
    .statement(
      `select answer.digest, answer.text, answer.process, task.id from answer left join task on task.key = answer.task
       where answer.scope = ? and answer.name = ?`,
    )
    .get(scope, name) as { digest: string; text: string | null; process: number | null; id: string | null } | undefined
  if (row === undefined) return undefined
  const { digest, text, process, id } = row
  if (process !== null) {
    return lives(connection, process, { self, expires }) ? { digest, pending: true, process } : undefined
  }
  if (id !== null) return { digest, taskId: id }
  return text === null ? undefined : { digest, text }
}

function reserve(
  { connection, holder }: Place,
  { scope, key, digest }: IdempotencyKey & { scope: Scope },
): Answer | null {
  const { agent, tenant, owner } = scope
  let number = scopeOf(connection, scope)
  if (number === undefined) {
    const row = connection
      .statement('insert into scope (agent, tenant, owner) values (?, ?, ?) returning key')
      .get(agent, tenant, owner)
    number = row?.key as number
  }
  const known = answerOf(connection, holder, [number, key])
  if (known !== undefined && known.process !== holder.id) {
    const { process: _, ...answer } = known
    return answer as Answer
  }
  const values: SqliteValue[] = [number, key, digest, Date.now(), holder.id]
  connection
    .statement(
      `insert into answer (scope, name, digest, time, process) values (?, ?, ?, ?, ?)
       on conflict (scope, name) do update set digest = excluded.digest, time = excluded.time, process = excluded.process,
       task = null, text = null`,
    )
    .run(...values)
  return null
}

function forget({ connection, holder }: Place, { scope, key }: { scope: Scope; key: string }): null {
  const number = scopeOf(connection, scope)
  if (number !== undefined) {
    connection.statement('delete from answer where scope = ? and name = ? and process = ?').run(number, key, holder.id)
  }
  return null
}

/** The number of the mail and of the process it is for; null when no other living process holds the task. */
function post(
  { connection, holder }: Place,
  { scope, id, kind, text }: NewMail & { scope: Scope; id: string },
): { mail: number; process: number } | null {
  const number = scopeOf(connection, scope)
  const task = number && connection.statement('select key, holder from task where id = ? and scope = ?').get(id, number)
  if (!task) return null
  const process = task.holder as number | null
  if (process === null || process === holder.id || process === handedOver) return null
  if (!lives(connection, process, holder)) return null
  const row = connection
    .statement('insert into mail (task, kind, text, time) values (?, ?, ?, ?) returning id')
    .get(task.key as number, kind, text, Date.now())
  return { mail: row?.id as number, process }
}

/** What is in hand under a living hold cannot be taken back. */
function withdraw({ connection, holder }: Place, { mail }: { mail: number }): boolean {
  const living = JSON.stringify(livingProcesses(connection, holder))
  const { changes } = connection
    .statement(
      `delete from mail where id = ? and seq is null and outcome is null and not exists (
         select 1 from task where task.key = mail.task and task.fence = mail.fence
         and task.holder in (select value from json_each(?)))`,
    )
    .run(mail, living)
  return Number(changes) === 1
}

/** Mail that waits for this process, read without taking it in hand. */
export function hasMail(connection: Connection, process: number): boolean {
  return connection.statement(`select 1 ${openMail} limit 1`).get(process) !== undefined
}

const openMail = `from mail join task on task.key = mail.task
  where mail.outcome is null and task.holder = ? and (mail.fence is null or mail.fence <> task.fence)`

function take({ connection, holder }: Place): readonly Mail[] {
  const rows = connection
    .statement(
      `select mail.id, mail.kind, mail.text, mail.seq, task.id as task, task.fence ${openMail} order by mail.id`,
    )
    .all(holder.id) as unknown as (Omit<Mail, 'seq'> & { seq: number | null; task: string; fence: number })[]
  return rows.map(({ id, kind, text, seq, task, fence }) => {
    connection.statement('update mail set fence = ? where id = ?').run(fence, id)
    return { id, kind, text, taskId: task, ...(seq !== null && { seq }) }
  })
}

/** Ids of the tasks whose mail changed. */
function settle(
  { connection, holder }: Place,
  { states }: { states: readonly (MailState & { mail: number })[] },
): readonly string[] {
  return states.flatMap(({ mail, seq, startedAt, outcome }) => {
    // The holder tells how its mail ended also after it gave the task up, as long as nobody else has taken the mail in hand.
    const row = connection
      .statement(
        `update mail set seq = coalesce(?, seq), started = coalesce(?, started), outcome = coalesce(?, outcome)
         where id = ? and fence is not null and exists (select 1 from task where task.key = mail.task
         and task.fence = mail.fence and (task.holder is null or task.holder = ?))
         returning (select id from task where key = mail.task) as task`,
      )
      .get(seq ?? null, startedAt ?? null, outcome ?? null, mail, holder.id)
    return row === undefined ? [] : [row.task as string]
  })
}

/** Everything besides commits and purges that a writer is asked: what it is given, and what it answers. */
export interface Calls {
  readonly reserve: [IdempotencyKey & { scope: Scope }, Answer | null]
  readonly forget: [{ scope: Scope; key: string }, null]
  readonly post: [NewMail & { scope: Scope; id: string }, { mail: number; process: number } | null]
  readonly withdraw: [{ mail: number }, boolean]
  readonly take: [null, readonly Mail[]]
  readonly settle: [{ states: readonly (MailState & { mail: number })[] }, readonly string[]]
  readonly ping: [null, null]
}

export type CallName = keyof Calls

const calls: { readonly [N in CallName]: (place: Place, given: Calls[N][0]) => Calls[N][1] } = {
  reserve,
  forget,
  post,
  withdraw,
  take,
  settle,
  ping: () => null,
}

/** Answers one call, in one transaction. */
export function answerCall<N extends CallName>(place: Place, name: N, given: Calls[N][0]): Calls[N][1] {
  return place.connection.transaction('immediate', () => calls[name](place, given))
}
