import { expect, test } from 'vitest'
import { unauthenticated } from '../../auth/authenticate.ts'
import { A2AError } from '../../protocol/errors.ts'
import { operations } from '../../protocol/operations.ts'
import { profiles } from '../../protocol/profiles.ts'
import type { ServingOptions } from '../serving.ts'
import { type Answer, ask, createFakeEndpoint, type FakeRequest, framesOf, servingOptions, update } from '../testing.ts'
import { createJsonRpcHandler } from './server.ts'

const json = { 'content-type': 'application/json' }
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }

function post(body: unknown, request: FakeRequest = {}, options: Partial<ServingOptions> = {}): Promise<Answer> {
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  const handle = createJsonRpcHandler(servingOptions(createFakeEndpoint(), options))
  return ask(handle, { body: text, headers: json, ...request })
}

function errorOf({ text }: Answer): { id: unknown; code: number; message: string } {
  const { jsonrpc, id, error, ...rest } = JSON.parse(text)
  expect(jsonrpc).toBe('2.0')
  expect(rest).toEqual({})
  return { id, code: error.code, message: error.message }
}

const get = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } }

const refused: readonly (readonly [rule: string, body: unknown, id: unknown, code: number])[] = [
  ['JRPC-08 cut JSON', '{', null, -32700],
  ['JRPC-08 empty body', '', null, -32700],
  ['JRPC-08 blank body', ' \n', null, -32700],
  ['PJ-22 byte-order mark', `\uFEFF${JSON.stringify(get)}`, null, -32700],
  ['PJ-22 bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), null, -32700],
  ['JRPC-08 trailing text', `${JSON.stringify(get)} x`, null, -32700],
  ['JRPC-16 AMB-58 empty batch', [], null, -32600],
  ['JRPC-16 AMB-58 batch', [get, get], null, -32600],
  ['JRPC-09 string', '"x"', null, -32600],
  ['JRPC-09 null', 'null', null, -32600],
  ['JRPC-09 number', '3', null, -32600],
  ['JRPC-09 no jsonrpc', { ...get, jsonrpc: undefined }, 1, -32600],
  ['JRPC-09 wrong jsonrpc', { ...get, jsonrpc: '1.0' }, 1, -32600],
  ['JRPC-09 jsonrpc as number', { ...get, jsonrpc: 2 }, 1, -32600],
  ['JRPC-09 no method', { ...get, method: undefined }, 1, -32600],
  ['JRPC-09 method number', { ...get, method: 7 }, 1, -32600],
  ['JRPC-17 AMB-58 no id', { ...get, id: undefined }, null, -32600],
  ['JRPC-09 id object', { ...get, id: {} }, null, -32600],
  ['JRPC-09 id true', { ...get, id: true }, null, -32600],
  ['JRPC-09 id of more than 1,000 characters', { ...get, id: 'x'.repeat(1_001) }, null, -32600],
  ['JRPC-09 id array', { ...get, id: [1] }, null, -32600],
  [
    'JRPC-07 id that a double cannot hold',
    '{"jsonrpc":"2.0","id":12345678901234567890,"method":"GetTask"}',
    null,
    -32600,
  ],
  ['JRPC-09 params string', { ...get, params: 'x' }, 1, -32600],
  ['JRPC-11 params array', { ...get, params: ['t'] }, 1, -32602],
  ['JRPC-10 unknown method', { ...get, method: 'message/sent' }, 1, -32601],
  ['VERS-07 a method of another version', { ...get, method: 'message/send' }, 1, -32009],
  ['JRPC-10 method of every object', { ...get, method: 'toString' }, 1, -32601],
  ['JRPC-03 method in another case', { ...get, method: 'getTask' }, 1, -32601],
  ['JRPC-11 missing member', { ...get, params: {} }, 1, -32602],
  ['JRPC-11 absent params where some are needed', { ...get, params: undefined }, 1, -32602],
  ['PJ-15 a number that is none', { ...get, method: 'ListTasks', params: { pageSize: 'x' } }, 1, -32602],
  ['LIST-07 unknown status', { ...get, method: 'ListTasks', params: { status: 'TASK_STATE_RUNNING' } }, 1, -32602],
]
for (const [rule, body, id, code] of refused) {
  test(`${rule} is refused with ${code}`, async () => {
    const answer = await post(body)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(errorOf(answer)).toMatchObject({ id, code })
    expect(answer.text).not.toMatch(/\bat \/|node_modules|\.ts:/)
  })
}

for (const id of ['1', '', 1, 0, -7, 1.5, null, 9_007_199_254_740_991, 'ü"\\\u2028']) {
  test(`JRPC-07 JRPC-06 the id ${JSON.stringify(id)} comes back as it was`, async () => {
    const { text } = await post({ ...get, id })
    expect(JSON.parse(text)).toEqual({
      jsonrpc: '2.0',
      id,
      result: { id: 't', status: { state: 'TASK_STATE_COMPLETED' } },
    })
    expect(JSON.parse((await post({ ...get, id, method: 'none' })).text).id).toBe(id)
  })
}

for (const type of [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/a2a+json',
  'application/json;charset="UTF-8"',
]) {
  test(`JRPC-21 ${type} is read`, async () => {
    expect((await post(get, { headers: { 'content-type': type } })).text).toContain('"result"')
  })
}
test('JRPC-21 a body without a type is read, unless a page sends it', async () => {
  expect((await post(get, { headers: {} })).text).toContain('"result"')
  expect((await post(get, { headers: { origin: 'https://page.example' } })).status).toBe(415)
})
for (const [type, encoding] of [
  ['text/plain', 'identity'],
  ['application/x-www-form-urlencoded', 'identity'],
  ['application/json; charset=utf-16', 'identity'],
  ['application/json', 'gzip'],
] as const) {
  test(`JRPC-21 AMB-11 ${type} ${encoding} is refused before the body is read`, async () => {
    const request = { headers: { 'content-type': type, 'content-encoding': encoding } }
    const answer = await post('not json', request)
    expect(answer.status).toBe(415)
    expect(errorOf(answer)).toMatchObject({ id: null, code: -32005 })
    const profile = { ...profiles['spec-1.0.1'], mediaTypeStatus: 200 as const }
    expect((await post('not json', request, { profile })).status).toBe(200)
  })
}

for (const method of ['GET', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
  test(`JRPC-18 ${method} is not allowed on the endpoint`, async () => {
    const answer = await post('', { method, headers: {} })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
    expect(errorOf(answer).code).toBe(-32600)
  })
}

test('SEC-09 AMB-53 a caller without credentials gets 401, a challenge, and the form of the binding', async () => {
  const identify = (): never => {
    throw unauthenticated('no token', 'Bearer realm="a2a"')
  }
  const answer = await post('not even json', { headers: { 'a2a-version': '99.0' } }, { identify })
  expect(answer.status).toBe(401)
  expect(answer.headers['www-authenticate']).toBe('Bearer realm="a2a"')
  expect(answer.text).toBe('{"jsonrpc":"2.0","id":null,"error":{"code":-31401,"message":"no token"}}')
})

test('AMB-75 the version is told before the method, under the id of the request', async () => {
  const answer = await post({ ...get, id: 'a', method: 'none' }, { headers: { ...json, 'a2a-version': '99.0' } })
  expect(answer.status).toBe(200)
  expect(errorOf(answer)).toMatchObject({ id: 'a', code: -32009 })
  expect(errorOf(await post('{', { headers: { ...json, 'a2a-version': '9.0' } }))).toMatchObject({
    id: null,
    code: -32009,
  })
})

test('AMB-75 the gate comes before the parameters', async () => {
  const gate = (): never => {
    throw new A2AError('PushNotificationNotSupported')
  }
  expect(errorOf(await post({ ...get, params: { id: 7 } }, {}, { gate })).code).toBe(-32003)
})

test('413 for a body that says that it is too large', async () => {
  const answer = await post(get, { headers: { ...json, 'content-length': '1001' } })
  expect(answer.status).toBe(413)
  expect(errorOf(answer)).toMatchObject({ id: null, code: -32600 })
})

test('JRPC-12 ERR-34 what was thrown by accident gives nothing away, and the log has it', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.error = new Error('/secret/path')
  const logged: unknown[] = []
  const log = { info() {}, warn() {}, error: (_: string, fields?: object) => void logged.push(fields) }
  const answer = await ask(createJsonRpcHandler(servingOptions(endpoint, { log })), { body: JSON.stringify(get) })
  expect(answer.text).toBe('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error"}}')
  expect(logged).toEqual([{ binding: 'JSONRPC', operation: 'GetTask', code: 'Internal', cause: endpoint.error }])
})

test('ERR-21 a time to wait is told', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.error = new A2AError('ResourceExhausted', undefined, { retryAfter: 1.2 })
  const answer = await ask(createJsonRpcHandler(servingOptions(endpoint)), { body: JSON.stringify(get) })
  expect(answer.status).toBe(200)
  expect(answer.headers['retry-after']).toBe('2')
})

const requests: Readonly<Record<string, object>> = {
  SendMessageRequest: { message },
  TaskPushNotificationConfig: { taskId: 't', url: 'https://hook.example' },
}
for (const { name, kind, request } of operations) {
  test(`JRPC-03 ${name} reaches the endpoint with its context`, async () => {
    const endpoint = createFakeEndpoint()
    endpoint.extensions = ['urn:a']
    const handle = createJsonRpcHandler(servingOptions(endpoint, { identify: () => 'me' }))
    const params = { ...(requests[request] ?? { id: 't', taskId: 't' }), tenant: 'acme' }
    const answer = await ask(handle, {
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params }),
      headers: { ...json, 'a2a-extensions': 'urn:a, urn:b' },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers['a2a-extensions']).toBe('urn:a')
    expect(answer.headers['content-type']).toBe(kind === 'stream' ? 'text/event-stream' : 'application/json')
    const [call] = endpoint.calls
    expect(call?.operation).toBe(name)
    expect(call?.request.tenant).toBe('acme')
    expect(call?.context).toMatchObject({ version: '1.0', tenant: 'acme', owner: 'me', extensions: ['urn:a', 'urn:b'] })
    // A stream is left by whoever writes it; it needs no signal.
    if (kind === 'stream') expect({ ...call?.context }.signal).toBeUndefined()
    else expect({ ...call?.context }.signal).toBeInstanceOf(AbortSignal)
  })
}

for (const method of ['ListTasks', 'GetExtendedAgentCard']) {
  test(`JRPC-22 AMB-66 ${method} without params`, async () => {
    expect((await post({ jsonrpc: '2.0', id: 1, method })).text).toContain('"result"')
    expect((await post({ jsonrpc: '2.0', id: 1, method, params: null })).text).toContain('"result"')
  })
}

test('a tenant that is not declared is refused where any are', async () => {
  const tenants = new Set(['acme'])
  const params = { id: 't', tenant: 'other' }
  expect(errorOf(await post({ ...get, params }, {}, { tenants }))).toMatchObject({ code: -32602 })
  expect((await post({ ...get, params })).text).toContain('"result"')
})

const stream = { jsonrpc: '2.0', id: 'q', method: 'SendStreamingMessage', params: { message } }

test('JRPC-05 each event is a whole response under the id of the request', async () => {
  const answer = await post(stream)
  const working = JSON.stringify(update('TASK_STATE_WORKING'))
  const completed = JSON.stringify(update('TASK_STATE_COMPLETED'))
  expect(answer.text).toBe(
    `id: 1\ndata: {"jsonrpc":"2.0","id":"q","result":${working}}\n\n` +
      `id: 2\ndata: {"jsonrpc":"2.0","id":"q","result":${completed}}\n\n`,
  )
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' })
})

test('JRPC-25 an error in the middle is the last event', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    yield* framesOf([update('TASK_STATE_WORKING')])
    throw new A2AError('Unavailable', 'Gone')
  }
  const { text } = await ask(createJsonRpcHandler(servingOptions(endpoint)), { body: JSON.stringify(stream) })
  expect(text.split('\n\n').at(-2)).toBe('data: {"jsonrpc":"2.0","id":"q","error":{"code":-31503,"message":"Gone"}}')
})

test('ERR-35 AMB-55 an error before the first event is an ordinary answer', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.error = new A2AError('TaskNotFound')
  const answer = await ask(createJsonRpcHandler(servingOptions(endpoint)), { body: JSON.stringify(stream) })
  expect(answer.headers['content-type']).toBe('application/json')
  expect(errorOf(answer)).toMatchObject({ id: 'q', code: -32001 })
})
