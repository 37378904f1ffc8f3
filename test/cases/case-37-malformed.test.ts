import { describe, expect, it } from 'vitest'
import { storeKinds } from '../harness.ts'
import { type PlainAnswer, type PlainRequest, plainRequest } from './plain-http.ts'
import { serve } from './served.ts'
import { operationNames, sendRequest } from './wire.ts'

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' }
const secret = /<html|<!DOCTYPE|node_modules|node:|\.ts\b|\bat \S+ \(|SyntaxError|TypeError|undefined/i

/** What every refusal has in common. */
function checkForm({ headers, text }: PlainAnswer): void {
  expect(headers['content-type']).toMatch(/^application\/(a2a\+)?json$/)
  expect(headers['x-content-type-options']).toBe('nosniff')
  expect(text).not.toMatch(secret)
}

const get = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 't' } }
const send = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: sendRequest('done') }
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const utf16 = Buffer.from(JSON.stringify(get), 'utf16le')
const badUtf8 = Buffer.concat([
  Buffer.from('{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"'),
  Buffer.from([0xc3, 0x28]),
  Buffer.from('"}}'),
])

type Body = string | Uint8Array | object | null

function bytesOf(body: Body): string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
}

const jsonRpc: readonly (readonly [name: string, body: Body, id: unknown, code: number])[] = [
  ['a lone brace', '{', null, -32700],
  ['nothing', '', null, -32700],
  ['blanks', ' \r\n\t', null, -32700],
  ['text', 'hello', null, -32700],
  ['HTML', '<html></html>', null, -32700],
  ['a form', 'jsonrpc=2.0&method=GetTask', null, -32700],
  ['single quotes', "{'jsonrpc':'2.0'}", null, -32700],
  ['a comment', `/* */${JSON.stringify(get)}`, null, -32700],
  ['a trailing comma', '{"jsonrpc":"2.0","id":1,"method":"GetTask",}', null, -32700],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"GetTask"}', null, -32700],
  ['two documents', JSON.stringify(get) + JSON.stringify(get), null, -32700],
  ['a byte-order mark', `\uFEFF${JSON.stringify(get)}`, null, -32700],
  ['UTF-16', utf16, null, -32700],
  ['broken UTF-8', badUtf8, null, -32700],
  ['a raw line break in a string', '{"jsonrpc":"2.0","id":"a\nb","method":"GetTask"}', null, -32700],
  ['an empty batch', [], null, -32600],
  ['a batch', [get, send], null, -32600],
  ['a string', '"x"', null, -32600],
  ['null', 'null', null, -32600],
  ['true', 'true', null, -32600],
  ['a number', '7', null, -32600],
  ['an empty object', {}, null, -32600],
  ['100,000 levels of arrays', deep(100_000), null, -32700],
  ['no jsonrpc', { ...get, jsonrpc: undefined }, 1, -32600],
  ['jsonrpc 1.0', { ...get, jsonrpc: '1.0' }, 1, -32600],
  ['jsonrpc as a number', { ...get, jsonrpc: 2 }, 1, -32600],
  ['no method', { ...get, method: undefined }, 1, -32600],
  ['a method that is a number', { ...get, method: 1 }, 1, -32600],
  ['a method that is null', { ...get, method: null }, 1, -32600],
  ['a method that is an object', { ...get, method: {} }, 1, -32600],
  ['params that are a string', { ...get, params: 'x' }, 1, -32600],
  ['params that are a number', { ...get, params: 0 }, 1, -32600],
  ['params that are an array', { ...get, params: ['t'] }, 1, -32602],
  ['params that are an empty array', { ...get, params: [] }, 1, -32602],
  ['no id', { ...get, id: undefined }, null, -32600],
  ['an id that is an object', { ...get, id: {} }, null, -32600],
  ['an id that is an array', { ...get, id: [1] }, null, -32600],
  ['an id that is true', { ...get, id: true }, null, -32600],
  ['an id beyond exact numbers', '{"jsonrpc":"2.0","id":9007199254740993,"method":"GetTask"}', null, -32600],
  ['an id of null, and no such task', { ...get, id: null }, null, -32001],
  ['a fractional id, and no such task', { ...get, id: 1.5 }, 1.5, -32001],
  ['an empty id, and no such task', { ...get, id: '' }, '', -32001],
  ['an empty method', { ...get, method: '' }, 1, -32601],
  ['a method of 0.3', { ...get, method: 'message/send' }, 1, -32009],
  ['a method of no version', { ...get, method: 'message/sent' }, 1, -32601],
  ['a method in another case', { ...get, method: 'gettask' }, 1, -32601],
  ['a method with blanks', { ...get, method: ' GetTask' }, 1, -32601],
  ['a method that objects have', { ...get, method: '__proto__' }, 1, -32601],
  ['a method of 100,000 letters', { ...get, method: 'x'.repeat(100_000) }, 1, -32601],
  ['no params where some are needed', { ...get, params: undefined }, 1, -32602],
  ['params of null where some are needed', { ...get, params: null }, 1, -32602],
  ['an id that is no string', { ...get, params: { id: 7 } }, 1, -32602],
  ['an id that is empty', { ...get, params: { id: '' } }, 1, -32602],
  ['no message', { ...send, params: {} }, 1, -32602],
  ['a message that is a string', { ...send, params: { message: 'hi' } }, 1, -32602],
  [
    'a message without parts',
    { ...send, params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } } },
    1,
    -32602,
  ],
  [
    'a role of 0.3',
    { ...send, params: { message: { messageId: 'm', role: 'user', parts: [{ text: 'x' }] } } },
    1,
    -32602,
  ],
  [
    'a part of 0.3',
    { ...send, params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ kind: 'file', file: {} }] } } },
    1,
    -32602,
  ],
  [
    'a part of two kinds',
    { ...send, params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x', data: 1 }] } } },
    1,
    -32602,
  ],
  ['a lone surrogate', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"\\ud800"}}', 1, -32602],
  ['metadata that is an array', { ...send, params: { ...sendRequest('done'), metadata: [] } }, 1, -32602],
  [
    'metadata of 1,000 levels',
    `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${deep(1_000)}}]}}}`,
    1,
    -32602,
  ],
  ['a state of another language', { ...get, method: 'ListTasks', params: { status: 'TASK_STATE_RUNNING' } }, 1, -32602],
  ['a page of nothing', { ...get, method: 'ListTasks', params: { pageSize: 0 } }, 1, -32602],
  ['a page of 101', { ...get, method: 'ListTasks', params: { pageSize: 101 } }, 1, -32602],
  ['a page token that is none', { ...get, method: 'ListTasks', params: { pageToken: 'zzz' } }, 1, -32602],
  ['a time that is none', { ...get, method: 'ListTasks', params: { statusTimestampAfter: 'yesterday' } }, 1, -32602],
]

const taskPaths = ['/tasks/t', '/tasks/t:cancel', '/tasks/t:subscribe', '/tasks/t/pushNotificationConfigs']

const rest: readonly (readonly [name: string, request: PlainRequest, status: number, grpc: string])[] = [
  ['a lone brace', { path: '/message:send', body: '{' }, 400, 'INVALID_ARGUMENT'],
  ['nothing', { path: '/message:send', body: '' }, 400, 'INVALID_ARGUMENT'],
  ['blanks', { path: '/message:stream', body: ' \n' }, 400, 'INVALID_ARGUMENT'],
  ['an array', { path: '/message:send', body: '[]' }, 400, 'INVALID_ARGUMENT'],
  ['a string', { path: '/message:stream', body: '"x"' }, 400, 'INVALID_ARGUMENT'],
  ['null', { path: '/message:send', body: 'null' }, 400, 'INVALID_ARGUMENT'],
  ['UTF-16', { path: '/message:send', body: utf16 }, 400, 'INVALID_ARGUMENT'],
  ['broken UTF-8', { path: '/message:send', body: badUtf8 }, 400, 'INVALID_ARGUMENT'],
  ['a byte-order mark', { path: '/message:send', body: '\uFEFF{}' }, 400, 'INVALID_ARGUMENT'],
  ['100,000 levels', { path: '/message:send', body: deep(100_000) }, 400, 'INVALID_ARGUMENT'],
  ['a JSON-RPC request', { path: '/message:send', body: JSON.stringify(send) }, 400, 'INVALID_ARGUMENT'],
  [
    'a wrong enum name',
    { path: '/message:send', body: JSON.stringify(sendRequest('x', { message: { role: 'user' as 'ROLE_USER' } })) },
    400,
    'INVALID_ARGUMENT',
  ],
  ['a wrong enum in the query', { method: 'GET', path: '/tasks?status=RUNNING' }, 400, 'INVALID_ARGUMENT'],
  ['a page of nothing', { method: 'GET', path: '/tasks?pageSize=0' }, 400, 'INVALID_ARGUMENT'],
  ['a page of 101', { method: 'GET', path: '/tasks?pageSize=101' }, 400, 'INVALID_ARGUMENT'],
  ['a page of -1', { method: 'GET', path: '/tasks?pageSize=-1' }, 400, 'INVALID_ARGUMENT'],
  ['a page of 1e1', { method: 'GET', path: '/tasks?pageSize=1e1' }, 400, 'INVALID_ARGUMENT'],
  ['a page of nobody knows', { method: 'GET', path: '/tasks?pageSize=' }, 400, 'INVALID_ARGUMENT'],
  ['a size given twice', { method: 'GET', path: '/tasks?pageSize=1&pageSize=2' }, 400, 'INVALID_ARGUMENT'],
  ['a page token that is none', { method: 'GET', path: '/tasks?pageToken=zzz' }, 400, 'INVALID_ARGUMENT'],
  ['a boolean that is none', { method: 'GET', path: '/tasks?includeArtifacts=yes' }, 400, 'INVALID_ARGUMENT'],
  ['a time that is none', { method: 'GET', path: '/tasks?statusTimestampAfter=soon' }, 400, 'INVALID_ARGUMENT'],
  ['a history of x', { method: 'GET', path: '/tasks/t?historyLength=x' }, 400, 'INVALID_ARGUMENT'],
  ['a broken escape in the path', { method: 'GET', path: '/tasks/%E0%A4%A' }, 400, 'INVALID_ARGUMENT'],
  ['bytes in the path that are no UTF-8', { method: 'GET', path: '/tasks/%FF' }, 400, 'INVALID_ARGUMENT'],
  ['a task that is not there', { method: 'GET', path: '/tasks/t' }, 404, 'NOT_FOUND'],
  ['an id with a known verb in it', { method: 'GET', path: '/tasks/a:cancel:x' }, 404, 'NOT_FOUND'],
  ['a path that is not there', { method: 'GET', path: '/message' }, 404, 'NOT_FOUND'],
  ['a path of 0.3', { path: '/v1/message:send', body: '{}' }, 400, 'FAILED_PRECONDITION'],
  ['another verb after the colon', { path: '/tasks/t:pause', body: '{}' }, 405, 'UNIMPLEMENTED'],
  ['a double slash', { method: 'GET', path: '//tasks' }, 404, 'NOT_FOUND'],
  ['a path that climbs', { method: 'GET', path: '/../etc/passwd' }, 404, 'NOT_FOUND'],
  ['a path of 10,000 letters', { method: 'GET', path: `/${'x'.repeat(10_000)}` }, 404, 'NOT_FOUND'],
  ['a path of 5,000 segments', { method: 'GET', path: '/x'.repeat(5_000) }, 404, 'NOT_FOUND'],
  ...taskPaths.map((path) => [`PUT ${path}`, { method: 'PUT', path }, 405, 'UNIMPLEMENTED'] as const),
  ['GET of a send', { method: 'GET', path: '/message:send' }, 405, 'UNIMPLEMENTED'],
  ['DELETE of a task', { method: 'DELETE', path: '/tasks/t' }, 405, 'UNIMPLEMENTED'],
  ['POST to the list', { path: '/tasks', body: '{}' }, 405, 'UNIMPLEMENTED'],
]

describe.each(storeKinds)('over %s', (store) => {
  it('Case 37: each malformed JSON-RPC request gets its error as JSON-RPC, and nothing is stored (JRPC-06, JRPC-08, JRPC-09, JRPC-10, JRPC-11, JRPC-16, JRPC-18, ERR-34, SEND-08)', async () => {
    const served = await serve({ store })
    for (const [name, body, id, code] of jsonRpc) {
      const answer = await plainRequest(served.url, { path: '/invoke', headers: json, body: bytesOf(body) })
      checkForm(answer)
      const parsed = JSON.parse(answer.text)
      expect([name, answer.status, parsed.jsonrpc, parsed.id, parsed.error?.code]).toEqual([name, 200, '2.0', id, code])
      expect(Object.keys(parsed).sort()).toEqual(['error', 'id', 'jsonrpc'])
      expect(parsed.error.message).not.toBe('')
      expect(answer.text.length).toBeLessThan(2_000)
    }
    const list = await plainRequest(served.url, { method: 'GET', path: '/tasks', headers: json })
    expect(JSON.parse(list.text).totalSize).toBe(0)
  })

  it('Case 37: each malformed HTTP+JSON request gets its error in the form of §11.6, and nothing is stored (REST-05, REST-12, REST-18, REST-20, REST-31, REST-32, ERR-34)', async () => {
    const served = await serve({ store })
    for (const [name, request, status, grpc] of rest) {
      const answer = await plainRequest(served.url, { ...request, headers: json })
      checkForm(answer)
      const { error, ...others } = JSON.parse(answer.text)
      expect([name, answer.status, error.code, error.status, others]).toEqual([name, status, status, grpc, {}])
      expect(error.message).not.toBe('')
      if (status === 405) expect(answer.headers.allow).toMatch(/GET|POST/)
    }
    const list = await plainRequest(served.url, { method: 'GET', path: '/tasks', headers: json })
    expect(JSON.parse(list.text).totalSize).toBe(0)
  })

  it.each([
    'text/plain',
    'text/html',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    'application/jsonp',
    'json',
    ';',
    ',',
  ])('Case 37: Content-Type %s (JRPC-21, REST-37, AMB-11)', async (type) => {
    const served = await serve({ store })
    const headers = { ...json, 'content-type': type }
    const rpc = await plainRequest(served.url, { path: '/invoke', headers, body: JSON.stringify(send) })
    checkForm(rpc)
    expect([rpc.status, JSON.parse(rpc.text).error.code]).toEqual([415, -32005])
    const answer = await plainRequest(served.url, {
      path: '/message:send',
      headers,
      body: JSON.stringify(sendRequest('done')),
    })
    checkForm(answer)
    expect([answer.status, JSON.parse(answer.text).error.details[0].reason]).toEqual([
      415,
      'CONTENT_TYPE_NOT_SUPPORTED',
    ])
  })
})

it('Case 37: other verbs on the JSON-RPC endpoint (JRPC-18)', async () => {
  const { url } = await serve()
  for (const path of ['/invoke', '/invoke/', '/a2a', '/']) {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const answer = await plainRequest(url, { method, path, headers: json })
      checkForm(answer)
      expect([answer.status, answer.headers.allow, JSON.parse(answer.text).error.code]).toEqual([405, 'POST', -32600])
    }
    const head = await plainRequest(url, { method: 'HEAD', path, headers: json })
    expect([head.status, head.text]).toEqual([405, ''])
  }
})

it('Case 37: of two members with one name the last one counts, as in every JSON parser (PJ-17)', async () => {
  const { url } = await serve()
  const body =
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"none","method":"GetTask","params":{"id":""},"params":{"id":"t"}}'
  const { text } = await plainRequest(url, { path: '/invoke', headers: json, body })
  expect(JSON.parse(text)).toMatchObject({ id: 2, error: { code: -32001 } })
})

it('Case 37: a stream that fails before it starts is answered with plain JSON (ERR-35, AMB-55, REST-34)', async () => {
  const { url } = await serve()
  const headers = { ...json, accept: 'text/event-stream' }
  const bad = { message: { messageId: 'm', role: 'ROLE_USER', parts: [] } }
  for (const [path, body] of [
    ['/invoke', { ...send, method: 'SendStreamingMessage', params: bad }],
    ['/invoke', { ...get, method: 'SubscribeToTask' }],
    ['/message:stream', bad],
    ['/tasks/t:subscribe', {}],
  ] as const) {
    const answer = await plainRequest(url, { path, headers, body: JSON.stringify(body) })
    checkForm(answer)
    expect(answer.text).toMatch(/^\{.*"error"/)
  }
})

it('Case 37: what is no object where an operation wants one (JRPC-11, JRPC-22)', async () => {
  const { url } = await serve()
  for (const method of operationNames) {
    for (const params of ['[]', '""', '0', 'true', '[{}]']) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`
      const answer = await plainRequest(url, { path: '/invoke', headers: json, body })
      checkForm(answer)
      expect([-32600, -32602, -32003, -32004]).toContain(JSON.parse(answer.text).error.code)
    }
  }
})
