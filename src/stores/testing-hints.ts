import assert from 'node:assert/strict'
import { type ClusterCase, eventually } from './testing-cluster.ts'
import { message, scope, storeTask, usual } from './testing-entries.ts'

const task = { scope, id: 't', contextId: 'c' }
const quiet = { mail() {}, abandoned() {}, lost() {} }

/** How processes learn of what the others have written. */
export const followCases: readonly ClusterCase[] = [
  {
    name: 'tells which tasks others have written to, however often and in whatever order it is asked',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const logs = ['a', 'b', 'c'].map((id) => here.create({ ...task, id }))
      for (const log of logs) await log.append([message(1, 'one')])
      const ask = (...seqs: readonly (readonly [id: string, seq: number])[]) =>
        there.behind(seqs.map(([id, seq]) => ({ scope, id, seq })))
      assert.deepEqual(await ask(['a', 1], ['b', 1], ['c', 1]), [])
      assert.deepEqual(await ask(), [])
      await logs[0]?.append([message(2, 'two')])
      await logs[1]?.append([message(2, 'two'), message(3, 'three')])
      // One after the other: what is told of one task says nothing of the next.
      assert.deepEqual(await ask(['c', 1]), [])
      assert.deepEqual(await ask(['a', 1]), [{ id: 'a', seq: 2 }])
      assert.deepEqual(await ask(['b', 1]), [{ id: 'b', seq: 3 }])
      assert.deepEqual(await ask(['a', 1]), [{ id: 'a', seq: 2 }])
      assert.deepEqual(await ask(['a', 2], ['b', 3]), [])
      assert.deepEqual(await ask(['b', 2]), [{ id: 'b', seq: 3 }])
      const both = await ask(['a', 0], ['b', 1], ['c', 1])
      assert.deepEqual(
        [...both].sort((one, other) => (one.id < other.id ? -1 : 1)),
        [
          { id: 'a', seq: 2 },
          { id: 'b', seq: 3 },
        ],
      )
    },
  },
  {
    name: 'tells nothing of tasks that are not there for whoever asks',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await storeTask(here, 't', { entries: usual(5) })
      const where = [
        { ...scope, owner: 'bob' },
        { ...scope, tenant: 'x' },
        { ...scope, agent: 'y' },
      ]
      assert.deepEqual(await there.behind(where.map((other) => ({ scope: other, id: 't', seq: 0 }))), [])
      assert.deepEqual(await there.behind([{ scope, id: 'unknown', seq: 0 }]), [])
      assert.deepEqual(await there.behind([{ scope, id: 't', seq: 0 }]), [{ id: 't', seq: 4 }])
    },
  },
]

/** What processes that can call out to each other tell of by themselves, sooner or later. */
export const hintCases: readonly ClusterCase[] = [
  {
    name: 'calls back whoever watches a task when another process writes to it, until it is watched no more',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      const log = here.create(task)
      await log.append([message(1, 'one')])
      let calls = 0
      let others = 0
      const stop = there.watch('t', () => calls++)
      const stopOther = there.watch('other', () => others++)
      let seq = 1
      const write = () => log.append([message(++seq, 'more')])
      await eventually(async () => {
        await write()
        return calls > 0
      })
      stop()
      const before = calls
      let again = 0
      const stopAgain = there.watch('t', () => again++)
      await eventually(async () => {
        await write()
        return again > 0
      })
      assert.equal(calls, before)
      assert.equal(others, 0)
      stopAgain()
      stopOther()
    },
  },
  {
    name: 'calls the holder of a task when mail is left for it, and the sender back when it is answered',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      await here.create(task).append([message(1, 'one')])
      let mail = 0
      let answered = 0
      const stopListening = here.listen({ ...quiet, mail: () => mail++ })
      const stopWatching = there.watch('t', () => answered++)
      const post = async (): Promise<number> => {
        const number = await there.post(scope, 't', { kind: 'message', text: '{}' })
        assert.ok(number !== undefined)
        return number
      }
      await eventually(async () => {
        await post()
        return mail > 0
      })
      await eventually(async () => {
        const number = await post()
        await here.mail()
        await here.settle([{ mail: number, outcome: '{}' }])
        return answered > 0
      })
      stopListening()
      stopWatching()
    },
  },
  {
    name: 'tells the others when tasks are left, and those that no longer listen nothing',
    run: async (cluster) => {
      const [here, there] = [await cluster.open(), await cluster.open()]
      let told = 0
      let silent = 0
      there.listen({ ...quiet, abandoned: () => silent++ })()
      const stop = there.listen({ ...quiet, abandoned: () => told++ })
      await here.create(task).append([message(1, 'one')], { release: 'handOver' })
      await eventually(() => told > 0)
      const before = told
      await storeTask(here, 'u', { entries: [message(1, 'one')], release: false })
      await here.close()
      await eventually(() => told > before)
      assert.equal(silent, 0)
      stop()
    },
  },
]
