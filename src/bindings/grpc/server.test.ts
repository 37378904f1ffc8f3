import { status } from '@grpc/grpc-js'
import { describe, expect, test } from 'vitest'
import { encodeText } from '../../protocol/encoded.ts'
import type { CallContext } from '../../protocol/endpoint.ts'
import { A2AError, type ErrorCode, errorTable, grpcCodes } from '../../protocol/errors.ts'
import { resumeExtension } from '../../protocol/extensions.ts'
import { operations } from '../../protocol/operations.ts'
import { profiles } from '../../protocol/profiles.ts'
import { eventually } from '../../server/testing.ts'
import { createFakeEndpoint, framesOf, update } from '../testing.ts'
import { readEventNumber } from './event-number.ts'
import { decodeStatusDetails } from './status.ts'
import { type GrpcServerOptions, type Outcome, startGrpc } from './testing.ts'

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ü' }] }

/** The least that each operation asks for. */
const requests: Readonly<Record<string, object>> = {
  SendMessage: { message },
  SendStreamingMessage: { message },
  GetTask: { id: 't' },
  ListTasks: {},
  CancelTask: { id: 't' },
  SubscribeToTask: { id: 't' },
  CreateTaskPushNotificationConfig: { taskId: 't', id: 'c', url: 'https://hook.example/' },
  GetTaskPushNotificationConfig: { taskId: 't', id: 'c' },
  ListTaskPushNotificationConfigs: { taskId: 't' },
  DeleteTaskPushNotificationConfig: { taskId: 't', id: 'c' },
  GetExtendedAgentCard: {},
}

function detailsOf({ error }: Outcome): readonly Record<string, unknown>[] {
  const [bytes] = error?.metadata.get('grpc-status-details-bin') ?? []
  return bytes === undefined ? [] : decodeStatusDetails(bytes as Buffer).details
}

describe('operations', () => {
  for (const { name, kind } of operations) {
    test(`GRPC-01 GRPC-08 EQ-01 ${name}`, async () => {
      const endpoint = createFakeEndpoint()
      endpoint.result = {}
      const { client } = await startGrpc(endpoint)
      const { error, values } = await client.ask(name, requests[name] as object)
      expect(error).toBeUndefined()
      expect(values).toHaveLength(kind === 'stream' ? 2 : 1)
      expect(endpoint.calls.map(({ operation, request }) => [operation, request])).toEqual([[name, requests[name]]])
    })
  }

  test('GRPC-09 Delete returns an empty message', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.result = {}
    const { client } = await startGrpc(endpoint)
    const { messages } = await client.ask('DeleteTaskPushNotificationConfig', { taskId: 't', id: 'c' })
    expect(messages.map((bytes) => bytes.toString('hex'))).toEqual([''])
  })

  test('EQ-02 what the endpoint answers comes whole', async () => {
    const endpoint = createFakeEndpoint()
    const task = {
      id: 't',
      contextId: 'c',
      status: { state: 'TASK_STATE_INPUT_REQUIRED', timestamp: '2026-01-02T03:04:05.678Z' },
      artifacts: [
        { artifactId: 'a', parts: [{ data: { i: 1, f: 0.1, big: 9007199254740991, n: null, l: [1, 'x', {}] } }] },
        { artifactId: 'b', parts: [{ raw: 'AAECAw==', filename: 'ü.bin', mediaType: 'a/b' }], metadata: { z: 0 } },
      ],
    }
    endpoint.result = task
    const { client } = await startGrpc(endpoint)
    expect((await client.ask('GetTask', { id: 't' })).values).toEqual([task])
  })

  test('PJ-06 numbers of a request stay whole, null stays null', async () => {
    const endpoint = createFakeEndpoint()
    const { client } = await startGrpc(endpoint)
    const data = { i: 1, z: 0, neg: -7, big: 9007199254740991, f: 0.1, e: 1e21, arr: [1, 2.5, null, true], o: {} }
    const request = { message: { ...message, parts: [{ data }], metadata: { k: null } } }
    expect((await client.ask('SendMessage', request)).error).toBeUndefined()
    expect(JSON.stringify(endpoint.calls[0]?.request)).toContain(JSON.stringify(data))
    expect(endpoint.calls[0]?.request).toMatchObject({ message: { metadata: { k: null } } })
  })
})

describe('metadata', () => {
  async function contextOf(headers: Record<string, string>, options?: GrpcServerOptions): Promise<CallContext> {
    const endpoint = createFakeEndpoint()
    const { client } = await startGrpc(endpoint, options)
    const { error } = await client.ask('GetTask', { id: 't' }, { headers })
    expect(error).toBeUndefined()
    return (endpoint.calls[0] as { context: CallContext }).context
  }

  test('GRPC-04 GRPC-05 SVC-07 service parameters and our own entries reach the endpoint', async () => {
    const context = await contextOf({
      'A2A-Extensions': 'urn:a, urn:b,urn:a',
      'idempotency-key': 'k',
      'last-event-id': '7',
    })
    expect(context).toMatchObject({ version: '1.0', tenant: '', owner: '', extensions: ['urn:a', 'urn:b'] })
    expect([context.headers['idempotency-key'], context.headers['last-event-id']]).toEqual(['k', '7'])
  })

  test('GRPC-16 credentials are read from metadata', async () => {
    const context = await contextOf(
      { authorization: 'Bearer x' },
      { identify: async ({ headers, path }) => `${headers.authorization} ${path}` },
    )
    expect(context.owner).toBe('Bearer x /lf.a2a.v1.A2AService/GetTask')
  })

  test('GRPC-16 ERR-10 a refusal is UNAUTHENTICATED, with the challenge', async () => {
    const error = new A2AError('Unauthenticated', undefined, { headers: { 'WWW-Authenticate': 'Bearer' } })
    for (const identify of [async () => Promise.reject(error), (): string => raise(error)]) {
      const endpoint = createFakeEndpoint()
      const { client } = await startGrpc(endpoint, { identify })
      const outcome = await client.ask('GetTask', { id: 't' })
      expect(outcome.error?.code).toBe(status.UNAUTHENTICATED)
      expect(outcome.error?.metadata.get('www-authenticate')).toEqual(['Bearer'])
      expect(endpoint.calls).toEqual([])
    }
  })

  test('GRPC-14 what was activated is told in initial metadata', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.extensions = ['urn:a', 'urn:b']
    const { client } = await startGrpc(endpoint)
    for (const name of ['GetTask', 'SubscribeToTask']) {
      expect((await client.ask(name, { id: 't' })).initial['a2a-extensions']).toBe('urn:a,urn:b')
      const old = await client.ask(name, { id: 't' }, { headers: { 'x-a2a-extensions': 'urn:a' } })
      expect(old.initial['x-a2a-extensions']).toBe('urn:a,urn:b')
    }
  })

  test('GRPC-17 GRPC-18 VERS-09 the version has to agree with the service', async () => {
    const { client } = await startGrpc(createFakeEndpoint())
    for (const version of ['1.0', '1.0.3']) {
      expect((await client.ask('GetTask', { id: 't' }, { headers: { 'a2a-version': version } })).error).toBeUndefined()
    }
    for (const version of ['', '0.3', '99.0', '2.0']) {
      const outcome = await client.ask('GetTask', { id: 't' }, { headers: { 'a2a-version': version } })
      expect(outcome.error?.code).toBe(status.FAILED_PRECONDITION)
      expect(detailsOf(outcome)).toMatchObject([{ reason: 'VERSION_NOT_SUPPORTED' }])
    }
  })

  test('GRPC-18 AMB-52 a profile may take calls without a version as 1.0', async () => {
    const { client } = await startGrpc(createFakeEndpoint(), { profile: profiles['tck-1.0'] })
    const ask = (version: string) => client.ask('GetTask', { id: 't' }, { headers: { 'a2a-version': version } })
    expect((await ask('')).error).toBeUndefined()
    expect((await ask('99.0')).error?.code).toBe(status.UNIMPLEMENTED)
  })

  test('a tenant has to be declared where any are', async () => {
    const endpoint = createFakeEndpoint()
    const { client } = await startGrpc(endpoint, { tenants: new Set(['a']) })
    expect((await client.ask('GetTask', { id: 't', tenant: 'a' })).error).toBeUndefined()
    expect(endpoint.calls[0]?.context.tenant).toBe('a')
    const { error } = await client.ask('GetTask', { id: 't', tenant: 'b' })
    expect([error?.code, error?.details]).toEqual([
      status.INVALID_ARGUMENT,
      'tenant: "b" is not a tenant of this agent',
    ])
  })
})

describe('errors', () => {
  const old: Partial<Record<ErrorCode, number>> = {
    PushNotificationNotSupported: status.UNIMPLEMENTED,
    UnsupportedOperation: status.UNIMPLEMENTED,
    VersionNotSupported: status.UNIMPLEMENTED,
  }
  for (const [name, row] of Object.entries(errorTable)) {
    const code = name as ErrorCode
    test(`GRPC-06 GRPC-07 GRPC-11 ERR-26 ERR-31 ${code}`, async () => {
      const endpoint = createFakeEndpoint()
      endpoint.error = new A2AError(code, 'Text', { metadata: { taskId: 't' } })
      for (const profile of [profiles['spec-1.0.1'], profiles['tck-1.0']]) {
        const { client } = await startGrpc(endpoint, { profile })
        const outcome = await client.ask('GetTask', { id: 't' })
        const expected = (profile.errorMap === '1.0.0' ? old[code] : undefined) ?? grpcCodes[row.status]
        expect([outcome.error?.code, outcome.error?.details]).toEqual([expected, 'Text'])
        const info = { reason: row.reason, domain: 'a2a-protocol.org', metadata: { taskId: 't' } }
        expect(detailsOf(outcome)).toEqual(
          row.reason === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...info }],
        )
      }
    })
  }

  test('ERR-18 ERR-25 fields that break rules are named', async () => {
    const { client } = await startGrpc(createFakeEndpoint())
    const outcome = await client.ask('SendMessage', { message: { messageId: 'm' } })
    expect(outcome.error?.code).toBe(status.INVALID_ARGUMENT)
    expect(detailsOf(outcome)).toMatchObject([
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'message.role' }, { field: 'message.parts' }],
      },
    ])
  })

  test('PJ-09 NaN and Infinity in data are refused by their place', async () => {
    const { client } = await startGrpc(createFakeEndpoint())
    for (const bits of ['000000000000f87f', '000000000000f07f', '000000000000f0ff']) {
      // message { message_id: "m" role: 1 parts { data { number_value: … } } }
      const bytes = Buffer.from(`12120a016d20012a0b220911${bits}`, 'hex')
      const outcome = await client.raw('/lf.a2a.v1.A2AService/SendMessage', bytes)
      expect(outcome.error?.code).toBe(status.INVALID_ARGUMENT)
      expect(detailsOf(outcome)).toMatchObject([{ fieldViolations: [{ field: 'message.parts[0].data' }] }])
    }
  })

  test('ERR-34 what is thrown by mistake gives nothing away', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.error = new TypeError('secret /etc/passwd')
    const { client } = await startGrpc(endpoint)
    const { error } = await client.ask('GetTask', { id: 't' })
    expect([error?.code, error?.details]).toEqual([status.INTERNAL, 'Internal error'])
  })

  test('ERR-21 an error that says when to come back', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.error = new A2AError('ResourceExhausted', 'Too many', { retryAfter: 1.5 })
    const { client } = await startGrpc(endpoint)
    const { error } = await client.ask('GetTask', { id: 't' })
    expect(error?.metadata.getMap()).toMatchObject({ 'retry-after': '2', 'grpc-retry-pushback-ms': '1500' })
  })

  test('GRPC-12 STRM-08 an error after the first frame ends the stream', async () => {
    const endpoint = createFakeEndpoint()
    endpoint.frames = async function* () {
      yield* framesOf([update('TASK_STATE_WORKING')])
      throw new A2AError('InvalidAgentResponse', 'Bad')
    }
    const { client, options } = await startGrpc(endpoint)
    const outcome = await client.ask('SubscribeToTask', { id: 't' })
    expect([outcome.values.length, outcome.error?.code, outcome.error?.details]).toEqual([1, status.INTERNAL, 'Bad'])
    expect(detailsOf(outcome)).toMatchObject([{ reason: 'INVALID_AGENT_RESPONSE' }])
    expect(options.streams.size).toBe(0)
  })
})

describe('callers who leave', () => {
  test('GRPC-13 STRM-21 a cancelled unary call aborts its signal', async () => {
    const endpoint = createFakeEndpoint()
    let signal: AbortSignal | undefined
    endpoint.unary = (call) => {
      signal = call.context.signal
      return new Promise(() => {})
    }
    const { client } = await startGrpc(endpoint)
    const outcome = await client.ask('GetTask', { id: 't' }, { deadline: 60 })
    expect(outcome.error?.code).toBe(status.DEADLINE_EXCEEDED)
    await eventually(() => signal?.aborted === true)
    expect(A2AError.from(signal?.reason).code).toMatch(/Cancelled|DeadlineExceeded/)
  })

  test('GRPC-13 STRM-20 a cancelled stream leaves its source and nothing stays behind', async () => {
    const endpoint = createFakeEndpoint()
    let left = false
    endpoint.frames = async function* () {
      try {
        for (;;) {
          yield [encodeText(JSON.stringify(update('TASK_STATE_WORKING')))] as never
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
      } finally {
        left = true
      }
    }
    const { client, options } = await startGrpc(endpoint)
    const outcome = await client.ask('SubscribeToTask', { id: 't' }, { onMessage: (_bytes, cancel) => cancel() })
    expect(outcome.error?.code).toBe(status.CANCELLED)
    await eventually(() => left && options.streams.size === 0)
    expect((await client.ask('GetTask', { id: 't' })).error).toBeUndefined()
  })

  test('a caller who is gone before the stream begins leaves its source', async () => {
    const endpoint = createFakeEndpoint()
    let begin = (): void => {}
    let left = false
    endpoint.stream = async () => {
      await new Promise<void>((resolve) => {
        begin = resolve
      })
      return {
        events: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: async () => leave() }) },
        extensions: [],
      }
    }
    function leave(): { done: true; value: undefined } {
      left = true
      return { done: true, value: undefined }
    }
    const { client, options } = await startGrpc(endpoint)
    await client.ask('SubscribeToTask', { id: 't' }, { deadline: 40 })
    await new Promise((resolve) => setTimeout(resolve, 30))
    begin()
    await eventually(() => left)
    expect(options.streams.size).toBe(0)
  })
})

test('GRPC-15 numbers of events come to those who name the extension', async () => {
  const { client } = await startGrpc(createFakeEndpoint())
  const numbersOf = async (extensions: string): Promise<unknown[]> => {
    const outcome = await client.ask('SubscribeToTask', { id: 't' }, { headers: { 'a2a-extensions': extensions } })
    expect(outcome.values).toHaveLength(2)
    return outcome.messages.map(readEventNumber)
  }
  expect(await numbersOf('urn:other')).toEqual([undefined, undefined])
  expect(await numbersOf(`urn:other, ${resumeExtension}`)).toEqual([1, 2])
})

function raise(error: unknown): never {
  throw error
}
