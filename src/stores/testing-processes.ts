import assert from 'node:assert/strict'
import { type ClusterCase, claimed, claimedAtLast, eventually, losesHold } from './testing-cluster.ts'
import {
  chunk,
  firstChunk,
  historyOf,
  message,
  refuses,
  scope,
  status,
  storeTask,
  taskOf,
  usual,
  whole,
} from './testing-entries.ts'

const task = { scope, id: 't', contextId: 'c' }

/** Who of several processes may write to a task, and what becomes of it when one of them ends. */
export const processCases: readonly ClusterCase[] = [
  {
    name: 'lets one process at a time hold a task',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const log = here.create(task)
      await log.append([message(1, 'one')])
      assert.equal(await there.claim(scope, 't'), 'held')
      assert.equal((await there.head(scope, 't'))?.held, true)
      assert.deepEqual(await there.abandoned(scope.agent, 9), [])
      await log.append([message(2, 'two')], { release: true })
      assert.equal((await there.head(scope, 't'))?.held, false)
      const taken = await claimed(there, 't')
      assert.deepEqual([taken.seq, taken.left], [2, undefined])
      assert.equal(await here.claim(scope, 't'), 'held')
      await refuses(log.append([message(3, 'late')]))
      await taken.log.append([message(3, 'three')], { release: true })
      assert.deepEqual(await historyOf(here, 't'), ['one', 'two', 'three'])
    },
  },
  {
    name: 'gives a free task to one of many processes that claim it at once',
    run: async (cluster) => {
      const stores = [await cluster.open(), await cluster.open(), await cluster.open()]
      for (const left of [false, true]) {
        const id = `t-${left}`
        await storeTask(stores[0]!, id, { entries: [message(1, 'one')], release: !left })
        if (left) await cluster.kill(stores.shift()!)
        const answers = await Promise.all(stores.map((store) => store.claim(scope, id)))
        assert.equal(answers.filter((answer) => answer === 'held').length, stores.length - 1)
      }
    },
  },
  {
    name: 'reads what another process has written, also while that goes on',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const log = here.create(task)
      const entries = [
        message(1, 'one'),
        status(2, 'TASK_STATE_WORKING', { time: 5 }),
        firstChunk(3, 'a'),
        chunk(4, 'b'),
        chunk(5, 'c', { lastChunk: true }),
        status(6, 'TASK_STATE_COMPLETED', { time: 7 }),
      ]
      for (const entry of entries) {
        await log.append([entry], { release: entry.seq === 6 })
        assert.deepEqual(await there.entries(scope, 't', { after: 0, limit: 9 }), entries.slice(0, entry.seq))
        assert.equal((await there.read(scope, 't', whole))?.text, (await here.read(scope, 't', whole))?.text)
        assert.equal((await there.head(scope, 't'))?.seq, entry.seq)
      }
    },
  },
  {
    name: 'goes on reading true what another process has taken over from it',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await storeTask(here, 't', { entries: [message(1, 'one')] })
      await historyOf(here, 't')
      const { log } = await claimed(there, 't')
      await log.append([message(2, 'two')])
      assert.deepEqual(await historyOf(here, 't'), ['one', 'two'])
      assert.equal((await here.head(scope, 't'))?.held, true)
      await log.append([status(3, 'TASK_STATE_COMPLETED', { time: 4 })], { release: true })
      assert.deepEqual((await taskOf(here, 't')).status, (await taskOf(there, 't')).status)
      assert.equal((await here.head(scope, 't'))?.held, false)
    },
  },
  {
    name: 'leaves the tasks of a process that died to any other, and tells whether their run had begun',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const logs = new Map(['new', 'begun', 'unmarked'].map((id) => [id, here.create({ ...task, id })]))
      for (const [id, log] of logs) await log.append([message(1, id)], { waiting: id !== 'unmarked' })
      await logs.get('begun')?.append([])
      await storeTask(here, 'done', { entries: usual(5) })
      await cluster.kill(here)
      const found = (await there.abandoned(scope.agent, 9)).map(({ id }) => id).sort()
      assert.deepEqual(found, ['begun', 'new', 'unmarked'])
      assert.equal((await there.abandoned(scope.agent, 2)).length, 2)
      assert.deepEqual(await there.abandoned('other', 9), [])
      assert.equal((await there.head(scope, 'new'))?.held, true)
      assert.equal((await claimed(there, 'new')).left, 'waiting')
      assert.equal((await claimed(there, 'begun')).left, 'begun')
      assert.equal((await claimed(there, 'unmarked')).left, 'begun')
      assert.deepEqual(await there.abandoned(scope.agent, 9), [])
      assert.equal(await there.claim(scope, 'new'), 'held')
    },
  },
  {
    name: 'takes the mark of a run that has not begun away with the next append, and keeps it while it is told',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const first = here.create(task)
      await first.append([message(1, 'one')], { waiting: true })
      await first.append([message(2, 'two')], { waiting: true, release: 'handOver' })
      const second = await claimed(there, 't')
      assert.equal(second.left, 'waiting')
      await second.log.append([], { waiting: true, release: 'handOver' })
      const third = await claimed(here, 't')
      assert.equal(third.left, 'waiting')
      await third.log.append([message(3, 'three')], { release: 'handOver' })
      assert.equal((await claimed(there, 't')).left, 'begun')
    },
  },
  {
    name: 'hands a task over at once, to whichever process claims it first',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const log = here.create(task)
      await log.append([message(1, 'one'), status(2, 'TASK_STATE_WORKING', { time: 5 })])
      await log.append([message(3, 'two')], { release: 'handOver' })
      await refuses(log.append([message(4, 'late')]))
      assert.equal((await there.head(scope, 't'))?.held, true)
      for (const store of [here, there]) assert.deepEqual(await store.abandoned(scope.agent, 9), [{ scope, id: 't' }])
      const taken = await claimed(there, 't')
      assert.deepEqual([taken.seq, taken.left], [3, 'begun'])
      for (const store of [here, there]) assert.deepEqual(await store.abandoned(scope.agent, 9), [])
      await taken.log.append([], { release: 'handOver' })
      assert.equal((await claimed(there, 't')).left, 'begun')
      assert.equal(await here.claim(scope, 't'), 'held')
    },
  },
  {
    name: 'hands a task over with its first entries',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await here.create(task).append([message(1, 'one')], { waiting: true, release: 'handOver' })
      const taken = await claimed(there, 't')
      assert.deepEqual([taken.seq, taken.left], [1, 'waiting'])
      await taken.log.append([message(2, 'two')], { release: true })
      assert.deepEqual(await historyOf(here, 't'), ['one', 'two'])
    },
  },
  {
    name: 'lets go of everything that a process held when it closes',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await storeTask(here, 't', { entries: [message(1, 'one')], release: false })
      let told = 0
      there.listen({ mail() {}, lost() {}, abandoned: () => told++ })
      await here.close()
      assert.deepEqual(await there.abandoned(scope.agent, 9), [{ scope, id: 't' }])
      await eventually(() => told > 0)
      assert.equal((await claimed(there, 't')).left, 'begun')
    },
  },
  {
    name: 'lets a process that was silent for too long write nothing with what it held, and go on with what it takes now',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const [stored, unstored] = [here.create(task), here.create({ ...task, id: 'u' })]
      await stored.append([message(1, 'one')])
      await cluster.expire(here)
      await losesHold(stored.append([message(2, 'late')]))
      await losesHold(unstored.append([message(1, 'late')]))
      await losesHold(stored.append([], { release: true }))
      assert.deepEqual(await there.abandoned(scope.agent, 9), [{ scope, id: 't' }])
      assert.equal(await there.head(scope, 'u'), undefined)
      const again = await claimedAtLast(here, 't')
      assert.equal(again.left, 'begun')
      await again.log.append([message(2, 'two')], { release: true })
      assert.deepEqual(await historyOf(there, 't'), ['one', 'two'])
      await storeTask(here, 'w', { entries: usual(5), release: false })
      assert.equal(await there.claim(scope, 'w'), 'held')
      await losesHold(stored.append([message(3, 'late')]))
    },
  },
  {
    name: 'keeps out a process that does not know yet that it was taken for dead',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const log = here.create(task)
      await log.append([message(1, 'one'), status(2, 'TASK_STATE_WORKING', { time: 5 })])
      await cluster.silence(here)
      const { log: other } = await claimed(there, 't')
      await losesHold(log.append([message(3, 'late')]))
      await other.append([message(3, 'two')])
      await losesHold(log.append([message(4, 'late')]))
      await losesHold(log.append([status(3, 'TASK_STATE_FAILED', { time: 6 })], { release: true }))
      await other.append([status(4, 'TASK_STATE_COMPLETED', { time: 7 })], { release: true })
      await losesHold(log.append([message(5, 'late')]))
      for (const store of [here, there]) {
        assert.deepEqual(await historyOf(store, 't'), ['one', 'two'])
        assert.equal((await store.head(scope, 't'))?.state, 'TASK_STATE_COMPLETED')
      }
      const entries = await there.entries(scope, 't', { after: 0, limit: 9 })
      assert.deepEqual(
        entries?.map(({ seq }) => seq),
        [1, 2, 3, 4],
      )
    },
  },
  {
    name: 'counts and lists tasks alike in every process, whoever has written them',
    run: async (cluster) => {
      const stores = [await cluster.open(), await cluster.open()]
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          storeTask(stores[index % 2]!, `t${index}`, { contextId: `c${index % 3}`, entries: usual(1000 * index) }),
        ),
      )
      const queries = [{}, { contextId: 'c1' }, { state: 'TASK_STATE_COMPLETED' }, { since: 20_000 }] as const
      for (const query of queries) {
        const pages = await Promise.all(
          stores.map((store) => store.list(scope, { pageSize: 50, view: whole, ...query })),
        )
        assert.deepEqual(pages[0], pages[1])
        assert.equal(pages[0]?.total, pages[0]?.tasks.length)
      }
      assert.equal((await stores[0]!.list(scope, { pageSize: 1, view: whole })).total, 40)
    },
  },
]
