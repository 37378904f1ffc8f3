import { describe, expect, it } from 'vitest'
import { authRequired, type Executor, inputRequired, working } from '../../src/engine/executor.ts'
import type { StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { type Cluster, clusterKinds, openCluster } from '../cluster.ts'
import { collect, createHarness, delay, type Harness, type HarnessOptions, shape, textOf, until } from '../harness.ts'

/** Says what it is told, waits at `wait`, asks at `ask`, and goes on for as long as it is let at `stay`. */
const scripted: Executor = async function* (task) {
  const text = textOf(task.message)
  yield working()
  if (text === 'ask') {
    yield inputRequired('what?')
    return
  }
  if (text === 'stay') {
    if (!task.resumed) await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
    if (task.signal.aborted) return
  }
  if (text.startsWith('wait')) await delay(200)
  yield `did ${text}`
}

interface Pair {
  readonly cluster: Cluster
  readonly here: Harness
  readonly there: Harness
}

async function pair(kind: Cluster['kind'], options: HarnessOptions = {}, run: Executor = scripted): Promise<Pair> {
  const cluster = await openCluster(kind)
  const open = async (): Promise<Harness> => createHarness(run, { store: await cluster.open(), ...options })
  return { cluster, here: await open(), there: await open() }
}

const atOnce = { configuration: { returnImmediately: true } }

/** Begins a task whose run stays at work. */
async function begin(harness: Harness, text: string): Promise<string> {
  const { id } = await harness.sendTask(text, atOnce)
  await until(async () => (await harness.get(id)).status.state === 'TASK_STATE_WORKING')
  return id
}

const told = (task: Task): readonly (string | undefined)[] => (task.history ?? []).map(textOf)

describe.each(clusterKinds)('two processes over %s', (kind) => {
  it('a message for a run of the other one waits for its turn there, and its sender for the answer (SEND-02)', async () => {
    const { here, there } = await pair(kind)
    const taskId = await begin(here, 'wait one')
    const task = await there.sendTask('wait two', { message: { taskId } })
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(told(task)).toContain('wait two')
    expect(task.artifacts?.map(({ parts }) => textOf({ messageId: '', role: 'ROLE_AGENT', parts }))).toContain(
      'did wait two',
    )
  })

  it('a streamed message for a run of the other one gives every event up to the end of its own run, each once', async () => {
    const { here, there } = await pair(kind)
    const taskId = await begin(here, 'wait one')
    const seen = (await there.stream('wait two', { message: { taskId } })).map(shape)
    expect(seen[0]).toBe('task WORKING')
    expect(seen.filter((text) => text === 'did wait two')).toHaveLength(1)
    expect(seen.at(-1)).toBe('COMPLETED')
  })

  it('a message that asks to be answered at once is stored when it is', async () => {
    const { here, there } = await pair(kind)
    const taskId = await begin(here, 'stay')
    const task = await there.sendTask('more', { message: { taskId }, ...atOnce })
    expect([task.status.state, told(task)]).toEqual(['TASK_STATE_WORKING', ['stay', 'more']])
  })

  it('a cancel ends a run of the other one, and tells how it ended (CANCEL-01)', async () => {
    const { here, there } = await pair(kind)
    const id = await begin(here, 'stay')
    expect((await there.cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
    await expect(there.cancel(id)).rejects.toMatchObject({ code: 'TaskNotCancelable' })
    await expect(here.send('more', { message: { taskId: id } })).rejects.toMatchObject({ code: 'UnsupportedOperation' })
  })

  it('a subscriber of either sees every event once', async () => {
    const { here, there } = await pair(kind)
    const id = await begin(here, 'wait')
    const views = await Promise.all([here, there].map(async (harness) => collect(await harness.subscribe(id))))
    const shapes = views.map((frames) => frames.map(shape))
    expect(shapes[1]).toEqual(shapes[0])
    expect(shapes[0]?.at(-1)).toBe('COMPLETED')
  })

  it('what the holder refuses, the sender is told as if it had been refused here', async () => {
    const { here, there } = await pair(kind, { inputModes: ['text/plain'], limits: { queue: 1 } })
    const taskId = await begin(here, 'stay')
    const data = [{ data: { a: 1 }, mediaType: 'application/json' }]
    await expect(there.send(data, { message: { taskId } })).rejects.toMatchObject({ code: 'ContentTypeNotSupported' })
    await there.send('one', { message: { taskId }, ...atOnce })
    const full = there.send('two', { message: { taskId }, ...atOnce })
    await expect(full).rejects.toMatchObject({ code: 'ResourceExhausted', retryAfter: 1 })
    expect(told(await here.get(taskId))).toEqual(['stay', 'one'])
  })

  it('a task that waits for an answer is continued by either', async () => {
    const { here, there } = await pair(kind)
    const { id } = await here.sendTask('ask')
    expect((await there.sendTask('ask', { message: { taskId: id } })).status.state).toBe('TASK_STATE_INPUT_REQUIRED')
    expect((await here.sendTask('go', { message: { taskId: id } })).status.state).toBe('TASK_STATE_COMPLETED')
  })

  it.each(['new', 'at work'])('a request that is repeated at both is done once (task: %s)', async (which) => {
    const { here, there } = await pair(kind)
    const taskId = which === 'new' ? undefined : await begin(here, 'wait one')
    const message = { messageId: 'same', ...(taskId !== undefined && { taskId }) }
    const headers = { 'idempotency-key': 'k1' }
    const sends = [here, there, there, here].map((harness) =>
      harness.sendTask('wait two', { message, context: { headers } }),
    )
    const tasks = await Promise.all(sends)
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(1)
    for (const task of tasks) expect(task.status.state).toBe('TASK_STATE_COMPLETED')
    const stored = await there.get(tasks[0]?.id ?? '')
    expect(told(stored).filter((text) => text === 'wait two')).toHaveLength(1)
    expect(stored.artifacts).toHaveLength(taskId === undefined ? 1 : 2)
  })

  it('a stream of a message for the other one ends when that works on the task no more', async () => {
    const { here, there } = await pair(kind, {}, async function* (task) {
      yield working()
      await delay(100)
      if (textOf(task.message) === 'second') yield authRequired('sign in')
      else yield inputRequired('what?')
    })
    const taskId = await begin(here, 'first')
    const seen = (await there.stream('second', { message: { taskId } })).map(shape)
    expect(seen.at(-1)).toBe('AUTH_REQUIRED')
  })
})

describe.each(clusterKinds)('a process that dies over %s', (kind) => {
  it.each([
    { resumable: true, state: 'TASK_STATE_COMPLETED' },
    { resumable: false, state: 'TASK_STATE_FAILED' },
  ])(
    'leaves its run to the other one, whose subscriber sees every event once (resumable: $resumable)',
    async ({ resumable, state }) => {
      const { cluster, here, there } = await pair(kind, { resumable, limits: { sweepEvery: 50 } })
      const id = await begin(here, 'stay')
      const frames: StreamResponse[] = []
      const reading = (async () => {
        for await (const frame of await there.subscribe(id)) frames.push(frame)
      })()
      await cluster.kill(here.store)
      await reading
      const task = await there.get(id)
      expect(task.status.state).toBe(state)
      const shapes = frames.map(shape)
      expect(shapes.at(-1)).toBe(state.replace('TASK_STATE_', ''))
      expect(shapes.filter((text) => text === 'did stay')).toHaveLength(resumable ? 1 : 0)
    },
  )

  it('leaves a message that it had taken in to the next run, and its sender waits for that', async () => {
    const { cluster, here, there } = await pair(kind, { resumable: true, limits: { sweepEvery: 50 } })
    const taskId = await begin(here, 'stay')
    const sent = there.sendTask('more', { message: { taskId } })
    await until(async () => told(await there.get(taskId)).includes('more'))
    await cluster.kill(here.store)
    const task = await sent
    expect([task.status.state, told(task)]).toEqual(['TASK_STATE_COMPLETED', ['stay', 'more']])
  })

  it('that was only silent writes nothing when it comes back, and its readers see what the other one wrote', async () => {
    const { cluster, here, there } = await pair(kind, { resumable: true, limits: { sweepEvery: 50 } })
    const id = await begin(here, 'stay')
    const view = collect(await here.subscribe(id))
    await cluster.expire(here.store)
    expect((await view).map(shape).at(-1)).toBe('COMPLETED')
    await until(async () => (await there.get(id)).status.state === 'TASK_STATE_COMPLETED')
    expect((await here.get(id)).artifacts).toHaveLength(1)
  })
})

describe.each(clusterKinds)('a process that is shut down over %s', (kind) => {
  it('leaves a resumable run to the other one at once', async () => {
    const { here, there } = await pair(kind, { resumable: true, limits: { sweepEvery: 50 } })
    const id = await begin(here, 'stay')
    const view = there.subscribe(id).then(collect)
    const waiting = here.sendTask('wait', { message: { taskId: id } })
    const refused = expect(waiting).rejects.toMatchObject({ code: 'Unavailable', retryable: true })
    await delay(20)
    await here.engine.close()
    await refused
    expect((await view).map(shape).at(-1)).toBe('COMPLETED')
    expect(told(await there.get(id))).toEqual(['stay', 'wait'])
  })

  it('leaves runs that had not begun to the other one, whatever the agent', async () => {
    const { here, there } = await pair(kind, { limits: { sweepEvery: 50, runs: 1 } })
    const first = await begin(here, 'stay')
    const { id } = await here.sendTask('second', atOnce)
    expect((await here.get(id)).status.state).toBe('TASK_STATE_SUBMITTED')
    await here.engine.close()
    await until(async () => (await there.get(id)).status.state === 'TASK_STATE_COMPLETED')
    expect((await there.get(first)).status.state).toBe('TASK_STATE_FAILED')
  })
})
