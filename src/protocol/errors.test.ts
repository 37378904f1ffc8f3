import { describe, expect, it } from 'vitest'
import { A2AError, type ErrorCode, errorDetails, errorTable, grpcCodes, invalidParams } from './errors.ts'

const a2a: readonly (readonly [string, ErrorCode, string, number, number, string])[] = [
  ['ERR-01', 'TaskNotFound', 'TASK_NOT_FOUND', -32001, 404, 'NOT_FOUND'],
  ['ERR-02', 'TaskNotCancelable', 'TASK_NOT_CANCELABLE', -32002, 400, 'FAILED_PRECONDITION'],
  ['ERR-03', 'PushNotificationNotSupported', 'PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 400, 'FAILED_PRECONDITION'],
  ['ERR-04', 'UnsupportedOperation', 'UNSUPPORTED_OPERATION', -32004, 400, 'FAILED_PRECONDITION'],
  ['ERR-05', 'ContentTypeNotSupported', 'CONTENT_TYPE_NOT_SUPPORTED', -32005, 400, 'INVALID_ARGUMENT'],
  ['ERR-06', 'InvalidAgentResponse', 'INVALID_AGENT_RESPONSE', -32006, 500, 'INTERNAL'],
  [
    'ERR-07',
    'ExtendedAgentCardNotConfigured',
    'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    -32007,
    400,
    'FAILED_PRECONDITION',
  ],
  ['ERR-08', 'ExtensionSupportRequired', 'EXTENSION_SUPPORT_REQUIRED', -32008, 400, 'FAILED_PRECONDITION'],
  ['ERR-09', 'VersionNotSupported', 'VERSION_NOT_SUPPORTED', -32009, 400, 'FAILED_PRECONDITION'],
]

describe('the error table', () => {
  it.each(a2a)('%s %s', (_, code, reason, jsonRpc, http, status) => {
    expect(errorTable[code]).toMatchObject({ reason, jsonRpc, http, status })
  })

  it.each([
    ['ERR-10', 'Unauthenticated', 401, 'UNAUTHENTICATED'],
    ['ERR-11', 'PermissionDenied', 403, 'PERMISSION_DENIED'],
    ['ERR-12', 'InvalidParams', 400, 'INVALID_ARGUMENT'],
    ['ERR-13', 'TaskNotFound', 404, 'NOT_FOUND'],
    ['ERR-14', 'Unavailable', 503, 'UNAVAILABLE'],
  ] as const)('%s %s', (_, code, http, status) => {
    expect(errorTable[code]).toMatchObject({ http, status })
  })

  it('gives reasons to A2A errors alone, and every status is a gRPC code (ERR-33)', () => {
    for (const [code, row] of Object.entries(errorTable)) {
      expect(grpcCodes[row.status]).toBeTypeOf('number')
      const known = a2a.some(([, , reason]) => reason === row.reason)
      expect(row.reason === undefined || known, code).toBe(true)
    }
  })
})

describe('details', () => {
  it('are ErrorInfo with strings for A2A errors (ERR-24, ERR-25, ERR-26, ERR-31, PJ-20)', () => {
    expect(errorDetails(new A2AError('TaskNotFound', undefined, { metadata: { taskId: 't' } }))).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: 'TASK_NOT_FOUND',
        domain: 'a2a-protocol.org',
        metadata: { taskId: 't' },
      },
    ])
  })

  it('are BadRequest for fields, and others as they came (ERR-18, ERR-25, ERR-30)', () => {
    const error = invalidParams([{ field: 'id', description: 'is missing' }])
    expect(error.message).toBe('id: is missing')
    expect(errorDetails(error)).toEqual([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'id', description: 'is missing' }],
      },
    ])
    expect(errorDetails(new A2AError('Internal', undefined, { details: [{ '@type': 'x', a: 1 }] }))).toEqual([
      { '@type': 'x', a: 1 },
    ])
  })
})

describe('A2AError', () => {
  it('hides what it does not know (ERR-34)', () => {
    const cause = new Error('secret at /srv/a.ts')
    const error = A2AError.from(cause)
    expect([error.code, error.message, error.cause]).toEqual(['Internal', 'Internal error', cause])
    expect(A2AError.from(error)).toBe(error)
  })

  it('knows its kind from another copy of the package, and says what may be tried again (ERR-20)', () => {
    expect(A2AError.is({ isA2AError: true, code: 'Internal' })).toBe(true)
    expect([A2AError.is(null), A2AError.is('x'), A2AError.is(new Error())]).toEqual([false, false, false])
    expect([new A2AError('Unavailable').retryable, new A2AError('InvalidParams').retryable]).toEqual([true, false])
  })
})
