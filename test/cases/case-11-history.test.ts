import { describe, expect, it } from 'vitest'
import { connectHttp } from '../../src/bindings/http/client.ts'
import { connectJsonRpc } from '../../src/bindings/jsonrpc/client.ts'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { anybody, textOf } from '../harness.ts'
import { shapes, streamScript } from './raw-stream.ts'
import { fullMatrix, matrix, serve } from './served.ts'
import { type Caller, callerOf, invalidParamsCode, sendRequest } from './wire.ts'

/** A task with four messages in its history, oldest first. */
const texts = ['status:INPUT_REQUIRED:one?', 'one?', 'status:WORKING:two status:INPUT_REQUIRED:three?', 'two']

async function talk(caller: Caller): Promise<Task> {
  const { id } = await caller.send(texts[0] ?? '')
  return caller.send(texts[2] ?? '', { message: { taskId: id } })
}

const rows: readonly (readonly [historyLength: number | undefined, expected: readonly string[] | undefined])[] = [
  [undefined, texts],
  [0, undefined],
  [1, texts.slice(3)],
  [2, texts.slice(2)],
  [3, texts.slice(1)],
  [4, texts],
  [100, texts],
  [2_147_483_647, texts],
  [undefined, texts],
]

const historyOf = (task: Task | undefined): string[] | undefined => task?.history?.map(textOf)

describe.each(fullMatrix)('over $binding and $store', ({ store, binding }) => {
  it('Case 11: GetTask and ListTasks give so many of the newest messages, in order, and nothing is lost by it (HIST-01, HIST-02, HIST-03, HIST-04, HIST-10, GET-04, LIST-15)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const { id } = await talk(caller)
    for (const [historyLength, expected] of rows) {
      const read = await caller.get(id, historyLength)
      expect(historyOf(read), `historyLength ${historyLength}`).toEqual(expected)
      expect('history' in read).toBe(expected !== undefined)
      const { tasks } = await caller.ok<{ tasks: Task[] }>(
        'ListTasks',
        historyLength === undefined ? {} : { historyLength },
      )
      expect(historyOf(tasks[0])).toEqual(expected)
      expect(textOf(read.status.message)).toBe('three?')
    }
  })

  it('Case 11: so do SendMessage and the first frame of a stream, while the stored task keeps all (HIST-10, SEND-17, STRM-24, AMB-09)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    for (const historyLength of [undefined, 0, 1, 2, 100]) {
      const configuration = historyLength === undefined ? {} : { historyLength }
      const { id } = await talk(caller)
      const all = [...texts, 'three?', 'done']
      const sent = await caller.send('done', { message: { taskId: id }, configuration })
      const expected = historyLength === 0 ? undefined : historyLength === undefined ? all : all.slice(-historyLength)
      expect(historyOf(sent)).toEqual(expected)
      expect(historyOf(await caller.get(id))).toEqual(all)

      const other = await talk(caller)
      const stream = await streamScript(caller, 'done', { message: { taskId: other.id }, configuration })
      const frames = await stream.rest()
      const found = [...texts, 'done']
      const seen = historyLength === 0 ? undefined : historyLength === undefined ? found : found.slice(-historyLength)
      expect(historyOf(frames[0]?.value?.task)).toEqual(seen)
      expect(shapes(frames).at(-1)).toBe('COMPLETED')

      const fresh = await streamScript(caller, 'done', { configuration })
      expect(historyOf((await fresh.next())?.value?.task)).toEqual(historyLength === 0 ? undefined : ['done'])
    }
  })

  it.each([-1, -5, -2_147_483_648])(
    'Case 11: %i is refused everywhere, before anything is stored (HIST-06)',
    async (historyLength) => {
      const served = await serve({ store })
      const caller = callerOf(served, binding)
      const invalid = { code: invalidParamsCode[binding] }
      const configuration = { historyLength }
      for (const operation of ['SendMessage', 'SendStreamingMessage']) {
        const error = await caller.fails(operation, sendRequest('done', { configuration }))
        expect(error).toMatchObject({ ...invalid, fields: ['configuration.historyLength'] })
      }
      expect(await caller.ok('ListTasks', {})).toMatchObject({ totalSize: 0 })
      const { id } = await caller.send('done')
      expect(await caller.fails('GetTask', { id, historyLength })).toMatchObject({
        ...invalid,
        fields: ['historyLength'],
      })
      expect(await caller.fails('ListTasks', { historyLength })).toMatchObject({
        ...invalid,
        fields: ['historyLength'],
      })
    },
  )
})

describe.each(matrix)('over $binding and $store', ({ store, binding }) => {
  it.each([1.5, 2_147_483_648, 'abc', '1.5', true])(
    'Case 11: %s is no number of messages (PJ-15, REST-12)',
    async (historyLength) => {
      const served = await serve({ store })
      const caller = callerOf(served, binding)
      const { id } = await caller.send('done')
      const error = await caller.fails('GetTask', { id, historyLength })
      expect(error).toMatchObject({ code: invalidParamsCode[binding], fields: ['historyLength'] })
    },
  )

  it('Case 11: our own client sends 0 as 0 (HIST-02)', async () => {
    const served = await serve({ store })
    const { id } = await talk(callerOf(served, binding))
    const connect = binding === 'JSONRPC' ? connectJsonRpc : connectHttp
    const url = binding === 'JSONRPC' ? `${served.url}/invoke` : served.url
    const endpoint = connect({ url, protocolBinding: binding, protocolVersion: '1.0' })
    const read = async (rest: object): Promise<Task> =>
      (await endpoint.unary({ operation: 'GetTask', request: { id, ...rest }, context: anybody })).result.value
    expect(historyOf(await read({ historyLength: 0 }))).toBeUndefined()
    expect(historyOf(await read({ historyLength: 1 }))).toEqual(['two'])
    expect(historyOf(await read({}))).toEqual(texts)
  })
})
