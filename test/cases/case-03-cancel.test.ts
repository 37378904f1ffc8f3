import { describe, expect, it } from 'vitest'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { delay, textOf, until } from '../harness.ts'
import { fold, openStream, shapes, streamScript, taskIdOf } from './raw-stream.ts'
import { createGate } from './scripted-agent.ts'
import { fullMatrix, serve } from './served.ts'
import { allBindings, atOnce, callerOf, type Outcome, sendRequest } from './wire.ts'

const notCancelable = { reason: 'TASK_NOT_CANCELABLE' }

describe.each(fullMatrix)('over $binding and $store', ({ store, binding }) => {
  it('Case 3 A: an agent that ignores the cancel is stopped, and what it says later counts for nothing (CANC-01, CANC-08, TASK-06)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const stream = await streamScript(caller, `nocancel status:WORKING ${gate.hold} chunk:a:late status:WORKING done`)
    const id = await taskIdOf(stream)
    const second = await openStream(caller, 'SubscribeToTask', { id })
    const canceled = await caller.cancel(id)
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED')
    gate.open()
    await delay(20)
    expect(await caller.get(id)).toEqual(canceled)
    for (const reader of [stream, second]) {
      expect(shapes(await reader.rest()).at(-1)).toBe('CANCELED')
      expect(await reader.ended()).toBe('ended')
    }
    expect(await caller.get(id)).toEqual(canceled)
  })

  it.each([
    ['stops when told', 'status:WORKING HOLD chunk:a:never done', 'CANCELED'],
    ['stops before it has said anything', 'HOLD done', 'CANCELED'],
    ['says CANCELED itself, with a word of farewell', 'nocancel status:WORKING HOLD status:CANCELED:bye', 'CANCELED'],
    ['throws when it is told', 'nocancel status:WORKING HOLD throw', 'CANCELED'],
    ['finishes all the same before the time is up', 'nocancel status:WORKING HOLD chunk:a:x done', 'COMPLETED'],
    ['fails all the same', 'nocancel status:WORKING HOLD fail', 'FAILED'],
    ['asks a question instead', 'nocancel status:WORKING HOLD status:INPUT_REQUIRED:sure?', 'CANCELED'],
  ])(
    'Case 3 A: an agent that %s: the answer is how the task ended, for everybody (CANC-02, TASK-09)',
    async (_, script, end) => {
      const served = await serve({ store, limits: { cancelGrace: 2_000 } })
      const caller = callerOf(served, binding)
      const gate = createGate()
      const { id } = await caller.send(script.replace('HOLD', gate.hold), atOnce)
      const stream = await openStream(caller, 'SubscribeToTask', { id })
      const canceling = caller.cancel(id)
      if (script.startsWith('nocancel')) {
        await delay(60)
        gate.open()
      }
      const answer = await canceling
      expect(answer.status.state).toBe(`TASK_STATE_${end}`)
      expect(await caller.get(id)).toEqual(answer)
      const frames = await stream.rest()
      expect(shapes(frames).at(-1)).toBe(end)
      expect(fold(frames)).toEqual(answer)
    },
  )

  it.each(['INPUT_REQUIRED', 'AUTH_REQUIRED'])(
    'Case 3 B: a task that waits in %s, with nobody at work, is canceled at once (CANC-10)',
    async (state) => {
      const served = await serve({ store })
      const caller = callerOf(served, binding)
      const { id, status } = await caller.send(`status:${state}:well?`)
      expect(status.state).toBe(`TASK_STATE_${state}`)
      const stream = await openStream(caller, 'SubscribeToTask', { id })
      const answer = await caller.cancel(id)
      expect(answer.status.state).toBe('TASK_STATE_CANCELED')
      expect(answer.history?.map(textOf)).toContain('well?')
      expect(shapes(await stream.rest())).toEqual([`task ${state}`, 'CANCELED'])
      expect(await caller.fails('SendMessage', sendRequest('done', { message: { taskId: id } }))).toMatchObject({
        reason: 'UNSUPPORTED_OPERATION',
      })
    },
  )

  it('Case 3 C: cancels at the same moment, over every binding, all succeed; a later one is refused (CANC-03, CANC-05, AMB-15)', async () => {
    const served = await serve({ store, limits: { cancelGrace: 250 } })
    const callers = allBindings.map((name) => callerOf(served, name))
    const gate = createGate()
    const { id } = await callerOf(served, binding).send(`nocancel status:WORKING ${gate.hold}`, atOnce)
    const answers = await Promise.all([...callers, ...callers, ...callers].map((caller) => caller.cancel(id)))
    expect(new Set(answers.map(({ status }) => JSON.stringify(status))).size).toBe(1)
    expect(answers[0]?.status.state).toBe('TASK_STATE_CANCELED')
    gate.open()
    const later = await callerOf(served, binding).fails('CancelTask', { id })
    const wire = {
      JSONRPC: { code: -32002, httpStatus: 200 },
      'HTTP+JSON': { code: 400, httpStatus: 400, status: 'FAILED_PRECONDITION' },
      GRPC: { code: 9, status: 'FAILED_PRECONDITION' },
    }
    expect(later).toMatchObject({ ...notCancelable, ...wire[binding] })
  })

  it.each(['done', 'fail', 'status:REJECTED', 'status:CANCELED', 'throw'])(
    'Case 3: a task that ended by %s cannot be canceled (CANC-03)',
    async (script) => {
      const served = await serve({ store })
      const caller = callerOf(served, binding)
      const before = await caller.send(`status:WORKING ${script}`)
      expect(await caller.fails('CancelTask', { id: before.id })).toMatchObject(notCancelable)
      expect(await caller.get(before.id)).toEqual(before)
    },
  )

  it('Case 3: messages that wait for a canceled task are refused, and none of them is run (AMB-18)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const gate = createGate()
    const { id } = await caller.send(`status:WORKING ${gate.hold}`, atOnce)
    const waiting = ['chunk:a:one', 'chunk:a:two'].map((script) =>
      caller.fails('SendMessage', sendRequest(script, { message: { taskId: id } })),
    )
    await until(async () => ((await caller.get(id)).history?.length ?? 0) === 3)
    await caller.cancel(id)
    for (const error of await Promise.all(waiting)) expect(error.reason).toBe('UNSUPPORTED_OPERATION')
    expect((await caller.get(id)).artifacts).toBeUndefined()
  })

  it('Case 3: a cancel and a message that reach a waiting task together: neither waits for the other to end (CANC-01, AMB-18)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    for (let round = 0; round < 5; round++) {
      const { id } = await caller.send('status:INPUT_REQUIRED:which?')
      const say = (script: string): Promise<Outcome> =>
        caller.call('SendMessage', sendRequest(script, { message: { taskId: id }, ...atOnce }))
      const cancel = (): Promise<Outcome> => caller.call('CancelTask', { id })
      const calls = [() => say('read chunk:a:x done'), cancel, () => say('read chunk:b:y done'), cancel]
      await Promise.all((round % 2 ? calls : calls.reverse()).map((call) => call()))
      expect((await caller.get(id)).status.state).toMatch(/CANCELED|COMPLETED/)
    }
  })

  it('Case 3: of messages that reach a waiting task together, the first run may read the others (AMB-18)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    for (let round = 0; round < 5; round++) {
      const { id } = await caller.send('status:INPUT_REQUIRED:which?')
      const say = (): Promise<Outcome> =>
        caller.call('SendMessage', sendRequest('read done', { message: { taskId: id } }))
      const outcomes = await Promise.all([say(), say()])
      expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined])
      expect((await caller.get(id)).artifacts?.[0]?.parts).toEqual([{ text: 'read read done' }])
    }
  })

  it('Case 3: a task that is not there, or has no id (CANC-04, GET-06)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    for (const id of ['nope', '01a22ef2-3d68-773f-94dc-f7fc24573335', 'a b/c?d#e', '%2F', '..%2F', 'ü', '😀']) {
      expect(await caller.fails('CancelTask', { id })).toMatchObject({ reason: 'TASK_NOT_FOUND' })
    }
    if (binding === 'JSONRPC')
      expect(await caller.fails('CancelTask', { id: '' })).toMatchObject({ code: -32602, fields: ['id'] })
  })
})

it('Case 3 B: a task that was left by a server that is gone is canceled by the next (CANC-10)', async () => {
  const first = await serve({ store: 'sqlite' })
  const { id } = await callerOf(first, 'JSONRPC').send('status:INPUT_REQUIRED:well?')
  await first.close()
  const second = await serve({ store: 'sqlite', path: first.path })
  const caller = callerOf(second, 'HTTP+JSON')
  const stream = await openStream(caller, 'SubscribeToTask', { id })
  const answer: Task = await caller.cancel(id)
  expect(answer.status.state).toBe('TASK_STATE_CANCELED')
  expect(shapes(await stream.rest())).toEqual(['task INPUT_REQUIRED', 'CANCELED'])
})

it('Case 3: two servers on one file: the one without the run tells, and the other one goes on', async () => {
  const first = await serve({ store: 'sqlite' })
  const second = await serve({ store: 'sqlite', path: first.path })
  const gate = createGate()
  const { id } = await callerOf(first, 'JSONRPC').send(`status:WORKING ${gate.hold} chunk:a:x done`, atOnce)
  const caller = callerOf(second, 'JSONRPC')
  const stream = await openStream(caller, 'SubscribeToTask', { id })
  gate.open()
  const frames = await stream.rest()
  expect(shapes(frames).at(-1)).toBe('COMPLETED')
  expect(fold(frames)).toEqual(await caller.get(id))
  expect(await caller.fails('CancelTask', { id })).toMatchObject(notCancelable)
})
