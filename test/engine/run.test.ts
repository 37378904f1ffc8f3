import { describe, expect, it } from 'vitest'
import type { Executor, Yielded } from '../../src/engine/executor.ts'
import {
  agent,
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  leaveOpen,
  message,
  reject,
  working,
} from '../../src/engine/executor.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { applyEvent } from '../../src/protocol/task.ts'
import { createHarness, delay, shape, storeKinds, textOf } from '../harness.ts'

const script = (...events: readonly Yielded[]): Executor =>
  async function* () {
    yield* events
  }

describe.each(storeKinds)('a run over %s', (store) => {
  const rows: readonly { name: string; run: Executor; shapes: readonly string[] }[] = [
    {
      name: 'four events are four frames (STRM-02, STRM-04, STRM-06, STRM-10)',
      run: script(working(), 'pong'),
      shapes: ['task SUBMITTED', 'WORKING', 'pong', 'COMPLETED'],
    },
    {
      name: 'strings append to one answer artifact (STRM-15)',
      run: script('Hel', 'lo', '!'),
      shapes: ['task SUBMITTED', 'Hel', '+lo', '+!', 'COMPLETED'],
    },
    {
      name: 'a message that comes first is the only event (SEND-02, STRM-03)',
      run: script(message('hello')),
      shapes: ['message'],
    },
    {
      name: 'a message that comes later completes the task (STRM-05, MSG-08)',
      run: script(working(), message('done')),
      shapes: ['task SUBMITTED', 'WORKING', 'COMPLETED'],
    },
    {
      name: 'nothing yielded completes the task',
      run: script(),
      shapes: ['task SUBMITTED', 'COMPLETED'],
    },
    {
      name: 'REJECTED may come at once (TASK-07)',
      run: script(reject('no')),
      shapes: ['task SUBMITTED', 'REJECTED'],
    },
    {
      name: 'nothing follows a terminal event (TASK-06, Case 4)',
      run: script(completed(), working(), 'late'),
      shapes: ['task SUBMITTED', 'COMPLETED'],
    },
    {
      name: 'INPUT_REQUIRED ends the stream (STRM-07, AMB-04)',
      run: script('half', inputRequired('more?')),
      shapes: ['task SUBMITTED', 'half', 'INPUT_REQUIRED'],
    },
    {
      name: 'AUTH_REQUIRED keeps the stream open (SEC-24, SEC-25)',
      run: script(authRequired('log in'), working(), 'in'),
      shapes: ['task SUBMITTED', 'AUTH_REQUIRED', 'WORKING', 'in', 'COMPLETED'],
    },
    {
      name: 'leaveOpen ends the run and leaves the state',
      run: script(working(), leaveOpen()),
      shapes: ['task SUBMITTED', 'WORKING'],
    },
    {
      name: 'a surrogate pair that is cut in two arrives whole (PJ-23)',
      run: script('a\ud83d', '\ude00b'),
      shapes: ['task SUBMITTED', 'a', '+😀b', 'COMPLETED'],
    },
    {
      name: 'failed() fails with its text',
      run: script(failed('no luck')),
      shapes: ['task SUBMITTED', 'FAILED'],
    },
  ]
  it.each(rows)('$name', async ({ run, shapes }) => {
    const { stream, get } = await createHarness(run, { store })
    const frames = await stream('ping')
    expect(frames.map(shape)).toEqual(shapes)
    let task: Task | undefined
    if (frames[0]?.task === undefined) return
    for (const frame of frames) {
      task = applyEvent(task, frame)
      const update = frame.statusUpdate ?? frame.artifactUpdate
      if (update !== undefined) expect([update.taskId, update.contextId]).toEqual([task.id, task.contextId])
    }
    expect(task).toEqual(await get(task?.id ?? ''))
  })

  it('completes a task whose earlier run asked for input, when this one asks for nothing', async () => {
    const run: Executor = async function* (task) {
      if (task.history.length === 0) yield inputRequired('what?')
      else yield 'thanks'
    }
    const { sendTask } = await createHarness(run, { store })
    const { id } = await sendTask('hi')
    expect((await sendTask('this', { message: { taskId: id } })).status.state).toBe('TASK_STATE_COMPLETED')
  })

  it('marks the last chunk when the run ends in the same turn (STRM-16)', async () => {
    const { stream } = await createHarness(script('a', 'b'), { store })
    const chunks = (await stream('ping')).flatMap((frame) => frame.artifactUpdate ?? [])
    expect(chunks.map((chunk) => chunk.lastChunk ?? false)).toEqual([false, true])
    expect(new Set(chunks.map((chunk) => chunk.artifact.artifactId)).size).toBe(1)
  })

  it('answers a blocking send with the task as it ended (SEND-01, SEND-09, SEND-10, SEND-11, SEND-21, SEND-24)', async () => {
    const echo: Executor = async function* (task) {
      yield working('thinking')
      await delay(30)
      yield textOf(task.message)
    }
    const { sendTask } = await createHarness(echo, { store })
    const task = await sendTask('ping')
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
    expect(task.artifacts?.map((each) => each.parts)).toEqual([[{ text: 'ping' }]])
    expect(task.history?.map(textOf)).toEqual(['ping', 'thinking'])
    expect(task.history?.map((each) => [each.taskId, each.contextId])).toEqual(Array(2).fill([task.id, task.contextId]))
  })

  it('makes a task when the first event is late, so a message becomes its status (SEND-12)', async () => {
    const slow: Executor = async function* () {
      await delay(60)
      yield message('at last')
    }
    const { sendTask } = await createHarness(slow, { store })
    const task = await sendTask('ping')
    expect([task.status.state, textOf(task.status.message)]).toEqual(['TASK_STATE_COMPLETED', 'at last'])
  })

  it('answers a non-blocking send at the decision (SEND-04, SEND-12, SEND-13)', async () => {
    const slow: Executor = async function* () {
      yield working()
      await delay(100)
      yield 'late'
    }
    const { sendTask, get } = await createHarness(slow, { store })
    const task = await sendTask('ping', { configuration: { returnImmediately: true } })
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state)
    await delay(150)
    expect((await get(task.id)).status.state).toBe('TASK_STATE_COMPLETED')
  })

  it('fails with a safe text when the executor throws, and keeps what came before (TASK-16, ERR-34)', async () => {
    const broken: Executor = async function* () {
      yield 'half an answer'
      throw new Error('password=hunter2 at /srv/secret.ts')
    }
    const { sendTask } = await createHarness(broken, { store })
    const task = await sendTask('ping')
    expect(task.status.state).toBe('TASK_STATE_FAILED')
    expect(JSON.stringify(task)).not.toMatch(/hunter2|secret/)
    expect(task.artifacts?.[0]?.parts).toEqual([{ text: 'half an answer' }])
  })

  it('passes on an A2AError that is thrown before anything was said', async () => {
    const { send } = await createHarness(
      // biome-ignore lint/correctness/useYield: this executor refuses before it yields anything
      async function* () {
        throw new A2AError('ContentTypeNotSupported', 'no pictures, please')
      },
      { store },
    )
    await expect(send('ping')).rejects.toMatchObject({
      code: 'ContentTypeNotSupported',
      message: 'no pictures, please',
    })
  })

  const illegal: readonly { name: string; value: unknown }[] = [
    { name: 'null', value: null },
    { name: 'a number', value: 7 },
    { name: 'an artifact without parts', value: { kind: 'artifact', artifact: { artifactId: 'a', parts: [] } } },
    { name: 'a part with two contents', value: { text: 'a', url: 'https://a.example' } },
    { name: 'a status without a state', value: { kind: 'status', state: 'TASK_STATE_UNSPECIFIED' } },
    { name: 'SUBMITTED after WORKING', value: { kind: 'status', state: 'TASK_STATE_SUBMITTED' } },
    { name: 'an empty message', value: { kind: 'message', parts: [] } },
  ]
  it.each(illegal)('refuses $name from an executor (SEND-23, ERR-06, TASK-11)', async ({ value }) => {
    const { send, stream, engine } = await createHarness(script(working(), value as Yielded), { store })
    await expect(send('ping')).rejects.toMatchObject({ code: 'InvalidAgentResponse' })
    expect((await stream('ping')).map(shape).at(-1)).toBe('FAILED')
    const context = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }
    const { result } = await engine.unary({ operation: 'ListTasks', request: {}, context })
    expect(result.value.tasks.map((task) => task.status.state)).toEqual(['TASK_STATE_FAILED', 'TASK_STATE_FAILED'])
  })

  it('refuses an append after the last chunk (STRM-16)', async () => {
    const run = script(
      artifact('a', { artifactId: 'x', lastChunk: true }),
      artifact('b', { artifactId: 'x', append: true }),
    )
    const { send } = await createHarness(run, { store })
    await expect(send('ping')).rejects.toThrow(/lastChunk/)
  })

  it('joins chunks, replaces without append, and merges metadata by key (DM-20, STRM-14, STRM-15, Case 9)', async () => {
    const run = script(
      artifact('old', { artifactId: 'a' }),
      artifact('Hel', { artifactId: 'a', metadata: { k: 1, first: true } }),
      artifact('lo', { artifactId: 'a', append: true, metadata: { k: 2 } }),
      artifact('!', { artifactId: 'a', append: true, lastChunk: true, metadata: { k: 3 } }),
      artifact('new', { artifactId: 'b', append: true }),
    )
    const { stream, get } = await createHarness(run, { store })
    const events = await stream('ping')
    const { artifacts } = await get(events[0]?.task?.id ?? '')
    expect(artifacts).toEqual([
      { artifactId: 'a', metadata: { k: 3, first: true }, parts: [{ text: 'Hello!' }] },
      { artifactId: 'b', parts: [{ text: 'new' }] },
    ])
    expect(events.map((event) => event.artifactUpdate?.artifact.metadata?.k)).toEqual([
      undefined,
      undefined,
      1,
      2,
      3,
      undefined,
      undefined,
    ])
  })
})

describe('agent()', () => {
  const good = { name: 'a', description: 'd', version: '1', run: script() }
  it.each(['name', 'description', 'version', 'run'])('names the field %s when it is missing', (field) => {
    expect(() => agent({ ...good, [field]: undefined })).toThrow(field)
  })
  it('fills in a skill, tags and modes (CARD-03)', () => {
    const made = agent({ ...good, name: 'My Agent' })
    expect(made.skills).toEqual([{ id: 'my-agent', name: 'My Agent', description: 'd', tags: ['my-agent'] }])
    expect([made.inputModes, made.outputModes]).toEqual([['text/plain'], ['text/plain']])
  })
})
