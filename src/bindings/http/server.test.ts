import { expect, test } from 'vitest'
import { unauthenticated } from '../../auth/authenticate.ts'
import { A2AError } from '../../protocol/errors.ts'
import { operations } from '../../protocol/operations.ts'
import { profiles } from '../../protocol/profiles.ts'
import type { ServingOptions } from '../serving.ts'
import {
  type Answer,
  ask,
  createFakeEndpoint,
  type FakeEndpoint,
  type FakeRequest,
  framesOf,
  servingOptions,
  update,
} from '../testing.ts'
import { createHttpJsonHandler } from './server.ts'

const json = { 'content-type': 'application/json' }
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const tenants: ReadonlySet<string> = new Set(['acme'])

function send(
  request: FakeRequest,
  options: Partial<ServingOptions> & { endpoint?: FakeEndpoint } = {},
): Promise<Answer> {
  const { endpoint = createFakeEndpoint(), ...rest } = options
  return ask(createHttpJsonHandler(servingOptions(endpoint, { tenants, ...rest })), request)
}

/** What the endpoint was asked, or the status and name of the error. */
async function outcome(method: string, url: string, body?: unknown): Promise<unknown> {
  const endpoint = createFakeEndpoint()
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await send({ method, url, headers: json, body: text }, { endpoint })
  if (answer.status === 200) return endpoint.calls[0]?.request
  const { code, status } = JSON.parse(answer.text).error
  expect(code).toBe(answer.status)
  return `${code} ${status}`
}

const good: readonly (readonly [rule: string, request: string, body: unknown, decoded: object])[] = [
  ['REST-04', 'POST /message:send', { message }, { message }],
  ['REST-24', 'POST /acme/message:send', { message }, { message, tenant: 'acme' }],
  [
    'AMB-69 tenant in path and body',
    'POST /acme/message:send',
    { message, tenant: 'acme' },
    { message, tenant: 'acme' },
  ],
  ['AMB-69 tenant in the body', 'POST /message:send', { message, tenant: 'acme' }, { message, tenant: 'acme' }],
  ['AMB-69 tenant in the query of a POST', 'POST /message:send?tenant=acme', { message }, { message, tenant: 'acme' }],
  ['AMB-69 tenant in the query', 'GET /tasks/t?tenant=acme', undefined, { id: 't', tenant: 'acme' }],
  ['REST-07', 'GET /tasks/t?historyLength=2', undefined, { id: 't', historyLength: 2 }],
  ['REST-09 AMB-37', 'GET /tasks/t?history_length=2', undefined, { id: 't', historyLength: 2 }],
  [
    'REST-08 REST-11 REST-12 REST-13',
    'GET /tasks?contextId=c&status=TASK_STATE_WORKING&pageSize=5&includeArtifacts=true&pageToken=a%2Bb%2F%3D',
    undefined,
    { contextId: 'c', status: 'TASK_STATE_WORKING', pageSize: 5, includeArtifacts: true, pageToken: 'a+b/=' },
  ],
  [
    'REST-16 REST-09',
    'GET /tasks?lastUpdatedAfter=2025-11-09T10%3A30%3A00Z',
    undefined,
    { statusTimestampAfter: '2025-11-09T10:30:00.000Z' },
  ],
  ['REST-36', 'GET /tasks?A2A-Version=1.0&unknown=1', undefined, {}],
  ['REST-29', 'POST /tasks/t:cancel', '', { id: 't' }],
  ['REST-29', 'POST /tasks/t:cancel', '{}', { id: 't' }],
  ['REST-29', 'POST /tasks/t:cancel', 'null', { id: 't' }],
  ['REST-29', 'POST /tasks/t:subscribe', '', { id: 't' }],
  ['AMB-03', 'GET /tasks/t:subscribe', undefined, { id: 't' }],
  ['REST-30', 'POST /tasks/t:cancel', { id: 'other', metadata: { a: 1 } }, { id: 't', metadata: { a: 1 } }],
  [
    'REST-30',
    'POST /tasks/t/pushNotificationConfigs',
    { taskId: 'other', id: 'c', url: 'https://hook.example' },
    { taskId: 't', id: 'c', url: 'https://hook.example' },
  ],
  ['REST-01', 'DELETE /tasks/t/pushNotificationConfigs/c', undefined, { taskId: 't', id: 'c' }],
  ['REST-01', 'GET /extendedAgentCard', undefined, {}],
]
for (const [rule, request, body, decoded] of good) {
  const [method = '', url = ''] = request.split(' ')
  test(`${rule}: ${request} ${JSON.stringify(body) ?? ''}`, async () => {
    expect(await outcome(method, url, body)).toEqual(decoded)
  })
}

const bad: readonly (readonly [rule: string, request: string, body: unknown, error: string])[] = [
  ['REST-32', 'POST /message:send', '{', '400 INVALID_ARGUMENT'],
  ['REST-32 empty', 'POST /message:send', '', '400 INVALID_ARGUMENT'],
  ['REST-32 array', 'POST /message:send', '[]', '400 INVALID_ARGUMENT'],
  ['REST-32 string', 'POST /message:send', '"x"', '400 INVALID_ARGUMENT'],
  ['REST-32 cancel', 'POST /tasks/t:cancel', '{', '400 INVALID_ARGUMENT'],
  ['ERR-12 wrong enum', 'POST /message:send', { message: { ...message, role: 'ROLE_X' } }, '400 INVALID_ARGUMENT'],
  ['REST-11', 'GET /tasks?includeArtifacts=True', undefined, '400 INVALID_ARGUMENT'],
  ['REST-12', 'GET /tasks?pageSize=five', undefined, '400 INVALID_ARGUMENT'],
  ['LIST-07', 'GET /tasks?status=RUNNING', undefined, '400 INVALID_ARGUMENT'],
  ['AMB-69 path against body', 'POST /acme/message:send', { message, tenant: 'other' }, '400 INVALID_ARGUMENT'],
  ['AMB-69 path against query', 'GET /acme/tasks?tenant=other', undefined, '400 INVALID_ARGUMENT'],
  ['AMB-69 body against query', 'POST /message:send?tenant=x', { message, tenant: 'acme' }, '400 INVALID_ARGUMENT'],
  ['a tenant that is not declared', 'GET /tasks?tenant=other', undefined, '400 INVALID_ARGUMENT'],
  ['REST-31 undeclared tenant', 'GET /other/tasks', undefined, '404 NOT_FOUND'],
  ['REST-31', 'GET /none', undefined, '404 NOT_FOUND'],
  ['REST-05', 'PUT /tasks/t', undefined, '405 UNIMPLEMENTED'],
  ['AMB-73', 'GET /tasks/%zz', undefined, '400 INVALID_ARGUMENT'],
]
for (const [rule, request, body, error] of bad) {
  const [method = '', url = ''] = request.split(' ')
  test(`${rule}: ${request} ${JSON.stringify(body) ?? ''} is ${error}`, async () => {
    expect(await outcome(method, url, body)).toBe(error)
  })
}

test('REST-05 405 names the verbs that are served, REST-31 404 has no reason of A2A', async () => {
  expect((await send({ method: 'PUT', url: '/tasks/t:subscribe' })).headers.allow).toBe('GET, POST')
  const { text, headers } = await send({ method: 'GET', url: '/none' })
  expect(text).toBe('{"error":{"code":404,"status":"NOT_FOUND","message":"Nothing is served at this path"}}')
  expect(headers['x-content-type-options']).toBe('nosniff')
})

for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
  test(`REST-37 AMB-11 ${type} is 415, unless the body is empty where it may be`, async () => {
    const headers = { 'content-type': type }
    const answer = await send({ url: '/message:send', headers, body: JSON.stringify({ message }) })
    expect(answer.status).toBe(415)
    expect(JSON.parse(answer.text).error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }],
    })
    expect((await send({ url: '/tasks/t:cancel', headers, body: '' })).status).toBe(200)
    expect((await send({ url: '/tasks/t:cancel', headers, body: '{}' })).status).toBe(200)
    expect((await send({ url: '/tasks/t:cancel', headers, body: '{"metadata":{}}' })).status).toBe(415)
    const profile = { ...profiles['spec-1.0.1'], mediaTypeStatus: 400 as const }
    expect((await send({ url: '/message:send', headers, body: '{}' }, { profile })).status).toBe(400)
  })
}

const accepts: readonly (readonly [accept: string | undefined, type: string])[] = [
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/a2a+json', 'application/a2a+json'],
  ['application/json;q=0.5, application/a2a+json', 'application/a2a+json'],
  ['application/json, application/a2a+json;q=0.5', 'application/json'],
  ['application/a2a+json;q=0', 'application/json'],
]
for (const [accept, type] of accepts) {
  test(`REST-02 REST-23 REST-35 AMB-10 Accept ${accept} gets ${type}, for errors too`, async () => {
    const headers = accept === undefined ? {} : { accept }
    const ok = await send({ method: 'GET', url: '/tasks', headers })
    expect(ok.headers).toMatchObject({ 'content-type': type, vary: 'accept' })
    expect((await send({ method: 'GET', url: '/none', headers })).headers['content-type']).toBe(type)
  })
}
test('AMB-10 the policy may settle the media type', async () => {
  for (const [restMediaType, type] of [
    ['json', 'application/json'],
    ['a2a+json', 'application/a2a+json'],
  ] as const) {
    const profile = { ...profiles['spec-1.0.1'], restMediaType }
    const { headers } = await send(
      { method: 'GET', url: '/tasks', headers: { accept: 'application/a2a+json' } },
      { profile },
    )
    expect(headers['content-type']).toBe(type)
  }
})

test('AMB-75 path, then caller, then version, then body, then gate, then parameters', async () => {
  const identify = (): never => {
    throw unauthenticated('no', 'Bearer')
  }
  const gate = (): never => {
    throw new A2AError('UnsupportedOperation')
  }
  const version = { ...json, 'a2a-version': '9.9' }
  expect((await send({ url: '/none', headers: version }, { identify })).status).toBe(404)
  const refused = await send({ url: '/message:send', headers: version, body: '{' }, { identify, gate })
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  expect((await send({ url: '/message:send', headers: version, body: '{' }, { gate })).text).toContain(
    'VERSION_NOT_SUPPORTED',
  )
  expect((await send({ url: '/message:send', headers: json, body: '{' }, { gate })).text).toContain('Invalid JSON')
  expect((await send({ url: '/message:send', headers: json, body: '{}' }, { gate })).text).toContain(
    'UNSUPPORTED_OPERATION',
  )
})

test('VERS-09 VERS-15 a request without a version is told what is supported', async () => {
  const { status, text } = await send({ method: 'GET', url: '/tasks', headers: { 'a2a-version': '' } })
  expect(status).toBe(400)
  expect(JSON.parse(text).error.details[0].metadata).toEqual({ supportedVersions: '1.0,0.3' })
  const profile = { ...profiles['spec-1.0.1'], assumedVersion: '1.0' as const }
  expect((await send({ method: 'GET', url: '/tasks', headers: { 'a2a-version': '' } }, { profile })).status).toBe(200)
})

test('413 for a body that says that it is too large', async () => {
  const headers = { ...json, 'content-length': '1001' }
  expect((await send({ url: '/message:send', headers, body: '{}' })).status).toBe(413)
})

test('REST-06 PJ-19 every unary answer is 200, the empty one {}', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.result = {}
  endpoint.extensions = ['urn:a', 'urn:b']
  const answer = await send({ method: 'DELETE', url: '/tasks/t/pushNotificationConfigs/c' }, { endpoint })
  expect([answer.status, answer.text, answer.headers['a2a-extensions']]).toEqual([200, '{}', 'urn:a,urn:b'])
})

test('REST-33 events carry the bare StreamResponse', async () => {
  const answer = await send({ url: '/message:stream', headers: json, body: JSON.stringify({ message }) })
  expect(answer.headers['content-type']).toBe('text/event-stream')
  expect(answer.text).toBe(
    `id: 1\ndata: ${JSON.stringify(update('TASK_STATE_WORKING'))}\n\nid: 2\ndata: ${JSON.stringify(update('TASK_STATE_COMPLETED'))}\n\n`,
  )
})

test('REST-34 before the first event an error is an ordinary answer, later it is the last event', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.error = new A2AError('TaskNotFound')
  const early = await send({ method: 'GET', url: '/tasks/t:subscribe' }, { endpoint })
  expect([early.status, early.headers['content-type']]).toEqual([404, 'application/json'])
  endpoint.error = undefined
  endpoint.frames = async function* () {
    yield* framesOf([update('TASK_STATE_WORKING')])
    throw new Error('secret')
  }
  const late = await send({ method: 'GET', url: '/tasks/t:subscribe' }, { endpoint })
  expect(late.text.split('\n\n').at(-2)).toBe(
    'data: {"error":{"code":500,"status":"INTERNAL","message":"Internal error"}}',
  )
})

test('the paths may stand behind a prefix', async () => {
  const handle = createHttpJsonHandler(servingOptions(createFakeEndpoint()), '/rest')
  expect((await ask(handle, { method: 'GET', url: '/rest/tasks' })).status).toBe(200)
  expect((await ask(handle, { method: 'GET', url: '/tasks' })).status).toBe(404)
})

test('EQ-01 every operation is served', async () => {
  for (const { name, http, request } of operations) {
    const endpoint = createFakeEndpoint()
    const { verb = 'GET', path = '' } = http[0] ?? {}
    const body = request === 'SendMessageRequest' ? { message } : { url: 'https://hook.example' }
    await send(
      {
        method: verb,
        url: path.replace(/\{\w+\}/g, 't'),
        headers: json,
        body: verb === 'POST' ? JSON.stringify(body) : '',
      },
      { endpoint },
    )
    expect(endpoint.calls.map(({ operation }) => operation)).toEqual([name])
  }
})
