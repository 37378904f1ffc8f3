import type { Abandoned, Answer, IdempotencyKey, Mail, MailState, NewMail } from '../engine/store.ts'
import { type Postgres, type PostgresValue, type Statement, storable } from './postgres-connection.ts'
import { living } from './postgres-node.ts'

const known = `select answer.digest, answer.text, answer.node, task.id,
  answer.node is null or ${living('answer.node')} as valid
  from $.answer left join $.task on task.key = answer.task where answer.scope = $1 and answer.name = $2`

const statements = {
  claim: {
    name: 'claim',
    text: `with before as (select key, scope, context, state, time, seq, status, holder, waiting from $.task
        where id = $1 and scope = $2 for update),
      dead as (delete from $.node using before where node.number = before.holder
        and node.heartbeat < clock_timestamp() - node.expires returning node.number),
      taken as (update $.task set holder = $3, fence = fence + 1 from before where task.key = before.key
        and exists (select 1 from $.node where number = $3)
        and (before.holder is null or before.holder in (select number from dead)
          or not exists (select 1 from $.node where number = before.holder)) returning fence)
      select before.*, taken.fence from before left join taken on true`,
  },
  answer: { name: 'answer', text: known },
  reserve: {
    name: 'reserve',
    text: `insert into $.answer (scope, name, digest, time, node) values ($1, $2, $3, $4, $5)
      on conflict (scope, name) do update set digest = excluded.digest, time = excluded.time, node = excluded.node,
        task = null, text = null
        where answer.node = $5 or (answer.node is not null and not ${living('answer.node')}) returning key`,
  },
  forget: { name: 'forget', text: 'delete from $.answer where scope = $1 and name = $2 and node = $3' },
  remember: {
    name: 'remember',
    text: `insert into $.answer (scope, name, digest, time, task, text)
      values ($1, $2, $3, $4, (select key from $.task where id = $5 and scope = $1), $6)
      on conflict (scope, name) do update set digest = excluded.digest, time = excluded.time, task = excluded.task,
        text = excluded.text, node = null
        where answer.node = $7 or (answer.node is not null and not ${living('answer.node')})`,
  },
  abandoned: {
    name: 'abandoned',
    text: `select task.id, scope.tenant, scope.owner from $.task join $.scope on scope.key = task.scope
      where task.holder is not null and not ${living('task.holder')} and scope.agent = $1 limit $2`,
  },
  post: {
    name: 'post',
    text: `with held as (select key, holder from $.task where id = $1 and scope = $2 and holder <> $3 and ${living('task.holder')}
        for share),
      posted as (insert into $.mail (task, kind, text, time) select key, $4, $5, $6 from held returning id)
      select posted.id, held.holder from posted cross join held`,
  },
  withdraw: {
    name: 'withdraw',
    text: `delete from $.mail where id = $1 and seq is null and outcome is null and not exists (
      select 1 from $.task where task.key = mail.task and task.fence = mail.fence and ${living('task.holder')})`,
  },
  take: {
    name: 'take',
    text: `update $.mail set fence = task.fence from $.task where task.key = mail.task and task.holder = $1
      and mail.outcome is null and mail.fence is distinct from task.fence
      returning mail.id, mail.kind, mail.text, mail.seq, task.id as task`,
  },
  settle: {
    name: 'settle',
    text: `update $.mail set seq = coalesce(given.seq, mail.seq), started = coalesce(given.started, mail.started),
        outcome = coalesce(given.outcome, mail.outcome)
      from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[]) as given (id, seq, started, outcome), $.task
      where mail.id = given.id and task.key = mail.task and mail.fence = task.fence
      and (task.holder is null or task.holder = $1) returning task.id as task`,
  },
  behind: {
    name: 'behind',
    text: `select task.id, task.seq from unnest($1::text[], $2::integer[], $3::integer[]) as given (id, scope, seq)
      join $.task on task.id = given.id and task.scope = given.scope and task.seq > given.seq`,
  },
  tenants: { name: 'tenants', text: 'select distinct tenant from $.scope where agent = $1' },
  ping: { name: 'ping', text: 'select 1' },
} satisfies Record<string, Statement>

/** What a claim found. */
export interface ClaimedTask {
  readonly key: number
  readonly scope: number
  readonly context: string
  readonly state: number
  readonly time: number
  readonly seq: number
  readonly fence: number
  readonly left: 'waiting' | 'begun' | undefined
}

/** The statements that a store runs besides commits, reads of content, lists and purges; scopes go by their key. */
export class PostgresCalls {
  readonly #database: Postgres

  constructor(database: Postgres) {
    this.#database = database
  }

  async #rows<Row>(statement: Statement, ...values: PostgresValue[]): Promise<readonly Row[]> {
    return (await this.#database.query(statement, values)).rows as unknown as Row[]
  }

  async claim(scope: number, id: string, node: number): Promise<ClaimedTask | 'held' | undefined> {
    type Row = Omit<ClaimedTask, 'left' | 'fence'> & { holder: number | null; waiting: boolean; fence: number | null }
    const [row] = await this.#rows<Row>(statements.claim, storable(id), scope, node)
    if (row === undefined) return undefined
    const { holder, waiting, fence, ...task } = row
    if (fence === null) return 'held'
    return { ...task, fence, left: holder === null ? undefined : waiting ? 'waiting' : 'begun' }
  }

  async answer(scope: number, key: string): Promise<Answer | undefined> {
    type Row = { digest: string; text: string | null; node: number | null; id: string | null; valid: boolean }
    const [row] = await this.#rows<Row>(statements.answer, scope, storable(key))
    if (row === undefined || !row.valid) return undefined
    const { digest, text, node, id } = row
    if (node !== null) return { digest, pending: true }
    if (id !== null) return { digest, taskId: id }
    return text === null ? undefined : { digest, text }
  }

  /** Whether the key is this node's now. */
  async reserve(scope: number, { key, digest }: IdempotencyKey, node: number): Promise<boolean> {
    return (await this.#rows(statements.reserve, scope, storable(key), digest, Date.now(), node)).length === 1
  }

  async forget(scope: number, key: string, node: number): Promise<void> {
    await this.#rows(statements.forget, scope, storable(key), node)
  }

  async remember(scope: number, key: string, { answer, node }: { answer: Answer; node: number }): Promise<void> {
    const taskId = 'taskId' in answer ? answer.taskId : null
    const text = 'text' in answer ? answer.text : null
    await this.#rows(statements.remember, scope, storable(key), answer.digest, Date.now(), taskId, text, node)
  }

  async abandoned(agent: string, limit: number): Promise<readonly Abandoned[]> {
    type Row = { id: string; tenant: string; owner: string }
    const rows = await this.#rows<Row>(statements.abandoned, storable(agent), limit)
    return rows.map(({ id, tenant, owner }) => ({ scope: { agent, tenant, owner }, id }))
  }

  /** The number of the mail, and of the node it is for. */
  async post(
    scope: number,
    id: string,
    { mail: { kind, text }, node }: { mail: NewMail; node: number },
  ): Promise<{ readonly id: number; readonly holder: number } | undefined> {
    const rows = await this.#rows<{ id: number; holder: number }>(
      statements.post,
      storable(id),
      scope,
      node,
      kind,
      text,
      Date.now(),
    )
    return rows[0]
  }

  async withdraw(mail: number): Promise<boolean> {
    return (await this.#database.query(statements.withdraw, [mail])).rowCount === 1
  }

  async take(node: number): Promise<readonly Mail[]> {
    type Row = { id: number; kind: Mail['kind']; text: string; seq: number | null; task: string }
    const rows = await this.#rows<Row>(statements.take, node)
    return rows
      .map(({ seq, task, ...mail }) => ({ ...mail, taskId: task, ...(seq !== null && { seq }) }))
      .sort((one, other) => one.id - other.id)
  }

  /** Ids of the tasks whose mail changed. */
  async settle(states: readonly (MailState & { readonly mail: number })[], node: number): Promise<readonly string[]> {
    const rows = await this.#rows<{ task: string }>(
      statements.settle,
      node,
      states.map(({ mail }) => mail),
      states.map(({ seq }) => seq ?? null),
      states.map(({ startedAt }) => startedAt ?? null),
      states.map(({ outcome }) => outcome ?? null),
    )
    return rows.map(({ task }) => task)
  }

  behind(
    tasks: readonly { readonly id: string; readonly scope: number; readonly seq: number }[],
  ): Promise<readonly { readonly id: string; readonly seq: number }[]> {
    return this.#rows(
      statements.behind,
      tasks.map(({ id }) => id),
      tasks.map(({ scope }) => scope),
      tasks.map(({ seq }) => seq),
    )
  }

  async tenants(agent: string): Promise<readonly string[]> {
    return (await this.#rows<{ tenant: string }>(statements.tenants, storable(agent))).map(({ tenant }) => tenant)
  }

  async ping(): Promise<void> {
    await this.#database.attempt(statements.ping, [])
  }
}
