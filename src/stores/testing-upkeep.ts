import assert from 'node:assert/strict'
import type { Scope } from '../engine/store.ts'
import { type ClusterCase, claimed, eventually, losesHold } from './testing-cluster.ts'
import { message, refuses, type StoreCase, scope, status, storeTask, usual, whole } from './testing-entries.ts'

const scopes: readonly Scope[] = ['agent', 'other'].flatMap((agent) =>
  ['', 'north', 'south'].flatMap((tenant) => ['ada', 'bob'].map((owner) => ({ agent, tenant, owner }))),
)

/** Which of the scopes still have a task. */
async function remaining(store: Parameters<StoreCase['run']>[0]['store']): Promise<string[]> {
  const found: string[] = []
  for (const where of scopes) {
    const { total, tasks } = await store.list(where, { pageSize: 9, view: whole })
    assert.equal(tasks.length, total)
    if (total > 0) found.push(nameOf(where))
    assert.equal((await store.head(where, 't')) === undefined, total === 0)
    assert.equal((await store.answer(where, 'k')) === undefined, total === 0)
  }
  return found
}

function nameOf({ agent, tenant, owner }: Scope): string {
  return `${agent}/${tenant}/${owner}`
}

/** What keeps a store tidy, and what a data request or an operator asks of it. */
export const upkeepCases: readonly StoreCase[] = [
  {
    name: 'tells the tenants of an agent',
    run: async ({ store }) => {
      assert.deepEqual(await store.tenants('agent'), [])
      for (const where of scopes.slice(0, 7)) await storeTask(store, 't', { scope: where, entries: usual(5) })
      assert.deepEqual([...(await store.tenants('agent'))].sort(), ['', 'north', 'south'])
      assert.deepEqual(await store.tenants('other'), [''])
      assert.deepEqual(await store.tenants('unknown'), [])
    },
  },
  {
    name: 'drops old tasks of one agent, or of one tenant of it',
    run: async ({ store }) => {
      const idempotency = { key: 'k', digest: 'd' }
      for (const where of scopes) await storeTask(store, 't', { scope: where, entries: usual(1000), idempotency })
      assert.equal(await store.purge({ tasks: { agent: 'unknown', before: 2000 } }), 0)
      assert.equal(await store.purge({ tasks: { agent: 'agent', before: 1000 } }), 0)
      assert.ok((await store.purge({ tasks: { agent: 'agent', tenant: 'north', before: 2000 } })) > 0)
      const rest = scopes.filter(({ agent, tenant }) => agent !== 'agent' || tenant !== 'north')
      assert.deepEqual(await remaining(store), rest.map(nameOf))
      assert.ok((await store.purge({ tasks: { agent: 'agent', tenant: '', before: 2000 } })) > 0)
      assert.ok((await store.purge({ tasks: { agent: 'other', before: 2000 } })) > 0)
      assert.deepEqual(await remaining(store), ['agent/south/ada', 'agent/south/bob'])
    },
  },
  {
    name: 'drops old tasks that have not ended when it is told to, but none that somebody holds',
    run: async ({ store }) => {
      const open = usual(1000).slice(0, 3)
      await storeTask(store, 'ended', { entries: usual(1000) })
      await storeTask(store, 'open', { entries: open })
      await storeTask(store, 'asks', { entries: [...open, status(4, 'TASK_STATE_INPUT_REQUIRED', { time: 1500 })] })
      await storeTask(store, 'young', { entries: [...open, status(4, 'TASK_STATE_WORKING', { time: 9000 })] })
      await storeTask(store, 'held', { entries: open, release: false })
      const ids = async () =>
        (await store.list(scope, { pageSize: 9, view: whole, order: 'created' })).tasks.map(({ head }) => head.id)
      const tasks = { agent: scope.agent, before: 2000 }
      assert.ok((await store.purge({ tasks })) > 0)
      assert.deepEqual(await ids(), ['held', 'young', 'asks', 'open'])
      assert.ok((await store.purge({ tasks: { ...tasks, unfinished: true } })) > 0)
      assert.deepEqual(await ids(), ['held', 'young'])
      assert.equal((await store.list(scope, { pageSize: 1, view: whole, state: 'TASK_STATE_WORKING' })).total, 1)
    },
  },
  {
    name: 'erases what is of one owner, in one tenant or in all, or all of a tenant',
    run: async ({ store }) => {
      const idempotency = { key: 'k', digest: 'd' }
      for (const where of scopes) {
        await storeTask(store, 't', { scope: where, entries: usual(1000), idempotency })
        await store.remember(where, 'text', { digest: 'd', text: '{}' })
      }
      const left = new Set(scopes.map(nameOf))
      const requests = [
        { agent: 'agent', tenant: 'north', owner: 'ada' },
        { agent: 'agent', owner: 'bob' },
        { agent: 'other', tenant: 'south' },
      ]
      for (const whose of requests) {
        const hit = scopes.filter(
          ({ agent, tenant, owner }) =>
            agent === whose.agent && (whose.tenant ?? tenant) === tenant && (whose.owner ?? owner) === owner,
        )
        const gone = hit.filter((where) => left.delete(nameOf(where)))
        assert.equal(await store.erase(whose), gone.length)
        assert.equal(await store.erase(whose), 0)
        assert.deepEqual(await remaining(store), [...left])
        for (const where of scopes) {
          assert.equal((await store.answer(where, 'text')) !== undefined, left.has(nameOf(where)))
        }
      }
      await storeTask(store, 't', {
        scope: { agent: 'agent', tenant: '', owner: 'bob' },
        entries: usual(5),
        idempotency,
      })
    },
  },
  {
    name: 'erases many tasks, and their content',
    run: async ({ store }) => {
      const ids = Array.from({ length: 230 }, (_, index) => `t${index}`)
      await Promise.all(ids.map((id) => storeTask(store, id, { contextId: 'c', entries: usual(1000) })))
      await storeTask(store, 'kept', { scope: { ...scope, owner: 'bob' }, contextId: 'c', entries: usual(1000) })
      assert.equal(await store.erase({ agent: scope.agent, owner: scope.owner }), ids.length)
      for (const query of [{}, { contextId: 'c' }, { since: 0 }, { state: 'TASK_STATE_COMPLETED' }] as const) {
        assert.deepEqual(await store.list(scope, { pageSize: 9, view: whole, ...query }), { tasks: [], total: 0 })
      }
      assert.equal(await store.entries(scope, 't0', { after: 0, limit: 9 }), undefined)
      assert.ok(await store.read({ ...scope, owner: 'bob' }, 'kept', whole))
    },
  },
  {
    name: 'lets nobody write to a task that was erased',
    run: async ({ store }) => {
      const log = await storeTask(store, 't', { entries: [message(1, 'one')], release: false })
      assert.equal(await store.erase({ agent: scope.agent, owner: scope.owner }), 1)
      await losesHold(log.append([message(2, 'late')]))
      await losesHold(log.append([], { release: true }))
      assert.equal(await store.head(scope, 't'), undefined)
      assert.equal(await store.claim(scope, 't'), undefined)
      assert.deepEqual(await store.abandoned(scope.agent, 9), [])
      await storeTask(store, 't', { entries: usual(5) })
    },
  },
  {
    name: 'says how it is, as long as it is open',
    run: async ({ store }) => {
      const { kind, latency } = await store.check()
      assert.match(kind, /^[a-z]+$/)
      assert.ok(latency >= 0)
      await store.close()
      await refuses(store.check())
    },
  },
]

/** The same, where one process tidies and others work. */
export const sharedUpkeepCases: readonly ClusterCase[] = [
  {
    name: 'erases also what another process holds, which cannot write to it any more',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const log = await storeTask(here, 't', { entries: [message(1, 'one')], release: false })
      const mail = await there.post(scope, 't', { kind: 'cancel', text: '{}' })
      assert.ok(mail !== undefined)
      await storeTask(here, 'done', { entries: usual(5) })
      await storeTask(here, 'bobs', { scope: { ...scope, owner: 'bob' }, entries: usual(5), release: false })
      assert.equal(await there.erase({ agent: scope.agent, owner: scope.owner }), 2)
      await losesHold(log.append([message(2, 'late')]))
      for (const store of [here, there]) {
        assert.equal(await store.read(scope, 't', whole), undefined)
        await eventually(async () => (await store.read(scope, 'done', whole)) === undefined)
        assert.equal((await store.head({ ...scope, owner: 'bob' }, 'bobs'))?.held, true)
      }
      assert.equal(await there.posted(mail), undefined)
      assert.deepEqual(await here.mail(), [])
    },
  },
  {
    name: 'drops no task that another process holds, nor one that a process left',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const tasks = { agent: scope.agent, before: 2000, unfinished: true }
      await storeTask(here, 'held', { entries: usual(1000).slice(0, 3), release: false })
      await storeTask(here, 'free', { entries: usual(1000) })
      assert.ok((await there.purge({ tasks })) > 0)
      assert.equal(await there.head(scope, 'free'), undefined)
      await cluster.kill(here)
      assert.equal(await there.purge({ tasks }), 0)
      const { log } = await claimed(there, 'held')
      await log.append([], { release: true })
      assert.ok((await there.purge({ tasks })) > 0)
      assert.equal(await there.head(scope, 'held'), undefined)
    },
  },
  {
    name: 'forgets in every process, within a moment, what one of them has dropped',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await storeTask(here, 't', { entries: usual(1000) })
      assert.ok(await here.read(scope, 't', whole))
      assert.ok((await there.purge({ events: 2000 })) > 0)
      assert.equal(await here.entries(scope, 't', { after: 0, limit: 9 }), undefined)
      assert.ok(await here.read(scope, 't', whole))
      assert.ok((await there.purge({ tasks: { agent: scope.agent, before: 2000 } })) > 0)
      await eventually(async () => (await here.read(scope, 't', whole)) === undefined)
      assert.equal(await here.claim(scope, 't'), undefined)
    },
  },
]
