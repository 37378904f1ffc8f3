import assert from 'node:assert/strict'
import type { Store } from '../engine/store.ts'
import { type ClusterCase, claimed, losesHold } from './testing-cluster.ts'
import { message, refuses, scope, storeTask, usual } from './testing-entries.ts'

const idempotency = { key: 'k', digest: 'd' }
const pending = { digest: 'd', pending: true }
const soon = (): number => Date.now() + 1_000

type Keys = Required<Pick<Store, 'reserve' | 'forget'>>

/** The keys of a store that several processes share. */
function keysOf(store: Store): Keys {
  const { reserve, forget } = store
  assert.ok(reserve !== undefined && forget !== undefined, 'a store of several processes keeps order among their keys')
  return { reserve: (where, key) => reserve(where, key), forget: (where, key) => forget(where, key) }
}

/** How several processes keep the promise that a request with an idempotency key is done once. */
export const keyCases: readonly ClusterCase[] = [
  {
    name: 'gives a key to the first process that asks, and tells the others that a send is under way',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      assert.equal(await keysOf(here).reserve(scope, idempotency), undefined)
      assert.equal(await keysOf(here).reserve(scope, idempotency), undefined)
      assert.deepEqual(await keysOf(there).reserve(scope, { key: 'k', digest: 'other' }), pending)
      for (const store of [here, there]) assert.deepEqual(await store.answer(scope, 'k'), pending)
      for (const other of [
        { ...scope, owner: 'bob' },
        { ...scope, tenant: 'x' },
        { ...scope, agent: 'y' },
      ]) {
        assert.equal(await there.answer(other, 'k'), undefined)
        assert.equal(await keysOf(there).reserve(other, idempotency), undefined)
      }
    },
  },
  {
    name: 'gives a key to one of many processes that ask at once',
    run: async (cluster) => {
      const stores = [await cluster.open(), await cluster.open(), await cluster.open()]
      for (let round = 0; round < 5; round++) {
        const key = { key: `k${round}`, digest: 'd' }
        const answers = await Promise.all(stores.map((store) => keysOf(store).reserve(scope, key)))
        assert.equal(answers.filter((answer) => answer === undefined).length, 1)
        for (const answer of answers) if (answer !== undefined) assert.deepEqual(answer, pending)
      }
    },
  },
  {
    name: 'completes a reservation with the task that was made, and refuses anybody else to',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await keysOf(here).reserve(scope, idempotency)
      await refuses(storeTask(there, 'u', { entries: usual(5), idempotency }))
      assert.equal(await there.head(scope, 'u'), undefined)
      await there.remember(scope, 'k', { digest: 'd', text: '{"message":{}}' })
      assert.deepEqual(await here.answer(scope, 'k'), pending)
      await storeTask(here, 't', { entries: usual(5), idempotency })
      const known = { digest: 'd', taskId: 't' }
      for (const store of [here, there]) {
        assert.deepEqual(await store.answer(scope, 'k'), known)
        assert.deepEqual(await keysOf(store).reserve(scope, { key: 'k', digest: 'x' }), known)
        await refuses(storeTask(store, 'v', { entries: usual(5), idempotency }))
      }
    },
  },
  {
    name: 'completes a reservation with an answer that made no task',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await keysOf(here).reserve(scope, idempotency)
      const answer = { digest: 'd', text: '{"message":{}}' }
      await here.remember(scope, 'k', answer)
      assert.deepEqual(await keysOf(there).reserve(scope, idempotency), answer)
      await there.remember(scope, 'k', { digest: 'x', text: '{}' })
      assert.deepEqual(await here.answer(scope, 'k'), answer)
    },
  },
  {
    name: 'completes a reservation with a message to a task that goes on',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await storeTask(here, 't', { entries: [message(1, 'one')] })
      const { log } = await claimed(there, 't')
      await keysOf(there).reserve(scope, idempotency)
      await log.append([message(2, 'two')], { idempotency, release: true })
      assert.deepEqual(await keysOf(here).reserve(scope, idempotency), { digest: 'd', taskId: 't' })
    },
  },
  {
    name: 'takes back a key whose send came to nothing, from its process alone',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await keysOf(here).reserve(scope, idempotency)
      await keysOf(there).forget(scope, 'k')
      assert.deepEqual(await there.answer(scope, 'k'), pending)
      await keysOf(here).forget({ ...scope, owner: 'bob' }, 'k')
      assert.deepEqual(await there.answer(scope, 'k'), pending)
      await keysOf(here).forget(scope, 'k')
      await keysOf(here).forget(scope, 'k')
      assert.equal(await there.answer(scope, 'k'), undefined)
      assert.equal(await keysOf(there).reserve(scope, { key: 'k', digest: 'x' }), undefined)
      await storeTask(there, 't', { entries: usual(5), idempotency: { key: 'k', digest: 'x' } })
      for (const store of [here, there]) await keysOf(store).forget(scope, 'k')
      assert.deepEqual(await here.answer(scope, 'k'), { digest: 'x', taskId: 't' })
    },
  },
  {
    name: 'counts the reservation of a process that died as nothing',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const keys = ['reserved', 'remembered', 'appended', 'forgotten']
      for (const key of keys) await keysOf(here).reserve(scope, { key, digest: 'd' })
      await cluster.kill(here)
      for (const key of keys) assert.equal(await there.answer(scope, key), undefined)
      assert.equal(await keysOf(there).reserve(scope, { key: 'reserved', digest: 'x' }), undefined)
      assert.deepEqual(await there.answer(scope, 'reserved'), { digest: 'x', pending: true })
      await there.remember(scope, 'remembered', { digest: 'x', text: '{}' })
      assert.deepEqual(await there.answer(scope, 'remembered'), { digest: 'x', text: '{}' })
      await storeTask(there, 't', { entries: usual(5), idempotency: { key: 'appended', digest: 'x' } })
      assert.deepEqual(await there.answer(scope, 'appended'), { digest: 'x', taskId: 't' })
    },
  },
  {
    name: 'lets a process that was taken for dead complete nothing that it had reserved',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await keysOf(here).reserve(scope, idempotency)
      const log = here.create({ scope, id: 't', contextId: 'c' })
      await cluster.expire(here)
      assert.equal(await keysOf(there).reserve(scope, idempotency), undefined)
      await losesHold(log.append(usual(5), { idempotency, release: true }))
      await here.remember(scope, 'k', { digest: 'd', text: '{}' }).catch(() => {})
      assert.deepEqual(await there.answer(scope, 'k'), pending)
      await storeTask(there, 'u', { entries: usual(5), idempotency })
      assert.equal(await there.head(scope, 't'), undefined)
      assert.deepEqual(await here.answer(scope, 'k'), { digest: 'd', taskId: 'u' })
    },
  },
  {
    name: 'keeps the reservation of a living process however old it is',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await keysOf(here).reserve(scope, idempotency)
      await keysOf(there).reserve(scope, { key: 'dead', digest: 'd' })
      await there.remember(scope, 'text', { digest: 'd', text: '{}' })
      await there.close()
      const third = await cluster.open()
      assert.equal(await third.purge({ answers: soon() }), 2)
      assert.deepEqual(await third.answer(scope, 'k'), pending)
      await storeTask(here, 't', { entries: usual(5), idempotency })
      assert.equal(await third.purge({ answers: soon() }), 1)
      assert.equal(await here.answer(scope, 'k'), undefined)
    },
  },
]
