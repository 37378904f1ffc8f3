import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { beginStream, connectOld, type SeenRequest, sendJson, sendResult, streamOld } from './testing.ts'

const status = (state: string, more: JsonObject = {}, final = false): JsonObject => ({
  kind: 'status-update',
  taskId: 't1',
  contextId: 'c1',
  status: { state, ...more },
  final,
})
const task = (state: string, more: JsonObject = {}): JsonObject => ({
  kind: 'task',
  id: 't1',
  contextId: 'c1',
  status: { state },
  ...more,
})
const chunk = (text: string, more: JsonObject = {}): JsonObject => ({
  kind: 'artifact-update',
  taskId: 't1',
  contextId: 'c1',
  artifact: { artifactId: 'a', parts: [{ kind: 'text', text }] },
  ...more,
})
const said = (text: string): JsonObject => ({
  kind: 'message',
  messageId: 'q',
  role: 'agent',
  parts: [{ kind: 'text', text }],
})

describe('over JSON-RPC', () => {
  test('a send is said in the words of 0.3, and its answer understood (VERS-04, VERS-17)', async () => {
    const { agent, peer } = await connectOld(
      (request, response) =>
        sendResult(
          response,
          request,
          task('completed', { artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'pong' }] }] }),
        ),
      () => ({ capabilities: {} }),
      { extensions: ['urn:x'] },
    )
    const result = await agent.send('ping')
    expect(result).toMatchObject({ text: 'pong', state: 'TASK_STATE_COMPLETED' })
    const sent = peer.seen('message/send')[0] as SeenRequest
    expect(sent.headers).toMatchObject({ 'a2a-version': '0.3', 'x-a2a-extensions': 'urn:x' })
    expect(sent.headers['a2a-extensions']).toBeUndefined()
    const { message, configuration } = sent.body.params as { message: JsonObject; configuration: JsonObject }
    expect(message).toMatchObject({ kind: 'message', role: 'user', parts: [{ kind: 'text', text: 'ping' }] })
    expect(configuration.blocking).toBeTypeOf('boolean')
    expect(agent.card.supportedInterfaces).toEqual([
      { url: `${peer.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    ])
  })

  const answers: readonly (readonly [name: string, answer: unknown, text: string])[] = [
    ['a bare message', said('hi'), 'hi'],
    ['a message without a kind', { messageId: 'q', role: 'agent', parts: [{ kind: 'text', text: 'hi' }] }, 'hi'],
    ['a wrapped message', { message: { messageId: 'q', role: 'ROLE_AGENT', content: [{ text: 'hi' }] } }, 'hi'],
    [
      'a wrapped message by its name in protobuf',
      { msg: { messageId: 'q', role: 'ROLE_AGENT', content: [{ text: 'hi' }] } },
      'hi',
    ],
    [
      'a wrapped task',
      { task: task('completed', { artifacts: [{ artifactId: 'a', parts: [{ text: 'hi' }] }] }) },
      'hi',
    ],
    [
      'a state with two L',
      task('cancelled', { artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'hi' }] }] }),
      'hi',
    ],
    [
      'null where nothing is',
      task('completed', {
        history: null,
        metadata: null,
        artifacts: [{ artifactId: 'a', name: null, parts: [{ kind: 'text', text: 'hi' }] }],
      }),
      'hi',
    ],
  ]
  for (const [name, answer, text] of answers) {
    test(`an answer may be ${name}`, async () => {
      const { agent } = await connectOld(
        (request, response) => sendResult(response, request, answer),
        () => ({ capabilities: {} }),
      )
      expect((await agent.send('ping')).text).toBe(text)
    })
  }

  test('a stream that begins with an update begins with a task all the same (STRM-02)', async () => {
    const { agent } = await connectOld(
      streamOld([status('working'), chunk('po'), chunk('ng', { append: true }), status('completed', {}, true)]),
    )
    const events = []
    for await (const event of agent.stream('ping')) events.push(event)
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ])
    expect(events[0]).toMatchObject({ task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } } })
    expect(JSON.stringify(events)).not.toContain('final')
  })

  test('a stream ends where its sender says so, although the connection stays open (AMB-04)', async () => {
    const { agent } = await connectOld(({ body }, response) => {
      beginStream(response)
      for (const result of [task('working'), status('input-required', { message: said('which?') }, true)]) {
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result })}\n\n`)
      }
    })
    const result = await agent.send('ping')
    expect(result).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED', text: 'which?' })
  })

  test('a stream that breaks is picked up by the task as it then stands (SUB-01, AMB-13)', async () => {
    const { agent, peer } = await connectOld((request, response) => {
      const { method, id } = request.body
      if (method === 'message/stream') {
        beginStream(response)
        const frames = [task('working'), chunk('po')].map(
          (result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`,
        )
        response.write(frames.join(''), () => response.socket?.destroy())
        return
      }
      if (method === 'tasks/get') {
        return sendResult(
          response,
          request,
          task('working', { artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'pon' }] }] }),
        )
      }
      return streamOld([chunk('g', { append: true }), status('completed', {}, true)])(request, response)
    })
    const result = await agent.send('ping')
    expect(result.state).toBe('TASK_STATE_COMPLETED')
    expect(peer.seen('tasks/resubscribe')[0]?.body.params).toEqual({ id: 't1' })
    expect(result.text.startsWith('pon')).toBe(true)
  })

  test('an error that comes as an event before anything else is the error of the call', async () => {
    const { agent } = await connectOld(({ body }, response) => {
      beginStream(response)
      const error = { code: -32001, message: 'gone' }
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, error })}\n\n`)
    })
    await expect(agent.send('ping', { taskId: 't1' })).rejects.toMatchObject({ code: 'TaskNotFound', message: 'gone' })
  })

  test('what 0.3 has nothing for is refused here, and nobody is asked (VERS-07)', async () => {
    const { agent, peer } = await connectOld((request, response) => sendResult(response, request, {}))
    await expect(agent.list()).rejects.toMatchObject({ code: 'UnsupportedOperation' })
    expect(peer.seen('/rpc')).toEqual([])
  })

  test('what is lost on the way is told once (AMB-26)', async () => {
    const { agent } = await connectOld(
      (request, response) => sendResult(response, request, said('hi')),
      () => ({ capabilities: {} }),
    )
    for (let time = 0; time < 2; time++) await agent.send([{ text: 'x', mediaType: 'text/markdown' }])
    const told = agent.warnings.filter((text) => text.includes('media type'))
    expect(told).toHaveLength(1)
    expect(told[0]).toContain('A2A 0.3 cannot say')
  })
})

describe('over HTTP+JSON', () => {
  const rest =
    (path = ''): ((url: string) => JsonObject) =>
    (url) => ({
      url: `${url}${path}`,
      preferredTransport: 'HTTP+JSON',
    })
  const protoTask = (state: string, more: JsonObject = {}): JsonObject => ({
    id: 't1',
    contextId: 'c1',
    status: { state },
    ...more,
  })

  for (const [base, seen] of [
    ['', '/v1/message:send'],
    ['/api', '/api/v1/message:send'],
    ['/api/v1', '/api/v1/message:send'],
    ['/v1/', '/v1/message:send'],
  ] as const) {
    test(`a send goes below the URL ${base || '/'} and its answer may have status 201`, async () => {
      const { agent, peer } = await connectOld(
        (_request, response) =>
          sendJson(
            response,
            { task: protoTask('TASK_STATE_COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'hi' }] }] }) },
            201,
          ),
        (url) => ({ ...rest(base)(url), capabilities: {} }),
      )
      expect((await agent.send('ping')).text).toBe('hi')
      const [sent] = peer.seen(seen)
      expect(sent?.body.message).toMatchObject({ role: 'ROLE_USER', content: [{ text: 'ping' }] })
      expect(sent?.headers['content-type']).toBe('application/json')
    })
  }

  const errors: readonly (readonly [name: string, status: number, body: JsonObject, code: string])[] = [
    ['a bare error', 404, { code: -32001, message: 'gone' }, 'TaskNotFound'],
    [
      'an error of 1.0',
      404,
      {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'gone',
          details: [
            {
              '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
              reason: 'TASK_NOT_FOUND',
              domain: 'a2a-protocol.org',
            },
          ],
        },
      },
      'TaskNotFound',
    ],
    ['a bare error of the client', 400, { code: -32602, message: 'no' }, 'InvalidParams'],
  ]
  for (const [name, code, body, expected] of errors) {
    test(`${name} is understood`, async () => {
      const { agent } = await connectOld((_request, response) => sendJson(response, body, code), rest())
      await expect(agent.get('t1')).rejects.toMatchObject({ code: expected })
    })
  }

  for (const refusal of [404, 405]) {
    test(`a subscription by GET where POST has status ${refusal} (AMB-03)`, async () => {
      const { agent, peer } = await connectOld((request, response) => {
        if (request.method === 'POST') return sendJson(response, { detail: 'Method Not Allowed' }, refusal)
        if (request.url.endsWith(':subscribe')) {
          beginStream(response)
          const frames = [
            { task: protoTask('TASK_STATE_WORKING') },
            { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: 'TASK_STATE_CANCELLED' }, final: true } },
          ]
          return void response.end(frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''))
        }
        return sendJson(response, protoTask('TASK_STATE_WORKING'))
      }, rest())
      const seen = []
      for await (const event of agent.subscribe('t1')) seen.push(event)
      expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } })
      expect(peer.seen('/v1/tasks/t1:subscribe').map(({ method }) => method)).toEqual(['POST', 'GET'])
    })
  }
})
