import { fromBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { A2AError, type ErrorDetail, errorDetails } from '../../protocol/errors.ts'
import { createCodec } from './codec.ts'
import { rpcSchema } from './rpc-schema.ts'
import { decodeGrpcMessage, decodeStatusDetails, encodeGrpcMessage, encodeStatusDetails } from './status.ts'

const rpc = 'type.googleapis.com/google.rpc'
const options = { code: 9, message: 'text' }

describe('GRPC-06 GRPC-07 details of a status', () => {
  test('ERR-24 ERR-25 ERR-26 come back as they were', () => {
    const error = new A2AError('TaskNotCancelable', 'no', {
      metadata: { taskId: 't', state: 'ü' },
      violations: [
        { field: 'a.b[0]', description: 'must be' },
        { field: '', description: 'x' },
      ],
      details: [
        { '@type': `${rpc}.LocalizedMessage`, locale: 'de', message: 'nein' },
        { '@type': `${rpc}.Help`, links: [{ description: 'd', url: 'https://a.example' }] },
        { '@type': 'type.googleapis.com/google.protobuf.Struct', value: { whole: 1, none: null, list: [true] } },
        { '@type': 'type.example/of.Mine', value: 'AAEC' },
      ],
      retryAfter: 1.5,
    })
    const { message, details } = decodeStatusDetails(encodeStatusDetails(error, options) as Uint8Array)
    expect(message).toBe('text')
    expect(details).toEqual([
      {
        '@type': `${rpc}.ErrorInfo`,
        reason: 'TASK_NOT_CANCELABLE',
        domain: 'a2a-protocol.org',
        metadata: error.metadata,
      },
      {
        '@type': `${rpc}.BadRequest`,
        fieldViolations: [{ field: 'a.b[0]', description: 'must be' }, { description: 'x' }],
      },
      ...error.extraDetails,
      { '@type': `${rpc}.RetryInfo`, retryDelay: '1.5s' },
    ])
    expect(details.slice(2, -1)).toEqual(errorDetails(error).slice(2))
  })

  test('are the bytes that other libraries know', () => {
    const bytes = encodeStatusDetails(new A2AError('TaskNotFound'), options) as Uint8Array
    const status = createCodec(rpcSchema).decode('Status', bytes) as { code: number; details: { value: string }[] }
    expect(status.code).toBe(9)
    const any = fromBinary(AnySchema, createCodec(rpcSchema).encode('Any', status.details[0] as object))
    expect(any.typeUrl).toBe(`${rpc}.ErrorInfo`)
    expect(Buffer.from(any.value).toString('latin1')).toBe('\n\x0eTASK_NOT_FOUND\x12\x10a2a-protocol.org')
  })

  test('an error without any has none', () => {
    expect(encodeStatusDetails(new A2AError('Internal'), options)).toBeUndefined()
  })

  test('what does not fit is left out, the last first', () => {
    const violations = Array.from({ length: 100 }, (_, at) => ({ field: `field${at}`, description: 'x'.repeat(50) }))
    const error = new A2AError('ContentTypeNotSupported', 'no', { violations })
    const bytes = encodeStatusDetails(error, { ...options, limit: 1_000 }) as Uint8Array
    expect(bytes.length).toBeLessThanOrEqual(1_000)
    const [info, request] = decodeStatusDetails(bytes).details as [ErrorDetail, { fieldViolations: unknown[] }]
    expect(info.reason).toBe('CONTENT_TYPE_NOT_SUPPORTED')
    expect(request.fieldViolations).toEqual(violations.slice(0, 12))
    expect(encodeStatusDetails(error, { ...options, limit: 10 })).toBeUndefined()
  })

  test('a detail that is not as its type says is left out, the others stay', () => {
    const details = [
      { '@type': `${rpc}.Help`, links: 'none' },
      { '@type': 'type.example/of.Mine', members: 1 },
    ]
    const bytes = encodeStatusDetails(new A2AError('TaskNotFound', 'x', { details }), options) as Uint8Array
    expect(decodeStatusDetails(bytes).details).toHaveLength(1)
  })

  test('any bytes can be read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(Array.isArray(decodeStatusDetails(bytes).details)).toBe(true)
      }),
    )
    const odd = { code: 3, details: [{ typeUrl: `${rpc}.ErrorInfo`, value: '/w==' }] }
    expect(decodeStatusDetails(createCodec(rpcSchema).encode('Status', odd)).details).toEqual([
      { '@type': `${rpc}.ErrorInfo`, value: '/w==' },
    ])
  })
})

describe('grpc-message', () => {
  test('is percent-encoded UTF-8', () => {
    expect(encodeGrpcMessage('plain ~ text!')).toBe('plain ~ text!')
    expect(encodeGrpcMessage('100% ü\n€')).toBe('100%25 %C3%BC%0A%E2%82%AC')
    expect(decodeGrpcMessage('100%25 %C3%BC%0A%e2%82%ac')).toBe('100% ü\n€')
    expect(decodeGrpcMessage('100% of %zz')).toBe('100% of %zz')
  })

  test('comes back whole', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const encoded = encodeGrpcMessage(text)
        expect(encoded).toMatch(/^[\x20-\x7e]*$/)
        expect(decodeGrpcMessage(encoded)).toBe(text)
      }),
    )
  })
})
