import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import type { StreamResponse } from '../protocol/generated/v1/types.ts'
import { beginStream, connectOld, cut, rpcFrame, type SeenRequest, sendResult, streamOld } from './testing.ts'

const task = (state: string, more: JsonObject = {}): JsonObject => ({
  kind: 'task',
  id: 't1',
  contextId: 'c1',
  status: { state },
  ...more,
})
const status = (state: string, final = false): JsonObject => ({
  kind: 'status-update',
  taskId: 't1',
  contextId: 'c1',
  status: { state },
  final,
})
const holding = (text: string): JsonObject => ({ artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text }] }] })
const chunk = (text: string): JsonObject => ({
  kind: 'artifact-update',
  taskId: 't1',
  contextId: 'c1',
  artifact: { artifactId: 'a', parts: [{ kind: 'text', text }] },
  append: true,
})
const words = (events: readonly StreamResponse[]): string =>
  events
    .flatMap(({ task, artifactUpdate }) => [
      ...(task?.artifacts ?? []),
      ...(artifactUpdate ? [artifactUpdate.artifact] : []),
    ])
    .flatMap(({ parts }) => parts.map(({ text }) => text))
    .join('')

describe('a stream that is joined late', () => {
  for (const held of ['one ', 'one two ', 'one two three ']) {
    test(`the task is read as it begins with an update, and holds "${held}" of it: no text twice (SUB-02, SUB-03)`, async () => {
      const later = [chunk('two '), chunk('three '), status('completed', true)]
      const before = held.split(' ').length - 2
      let stream: { readonly request: SeenRequest; readonly response: ServerResponse } | undefined
      const { agent, peer } = await connectOld((request, response) => {
        const answer = task('working', holding(`zero ${held}`))
        if (request.body.method !== 'tasks/get') {
          stream = { request, response }
          beginStream(response)
          return void response.write(rpcFrame(request, chunk('one ')))
        }
        if (stream === undefined) return sendResult(response, request, task('working'))
        // What the answer holds of the rest is on its way before it.
        const { request: asked, response: events } = stream
        const frames = later.map((value) => rpcFrame(asked, value))
        response.on('finish', () => events.end(frames.slice(before).join('')))
        events.write(`: more\n\n${frames.slice(0, before).join('')}`, () => sendResult(response, request, answer))
      })
      const seen: StreamResponse[] = []
      for await (const event of agent.subscribe('t1')) seen.push(event)
      expect(words(seen)).toBe('zero one two three ')
      expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
      expect(peer.seen('tasks/resubscribe')).toHaveLength(1)
    })
  }

  test('a peer that cannot be asked for the task: it is made from the first update (STRM-04)', async () => {
    const { agent } = await connectOld((request, response) =>
      request.body.method === 'tasks/get'
        ? sendResult(response, request, 'nothing')
        : streamOld([status('working'), chunk('x'), status('completed', true)])(request, response),
    )
    const seen: StreamResponse[] = []
    for await (const event of agent.stream('more', { taskId: 't1', contextId: 'c1' })) seen.push(event)
    expect(seen[0]).toEqual({ task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } } })
    expect(words(seen)).toBe('x')
  })

  test('who leaves it early leaves no connection behind', async () => {
    let closed: (() => void) | undefined
    const gone = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { agent } = await connectOld((request, response) => {
      if (request.body.method === 'tasks/get') return sendResult(response, request, task('working', holding('one ')))
      beginStream(response)
      response.on('close', () => closed?.())
      response.write(rpcFrame(request, chunk('one ')))
    })
    const endpoint = { operation: 'SubscribeToTask', request: { id: 't1' } } as const
    const context = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }
    const { events } = await agent.endpoint.stream({ ...endpoint, context })
    for await (const group of events) {
      expect(group.map(({ value }) => Object.keys(value)[0])).toEqual(['task'])
      break
    }
    await gone
  })
})

describe('a stream', () => {
  for (const [name, tail] of [
    ['that goes on', 'data: [DONE]\n\n'],
    ['that breaks off after it', 'data: [DONE]'],
  ] as const) {
    test(`ends with [DONE], on a connection ${name}`, async () => {
      const { agent } = await connectOld((request, response) => {
        if (request.body.method === 'tasks/get') return sendResult(response, request, task('completed', holding('ok')))
        if (request.body.method === 'tasks/resubscribe')
          return sendResult(response, request, task('completed', holding('ok')))
        beginStream(response)
        response.write(rpcFrame(request, task('working')) + tail, () => tail.endsWith('\n') || response.end())
      })
      expect(await agent.send('ping')).toMatchObject({ text: 'ok', state: 'TASK_STATE_COMPLETED' })
      expect(agent.warnings.filter((text) => text.includes('DONE'))).toEqual([])
    })
  }

  test('of whole tasks is one of a task and what is new in each (STRM-05)', async () => {
    const says = (text: string): JsonObject => ({
      status: { state: 'working', message: { messageId: 'm', role: 'agent', parts: [{ kind: 'text', text }] } },
    })
    const { agent } = await connectOld(
      streamOld([
        task('working'),
        { ...task('working'), ...says('thin') },
        { ...task('working'), ...says('thinking') },
        task('working', holding('one ')),
        task('working', holding('one two')),
        task('completed', holding('one two')),
      ]),
    )
    const seen: StreamResponse[] = []
    for await (const event of agent.stream('ping')) seen.push(event)
    expect(seen.map((event) => Object.keys(event)[0])).toEqual([
      'task',
      'statusUpdate',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
    ])
    expect(words(seen)).toBe('one two')
    expect(seen[2]).toMatchObject({ statusUpdate: { status: { message: { parts: [{ text: 'thinking' }] } } } })
  })

  test('waits in AUTH_REQUIRED: it is a result, and the task can be waited for (AMB-04)', async () => {
    let signedIn = false
    const { agent } = await connectOld((request, response) => {
      if (request.body.method === 'message/stream')
        return streamOld([task('working'), status('auth-required', true)])(request, response)
      const state = signedIn ? 'completed' : 'auth-required'
      if (request.body.method === 'tasks/get') return sendResult(response, request, task(state))
      return streamOld([task('auth-required')])(request, response)
    })
    const result = await agent.send('ping')
    expect(result.state).toBe('TASK_STATE_AUTH_REQUIRED')
    signedIn = true
    expect((await result.wait()).state).toBe('TASK_STATE_COMPLETED')
  })

  test('a question is replied to in its task, and the answer is followed (AMB-04)', async () => {
    const asks = task('input-required', {
      status: {
        state: 'input-required',
        message: { kind: 'message', messageId: 'q', role: 'agent', parts: [{ kind: 'text', text: 'which?' }] },
      },
    })
    const { agent, peer } = await connectOld((request, response) => {
      if (request.body.method === 'tasks/get') return sendResult(response, request, asks)
      const { message } = request.body.params as { message: JsonObject }
      const frames =
        message.taskId === undefined ? [asks] : [status('working'), chunk('Rome'), status('completed', true)]
      return streamOld(frames)(request, response)
    })
    const question = await agent.send('weather')
    expect(question.text).toBe('which?')
    expect(await question.reply('Rome')).toMatchObject({ state: 'TASK_STATE_COMPLETED', text: 'Rome' })
    const [, reply] = peer.seen('message/stream') as [SeenRequest, SeenRequest]
    expect((reply.body.params as { message: JsonObject }).message).toMatchObject({ taskId: 't1', contextId: 'c1' })
  })

  test('has no history where none is wanted, although the peer gives it (HIST-02)', async () => {
    const history = [{ kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'ping' }] }]
    const { agent } = await connectOld(streamOld([task('completed', { history })]))
    expect((await agent.send('ping', { historyLength: 0 })).task?.history).toBeUndefined()
    expect((await agent.send('ping')).task?.history).toHaveLength(1)
  })

  test('that is cut before a word is left to whoever wants it again: nothing is sent twice', async () => {
    const { agent, peer } = await connectOld((_request, response) => cut(response))
    await expect(agent.send('ping')).rejects.toMatchObject({ code: 'Unavailable' })
    expect(peer.seen('message/stream')).toHaveLength(1)
  })
})
