import { Metadata } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { A2AError, type ErrorCode, errorTable, grpcCodes } from '../../protocol/errors.ts'
import type { OperationName } from '../../protocol/operations.ts'
import { createCodec } from './codec.ts'
import { statusError } from './remote-status.ts'
import { rpcSchema } from './rpc-schema.ts'
import { encodeStatusDetails } from './status.ts'

type Status = keyof typeof grpcCodes

interface Sent {
  readonly operation?: OperationName
  readonly text?: string
  readonly metadata?: Readonly<Record<string, string | Buffer>>
}

/** What a client makes of a status; by default it came with metadata, as those of peers do. */
function read(code: Status | number, { operation = 'GetTask', text = 'some words', metadata }: Sent = {}): A2AError {
  const received = new Metadata()
  for (const [name, value] of Object.entries(metadata ?? { 'content-type': 'application/grpc' }))
    received.set(name, value)
  const number = typeof code === 'number' ? code : grpcCodes[code]
  return statusError({ code: number, details: text, metadata: received }, { operation, url: 'grpc://h:1', limit: 10 })
}

function withDetails(code: ErrorCode, message = 'exact: 100%'): Readonly<Record<string, Buffer>> {
  const bytes = encodeStatusDetails(new A2AError(code), { code: 1, message }) as Uint8Array
  return { 'grpc-status-details-bin': Buffer.from(bytes) }
}

describe('ERR-32 the reason decides', () => {
  for (const code of Object.keys(errorTable) as ErrorCode[]) {
    if (errorTable[code].reason === undefined || code === 'UnsupportedMediaType') continue
    test(`${code}, whatever the status`, () => {
      for (const status of ['FAILED_PRECONDITION', 'UNIMPLEMENTED', 'UNKNOWN'] as const) {
        expect(read(status, { metadata: withDetails(code) })).toMatchObject({
          code,
          origin: 'remote',
          message: 'exact: 100%',
          metadata: {},
        })
      }
    })
  }

  test('ERR-33 a reason that is none of the protocol, or of another domain, does not', () => {
    for (const info of [
      { reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' },
      { reason: 'TASK_NOT_CANCELABLE', domain: 'agent.example', metadata: { which: 'x' } },
    ]) {
      const value = Buffer.from(createCodec(rpcSchema).encode('ErrorInfo', info)).toString('base64')
      const details = [{ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value }]
      const bytes = Buffer.from(createCodec(rpcSchema).encode('Status', { code: 3, message: 'm', details }))
      const error = read('INVALID_ARGUMENT', { metadata: { 'grpc-status-details-bin': bytes } })
      expect(error).toMatchObject({ code: 'InvalidParams', message: 'm', metadata: info.metadata ?? {} })
    }
  })
})

describe('GRPC-11 then the status, and what was asked for', () => {
  const cases: readonly (readonly [Status | number, ErrorCode, Sent?])[] = [
    ['NOT_FOUND', 'TaskNotFound'],
    ['INVALID_ARGUMENT', 'InvalidParams'],
    ['FAILED_PRECONDITION', 'UnsupportedOperation', { operation: 'SubscribeToTask' }],
    ['FAILED_PRECONDITION', 'TaskNotCancelable', { operation: 'CancelTask' }],
    ['FAILED_PRECONDITION', 'PushNotificationNotSupported', { operation: 'ListTaskPushNotificationConfigs' }],
    ['FAILED_PRECONDITION', 'ExtendedAgentCardNotConfigured', { operation: 'GetExtendedAgentCard' }],
    ['UNIMPLEMENTED', 'PushNotificationNotSupported', { operation: 'CreateTaskPushNotificationConfig' }],
    ['UNIMPLEMENTED', 'UnsupportedOperation', { text: 'Streaming is not supported' }],
    ['UNIMPLEMENTED', 'VersionNotSupported', { text: 'Version 1.0 is not supported' }],
    ['UNIMPLEMENTED', 'MethodNotFound', { text: 'unknown service lf.a2a.v1.A2AService' }],
    ['UNIMPLEMENTED', 'MethodNotFound', { text: 'The server does not implement the method /x/y' }],
    ['UNIMPLEMENTED', 'MethodNotFound', { text: 'Method not found!' }],
    ['UNIMPLEMENTED', 'MethodNotFound', { text: '' }],
    ['UNAUTHENTICATED', 'Unauthenticated'],
    ['PERMISSION_DENIED', 'PermissionDenied'],
    ['RESOURCE_EXHAUSTED', 'ResourceExhausted'],
    ['UNAVAILABLE', 'Unavailable'],
    ['DEADLINE_EXCEEDED', 'DeadlineExceeded'],
    ['INTERNAL', 'Internal'],
    ['UNKNOWN', 'Internal'],
    [15, 'Internal'],
    [11, 'InvalidParams'],
  ]
  for (const [status, code, sent] of cases) {
    test(`${status} ${sent?.operation ?? ''} ${sent?.text ?? ''}: ${code}`, () => {
      const error = read(status, sent)
      expect(error).toMatchObject({ code, origin: 'remote' })
      expect(error.message).toBe(
        sent?.text === '' ? 'grpc://h:1 answered with gRPC status UNIMPLEMENTED' : (sent?.text ?? 'some words'),
      )
      expect(error.metadata.delivered).toBe(code === 'MethodNotFound' ? 'no' : undefined)
    })
  }

  test('ERR-20 ERR-21 when to come back, and how to authenticate', () => {
    expect(read('UNAVAILABLE', { metadata: { 'retry-after': '7' } }).retryAfter).toBe(7)
    expect(read('UNAVAILABLE', { metadata: { 'grpc-retry-pushback-ms': '1500' } }).retryAfter).toBe(2)
    expect(read('UNAUTHENTICATED', { metadata: { 'www-authenticate': 'Bearer realm="x"' } }).headers).toEqual({
      'www-authenticate': 'Bearer realm="x"',
    })
  })
})

describe('what no peer has said', () => {
  const local = (code: Status, text: string): A2AError => read(code, { text, metadata: {} })

  test('a request that surely never arrived', () => {
    for (const text of [
      'No connection established. Last error: connect ECONNREFUSED. Resolution note: ',
      'Name resolution failed for target dns:h:1',
      'Stream refused by server',
      'Channel closed before call started',
    ]) {
      expect(local('UNAVAILABLE', text)).toMatchObject({
        code: 'Unavailable',
        origin: 'local',
        retryable: true,
        metadata: { url: 'grpc://h:1', delivered: 'no' },
      })
    }
  })

  test('an answer that broke off', () => {
    for (const error of [
      local('UNAVAILABLE', 'Connection dropped'),
      local('INTERNAL', 'Received RST_STREAM with code 2'),
      local('CANCELLED', 'Call cancelled'),
    ]) {
      expect(error).toMatchObject({ code: 'Unavailable', origin: 'local', metadata: { url: 'grpc://h:1' } })
      expect(error.metadata.delivered).toBeUndefined()
      expect(error.message).toContain('grpc://h:1 broke off its answer')
    }
  })

  test('something on the way that answers in HTTP', () => {
    expect(local('UNAVAILABLE', 'Received HTTP status code 503')).toMatchObject({
      code: 'Unavailable',
      origin: 'remote',
    })
    expect(local('UNAUTHENTICATED', 'Received HTTP status code 401')).toMatchObject({ code: 'Unauthenticated' })
    const missing = local('UNIMPLEMENTED', 'Received HTTP status code 404')
    expect(missing).toMatchObject({ code: 'NotFound', metadata: { delivered: 'no' } })
  })

  test('GRPC-12 an error of a peer that brings no metadata', () => {
    expect(local('INTERNAL', 'the agent failed')).toMatchObject({ code: 'Internal', origin: 'remote' })
  })
})
