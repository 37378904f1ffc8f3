import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ListQuery } from '../engine/store.ts'
import { openPostgresStore } from './postgres.ts'
import { listStatement } from './postgres-list.ts'
import { freshSchema, testDatabase } from './testing-postgres.ts'

const base = { pageSize: 20, view: { artifacts: true } } as const
const time = 1_700_000_000_000
const cursor = [time + 9_000_000, 'id-9000'] as const

/** Every kind of list there is, by the filters and the order that it has. */
const queries: readonly (readonly [name: string, query: ListQuery])[] = [
  ['the newest', base],
  ['a later page', { ...base, cursor }],
  ['a state', { ...base, state: 'TASK_STATE_COMPLETED' }],
  ['a state, a later page', { ...base, state: 'TASK_STATE_COMPLETED', cursor }],
  ['since a time', { ...base, since: time + 15_000_500 }],
  ['a state since a time', { ...base, state: 'TASK_STATE_WORKING', since: time + 15_000_500 }],
  ['a context', { ...base, contextId: 'context-7' }],
  ['a context and a state', { ...base, contextId: 'context-7', state: 'TASK_STATE_COMPLETED' }],
  ['in the order of creation', { ...base, order: 'created' }],
  ['in the order of creation, a later page', { ...base, order: 'created', cursor: [time + 9_000, 9_000] }],
  ['without messages or artifacts', { ...base, view: { artifacts: false, historyLength: 0 } }],
  ['with two messages each', { ...base, view: { artifacts: false, historyLength: 2 } }],
]

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

function flat(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flat)]
}

describe.skipIf(testDatabase === undefined)('what PostgreSQL does for a list', () => {
  let client: pg.Client
  let drop: () => Promise<void>
  let schema: string

  beforeAll(async () => {
    const fresh = freshSchema()
    drop = fresh.drop
    schema = fresh.schema
    await (await openPostgresStore({ url: fresh.url })).close()
    client = new pg.Client({ connectionString: testDatabase })
    await client.connect()
    await client.query(`set search_path to ${schema}`)
    // Twenty thousand tasks of one owner, and as many of others.
    await client.query(`
      insert into scope (agent, tenant, owner) select 'a', '', 'owner-' || n from generate_series(1, 50) as n;
      insert into task (key, scope, id, context, created, state, time, seq, status)
        select n, case when n <= 20000 then 1 else 2 + n % 49 end, 'id-' || n, 'context-' || n % 1000, ${time} + n, case when n % 10 = 0 then 2 else 3 end,
          ${time} + n * 1000::bigint, 4, 4 from generate_series(1, 40000) as n;
      insert into message (id, text) select n::bigint * 4194304 + m, '{"role":"ROLE_USER"}' from generate_series(1, 40000) as n, generate_series(1, 2) as m;
      insert into chunk (id, artifact, flags, head, parts) select n::bigint * 4194304 + 3, 0, 6, '{"artifactId":"x"}', 'x' from generate_series(1, 40000) as n;
      insert into counter (scope, span, bucket, state, shard, number) values (1, 0, 0, 3, 0, 18000), (1, 0, 0, 2, 0, 2000);
      analyze`)
  }, 60_000)

  afterAll(async () => {
    await client?.end()
    await drop?.()
  })

  for (const [name, query] of queries) {
    test(`${name}: reads a page by an index, however many tasks there are (LIST-23)`, async () => {
      const [{ text }, values] = listStatement(1, query)
      const sql = `explain (analyze, format json) ${text.replaceAll('$.', `"${schema}".`)}`
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(sql, values as unknown[])
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      const steps = plan === undefined ? [] : flat(plan)
      const read = steps.filter((step) => ['task', 'message', 'chunk'].includes(step['Relation Name'] ?? ''))
      expect(read.length).toBeGreaterThan(0)
      for (const step of read) {
        expect(step['Node Type']).not.toBe('Seq Scan')
        const touched = (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops']
        // A context is counted whole, and of a time the rest of its minute; nothing else reads more than a page and what belongs to it.
        expect(touched).toBeLessThanOrEqual(250)
      }
    })
  }
})
