import assert from 'node:assert/strict'
import { TaskRecord } from '../engine/record.ts'
import type { Entry } from '../engine/store.ts'
import {
  chunk,
  firstChunk,
  historyOf,
  message,
  messageText,
  refuses,
  type StoreCase,
  scope,
  status,
  storeTask,
  taskOf,
  usual,
  whole,
} from './testing-entries.ts'

const talk: readonly Entry[] = [
  message(1, 'one'),
  status(2, 'TASK_STATE_SUBMITTED', { time: 1000 }),
  status(3, 'TASK_STATE_WORKING', { time: 1001, text: 'thinking' }),
  firstChunk(4, 'Hel', { head: '{"artifactId":"a","metadata":{"k":1}}', metadata: '{"event":1}' }),
  chunk(5, 'lo'),
  chunk(6, '"!\n\u2028\u0000é', { lastChunk: true }),
  firstChunk(7, '', { artifact: 1, plain: false, parts: '{"data":{"n":1}},{"text":"x"}' }),
  chunk(8, 'y', { artifact: 1 }),
  chunk(9, 'again', { append: false }),
  chunk(10, 'more', { head: '{"artifactId":"a","name":"n","metadata":{"l":2}}' }),
  status(11, 'TASK_STATE_INPUT_REQUIRED', { time: 1002, text: 'which?' }),
  message(12, 'two'),
  { ...status(13, 'TASK_STATE_WORKING', { time: 1003 }), metadata: '{"m":[1]}' },
  status(14, 'TASK_STATE_COMPLETED', { time: 1004, text: 'bye' }),
]

/** What the store says of the log and of the task that it makes. */
export const logCases: readonly StoreCase[] = [
  {
    name: 'stores nothing before the first append',
    run: async ({ store }) => {
      const log = store.create({ scope, id: 't', contextId: 'c' })
      assert.equal(await store.read(scope, 't', whole), undefined)
      await log.append([], { release: false })
      assert.equal(await store.head(scope, 't'), undefined)
      assert.equal(await store.entries(scope, 't', { after: 0, limit: 9 }), undefined)
      assert.equal((await store.list(scope, { pageSize: 9, view: whole })).total, 0)
      await log.append([message(1, 'hi')])
      assert.deepEqual(await store.head(scope, 't'), {
        id: 't',
        contextId: 'c',
        state: 'TASK_STATE_SUBMITTED',
        time: 0,
        seq: 1,
        held: true,
      })
    },
  },
  {
    name: 'tells the task as JSON text',
    run: async ({ store }) => {
      await storeTask(store, 't', { contextId: 'c', metadata: '{"k":"v"}', entries: usual(1000) })
      const snapshot = await store.read(scope, 't', whole)
      assert.deepEqual(JSON.parse(snapshot!.text), {
        id: 't',
        contextId: 'c',
        status: { state: 'TASK_STATE_COMPLETED', timestamp: '1970-01-01T00:00:01.002Z' },
        artifacts: [{ artifactId: 'artifact-0', parts: [{ text: 'hello' }] }],
        history: [{ messageId: 'm-hi', role: 'ROLE_USER', parts: [{ text: 'hi' }] }],
        metadata: { k: 'v' },
      })
      const head = { id: 't', contextId: 'c', state: 'TASK_STATE_COMPLETED', time: 1002, seq: 4, held: false }
      assert.deepEqual(snapshot!.head, head)
    },
  },
  {
    name: 'gives the entries back in order, from any number on',
    run: async ({ store }) => {
      const log = store.create({ scope, id: 't', contextId: 'c' })
      await Promise.all(talk.map((entry) => log.append([entry])))
      const asked = (after: number, limit: number) => store.entries(scope, 't', { after, limit })
      assert.deepEqual(await asked(0, 100), talk)
      assert.deepEqual(await asked(0, 5), talk.slice(0, 5))
      assert.deepEqual(await asked(10, 2), talk.slice(10, 12))
      assert.deepEqual(await asked(14, 5), [])
      assert.deepEqual(await asked(99, 5), [])
      assert.equal(await store.entries(scope, 'other', { after: 0, limit: 5 }), undefined)
    },
  },
  {
    name: 'gives the first chunk of each artifact in an answer its head',
    run: async ({ store }) => {
      await storeTask(store, 't', { entries: talk })
      const first = async (after: number) => (await store.entries(scope, 't', { after, limit: 4 }))![0]
      assert.deepEqual(await first(4), { ...talk[4], head: '{"artifactId":"a","metadata":{"k":1}}' })
      assert.deepEqual(await first(5), { ...talk[5], head: '{"artifactId":"a","metadata":{"k":1}}' })
      assert.deepEqual(await first(7), { ...talk[7], head: '{"artifactId":"artifact-1"}' })
      assert.deepEqual(await first(8), { ...talk[8], head: '{"artifactId":"a","metadata":{"k":1}}' })
      const long = [firstChunk(1, 'x'), ...Array.from({ length: 200 }, (_, index) => chunk(index + 2, 'y'))]
      await storeTask(store, 'long', { entries: long })
      const late = await store.entries(scope, 'long', { after: 150, limit: 3 })
      assert.deepEqual(late, [{ ...long[150], head: '{"artifactId":"artifact-0"}' }, long[151], long[152]])
    },
  },
  {
    name: 'makes the same task of the same entries, however they are grouped',
    run: async ({ store }) => {
      const record = new TaskRecord('t', 'c')
      for (const entry of talk) record.add(entry)
      const expected = JSON.parse(record.text(whole))
      for (const [index, size] of [1, 2, 3, 5, 14].entries()) {
        const id = `t-${index}`
        const log = store.create({ scope, id, contextId: 'c' })
        for (let at = 0; at < talk.length; at += size) await log.append(talk.slice(at, at + size))
        assert.deepEqual(await taskOf(store, id), { ...expected, id })
      }
    },
  },
  {
    name: 'tells the task as it stood after any entry',
    run: async ({ store }) => {
      const log = await storeTask(store, 't', { contextId: 'c', entries: talk.slice(0, 9), release: false })
      await log.append(talk.slice(9))
      const record = new TaskRecord('t', 'c')
      for (const [index, entry] of talk.entries()) {
        record.add(entry)
        for (const view of [whole, { artifacts: false, historyLength: 1 }]) {
          const snapshot = await store.read(scope, 't', { ...view, at: index + 1 })
          assert.equal(snapshot?.text, record.text(view))
          assert.deepEqual(snapshot?.head, record.head(true))
        }
      }
      assert.equal(await store.read(scope, 't', { ...whole, at: 0 }), undefined)
      assert.equal(await store.read(scope, 't', { ...whole, at: 15 }), undefined)
    },
  },
  {
    name: 'refuses entries whose numbers leave a gap, and writes nothing of them',
    run: async ({ store }) => {
      const log = store.create({ scope, id: 't', contextId: 'c' })
      await refuses(log.append([message(2, 'x')]))
      assert.equal(await store.head(scope, 't'), undefined)
      await log.append([message(1, 'a')])
      await refuses(log.append([message(3, 'x')]))
      await refuses(log.append([message(1, 'x')]))
      await log.append([message(2, 'b')])
      assert.deepEqual(await historyOf(store, 't'), ['a', 'b'])
    },
  },
  {
    name: 'refuses a second task with the same id',
    run: async ({ store }) => {
      await storeTask(store, 't', { entries: usual(1000) })
      await refuses(storeTask(store, 't', { entries: [message(1, 'other')] }))
      assert.deepEqual(await historyOf(store, 't'), ['hi'])
      assert.equal((await store.list(scope, { pageSize: 5, view: whole })).total, 1)
      await storeTask(store, 'u', { entries: usual(1000) })
    },
  },
  {
    name: 'HIST-02 HIST-03 HIST-04: gives the newest messages, and trims only the answer',
    run: async ({ store }) => {
      await storeTask(store, 't', { entries: talk })
      const all = ['one', 'thinking', 'which?', 'two']
      for (const [length, expected] of [
        [undefined, all],
        [0, undefined],
        [1, ['two']],
        [2, ['which?', 'two']],
        [3, ['thinking', 'which?', 'two']],
        [4, all],
        [100, all],
        [undefined, all],
      ] as const) {
        assert.deepEqual(await historyOf(store, 't', length), expected, `historyLength ${length}`)
        const page = await store.list(scope, {
          pageSize: 1,
          view: { artifacts: false, ...(length !== undefined && { historyLength: length }) },
        })
        const task = JSON.parse(page.tasks[0]!.text) as { history?: { parts: { text: string }[] }[] }
        assert.deepEqual(
          task.history?.map(({ parts }) => parts[0]!.text),
          expected,
        )
      }
    },
  },
  {
    name: 'moves a status message into the history when the next status comes, in order of time',
    run: async ({ store }) => {
      const log = await storeTask(store, 't', { entries: talk.slice(0, 11), release: false })
      const now = async () => ((await taskOf(store, 't')).status as { message?: unknown }).message
      assert.deepEqual(await now(), JSON.parse(messageText('which?', 'ROLE_AGENT')))
      assert.deepEqual(await historyOf(store, 't'), ['one', 'thinking'])
      await log.append(talk.slice(11, 12))
      assert.deepEqual(await now(), JSON.parse(messageText('which?', 'ROLE_AGENT')))
      assert.deepEqual(await historyOf(store, 't'), ['one', 'thinking', 'two'])
      assert.deepEqual(await historyOf(store, 't', 1), ['two'])
      await log.append(talk.slice(12, 13))
      assert.equal(await now(), undefined)
      assert.deepEqual(await historyOf(store, 't'), ['one', 'thinking', 'which?', 'two'])
    },
  },
  {
    name: 'leaves artifacts out when they are not asked for',
    run: async ({ store }) => {
      await storeTask(store, 't', { entries: usual(1000) })
      assert.equal('artifacts' in (await taskOf(store, 't', { artifacts: false })), false)
      const page = await store.list(scope, { pageSize: 1, view: { artifacts: false } })
      assert.equal(page.tasks[0]!.text.includes('"artifacts"'), false)
    },
  },
  {
    name: 'holds a long artifact as one part',
    run: async ({ store }) => {
      const log = await storeTask(store, 't', { entries: [firstChunk(1, 'start ')], release: false })
      const chunks = Array.from({ length: 10_000 }, (_, index) => chunk(index + 2, `${index}\n`))
      const writes: Promise<void>[] = []
      for (let at = 0; at < chunks.length; at += 7) writes.push(log.append(chunks.slice(at, at + 7)))
      await Promise.all(writes)
      const text = `start ${chunks.map((_, index) => `${index}\n`).join('')}`
      assert.deepEqual((await taskOf(store, 't')).artifacts, [{ artifactId: 'artifact-0', parts: [{ text }] }])
      assert.deepEqual(await store.entries(scope, 't', { after: 9000, limit: 3 }), [
        { ...chunks[8999], head: '{"artifactId":"artifact-0"}' },
        ...chunks.slice(9000, 9002),
      ])
    },
  },
]
