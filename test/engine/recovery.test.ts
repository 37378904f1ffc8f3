import { describe, expect, it } from 'vitest'
import { type Executor, inputRequired, working } from '../../src/engine/executor.ts'
import type { Store, TaskLog } from '../../src/engine/store.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import { type Cluster, clusterKinds, openCluster } from '../cluster.ts'
import { collect, createHarness, delay, type Harness, openStore, shape, textOf, until, wrapStore } from '../harness.ts'

const forever: Executor = async function* (task) {
  yield working()
  if (task.resumed) yield `again: ${textOf(task.message)}`
  else await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
}

async function crashed(
  run: Executor,
  { kind, resumable, answer }: { kind: Cluster['kind']; resumable: boolean; answer?: string },
): Promise<{ harness: Harness; ids: readonly string[] }> {
  const cluster = await openCluster(kind)
  const first = await createHarness(run, { store: await cluster.open() })
  const ids: string[] = []
  const send = async (text: string, taskId?: string): Promise<string> => {
    const configuration = { returnImmediately: true }
    return (await first.sendTask(text, { configuration, message: { ...(taskId && { taskId }) } })).id
  }
  for (const text of ['one', 'two']) ids.push(await send(text))
  await delay(10)
  if (answer !== undefined) await send(answer, ids[0])
  await cluster.kill(first.store)
  return { harness: await createHarness(run, { store: await cluster.open(), resumable }), ids }
}

describe.each(clusterKinds)('after a crash over %s', (kind) => {
  it('working tasks are FAILED with the reason', async () => {
    const { harness, ids } = await crashed(forever, { kind, resumable: false })
    for (const id of ids) {
      const { status } = await harness.get(id)
      expect([status.state, textOf(status.message)]).toEqual([
        'TASK_STATE_FAILED',
        expect.stringContaining('server stopped'),
      ])
    }
  })

  it('they are run again where the agent allows it', async () => {
    const { harness, ids } = await crashed(forever, { kind, resumable: true })
    for (const id of ids) await until(async () => (await harness.get(id)).status.state === 'TASK_STATE_COMPLETED')
    const task = await harness.get(ids[0] ?? '')
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'again: one' }])
    expect(task.history?.map(textOf)).toEqual(['one'])
  })

  const asking: Executor = async function* (task) {
    if (task.history.length === 0) yield inputRequired('how many?')
    else if (task.resumed) {
      yield working()
      yield `again: ${textOf(task.message)}`
    } else await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
  }

  it.each([
    { resumable: false, state: 'TASK_STATE_FAILED' },
    { resumable: true, state: 'TASK_STATE_COMPLETED' },
  ])('an answer that was worked on is not left behind a question (resumable: $resumable)', async (settings) => {
    const { harness, ids } = await crashed(asking, { kind, resumable: settings.resumable, answer: 'four' })
    await until(async () => (await harness.get(ids[0] ?? '')).status.state === settings.state)
    const waiting = await harness.get(ids[1] ?? '')
    expect([waiting.status.state, textOf(waiting.status.message)]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'how many?'])
  })
})

describe('limits', () => {
  it.each([
    { name: 'run time', limits: { runTime: 30 }, text: 'longer than' },
    { name: 'idle time', limits: { idleTime: 30 }, text: 'no sign' },
  ])('end a run beyond its $name with the reason', async ({ limits, text }) => {
    const { sendTask } = await createHarness(forever, { limits })
    const task = await sendTask('go')
    expect([task.status.state, textOf(task.status.message)]).toEqual([
      'TASK_STATE_FAILED',
      expect.stringContaining(text),
    ])
  })

  it('refuse an event that is too large, and fail the task', async () => {
    const { send } = await createHarness(
      async function* () {
        yield 'x'.repeat(2_000)
      },
      { limits: { eventSize: 1_000 } },
    )
    await expect(send('go')).rejects.toMatchObject({ code: 'InvalidAgentResponse' })
  })
})

describe('shutdown', () => {
  it('lets runs finish for a while, fails the rest with the reason, refuses new work and ends streams', async () => {
    const { engine, open, send, store } = await createHarness(async function* (task) {
      yield working()
      if (textOf(task.message) === 'quick') await delay(30)
      else await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
      yield 'done'
    })
    const quick = open('quick').then(collect)
    const slow = open('slow').then(collect)
    await delay(10)
    const closing = engine.close({ graceMs: 60 })
    await expect(send('new')).rejects.toMatchObject({ code: 'Unavailable', retryable: true })
    await closing
    expect((await quick).map(shape).at(-1)).toBe('COMPLETED')
    const last = (await slow).at(-1)
    expect([last?.statusUpdate?.status.state, textOf(last?.statusUpdate?.status.message)]).toEqual([
      'TASK_STATE_FAILED',
      expect.stringContaining('shut down'),
    ])
    expect(
      (await store.list({ agent: 'tested', tenant: '', owner: '' }, { pageSize: 10, view: { artifacts: false } }))
        .total,
    ).toBe(2)
  })
})

describe('a store that fails', () => {
  function failing(store: Store, fails: () => boolean): Store {
    const wrap = (log: TaskLog): TaskLog => ({
      append: (entries, options) =>
        fails() ? Promise.reject(new A2AError('Unavailable', 'The disk is full')) : log.append(entries, options),
    })
    return wrapStore(store, { create: (task) => wrap(store.create(task)) })
  }

  it('answers Unavailable at once, shows nothing that was not stored, and ends the task when it can be written again (ERR-14, ERR-20)', async () => {
    let broken = false
    const store = failing(await openStore('memory'), () => broken)
    const { send, open, subscribe, get } = await createHarness(
      async function* () {
        yield working()
        await delay(20)
        yield 'lost'
        await delay(1_000)
      },
      { store },
    )
    const iterator = (await open('go'))[Symbol.asyncIterator]()
    const first = (await iterator.next()).value
    const id = first?.task?.id ?? ''
    broken = true
    const rest = collect({ [Symbol.asyncIterator]: () => iterator })
    await expect(rest).rejects.toMatchObject({ code: 'Unavailable' })
    await expect(send('go')).rejects.toMatchObject({ code: 'Unavailable' })
    broken = false
    await until(async () => (await get(id)).status.state === 'TASK_STATE_FAILED')
    expect((await get(id)).artifacts).toBeUndefined()
    await expect(subscribe(id)).rejects.toMatchObject({ code: 'UnsupportedOperation' })
  })
})

describe('two engines on one store', () => {
  it('leave each other’s runs alone, and a reader of either sees every event', async () => {
    const store = await openStore('memory')
    const run: Executor = async function* (task) {
      yield working()
      if (textOf(task.message) === 'ask') yield inputRequired('what?')
      else {
        await delay(60)
        yield 'done'
      }
    }
    const here = await createHarness(run, { store })
    const there = await createHarness(run, { store, limits: { pollEvery: 10 } })
    const { id } = await here.sendTask('go', { configuration: { returnImmediately: true } })
    const seen = (await collect(await there.subscribe(id))).map(shape)
    expect(seen.at(-1)).toBe('COMPLETED')
    const asked = await here.sendTask('ask')
    expect((await there.sendTask('go', { message: { taskId: asked.id } })).status.state).toBe('TASK_STATE_COMPLETED')
    expect((await here.get(asked.id)).history?.map(textOf)).toEqual(['ask', 'what?', 'go'])
  })
})
