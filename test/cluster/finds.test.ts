import { describe, expect, it } from 'vitest'
import { type Executor, inputRequired, working } from '../../src/engine/executor.ts'
import type { Store } from '../../src/engine/store.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import { openPostgresStore } from '../../src/stores/postgres.ts'
import { Postgres } from '../../src/stores/postgres-connection.ts'
import { message, scope, status } from '../../src/stores/testing-entries.ts'
import { freshSchema, runSql, testDatabase } from '../../src/stores/testing-postgres.ts'
import { clusterKinds, openCluster } from '../cluster.ts'
import { createHarness, delay, onCleanup, textOf, until, wrapStore } from '../harness.ts'

/** A store that can be away for what it reads. */
function moody(store: Store): { readonly store: Store; away: boolean; asked: number } {
  const mood = { store, away: false, asked: 0 }
  const refuse = <T>(read: () => Promise<T>): Promise<T> => {
    if (!mood.away) return read()
    mood.asked += 1
    return Promise.reject(new A2AError('Unavailable', 'The database does not answer'))
  }
  mood.store = wrapStore(store, {
    read: (...given) => refuse(() => store.read(...given)),
    entries: (...given) => refuse(() => store.entries(...given)),
  })
  return mood
}

const ask: Executor = async function* (task) {
  const text = textOf(task.message)
  if (text === 'ask') {
    yield inputRequired('what?')
    return
  }
  if (text === 'stay' && !task.resumed) await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
  yield `did ${text} after ${task.history.map(textOf).join(', ')}`
}

/** Takes its time when it is run again. */
const lasting: Executor = async function* () {
  yield working()
  await delay(300)
  yield 'did it'
}

/** Whose tasks the calls of a harness are. */
const everybody = { agent: 'tested', tenant: '', owner: '' }

const atOnce = { configuration: { returnImmediately: true } }

it('two who send the same request at once wait each for themselves: one that leaves does not end the wait of the other', async () => {
  const here = await createHarness(async function* () {
    // The second comes while the first is still being begun.
    await delay(30)
    yield working()
    await delay(1_300)
    yield 'did it'
  })
  const leaving = new AbortController()
  const headers = { 'idempotency-key': 'k' }
  const request = { message: { messageId: 'm' } }
  const one = here.sendTask('go', { ...request, context: { headers, signal: leaving.signal } })
  const left = expect(one).rejects.toMatchObject({ code: 'Cancelled' })
  const other = here.sendTask('go', { ...request, context: { headers } })
  await delay(100)
  leaving.abort()
  expect((await other).status.state).toBe('TASK_STATE_COMPLETED')
  await left
})

describe.each(clusterKinds)('what the chaos has found, over %s', (kind) => {
  it('a run whose history cannot be read for a moment waits for the store', async () => {
    const cluster = await openCluster(kind)
    const mood = moody(await cluster.open())
    const here = await createHarness(ask, { store: mood.store })
    const { id } = await here.sendTask('ask')
    mood.away = true
    // Answering reads the task too, which fails as long as the store is away; the message is stored all the same.
    await here.send('go', { message: { taskId: id }, ...atOnce }).catch(() => {})
    await until(() => mood.asked >= 2)
    mood.away = false
    await until(async () => (await here.get(id)).status.state === 'TASK_STATE_COMPLETED')
    expect(textOf((await here.get(id)).artifacts?.[0] as never)).toBe('did go after ask, what?')
  })

  it('a task that cannot be read for a moment as it is taken over is run again, not given up', async () => {
    const cluster = await openCluster(kind)
    const [first, second] = [await cluster.open(), moody(await cluster.open())]
    const there = await createHarness(ask, { store: first, resumable: true })
    const { id } = await there.sendTask('stay', atOnce)
    second.away = true
    const here = await createHarness(ask, { store: second.store, resumable: true, limits: { sweepEvery: 20 } })
    await cluster.kill(first)
    await until(() => second.asked >= 2)
    second.away = false
    await until(async () => (await here.get(id)).status.state === 'TASK_STATE_COMPLETED')
  })

  it.each([
    { resumable: true, state: 'TASK_STATE_COMPLETED' },
    { resumable: false, state: 'TASK_STATE_FAILED' },
  ])(
    'who repeats a request waits for its end also when this process takes the task over meanwhile ($state)',
    async ({ resumable, state }) => {
      const cluster = await openCluster(kind)
      const [first, second] = [await cluster.open(), await cluster.open()]
      const there = await createHarness(ask, { store: first, resumable })
      const here = await createHarness(lasting, { store: second, resumable, limits: { sweepEvery: 20 } })
      const send = { message: { messageId: 'm' }, context: { headers: { 'idempotency-key': 'k' } } }
      const lost = there.sendTask('stay', send).catch(() => {})
      await until(async () => (await second.list(everybody, { pageSize: 1, view: { artifacts: false } })).total > 0)
      const repeated = here.sendTask('stay', send)
      await delay(50)
      await cluster.kill(first)
      expect((await repeated).status.state).toBe(state)
      await lost
    },
  )

  it('who repeats a request whose first caller left gets an answer of its own', async () => {
    const cluster = await openCluster(kind)
    const [first, second] = [await cluster.open(), await cluster.open()]
    const idempotency = { key: 'k', digest: '' }
    if (first.reserve === undefined) return expect(first.forget).toBeUndefined()
    const seen: string[] = []
    const store = wrapStore(second, {
      reserve: async (place, own) => {
        // Another process has the key in hand until it dies.
        if (seen.length === 0) await first.reserve?.(place, { ...own, key: idempotency.key })
        seen.push(own.digest)
        return second.reserve?.(place, own)
      },
    })
    const here = await createHarness(ask, { store })
    const leaving = new AbortController()
    const headers = { 'idempotency-key': idempotency.key }
    const request = { message: { messageId: 'm' } }
    const one = here.sendTask('go', { ...request, context: { headers, signal: leaving.signal } })
    const left = expect(one).rejects.toMatchObject({ code: 'Cancelled' })
    await until(() => seen.length > 0)
    const other = here.sendTask('go', { ...request, context: { headers } })
    await delay(20)
    leaving.abort()
    await left
    await cluster.kill(first)
    expect((await other).status.state).toBe('TASK_STATE_COMPLETED')
  })
})

if (testDatabase === undefined) {
  it.skip('what the chaos has found in PostgreSQL: no database (PARLANCE_TEST_POSTGRES)')
} else {
  describe('what the chaos has found in PostgreSQL', () => {
    const database = (): { readonly url: string; readonly schema: string } => {
      const { url, schema, drop } = freshSchema()
      onCleanup(drop)
      return { url, schema }
    }

    it('many nodes may start at once on an empty database', async () => {
      const { url } = database()
      const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore({ url })))
      for (const store of stores) await store.close()
    })

    it('a connection that breaks while it is lent out is an error of the work, and of nothing else', async () => {
      const log = { info: () => {}, warn: () => {}, error: () => {} }
      const postgres = new Postgres({ url: database().url, log })
      const work = postgres.with(async (client) => {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        await runSql(`select pg_terminate_backend(${rows[0]?.pid})`)
        await delay(50)
        return client.query('select 1')
      })
      await expect(work).rejects.toMatchObject({ code: 'Unavailable' })
      await postgres.with((client) => client.query('select 1'))
      await postgres.close()
    })

    it('a holder does not tell a task from memory while others may see more of it', async () => {
      const { url, schema } = database()
      const store = await openPostgresStore({ url })
      onCleanup(() => store.close())
      const log = store.create({ scope, id: 't', contextId: 'c' })
      await log.append([message(1, 'one')])
      // The commit comes to a stop at a row that somebody has locked.
      const locked = new Postgres({ url, log: { info: () => {}, warn: () => {}, error: () => {} } })
      onCleanup(() => locked.close())
      let appended: Promise<void> | undefined
      let told: number | undefined
      let asked: Promise<void> | undefined
      await locked.transaction(async (client) => {
        await client.query(`select 1 from "${schema}".task for update`)
        appended = log.append([status(2, 'TASK_STATE_WORKING', { time: 5 })])
        await delay(50)
        asked = store.head(scope, 't').then((head) => {
          told = head?.seq
        })
        await delay(50)
        expect(told).toBeUndefined()
      })
      await appended
      await asked
      expect(told).toBe(2)
    })
  })
}
