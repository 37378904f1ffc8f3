import { expect, test } from 'vitest'
import { A2AError, type ErrorCode, errorTable } from '../protocol/errors.ts'
import { profiles } from '../protocol/profiles.ts'
import { createHttpJsonHandler } from './http/server.ts'
import { createJsonRpcHandler } from './jsonrpc/server.ts'
import { ask, createFakeEndpoint, servingOptions } from './testing.ts'

/** How each error looks on the wire: HTTP status of JSON-RPC, its code, HTTP status and name of HTTP+JSON, reason. */
const pins: Readonly<Record<ErrorCode, readonly [number, number, number, string, string?]>> = {
  TaskNotFound: [200, -32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
  TaskNotCancelable: [200, -32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'],
  PushNotificationNotSupported: [200, -32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  UnsupportedOperation: [200, -32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
  ContentTypeNotSupported: [200, -32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
  InvalidAgentResponse: [200, -32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
  ExtendedAgentCardNotConfigured: [200, -32007, 400, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  ExtensionSupportRequired: [200, -32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'],
  VersionNotSupported: [200, -32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'],
  ParseError: [200, -32700, 400, 'INVALID_ARGUMENT'],
  InvalidRequest: [200, -32600, 400, 'INVALID_ARGUMENT'],
  MethodNotFound: [200, -32601, 404, 'UNIMPLEMENTED'],
  InvalidParams: [200, -32602, 400, 'INVALID_ARGUMENT'],
  Internal: [200, -32603, 500, 'INTERNAL'],
  Unavailable: [200, -31503, 503, 'UNAVAILABLE'],
  ResourceExhausted: [200, -31429, 429, 'RESOURCE_EXHAUSTED'],
  Unauthenticated: [401, -31401, 401, 'UNAUTHENTICATED'],
  PermissionDenied: [403, -31403, 403, 'PERMISSION_DENIED'],
  NotFound: [200, -32601, 404, 'NOT_FOUND'],
  MethodNotAllowed: [405, -32600, 405, 'UNIMPLEMENTED'],
  UnsupportedMediaType: [415, -32005, 415, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
  PayloadTooLarge: [413, -32600, 413, 'RESOURCE_EXHAUSTED'],
  DeadlineExceeded: [200, -31504, 504, 'DEADLINE_EXCEEDED'],
  Cancelled: [200, -31499, 499, 'CANCELLED'],
}

test('every error has a pin', () => {
  expect(Object.keys(pins).sort()).toEqual(Object.keys(errorTable).sort())
})

function failing(code: ErrorCode): ReturnType<typeof createFakeEndpoint> {
  const endpoint = createFakeEndpoint()
  const violations = code === 'InvalidParams' ? [{ field: 'id', description: 'is odd' }] : []
  endpoint.error = new A2AError(code, 'Text', { metadata: { taskId: 't' }, violations })
  return endpoint
}

function detailsOf(code: ErrorCode, reason: string | undefined): string {
  if (code === 'InvalidParams') {
    return '[{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"id","description":"is odd"}]}]'
  }
  if (reason === undefined) return ''
  return `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"${reason}","domain":"a2a-protocol.org","metadata":{"taskId":"t"}}]`
}

for (const [name, [status, jsonRpc, http, grpc, reason]] of Object.entries(pins)) {
  const code = name as ErrorCode
  const details = detailsOf(code, reason)

  test(`JRPC-13 JRPC-14 ERR-24 ERR-28 ${code} over JSON-RPC, byte by byte`, async () => {
    const handle = createJsonRpcHandler(servingOptions(failing(code)))
    const answer = await ask(handle, { body: '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}' })
    const data = details === '' ? '' : `,"data":${details}`
    expect(answer.text).toBe(`{"jsonrpc":"2.0","id":1,"error":{"code":${jsonRpc},"message":"Text"${data}}}`)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/json')
  })

  test(`REST-18 REST-19 REST-20 REST-22 ERR-27 ${code} over HTTP+JSON, byte by byte`, async () => {
    const handle = createHttpJsonHandler(servingOptions(failing(code)))
    const answer = await ask(handle, { method: 'GET', url: '/tasks/t' })
    const list = details === '' ? '' : `,"details":${details}`
    expect(answer.text).toBe(`{"error":{"code":${http},"status":"${grpc}","message":"Text"${list}}}`)
    expect(answer.status).toBe(http)
    expect(answer.headers['content-type']).toBe('application/json')
  })
}

const firstRelease: readonly (readonly [ErrorCode, number])[] = [
  ['TaskNotCancelable', 409],
  ['ContentTypeNotSupported', 415],
  ['InvalidAgentResponse', 502],
  ['TaskNotFound', 404],
]
for (const [code, status] of firstRelease) {
  test(`AMB-59 ${code} has status ${status} under the error map of 1.0.0`, async () => {
    const profile = { ...profiles['spec-1.0.1'], errorMap: '1.0.0' as const }
    const answer = await ask(createHttpJsonHandler(servingOptions(failing(code), { profile })), {
      method: 'GET',
      url: '/tasks/t',
    })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.text).error.code).toBe(status)
  })
}
