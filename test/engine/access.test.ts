import { describe, expect, it } from 'vitest'
import { type Executor, inputRequired, message, working } from '../../src/engine/executor.ts'
import type { CallContext } from '../../src/protocol/endpoint.ts'
import type { ListTasksRequest, ListTasksResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { operations } from '../../src/protocol/operations.ts'
import { anybody, collect, createHarness, delay, type Harness, shape, storeKinds, textOf } from '../harness.ts'

const echo: Executor = async function* (task) {
  const text = textOf(task.message)
  if (text === 'ask') yield inputRequired('what?')
  else if (text === 'message') yield message('just this')
  else yield text
}

const list = async (
  { engine }: Harness,
  request: ListTasksRequest = {},
  context: Partial<CallContext> = {},
): Promise<ListTasksResponse> =>
  (await engine.unary({ operation: 'ListTasks', request, context: { ...anybody, ...context } })).result.value

describe.each(storeKinds)('over %s', (store) => {
  describe('whose tasks', () => {
    const ann = { owner: 'ann' }
    const bob = { owner: 'bob' }

    it('hides every task from whoever is not its owner (GET-03, SEC-12, SEC-40, SEC-42, SEC-43, CANC-07, SUB-11, ERR-15, ERR-16, LIST-01, LIST-24)', async () => {
      const harness = await createHarness(echo, { store })
      const { id } = await harness.sendTask('ask', { context: ann })
      const notFound = { code: 'TaskNotFound' }
      await expect(harness.get(id, undefined, bob)).rejects.toMatchObject(notFound)
      await expect(harness.cancel(id, bob)).rejects.toMatchObject(notFound)
      await expect(harness.subscribe(id, bob)).rejects.toMatchObject(notFound)
      await expect(harness.send('x', { message: { taskId: id }, context: bob })).rejects.toMatchObject(notFound)
      expect((await list(harness, {}, bob)).totalSize).toBe(0)
      expect((await list(harness, {}, ann)).totalSize).toBe(1)
      await expect(harness.get(id, undefined, { ...ann, tenant: 'other' })).rejects.toMatchObject(notFound)
    })

    it('keeps contexts of the same name apart, and references too (CTX-03, CTX-05, CTX-21)', async () => {
      const seen: number[] = []
      const harness = await createHarness(
        async function* (task) {
          seen.push((await task.context.tasks()).length, (await task.references()).length)
          yield 'ok'
        },
        { store },
      )
      const mine = await harness.sendTask('a', { message: { contextId: 'shared' }, context: ann })
      expect(mine.contextId).toBe('shared')
      await harness.sendTask('b', { message: { contextId: 'shared', referenceTaskIds: [mine.id] }, context: bob })
      await harness.sendTask('c', { message: { contextId: 'shared', referenceTaskIds: [mine.id] }, context: ann })
      expect(seen).toEqual([0, 0, 0, 0, 1, 1])
      expect((await list(harness, { contextId: 'shared' }, bob)).totalSize).toBe(1)
    })

    it('makes contextIds where none is given, and tasks of one context stay apart (CTX-01, CTX-02, CTX-16, TASK-01, TASK-02, TASK-15)', async () => {
      const harness = await createHarness(echo, { store })
      const first = await harness.sendTask('a')
      const second = await harness.sendTask('b', { message: { contextId: first.contextId ?? '' } })
      expect(first.contextId).not.toBe('')
      expect(second.contextId).toBe(first.contextId)
      expect(second.id).not.toBe(first.id)
      expect(second.history?.map(textOf)).toEqual(['b'])
    })

    it('gives the executor earlier tasks of the conversation, oldest first (CTX-08, CTX-19)', async () => {
      const seen: string[][] = []
      const harness = await createHarness(
        async function* (task) {
          seen.push((await task.context.tasks()).map((each) => textOf(each.history?.[0])))
          yield textOf(task.message)
        },
        { store },
      )
      for (const text of ['one', 'two', 'three']) await harness.sendTask(text, { message: { contextId: 'talk' } })
      expect(seen).toEqual([[], ['one'], ['one', 'two']])
    })
  })

  describe('ListTasks', () => {
    it('answers with all four members, newest first, without artifacts (LIST-03, LIST-04, LIST-08, LIST-13, LIST-17, LIST-21, AMB-32)', async () => {
      const harness = await createHarness(echo, { store })
      expect(await list(harness)).toEqual({ tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 })
      for (const text of ['a', 'b', 'c']) {
        await harness.sendTask(text)
        await delay(2)
      }
      const page = await list(harness)
      expect(page.tasks.map((task) => textOf(task.history?.[0]))).toEqual(['c', 'b', 'a'])
      expect(page.tasks.some((task) => 'artifacts' in task)).toBe(false)
      const full = await list(harness, { includeArtifacts: true })
      expect(full.tasks[0]?.artifacts?.[0]?.parts).toEqual([{ text: 'c' }])
    })

    it('walks pages that survive updates of the cursor row, and refuses foreign tokens (LIST-02, LIST-16, LIST-19, LIST-22, LIST-23, Case 39)', async () => {
      const harness = await createHarness(echo, { store })
      await Promise.all(Array.from({ length: 7 }, () => harness.sendTask('ask')))
      const first = await list(harness, { pageSize: 2 })
      expect([first.tasks.length, first.totalSize]).toEqual([2, 7])
      await harness.cancel(first.tasks[1]?.id ?? '')
      const seen = new Set(first.tasks.map((task) => task.id))
      let token = first.nextPageToken
      while (token !== '') {
        const page = await list(harness, { pageSize: 2, pageToken: token })
        for (const task of page.tasks) {
          expect(seen.has(task.id)).toBe(false)
          seen.add(task.id)
        }
        token = page.nextPageToken
      }
      expect(seen.size).toBe(7)
      const bad = { code: 'InvalidParams', violations: [expect.objectContaining({ field: 'pageToken' })] }
      for (const pageToken of ['zzz', '====', btoa('[1,2,"x"]'), btoa('{}')]) {
        await expect(list(harness, { pageToken })).rejects.toMatchObject(bad)
      }
      const { nextPageToken } = await list(harness, { pageSize: 2 })
      await expect(list(harness, { pageToken: nextPageToken, status: 'TASK_STATE_CANCELED' })).rejects.toMatchObject(
        bad,
      )
      await expect(list(harness, { pageToken: nextPageToken }, { owner: 'eve' })).rejects.toMatchObject(bad)
    })

    it.each([0, -1, 101])('refuses pageSize %i (LIST-06, AMB-34)', async (pageSize) => {
      await expect(list(await createHarness(echo, { store }), { pageSize })).rejects.toMatchObject({
        code: 'InvalidParams',
      })
    })

    it('filters by context, state and time, all at once (LIST-05, LIST-09, LIST-10, LIST-11, LIST-12, AMB-35)', async () => {
      const harness = await createHarness(echo, { store })
      const tasks: Task[] = []
      for (const [index, text] of ['a', 'ask', 'b', 'ask'].entries()) {
        tasks.push(await harness.sendTask(text, { message: { contextId: index < 2 ? 'x' : 'y' } }))
        await delay(3)
      }
      const since = tasks[2]?.status.timestamp ?? ''
      const sizes = async (request: ListTasksRequest): Promise<number> => (await list(harness, request)).totalSize
      expect(await sizes({ contextId: 'x' })).toBe(2)
      expect(await sizes({ status: 'TASK_STATE_INPUT_REQUIRED' })).toBe(2)
      expect(await sizes({ statusTimestampAfter: since })).toBe(2)
      expect(await sizes({ statusTimestampAfter: since, status: 'TASK_STATE_COMPLETED', contextId: 'y' })).toBe(1)
    })
  })

  describe('historyLength', () => {
    it.each([
      { length: undefined, texts: ['ask', 'what?', 'again', 'ask'], rule: 'HIST-01' },
      { length: 0, texts: undefined, rule: 'HIST-02' },
      { length: 1, texts: ['ask'], rule: 'HIST-03, HIST-04' },
      { length: 2, texts: ['again', 'ask'], rule: 'HIST-04, HIST-05' },
      { length: 100, texts: ['ask', 'what?', 'again', 'ask'], rule: 'HIST-10' },
    ])(
      '$length gives $texts everywhere ($rule, GET-04, LIST-15, SEND-17, STRM-24, Case 11)',
      async ({ length, texts }) => {
        const harness = await createHarness(
          async function* (task) {
            if (textOf(task.message) === 'ask') yield inputRequired('what?')
            else yield working('again')
            if (textOf(task.message) !== 'ask') yield inputRequired('more?')
          },
          { store },
        )
        const configuration = length === undefined ? {} : { historyLength: length }
        const { id } = await harness.sendTask('ask')
        await harness.sendTask('x', { message: { taskId: id } })
        const again = await harness.sendTask('ask', { message: { taskId: id }, configuration })
        const all = ['ask', 'what?', 'x', 'again', 'more?', 'ask']
        const expected = length === undefined || length === 100 ? all : length === 0 ? undefined : all.slice(-length)
        expect(texts === undefined).toBe(expected === undefined)
        expect(again.history?.map(textOf)).toEqual(expected)
        expect((await harness.get(id, length)).history?.map(textOf)).toEqual(expected)
        const page = await list(harness, length === undefined ? {} : { historyLength: length })
        expect(page.tasks[0]?.history?.map(textOf)).toEqual(expected)
        expect((await harness.get(id)).history?.map(textOf)).toEqual(all)
      },
    )

    it('is refused below 0 (HIST-06)', async () => {
      const harness = await createHarness(echo, { store })
      const { id } = await harness.sendTask('a')
      const refused = { code: 'InvalidParams' }
      await expect(harness.get(id, -1)).rejects.toMatchObject(refused)
      await expect(list(harness, { historyLength: -1 })).rejects.toMatchObject(refused)
      await expect(harness.send('a', { configuration: { historyLength: -1 } })).rejects.toMatchObject(refused)
    })
  })

  describe('capabilities', () => {
    it.each(
      operations.filter((row) => row.needs !== undefined).map((row) => [row.name, row.needs?.error, row.kind] as const),
    )(
      '%s answers %s when its capability is off (CAP-01, CAP-02, CAP-03, CAP-04, STRM-01, SUB-07, PUSH-01, XCARD-11, STRM-22)',
      async (operation, code, kind) => {
        const { engine } = await createHarness(echo, { store, streaming: false })
        const call = { operation, request: {}, context: anybody } as never
        await expect(kind === 'unary' ? engine.unary(call) : engine.stream(call)).rejects.toMatchObject({ code })
      },
    )

    it('refuses an inline push config (CAP-08, AMB-45)', async () => {
      const { send } = await createHarness(echo, { store })
      const configuration = { taskPushNotificationConfig: { url: 'https://hook.example' } }
      await expect(send('a', { configuration })).rejects.toMatchObject({ code: 'PushNotificationNotSupported' })
    })

    it('asks for required extensions on sends, and echoes what it activated (CAP-06, EXT-05, EXT-06, EXT-07, EXT-11, EXT-12, EXT-19)', async () => {
      const uri = 'https://ext.example/v1'
      const { engine, send } = await createHarness(echo, { store, extensions: [{ uri, required: true }] })
      await expect(send('a')).rejects.toMatchObject({ code: 'ExtensionSupportRequired' })
      await expect(send('a', { context: { extensions: [uri.toUpperCase()] } })).rejects.toMatchObject({
        code: 'ExtensionSupportRequired',
      })
      const context = { ...anybody, extensions: [uri, 'https://unknown.example'] }
      const { extensions } = await engine.unary({ operation: 'ListTasks', request: {}, context })
      expect(extensions).toEqual([uri])
    })

    it.each([
      ['application/x-nope', false],
      ['text/plain; charset=utf-8', true],
      ['TEXT/PLAIN', true],
      ['image/png', true],
    ])('takes or refuses a part of %s: %s (SEND-05, STRM-08)', async (mediaType, taken) => {
      const { send } = await createHarness(echo, { store, inputModes: ['text/plain', 'image/*'] })
      const sent = send([{ text: 'a', mediaType }])
      if (taken) await sent
      else await expect(sent).rejects.toMatchObject({ code: 'ContentTypeNotSupported' })
    })

    it('hands accepted output modes and request metadata to the executor (SEND-15, SEND-22)', async () => {
      let seen: unknown
      const { send } = await createHarness(
        async function* (task) {
          seen = [task.acceptedOutputModes, task.metadata, task.message.metadata]
          yield 'ok'
        },
        { store },
      )
      const configuration = { acceptedOutputModes: ['application/json'] }
      await send('a', { configuration, metadata: { a: 1 }, message: { metadata: { b: 2 } } })
      expect(seen).toEqual([['application/json'], { a: 1 }, { b: 2 }])
    })
  })

  describe('Idempotency-Key', () => {
    const keyed = (key: string, owner = ''): Partial<CallContext> => ({ headers: { 'idempotency-key': key }, owner })

    it.each(['work', 'message'])('gives the first answer to the same request again, running once: %s', async (text) => {
      let runs = 0
      const harness = await createHarness(
        async function* (task) {
          runs += 1
          await delay(5)
          yield* echo(task)
        },
        { store },
      )
      const fixed = { messageId: 'm-1' }
      const twice = () => harness.send(text, { message: fixed, context: keyed('k') })
      const [first, second] = await Promise.all([twice(), twice()])
      const third = await twice()
      expect(second).toEqual(first)
      expect(third).toEqual(first)
      expect(runs).toBe(1)
      await expect(harness.send('other', { message: fixed, context: keyed('k') })).rejects.toMatchObject({
        code: 'InvalidParams',
      })
      await harness.send(text, { message: fixed, context: keyed('k', 'somebody else') })
      await harness.send(text, { message: fixed })
      expect(runs).toBe(3)
    })

    it('joins a run by stream, and repeats a follow-up no more than once', async () => {
      const harness = await createHarness(
        async function* (task) {
          if (task.history.length === 0) yield inputRequired('what?')
          else {
            yield working()
            await delay(30)
            yield 'done'
          }
        },
        { store },
      )
      const { id } = await harness.sendTask('ask')
      const followUp = { message: { taskId: id, messageId: 'm-2' }, context: keyed('k2') }
      const [task, frames] = await Promise.all([harness.sendTask('go', followUp), harness.stream('go', followUp)])
      expect(task.history?.map(textOf)).toEqual(['ask', 'what?', 'go'])
      expect(shape(frames.at(-1) as never)).toBe('COMPLETED')
      expect((await harness.sendTask('go', followUp)).history).toHaveLength(3)
    })

    it('leaves equal messageIds without a key as separate sends (SEND-18, AMB-14)', async () => {
      const harness = await createHarness(echo, { store })
      const first = await harness.sendTask('a', { message: { messageId: 'same' } })
      const second = await harness.sendTask('a', { message: { messageId: 'same' } })
      expect(second.id).not.toBe(first.id)
      expect(await collect(await harness.open('a', { message: { messageId: 'same' } }))).toHaveLength(3)
    })
  })
})
