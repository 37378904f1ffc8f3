import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../protocol/errors.ts'
import { isErrorBody, remoteError } from './remote-error.ts'

const url = 'http://user:secret@agent.example/rpc?key=secret'
const info = (reason: string, domain = 'a2a-protocol.org'): object => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain,
  metadata: { taskId: 't1', count: 3 },
})
const rpc = (code: number, data?: unknown): object => ({
  jsonrpc: '2.0',
  id: 1,
  error: { code, message: 'said', data },
})
const rest = (code: number, status: string, details: readonly object[] = []): object => ({
  error: { code, status, message: 'said', details },
})

const rows: readonly { name: string; status: number; body?: unknown; code: ErrorCode }[] = [
  {
    name: 'reason before JSON-RPC code',
    status: 200,
    body: rpc(-32602, [info('TASK_NOT_FOUND')]),
    code: 'TaskNotFound',
  },
  {
    name: 'reason before HTTP status',
    status: 409,
    body: rest(409, 'ABORTED', [info('UNSUPPORTED_OPERATION')]),
    code: 'UnsupportedOperation',
  },
  {
    name: 'a reason of another domain counts for nothing',
    status: 200,
    body: rpc(-32002, [info('TASK_NOT_FOUND', 'x.example')]),
    code: 'TaskNotCancelable',
  },
  {
    name: 'an unknown reason of the domain',
    status: 400,
    body: rest(400, 'INVALID_ARGUMENT', [info('INVALID_PARAMS')]),
    code: 'InvalidParams',
  },
  {
    name: 'details that are one object',
    status: 200,
    body: rpc(-32603, info('VERSION_NOT_SUPPORTED')),
    code: 'VersionNotSupported',
  },
  { name: 'JSON-RPC code alone', status: 200, body: rpc(-32001), code: 'TaskNotFound' },
  { name: 'JSON-RPC code whatever the HTTP status', status: 500, body: rpc(-32004), code: 'UnsupportedOperation' },
  { name: 'general JSON-RPC code, telling HTTP status', status: 503, body: rpc(-32603), code: 'Unavailable' },
  { name: 'own JSON-RPC code with 401', status: 401, body: rpc(-31999), code: 'Unauthenticated' },
  { name: 'own JSON-RPC code with 200', status: 200, body: rpc(-32050), code: 'Internal' },
  { name: 'authentication code of other servers', status: 200, body: rpc(-31401), code: 'Unauthenticated' },
  { name: 'status name', status: 400, body: rest(400, 'NOT_FOUND'), code: 'NotFound' },
  {
    name: 'problem details',
    status: 400,
    body: { type: 'about:blank', title: 'Bad', status: 400, errors: [{ field: 'a', message: 'b' }] },
    code: 'InvalidParams',
  },
  { name: 'HTTP status alone', status: 429, code: 'ResourceExhausted' },
  { name: 'a gateway that is down', status: 502, code: 'Unavailable' },
  { name: 'an unknown status', status: 418, code: 'InvalidRequest' },
  { name: 'an unknown server status', status: 599, code: 'Internal' },
]

describe('ERR-32 which error an answer is', () => {
  for (const { name, status, body, code } of rows) {
    test(name, () => {
      const error = remoteError({ status, headers: new Headers(), url, body })
      expect(error.code).toBe(code)
      expect(error.origin).toBe('remote')
      expect(error.message).not.toContain('secret')
      expect(error.message).not.toBe('')
    })
  }

  test('keeps metadata as strings, violations, other details and the code of the wire', () => {
    const bad = {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'a.b', description: 'must be' }],
    }
    const other = { '@type': 'type.googleapis.com/x.Y', z: 1 }
    const error = remoteError({ status: 200, headers: new Headers(), url, body: rpc(-32050, [info('X'), bad, other]) })
    expect(error.message).toBe('said')
    expect(error.metadata).toEqual({ taskId: 't1', count: '3', jsonRpcCode: '-32050' })
    expect(error.violations).toEqual([{ field: 'a.b', description: 'must be' }])
    expect(error.extraDetails).toEqual([other])
    const problem = remoteError({
      status: 400,
      headers: new Headers(),
      url,
      body: { title: 'Bad', status: 400, errors: [{ field: 'a', message: 'b' }] },
    })
    expect(problem.violations).toEqual([{ field: 'a', description: 'b' }])
  })

  test('when to come back: seconds, a date, RetryInfo', () => {
    const wait = (headers: Record<string, string>, body?: unknown): number | undefined =>
      remoteError({ status: 503, headers: new Headers(headers), url, body }).retryAfter
    expect(wait({ 'retry-after': '7' })).toBe(7)
    expect(wait({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() })).toBeGreaterThan(30)
    expect(wait({ 'retry-after': 'soon' })).toBeUndefined()
    expect(wait({}, rpc(-32603, [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }]))).toBe(
      1.5,
    )
  })

  test('keeps the challenge', () => {
    const headers = new Headers({ 'www-authenticate': 'Bearer realm="x"' })
    expect(remoteError({ status: 401, headers, url }).headers).toEqual({ 'www-authenticate': 'Bearer realm="x"' })
  })

  test('tells errors from answers', () => {
    const errors = [rpc(-32001), rest(404, 'NOT_FOUND'), { title: 'x', status: 400 }]
    const answers = [
      null,
      [],
      { status: { state: 'TASK_STATE_WORKING' } },
      { result: {}, error: null },
      'x',
      { error: 'x' },
    ]
    expect(errors.map(isErrorBody)).toEqual([true, true, true])
    expect(answers.map(isErrorBody)).toEqual(answers.map(() => false))
  })
})

test('what a peer says about delivery, and times that have passed, are not believed', () => {
  const data = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'TASK_NOT_FOUND',
      domain: 'a2a-protocol.org',
      metadata: { delivered: 'no', odd: { toString: [] } },
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '-5s' },
  ]
  const body = { error: { code: -32001, message: 'gone', data } }
  const error = remoteError({ status: 200, headers: new Headers(), url: 'https://a.example', body })
  expect([error.metadata, error.retryAfter]).toEqual([{ odd: '{"toString":[]}' }, 0])
})
