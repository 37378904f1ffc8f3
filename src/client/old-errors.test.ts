import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { A2AError } from '../protocol/errors.ts'
import { beginStream, connectOld, sendJson, sendResult, streamOld } from './testing.ts'

const task = (state: string, more: JsonObject = {}): JsonObject => ({
  kind: 'task',
  id: 't1',
  contextId: 'c1',
  status: { state },
  ...more,
})
const protoTask = (state: string): JsonObject => ({ id: 't1', contextId: 'c1', status: { state } })
const rest = (url: string): JsonObject => ({ url, preferredTransport: 'HTTP+JSON' })

describe('errors over HTTP+JSON', () => {
  const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'no such task' }
  const bodies: readonly (readonly [name: string, status: number, body: JsonObject, code: string, message: string])[] =
    [
      ['bare', 404, { code: -32001, message: 'gone', data: { id: 't1' } }, 'TaskNotFound', 'gone'],
      ['bare, with a general status', 400, { code: -32002, message: 'late' }, 'TaskNotCancelable', 'late'],
      ['in an envelope of JSON-RPC', 500, { error: { code: -32004, message: 'no' } }, 'UnsupportedOperation', 'no'],
      ['problem details', 404, problem, 'NotFound', 'no such task'],
      ['of a framework', 422, { detail: 'message: field required' }, 'InvalidParams', 'message: field required'],
    ]
  for (const [name, status, body, code, message] of bodies) {
    test(`one that is ${name} is told as it is, and by nobody else`, async () => {
      const { agent, peer } = await connectOld(
        (_request, response) => sendJson(response, body, status),
        (url) => ({ ...rest(url), additionalInterfaces: [{ url: `${url}/rpc`, transport: 'JSONRPC' }] }),
      )
      await expect(agent.get('t1')).rejects.toMatchObject({ code, message, origin: 'remote' })
      expect(peer.seen('/rpc')).toEqual([])
    })
  }

  test('an address that is not there is no error of the agent: its other interface is used', async () => {
    const { agent, peer } = await connectOld(
      (request, response) =>
        request.url === '/rpc'
          ? sendResult(response, request, task('completed'))
          : sendJson(response, { code: 404, message: 'no route' }, 404),
      (url) => ({ ...rest(url), additionalInterfaces: [{ url: `${url}/rpc`, transport: 'JSONRPC' }] }),
    )
    expect((await agent.get('t1')).status.state).toBe('TASK_STATE_COMPLETED')
    expect(peer.seen('/rpc')).toHaveLength(1)
  })

  for (const [name, head] of [
    ['named an error', 'event: error\n'],
    ['named nothing', ''],
  ] as const) {
    test(`a bare one that is an event ${name} is the error of the call`, async () => {
      const { agent } = await connectOld((_request, response) => {
        beginStream(response)
        response.end(`${head}data: ${JSON.stringify({ code: -32001, message: 'gone' })}\n\n`)
      }, rest)
      await expect(agent.send('ping')).rejects.toMatchObject({ code: 'TaskNotFound', message: 'gone' })
    })
  }
})

describe('errors over JSON-RPC', () => {
  for (const status of [200, 400, 404, 500]) {
    test(`one with HTTP status ${status} is told by its code (JRPC-19)`, async () => {
      const { agent } = await connectOld(({ body }, response) =>
        sendJson(response, { jsonrpc: '2.0', id: body.id, error: { code: -32001, message: 'gone' } }, status),
      )
      await expect(agent.get('t1')).rejects.toMatchObject({ code: 'TaskNotFound', message: 'gone' })
    })
  }

  test('a message to a task that has ended is refused with the code that the SDK for JavaScript has for it', async () => {
    const { agent } = await connectOld(({ body }, response) =>
      sendJson(response, { jsonrpc: '2.0', id: body.id, error: { code: -32600, message: 'in a terminal state' } }),
    )
    const options = { taskId: 't1', contextId: 'c1' }
    await expect(agent.send('more', options)).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: 'in a terminal state',
    })
  })

  test('one in the middle of a stream comes after what was before it', async () => {
    const { agent } = await connectOld(({ body }, response) => {
      beginStream(response)
      const frame = (value: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, ...value })}\n\n`
      response.end(frame({ result: task('working') }) + frame({ error: { code: -32603, message: 'broken' } }))
    })
    const seen: unknown[] = []
    let failure: unknown
    try {
      for await (const event of agent.stream('ping')) seen.push(event)
    } catch (error) {
      failure = error
    }
    expect(seen).toMatchObject([{ task: { id: 't1' } }])
    expect(failure).toMatchObject({ code: 'Internal', message: 'broken', origin: 'remote' })
  })

  test('canceling what is canceled already is a success (AMB-15, CANC-05)', async () => {
    const { agent } = await connectOld((request, response) =>
      request.body.method === 'tasks/cancel'
        ? sendJson(response, { jsonrpc: '2.0', id: request.body.id, error: { code: -32002, message: 'late' } })
        : sendResult(response, request, task('canceled')),
    )
    expect((await agent.cancel('t1')).status.state).toBe('TASK_STATE_CANCELED')
  })
})

describe('answers that cannot be used', () => {
  const answers: readonly (readonly [name: string, result: unknown])[] = [
    ['a text', 'started'],
    ['a list', []],
    ['a task whose status is a text', { kind: 'task', id: 't1', status: 'working' }],
    ['a task with artifacts that are no list', task('working', { artifacts: 'none' })],
  ]
  for (const [name, result] of answers) {
    test(`${name}: it is the agent's fault, over JSON-RPC (ERR-06)`, async () => {
      const { agent } = await connectOld((request, response) => sendResult(response, request, result))
      const failure = await agent.get('t1').catch(A2AError.from)
      expect(failure).toMatchObject({ code: 'InvalidAgentResponse' })
    })
  }

  test('over HTTP+JSON, and as a frame of a stream (ERR-06)', async () => {
    const { agent } = await connectOld((request, response) => {
      if (request.method === 'GET') return sendJson(response, { id: 7 })
      beginStream(response)
      response.end(`data: ${JSON.stringify({ started: true })}\n\n`)
    }, rest)
    await expect(agent.get('t1')).rejects.toMatchObject({ code: 'InvalidAgentResponse' })
    await expect(agent.send('ping')).rejects.toMatchObject({ code: 'InvalidAgentResponse' })
  })
})

describe('what a server has no path for', () => {
  for (const status of [404, 405, 501]) {
    test(`a subscription is asked for by GET where POST has status ${status} (AMB-03)`, async () => {
      const { agent, peer } = await connectOld((request, response) => {
        if (request.method === 'POST') return sendJson(response, { code: -32601, message: 'Method not found' }, status)
        if (!request.url.endsWith(':subscribe')) return sendJson(response, protoTask('TASK_STATE_WORKING'))
        beginStream(response)
        response.end(`data: ${JSON.stringify({ task: protoTask('TASK_STATE_CANCELLED') })}\n\n`)
      }, rest)
      const seen = []
      for await (const event of agent.subscribe('t1')) seen.push(event)
      expect(seen.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } })
      expect(peer.seen('/v1/tasks/t1:subscribe').map(({ method }) => method)).toEqual(['POST', 'GET'])
    })
  }

  test('a subscription that a server knows nothing of is not the end: the task is polled', async () => {
    let polls = 0
    const { agent } = await connectOld((request, response) => {
      const { method, id } = request.body
      if (method === 'message/stream') return streamOld([task('working')])(request, response)
      if (method !== 'tasks/get')
        return sendJson(response, { jsonrpc: '2.0', id, error: { code: -32001, message: 'no queue' } })
      polls += 1
      return sendResult(response, request, task(polls > 1 ? 'completed' : 'working'))
    })
    expect((await agent.send('ping')).state).toBe('TASK_STATE_COMPLETED')
  })
})
