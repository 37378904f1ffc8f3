import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import type { TaskPushNotificationConfig } from '../protocol/generated/v1/types.ts'
import { connectOld, type SeenRequest, sendJson, sendResult } from './testing.ts'

const rest = (url: string): JsonObject => ({ url, preferredTransport: 'HTTP+JSON', capabilities: {} })
const task = (state: string): JsonObject => ({ id: 't1', contextId: 'c1', status: { state } })
const hook: TaskPushNotificationConfig = { taskId: 't1', id: 'p1', url: 'https://hook.example/' }
const create = 'CreateTaskPushNotificationConfig'

describe('a push configuration over HTTP+JSON', () => {
  const path = '/v1/tasks/t1/pushNotificationConfigs'
  const written = {
    name: 'tasks/t1/pushNotificationConfigs/p1',
    pushNotificationConfig: { id: 'p1', url: 'https://hook.example/' },
  }
  const whole = { parent: 'tasks/t1', configId: 'p1', config: written }

  test('has the form of the protobuf, and one request does (PUSH-01)', async () => {
    const { agent, peer } = await connectOld((_request, response) => sendJson(response, written, 201), rest)
    expect(await agent.call(create, hook)).toEqual(hook)
    expect(peer.seen(path).map(({ body }) => body)).toEqual([whole])
  })

  test('is sent again as its schema says where that form is called invalid (PUSH-01)', async () => {
    const { agent, peer } = await connectOld((request, response) => {
      if (request.body.pushNotificationConfig !== undefined) return sendJson(response, written, 201)
      return sendJson(response, { code: -32602, message: 'pushNotificationConfig is missing' }, 400)
    }, rest)
    expect(await agent.call(create, hook)).toEqual(hook)
    expect(peer.seen(path).map(({ body }) => body)).toEqual([whole, written])
    expect(agent.warnings.filter((text) => text.includes('another form'))).toHaveLength(1)
  })

  const refusals: readonly (readonly [name: string, second: JsonObject, status: number, code: string])[] = [
    ['says nothing that helps', { code: -32603, message: 'cannot parse' }, 500, 'InvalidParams'],
    ['tells the reason', { code: -32003, message: 'no hooks' }, 400, 'PushNotificationNotSupported'],
  ]
  for (const [name, second, status, code] of refusals) {
    test(`the error of the second form counts if it ${name}: ${code} (PUSH-01)`, async () => {
      const { agent } = await connectOld((request, response) => {
        if (request.body.pushNotificationConfig !== undefined) return sendJson(response, second, status)
        return sendJson(response, { code: -32602, message: 'url is refused' }, 400)
      }, rest)
      await expect(agent.call(create, hook)).rejects.toMatchObject({ code })
      expect(agent.warnings.filter((text) => text.includes('another form'))).toEqual([])
    })
  }

  test('is deleted with status 204, and a task is canceled with status 202', async () => {
    const { agent, peer } = await connectOld((request, response) => {
      if (request.method === 'DELETE') return void response.writeHead(204).end()
      return sendJson(response, task('TASK_STATE_CANCELLED'), 202)
    }, rest)
    expect(await agent.call('DeleteTaskPushNotificationConfig', { taskId: 't1', id: 'p1' })).toEqual({})
    expect((await agent.cancel('t1')).status.state).toBe('TASK_STATE_CANCELED')
    expect(peer.seen(`${path}/p1`)[0]?.text).toBe('')
    expect(peer.seen('/v1/tasks/t1:cancel')[0]?.body).toEqual({ name: 'tasks/t1' })
  })
})

describe('over JSON-RPC', () => {
  test('the only push configuration of a task needs no id; schemes beyond the first are told of (AMB-26)', async () => {
    const authentication = { schemes: ['Bearer', 'Basic'], credentials: 's' }
    const config = { taskId: 't1', pushNotificationConfig: { id: 'p1', url: 'https://hook.example/', authentication } }
    const { agent, peer } = await connectOld((request, response) =>
      sendResult(response, request, request.body.method?.toString().endsWith('list') ? [config] : config),
    )
    const read = { ...hook, authentication: { scheme: 'Bearer', credentials: 's' } }
    expect(await agent.call('GetTaskPushNotificationConfig', { taskId: 't1', id: '' })).toEqual(read)
    expect(await agent.call('GetTaskPushNotificationConfig', { taskId: 't1', id: 'p1' })).toEqual(read)
    expect(await agent.call('ListTaskPushNotificationConfigs', { taskId: 't1' })).toEqual({ configs: [read] })
    expect(peer.seen('tasks/pushNotificationConfig/get').map(({ body }) => body.params)).toEqual([
      { id: 't1' },
      { id: 't1', pushNotificationConfigId: 'p1' },
    ])
    expect(agent.warnings.filter((text) => text.includes('first authentication scheme'))).toHaveLength(1)
  })

  test('nothing of 1.0 is sent (VERS-04)', async () => {
    const { agent, peer } = await connectOld((request, response) => sendResult(response, request, task('completed')))
    await agent.endpoint.unary({
      operation: 'SendMessage',
      request: {
        tenant: 'acme',
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ data: [1] }, { text: 'x', filename: 'f' }] },
        configuration: { returnImmediately: true, taskPushNotificationConfig: hook, historyLength: 0 },
      },
      context: { version: '1.0', tenant: '', owner: '', extensions: ['urn:x'], headers: {} },
    })
    const [sent] = peer.seen('message/send') as [SeenRequest]
    expect(sent.body.params).toEqual({
      message: {
        kind: 'message',
        messageId: 'm',
        role: 'user',
        parts: [
          { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } },
          { kind: 'text', text: 'x' },
        ],
      },
      configuration: {
        blocking: false,
        historyLength: 0,
        pushNotificationConfig: { id: 'p1', url: 'https://hook.example/' },
      },
    })
    expect(sent.headers).toMatchObject({ 'a2a-version': '0.3', 'x-a2a-extensions': 'urn:x' })
    expect(sent.headers['a2a-extensions']).toBeUndefined()
    expect(agent.warnings.filter((text) => text.startsWith('A2A 0.3 cannot say'))).toHaveLength(3)
  })
})

test('over HTTP+JSON every media type is that of 0.3, and no history is had where none is wanted (HIST-02)', async () => {
  const history = [{ messageId: 'm', role: 'ROLE_USER', content: [{ text: 'ping' }] }]
  const { agent, peer } = await connectOld((request, response) => {
    const answer = { ...task('TASK_STATE_COMPLETED'), history }
    return sendJson(response, request.method === 'POST' ? { task: answer } : answer)
  }, rest)
  expect((await agent.send('ping', { historyLength: 0 })).task?.history).toBeUndefined()
  expect((await agent.get('t1', { historyLength: 0 })).history).toBeUndefined()
  expect((await agent.get('t1', { historyLength: 1 })).history).toHaveLength(1)
  const urls = peer.requests.filter(({ url }) => url.startsWith('/v1/')).map(({ url }) => url)
  expect(urls).toEqual(['/v1/message:send', '/v1/tasks/t1', '/v1/tasks/t1?historyLength=1'])
  for (const { url, headers, text } of peer.requests.filter(({ url }) => url.startsWith('/v1/'))) {
    expect([url, headers.accept, headers['content-type']]).toEqual([
      url,
      'application/json',
      text === '' ? undefined : 'application/json',
    ])
  }
})
