import assert from 'node:assert/strict'
import {
  chunk,
  firstChunk,
  historyOf,
  message,
  refuses,
  type StoreCase,
  scope,
  status,
  storeTask,
  taskOf,
  usual,
  whole,
} from './testing-entries.ts'

const others = [
  { ...scope, agent: 'other' },
  { ...scope, tenant: 'other' },
  { ...scope, owner: 'other' },
  { agent: 'age', tenant: 'nt', owner: 'ada' },
]

/** Who may write to a task, whose it is, and how it ends. */
export const holdCases: readonly StoreCase[] = [
  {
    name: 'lets one writer hold a task until it is released',
    run: async ({ store }) => {
      const log = await storeTask(store, 't', { entries: [message(1, 'one')], release: false })
      assert.equal(await store.claim(scope, 't'), 'held')
      await log.append([status(2, 'TASK_STATE_INPUT_REQUIRED', { time: 5 })], { release: true })
      assert.equal((await store.head(scope, 't'))!.held, false)
      const claimed = await store.claim(scope, 't')
      assert.ok(claimed !== undefined && claimed !== 'held')
      assert.equal(await store.claim(scope, 't'), 'held')
      await refuses(log.append([message(3, 'late')]))
      await claimed.log.append([message(3, 'two')])
      assert.deepEqual(await historyOf(store, 't'), ['one', 'two'])
      await claimed.log.append([], { release: true })
      assert.equal((await store.head(scope, 't'))!.held, false)
      assert.notEqual(await store.claim(scope, 't'), 'held')
    },
  },
  {
    name: 'gives a claimed task to one of many that ask at once',
    run: async ({ store }) => {
      await storeTask(store, 't', { entries: usual(5) })
      const answers = await Promise.all([1, 2, 3, 4].map(() => store.claim(scope, 't')))
      assert.equal(answers.filter((answer) => answer === 'held').length, 3)
      assert.equal(await store.claim(scope, 'unknown'), undefined)
    },
  },
  {
    name: 'tells who claims a task where it stands',
    run: async ({ store }) => {
      const entries = [
        message(1, 'hi'),
        status(2, 'TASK_STATE_WORKING', { time: 7 }),
        firstChunk(3, 'a', { lastChunk: true }),
        firstChunk(4, 'b', { artifact: 1 }),
        chunk(5, 'c', { artifact: 1 }),
        firstChunk(6, 'd', { artifact: 2, lastChunk: true }),
        firstChunk(7, 'e', { artifact: 2 }),
      ]
      await storeTask(store, 't', { contextId: 'c', entries })
      const claimed = await store.claim(scope, 't')
      assert.ok(claimed !== undefined && claimed !== 'held')
      assert.deepEqual(claimed.head, {
        id: 't',
        contextId: 'c',
        state: 'TASK_STATE_WORKING',
        time: 7,
        seq: 7,
        held: true,
      })
      assert.deepEqual(claimed.artifacts, [
        { artifactId: 'artifact-0', closed: true },
        { artifactId: 'artifact-1', closed: false },
        { artifactId: 'artifact-2', closed: false },
      ])
      await claimed.log.append([chunk(8, 'x', { artifact: 1 })], { release: true })
      const { artifacts } = (await taskOf(store, 't')) as { artifacts: { parts: unknown }[] }
      assert.deepEqual(artifacts[1]!.parts, [{ text: 'bcx' }])
    },
  },
  {
    name: 'calls no task abandoned whose holder lives',
    run: async ({ store }) => {
      await storeTask(store, 't', { entries: [message(1, 'one')], release: false })
      assert.deepEqual(await store.abandoned(scope.agent, 10), [])
    },
  },
  {
    name: 'LIST-01 LIST-24: shows a task to nobody outside its agent, tenant and owner',
    run: async ({ store }) => {
      const idempotency = { key: 'k', digest: 'd' }
      await storeTask(store, 't', { contextId: 'c', entries: usual(5), idempotency })
      for (const other of others) {
        assert.equal(await store.head(other, 't'), undefined)
        assert.equal(await store.read(other, 't', whole), undefined)
        assert.equal(await store.read(other, 't', { ...whole, at: 2 }), undefined)
        assert.equal(await store.claim(other, 't'), undefined)
        assert.equal(await store.entries(other, 't', { after: 0, limit: 9 }), undefined)
        assert.equal(await store.answer(other, 'k'), undefined)
        assert.deepEqual(await store.list(other, { pageSize: 9, view: whole }), { tasks: [], total: 0 })
        assert.deepEqual(await store.list(other, { pageSize: 9, view: whole, contextId: 'c' }), { tasks: [], total: 0 })
      }
      for (const other of others)
        await storeTask(store, `t-${scopeName(other)}`, { scope: other, contextId: 'c', entries: usual(6) })
      assert.equal((await store.list(scope, { pageSize: 9, view: whole, contextId: 'c' })).total, 1)
      for (const other of others) assert.equal((await store.list(other, { pageSize: 9, view: whole })).total, 1)
    },
  },
  {
    name: 'remembers the answer to a key: the task that was made, or a text',
    run: async ({ store }) => {
      const idempotency = { key: 'k', digest: 'd' }
      const log = store.create({ scope, id: 't', contextId: 'c' })
      assert.equal(await store.answer(scope, 'k'), undefined)
      const writes = [
        log.append(usual(5).slice(0, 1), { idempotency }),
        log.append(usual(5).slice(1, 2), { idempotency: { key: 'l', digest: 'x' } }),
      ]
      await Promise.all(writes)
      assert.deepEqual(await store.answer(scope, 'k'), { digest: 'd', taskId: 't' })
      assert.deepEqual(await store.answer(scope, 'l'), { digest: 'x', taskId: 't' })
      await refuses(log.append(usual(5).slice(2), { idempotency }))
      assert.equal((await store.head(scope, 't'))!.seq, 2)
      await log.append(usual(5).slice(2), { idempotency: { key: 'm', digest: 'y' }, release: true })
      assert.deepEqual(await store.answer(scope, 'm'), { digest: 'y', taskId: 't' })
      await refuses(storeTask(store, 'u', { entries: usual(5), idempotency }))
      assert.equal(await store.head(scope, 'u'), undefined)
      await store.remember(scope, 'text', { digest: 'e', text: '{"message":{}}' })
      assert.deepEqual(await store.answer(scope, 'text'), { digest: 'e', text: '{"message":{}}' })
      await store.remember(scope, 'text', { digest: 'f', text: '{"message":{"later":1}}' })
      assert.deepEqual(await store.answer(scope, 'text'), { digest: 'e', text: '{"message":{}}' })
      await store.remember({ ...scope, owner: 'bob' }, 'text', { digest: 'g', text: '{}' })
      assert.deepEqual(await store.answer({ ...scope, owner: 'bob' }, 'text'), { digest: 'g', text: '{}' })
    },
  },
  {
    name: 'drops the numbered events of tasks that ended long ago, and keeps the tasks',
    run: async ({ store }) => {
      await storeTask(store, 'old', {
        entries: [...usual(1000).slice(0, 3), status(4, 'TASK_STATE_FAILED', { time: 1500, text: 'no' })],
      })
      await storeTask(store, 'new', { entries: usual(9000) })
      await storeTask(store, 'open', { entries: usual(1000).slice(0, 3) })
      const texts = await Promise.all(
        ['old', 'new', 'open'].map(async (id) => (await store.read(scope, id, whole))!.text),
      )
      assert.ok((await store.purge({ events: 2000 })) > 0)
      assert.equal(await store.purge({ events: 2000 }), 0)
      const after = await Promise.all(
        ['old', 'new', 'open'].map(async (id) => (await store.read(scope, id, whole))!.text),
      )
      assert.deepEqual(after, texts)
      assert.equal(await store.entries(scope, 'old', { after: 0, limit: 9 }), undefined)
      assert.equal(await store.read(scope, 'old', { ...whole, at: 2 }), undefined)
      assert.equal((await store.read(scope, 'old', { ...whole, at: 4 }))?.text, texts[0])
      for (const id of ['new', 'open']) assert.ok(await store.entries(scope, id, { after: 0, limit: 9 }))
      assert.deepEqual(await historyOf(store, 'old', 1), ['hi'])
    },
  },
  {
    name: 'drops whole tasks that ended long ago, and old answers',
    run: async ({ store }) => {
      await storeTask(store, 'old', { contextId: 'c', entries: usual(1000), idempotency: { key: 'k', digest: 'd' } })
      await storeTask(store, 'held', { contextId: 'c', entries: usual(1000), release: false })
      await storeTask(store, 'new', { contextId: 'c', entries: usual(9000) })
      await storeTask(store, 'open', { contextId: 'c', entries: usual(1000).slice(0, 3) })
      await store.remember(scope, 'text', { digest: 'e', text: '{}' })
      assert.ok((await store.purge({ tasks: { agent: scope.agent, before: 2000 } })) > 0)
      assert.equal(await store.purge({ tasks: { agent: scope.agent, before: 2000 } }), 0)
      assert.equal(await store.read(scope, 'old', whole), undefined)
      assert.equal(await store.entries(scope, 'old', { after: 0, limit: 9 }), undefined)
      assert.equal(await store.answer(scope, 'k'), undefined)
      for (const query of [{}, { contextId: 'c' }, { since: 0 }]) {
        const page = await store.list(scope, { pageSize: 9, view: whole, ...query })
        assert.deepEqual(
          page.tasks.map(({ head }) => head.id),
          ['new', 'open', 'held'].sort((a, b) => rank(a) - rank(b)),
        )
        assert.equal(page.total, 3)
      }
      assert.ok(await store.answer(scope, 'text'))
      assert.equal(await store.purge({ answers: Date.now() + 1000 }), 1)
      assert.equal(await store.answer(scope, 'text'), undefined)
      await storeTask(store, 'again', { entries: usual(1), idempotency: { key: 'k', digest: 'd' } })
    },
  },
  {
    name: 'writes what was appended before it closes, and nothing afterwards',
    run: async ({ store, reopen }) => {
      const log = store.create({ scope, id: 't', contextId: 'c' })
      const written = log.append(usual(5), { release: true })
      const closed = store.close()
      await Promise.all([written, closed])
      await refuses(log.append([message(5, 'x')]))
      await refuses(store.create({ scope, id: 'u', contextId: 'c' }).append([message(1, 'x')]))
      await refuses(store.remember(scope, 'k', { digest: '', text: '{}' }))
      await store.close()
      if (reopen === undefined) return
      const again = await reopen()
      assert.deepEqual(await historyOf(again, 't'), ['hi'])
      assert.equal(await again.head(scope, 'u'), undefined)
    },
  },
  {
    name: 'keeps everything when it is closed and opened again',
    run: async ({ store, reopen }) => {
      if (reopen === undefined) return
      await storeTask(store, 't', { contextId: 'c', entries: usual(5), metadata: '{"a":1}' })
      await storeTask(store, 'held', { entries: usual(5).slice(0, 3), release: false })
      await store.remember(scope, 'text', { digest: 'e', text: '{}' })
      const before = [await store.read(scope, 't', whole), await store.list(scope, { pageSize: 1, view: whole })]
      await store.close()
      const again = await reopen()
      assert.deepEqual(
        [await again.read(scope, 't', whole), await again.list(scope, { pageSize: 1, view: whole })],
        before,
      )
      assert.deepEqual(await again.entries(scope, 't', { after: 0, limit: 9 }), usual(5))
      assert.deepEqual(await again.answer(scope, 'text'), { digest: 'e', text: '{}' })
      assert.deepEqual(await again.abandoned(scope.agent, 9), [{ scope, id: 'held' }])
      assert.deepEqual(await again.abandoned('other', 9), [])
      const claimed = await again.claim(scope, 'held')
      assert.ok(claimed !== undefined && claimed !== 'held')
      assert.deepEqual(claimed.artifacts, [{ artifactId: 'artifact-0', closed: false }])
      assert.deepEqual(await again.abandoned(scope.agent, 9), [])
      await claimed.log.append([status(4, 'TASK_STATE_FAILED', { time: 9 })], { release: true })
      assert.equal((await again.head(scope, 'held'))!.state, 'TASK_STATE_FAILED')
    },
  },
]

function scopeName(other: typeof scope): string {
  return `${other.agent}-${other.tenant}-${other.owner}`
}

function rank(id: string): number {
  return { new: 0, held: 1, open: 2 }[id] ?? 3
}
