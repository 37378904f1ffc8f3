import { describe, expect, it } from 'vitest'
import { authRequired, type Executor, inputRequired, leaveOpen, working } from '../../src/engine/executor.ts'
import type { StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { applyEvent } from '../../src/protocol/task.ts'
import { collect, createHarness, delay, shape, storeKinds, textOf, until } from '../harness.ts'

const asks: Executor = async function* (task) {
  yield working()
  if (task.history.length === 0) yield inputRequired('what colour?')
  else yield `painted it ${textOf(task.message)}`
}

const waits = (ms: number): Executor =>
  async function* (task) {
    yield working()
    await Promise.race([delay(ms), new Promise((resolve) => task.signal.addEventListener('abort', resolve))])
    yield 'done'
  }

const deaf: Executor = async function* () {
  yield working()
  await delay(1_000)
}

describe.each(storeKinds)('the life of a task over %s', (store) => {
  describe('follow-ups', () => {
    it('continues an INPUT_REQUIRED task with the same ids (SEND-19, TASK-08, TASK-12, CTX-14, CTX-17)', async () => {
      const { sendTask } = await createHarness(asks, { store })
      const asked = await sendTask('paint it')
      expect([asked.status.state, textOf(asked.status.message)]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'what colour?'])
      const done = await sendTask('blue', { message: { taskId: asked.id } })
      expect([done.id, done.contextId]).toEqual([asked.id, asked.contextId])
      expect(done.history?.map(textOf)).toEqual(['paint it', 'what colour?', 'blue'])
      expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'painted it blue' }])
    })

    it('gives a run every earlier message, also those whose messageId is used again (SEND-19)', async () => {
      const { sendTask } = await createHarness(asks, { store })
      const asked = await sendTask('paint it', { message: { messageId: 'same' } })
      const done = await sendTask('blue', { message: { messageId: 'same', taskId: asked.id } })
      expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'painted it blue' }])
    })

    it('streams a follow-up from the task as the message found it (AMB-07)', async () => {
      const { sendTask, stream } = await createHarness(asks, { store })
      const asked = await sendTask('paint it')
      const frames = await stream('blue', { message: { taskId: asked.id } })
      expect(frames.map(shape)).toEqual(['task INPUT_REQUIRED', 'WORKING', 'painted it blue', 'COMPLETED'])
      expect(frames[0]?.task?.history?.map(textOf)).toEqual(['paint it', 'blue'])
    })

    it.each([
      { name: 'unknown task (SEND-07, TASK-03, CTX-13)', message: { taskId: 'nope' }, code: 'TaskNotFound' },
      { name: 'other context (CTX-15, AMB-23)', message: { contextId: 'other' }, code: 'InvalidParams' },
    ])('refuses a message to an $name', async ({ message, code }) => {
      const { sendTask, send } = await createHarness(asks, { store })
      const asked = await sendTask('paint it')
      await expect(send('blue', { message: { taskId: asked.id, ...message } })).rejects.toMatchObject({ code })
    })

    it('refuses a message to a terminal task (SEND-06, STRM-08)', async () => {
      const { sendTask, send, stream } = await createHarness(waits(0), { store })
      const message = { taskId: (await sendTask('go')).id }
      await expect(send('again', { message })).rejects.toMatchObject({ code: 'UnsupportedOperation' })
      await expect(stream('again', { message })).rejects.toMatchObject({ code: 'UnsupportedOperation' })
    })

    it('queues a message to a busy task and runs it next (AMB-18)', async () => {
      const seen: string[] = []
      let running = 0
      const { send, open, sendTask } = await createHarness(
        async function* (task) {
          running += 1
          expect(running).toBe(1)
          seen.push(textOf(task.message))
          yield working()
          await delay(40)
          yield `did ${textOf(task.message)}`
          running -= 1
        },
        { store },
      )
      const stream = await open('one')
      const iterator = stream[Symbol.asyncIterator]()
      const first = (await iterator.next()).value as StreamResponse
      const task = await sendTask('two', { message: { taskId: first.task?.id ?? '' } })
      expect(seen).toEqual(['one', 'two'])
      expect(task.status.state).toBe('TASK_STATE_COMPLETED')
      expect(task.artifacts?.map((each) => each.parts[0]?.text)).toEqual(['did one', 'did two'])
      await iterator.return?.()
      await expect(send('three', { message: { taskId: task.id } })).rejects.toMatchObject({
        code: 'UnsupportedOperation',
      })
    })

    it('lets an executor read waiting messages itself, and refuses those it leaves behind a terminal event', async () => {
      const { sendTask, send, get } = await createHarness(
        async function* (task) {
          yield inputRequired('name?')
          for await (const message of task.messages) {
            yield `hello ${textOf(message)}`
            await delay(30)
            return
          }
        },
        { store },
      )
      const asked = await sendTask('hi')
      const [named, late] = await Promise.allSettled([
        sendTask('Ada', { message: { taskId: asked.id } }),
        send('Bob', { message: { taskId: asked.id } }),
      ])
      expect(named.status).toBe('fulfilled')
      await until(async () => (await get(asked.id)).status.state !== 'TASK_STATE_WORKING')
      expect((await get(asked.id)).history?.map(textOf)).toContain('Ada')
      expect(['fulfilled', 'rejected']).toContain(late.status)
    })

    it('refuses more waiting messages than the limit (SEC-51)', async () => {
      const { sendTask, send } = await createHarness(waits(200), { store, limits: { queue: 1 } })
      const { id } = await sendTask('go', { configuration: { returnImmediately: true } })
      const configuration = { returnImmediately: true }
      await send('a', { message: { taskId: id }, configuration })
      await expect(send('b', { message: { taskId: id }, configuration })).rejects.toMatchObject({
        code: 'ResourceExhausted',
      })
    })

    it('continues a task that was left open', async () => {
      const { sendTask } = await createHarness(
        async function* (task) {
          yield working()
          if (task.history.length === 0) yield leaveOpen()
          else yield 'closed'
        },
        { store },
      )
      const open = await sendTask('one')
      expect(open.status.state).toBe('TASK_STATE_WORKING')
      expect((await sendTask('two', { message: { taskId: open.id } })).status.state).toBe('TASK_STATE_COMPLETED')
    })
  })

  describe('cancel', () => {
    it('aborts a run and answers with CANCELED (CANC-01, CANC-08)', async () => {
      const { open, cancel } = await createHarness(waits(5_000), { store })
      const stream = await open('go')
      const iterator = stream[Symbol.asyncIterator]()
      const id = ((await iterator.next()).value as StreamResponse).task?.id ?? ''
      const rest = collect({ [Symbol.asyncIterator]: () => iterator })
      const task = await cancel(id)
      expect(task.status.state).toBe('TASK_STATE_CANCELED')
      expect((await rest).map(shape)).toEqual(['WORKING', 'done', 'CANCELED'])
    })

    it('forces CANCELED on an executor that does not listen (CANC-02, Case 3 A)', async () => {
      const { sendTask, cancel, get } = await createHarness(deaf, { store })
      const { id } = await sendTask('go', { configuration: { returnImmediately: true } })
      expect((await cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
      expect((await get(id)).status.state).toBe('TASK_STATE_CANCELED')
    })

    it('cancels a task on which nothing runs (CANC-10, Case 3 B)', async () => {
      const { sendTask, cancel } = await createHarness(asks, { store })
      const { id } = await sendTask('paint it')
      expect((await cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
    })

    it('answers two cancels at once alike, and refuses a later one (CANC-03, CANC-05, AMB-15, Case 3 C)', async () => {
      const { sendTask, cancel } = await createHarness(waits(5_000), { store })
      const { id } = await sendTask('go', { configuration: { returnImmediately: true } })
      const both = await Promise.all([cancel(id), cancel(id)])
      expect(both.map((task) => task.status.state)).toEqual(['TASK_STATE_CANCELED', 'TASK_STATE_CANCELED'])
      await expect(cancel(id)).rejects.toMatchObject({ code: 'TaskNotCancelable' })
      await expect(cancel('nope')).rejects.toMatchObject({ code: 'TaskNotFound' })
    })

    it('leaves one terminal state when the end and a cancel meet (Case 4 C)', async () => {
      const { sendTask, cancel, get, subscribe } = await createHarness(waits(2), { store, limits: { cancelGrace: 20 } })
      for (let round = 0; round < 60; round += 1) {
        const { id } = await sendTask('go', { configuration: { returnImmediately: true } })
        const seen = subscribe(id).then(collect, () => [])
        await delay(round % 4)
        const answer = await cancel(id).catch(() => undefined)
        const stored = await get(id)
        if (answer !== undefined) expect(answer.status).toEqual(stored.status)
        const ends = (await seen).map(shape).filter((each) => /COMPLETED|CANCELED|FAILED/.test(each))
        if (ends.length > 0) expect(ends).toEqual([stored.status.state.replace('TASK_STATE_', '')])
      }
    })

    it('hands the metadata of the request to the executor (CANC-09)', async () => {
      let reason: unknown
      const { sendTask, engine } = await createHarness(
        async function* (task) {
          yield working()
          await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
          reason = task.signal.reason
        },
        { store },
      )
      const { id } = await sendTask('go', { configuration: { returnImmediately: true } })
      const context = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }
      await engine.unary({ operation: 'CancelTask', request: { id, metadata: { why: 'bored' } }, context })
      expect(reason).toMatchObject({ kind: 'cancel', metadata: { why: 'bored' } })
    })
  })

  describe('streams', () => {
    it('go on without the reader: leaving stops nothing (STRM-20, STRM-21, SSE-10, Case 1)', async () => {
      const { open, subscribe, get } = await createHarness(waits(60), { store })
      const iterator = (await open('go'))[Symbol.asyncIterator]()
      const id = ((await iterator.next()).value as StreamResponse).task?.id ?? ''
      const other = subscribe(id).then(collect)
      await iterator.return?.()
      expect((await other).map(shape).at(-1)).toBe('COMPLETED')
      expect((await get(id)).artifacts).toHaveLength(1)
    })

    it('give subscribers equal snapshots and events, without gap or duplicate (SUB-02, SUB-03, SUB-04, SUB-12, STRM-17, STRM-18, STRM-19, Case 6)', async () => {
      const { sendTask, subscribe, get } = await createHarness(
        async function* () {
          yield working()
          for (let count = 0; count < 50; count += 1) {
            yield `${count},`
            if (count % 5 === 0) await delay(1)
          }
        },
        { store },
      )
      const { id } = await sendTask('count', { configuration: { returnImmediately: true } })
      const readers = Array.from({ length: 100 }, async (_, index) => {
        await delay(index % 25)
        const stream = await subscribe(id).catch((error: { code: string }) => error.code)
        if (typeof stream === 'string') return stream
        return (await collect(stream)).reduce<Task | undefined>((task, frame) => applyEvent(task, frame), undefined)
      })
      const views = await Promise.all(readers)
      const stored = await get(id)
      for (const view of views) {
        if (view !== 'UnsupportedOperation') expect(view).toEqual(stored)
      }
      expect(views.some((view) => typeof view === 'object')).toBe(true)
    })

    it('live across runs until the task is terminal (SUB-01, SUB-08)', async () => {
      const { sendTask, subscribe } = await createHarness(asks, { store })
      const { id } = await sendTask('paint it')
      const reader = collect(await subscribe(id))
      await sendTask('blue', { message: { taskId: id } })
      expect((await reader).map(shape)).toEqual(['task INPUT_REQUIRED', 'WORKING', 'painted it blue', 'COMPLETED'])
    })

    it('are refused for terminal and unknown tasks (SUB-05, SUB-06)', async () => {
      const { sendTask, subscribe } = await createHarness(waits(0), { store })
      const { id } = await sendTask('go')
      await expect(subscribe(id)).rejects.toMatchObject({ code: 'UnsupportedOperation' })
      await expect(subscribe('nope')).rejects.toMatchObject({ code: 'TaskNotFound' })
    })

    it('resume at any event with what came after, also when the task has ended', async () => {
      const { stream, engine } = await createHarness(
        async function* () {
          yield working('thinking')
          yield 'a'
          yield 'b'
          yield 'c'
        },
        { store },
      )
      const context = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }
      const all = await stream('go')
      const id = all[0]?.task?.id ?? ''
      const whole = all.reduce<Task | undefined>((task, frame) => applyEvent(task, frame), undefined)
      for (let cut = 2; cut <= all.length + 1; cut += 1) {
        const headers = { 'last-event-id': String(cut) }
        const { events } = await engine.stream({
          operation: 'SubscribeToTask',
          request: { id },
          context: { ...context, headers },
        })
        const batches = await collect(events)
        const frames = batches.flat()
        expect(frames.map((frame) => frame.id)).toEqual(
          Array.from({ length: all.length + 2 - cut }, (_, index) => cut + index),
        )
        expect(
          frames
            .map((frame) => frame.value)
            .reduce<Task | undefined>((task, frame) => applyEvent(task, frame), undefined),
        ).toEqual(whole)
      }
      for (const unknown of ['0', '99', 'x', '-1', '1e3']) {
        const headers = { 'last-event-id': unknown }
        const { events } = await engine.stream({
          operation: 'SubscribeToTask',
          request: { id },
          context: { ...context, headers },
        })
        const [only, ...more] = (await collect(events)).flat()
        expect([only?.value.task, more]).toEqual([whole, []])
      }
    })

    it('end for a reader whose signal is aborted, and free what they held', async () => {
      const { open, engine, sendTask } = await createHarness(waits(300), { store, limits: { streamsPerOwner: 1 } })
      const leaving = new AbortController()
      const frames = collect(await open('go', { context: { signal: leaving.signal } }))
      await expect(open('go')).rejects.toMatchObject({ code: 'ResourceExhausted' })
      leaving.abort()
      await frames
      expect((await collect(await open('go'))).length).toBeGreaterThan(0)
      expect((await sendTask('go')).status.state).toBe('TASK_STATE_COMPLETED')
      expect(engine.agent.name).toBe('tested')
    })

    it('show AUTH_REQUIRED to a blocking caller at once while the run goes on (AMB-08, SEC-20, SEC-21, SEC-22)', async () => {
      const { sendTask, get } = await createHarness(
        async function* () {
          yield authRequired('log in at the bank')
          await delay(40)
          yield working()
          yield 'paid'
        },
        { store },
      )
      const asked = await sendTask('pay')
      expect([asked.status.state, textOf(asked.status.message)]).toEqual([
        'TASK_STATE_AUTH_REQUIRED',
        'log in at the bank',
      ])
      await until(async () => (await get(asked.id)).status.state === 'TASK_STATE_COMPLETED')
    })
  })
})
