import { afterEach, describe, expect, test } from 'vitest'
import type { Call, CallContext, Endpoint, StreamEvent, StreamReply } from '../../protocol/endpoint.ts'
import { A2AError, type ErrorCode, errorTable } from '../../protocol/errors.ts'
import { resumeExtension } from '../../protocol/extensions.ts'
import type { AgentInterface } from '../../protocol/generated/v1/types.ts'
import { operations } from '../../protocol/operations.ts'
import type { TransportOptions } from '../fetch-call.ts'
import { createFakeEndpoint, type FakeEndpoint, framesOf, update } from '../testing.ts'
import { closeIdleChannels } from './channel.ts'
import { connectGrpc } from './client.ts'
import { failure, type GrpcServerOptions, startGrpc } from './testing.ts'

afterEach(closeIdleChannels)

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ü' }] } as const
const completed = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } as const

const requests = {
  SendMessage: { message },
  SendStreamingMessage: { message },
  GetTask: { id: 't', historyLength: 0 },
  ListTasks: { includeArtifacts: false },
  CancelTask: { id: 't', metadata: { why: [1, null, { deep: 1.5 }] } },
  SubscribeToTask: { id: 't' },
  CreateTaskPushNotificationConfig: { taskId: 't', id: 'c', url: 'https://hook.example/' },
  GetTaskPushNotificationConfig: { taskId: 't', id: 'c' },
  ListTaskPushNotificationConfigs: { taskId: 't' },
  DeleteTaskPushNotificationConfig: { taskId: 't', id: 'c' },
  GetExtendedAgentCard: {},
} as const

function context(more: Partial<CallContext> = {}): CallContext {
  return { version: '1.0', tenant: '', owner: '', extensions: [], headers: {}, ...more }
}

interface Pair {
  readonly served: FakeEndpoint
  readonly client: Endpoint
  readonly warnings: string[]
}

interface PairOptions extends GrpcServerOptions {
  readonly transport?: TransportOptions
  readonly iface?: Partial<AgentInterface>
}

/** A client of a server of the repository's own. */
async function pair({ transport, iface, ...options }: PairOptions = {}): Promise<Pair> {
  const served = createFakeEndpoint()
  const { listener } = await startGrpc(served, options)
  const warnings: string[] = []
  const client = connectGrpc(
    { url: `127.0.0.1:${listener.port}`, protocolBinding: 'GRPC', protocolVersion: '1.0', ...iface },
    { warn: (text) => warnings.push(text), ...transport },
  )
  return { served, client, warnings }
}

async function gather(reply: StreamReply): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const group of reply.events) events.push(...group)
  return events
}

describe('operations', () => {
  for (const { name, kind } of operations) {
    test(`GRPC-01 GRPC-03 GRPC-08 ${name}`, async () => {
      const { served, client, warnings } = await pair()
      const request = requests[name]
      const call = { operation: name, request, context: context() } as Call
      if (kind === 'stream') {
        const events = await gather(await client.stream(call as never))
        expect(events.map(({ value }) => value)).toEqual([update('TASK_STATE_WORKING'), update('TASK_STATE_COMPLETED')])
      } else {
        served.result = results[name] ?? {}
        const { result } = await client.unary(call as never)
        expect(result.value).toEqual(served.result)
      }
      expect(served.calls.map(({ operation, request }) => [operation, request])).toEqual([[name, request]])
      expect(warnings).toEqual([])
    })
  }
})

const config = { taskId: 't', id: 'c', url: 'https://hook.example/' }
const results: Readonly<Record<string, object>> = {
  SendMessage: { task: completed },
  GetTask: {
    ...completed,
    artifacts: [{ artifactId: 'a', parts: [{ data: { whole: 3, none: null } }, { raw: 'AAE=' }] }],
  },
  ListTasks: { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 },
  CancelTask: completed,
  CreateTaskPushNotificationConfig: config,
  GetTaskPushNotificationConfig: config,
  ListTaskPushNotificationConfigs: { configs: [config] },
  GetExtendedAgentCard: {
    name: 'n',
    description: 'd',
    version: '1',
    capabilities: { streaming: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 's', description: 's', tags: ['t'] }],
    supportedInterfaces: [{ url: 'h:1', protocolBinding: 'GRPC', protocolVersion: '1.0' }],
    securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'x-key' } } },
    securityRequirements: [{ schemes: { key: {} } }],
  },
}

describe('metadata', () => {
  test('GRPC-04 GRPC-05 GRPC-16 service parameters, credentials and what calls carry travel as metadata', async () => {
    const { served, client } = await pair({
      transport: { headers: async (url) => ({ Authorization: `Bearer for ${url.hostname}`, 'X-API-Key': 'k' }) },
    })
    const headers = { 'idempotency-key': 'i', traceparent: '00-1-2-01', cookie: 'mine' }
    const extensions = ['https://a.example/ext', 'https://b.example/ext']
    await client.unary({ operation: 'GetTask', request: { id: 't' }, context: context({ extensions, headers }) })
    const [call] = served.calls
    expect(call?.context.extensions).toEqual(extensions)
    expect(call?.context.headers).toMatchObject({
      'a2a-version': '1.0',
      'a2a-extensions': extensions.join(','),
      authorization: 'Bearer for 127.0.0.1',
      'x-api-key': 'k',
      'idempotency-key': 'i',
      traceparent: '00-1-2-01',
    })
    expect(call?.context.headers.cookie).toBeUndefined()
  })

  test('a header that metadata cannot carry is refused by name, before anything is sent', async () => {
    const { served, client } = await pair({ transport: { headers: async () => ({ 'x-key': 'ä' }) } })
    const error = await failure(client.unary({ operation: 'GetTask', request: { id: 't' }, context: context() }))
    expect(error.code).toBe('InvalidRequest')
    expect(error.message).toContain('"x-key"')
    expect(served.calls).toEqual([])
  })

  test('the tenant of the interface goes into the request', async () => {
    const { served, client } = await pair({ iface: { tenant: 'acme' }, tenants: new Set(['acme']) })
    await client.unary({ operation: 'GetTask', request: { id: 't' }, context: context() })
    expect(served.calls[0]?.request).toEqual({ id: 't', tenant: 'acme' })
  })

  test('GRPC-14 activated extensions are read from the initial metadata', async () => {
    const { served, client } = await pair()
    served.extensions = ['https://a.example/ext']
    served.result = completed
    const call = { operation: 'GetTask', request: { id: 't' }, context: context() } as const
    expect((await client.unary(call)).extensions).toEqual(['https://a.example/ext'])
    const stream = { operation: 'SubscribeToTask', request: { id: 't' }, context: context() } as const
    const reply = await client.stream(stream)
    expect(reply.extensions).toEqual(['https://a.example/ext'])
    await gather(reply)
  })
})

describe('streams', () => {
  const subscribe = (more?: Partial<CallContext>) =>
    ({ operation: 'SubscribeToTask', request: { id: 't' }, context: context(more) }) as const

  test('events have numbers for who asks to resume, and last-event-id says where to begin', async () => {
    const { served, client } = await pair()
    const headers = { 'last-event-id': '7' }
    const events = await gather(await client.stream(subscribe({ extensions: [resumeExtension], headers })))
    expect(events.map(({ id }) => id)).toEqual([1, 2])
    expect(served.calls[0]?.context.headers['last-event-id']).toBe('7')
    expect((await gather(await client.stream(subscribe()))).map(({ id }) => id)).toEqual([undefined, undefined])
  })

  test('GRPC-12 an error after events comes after them', async () => {
    const { served, client } = await pair()
    served.frames = async function* () {
      yield* framesOf([update('TASK_STATE_WORKING')])
      throw new A2AError('Unavailable', 'going down', { retryAfter: 3 })
    }
    const reply = await client.stream(subscribe())
    const seen: StreamEvent[] = []
    const error = await failure(
      (async () => {
        for await (const group of reply.events) seen.push(...group)
      })(),
    )
    expect(seen).toHaveLength(1)
    expect(error).toMatchObject({ code: 'Unavailable', message: 'going down', retryAfter: 3, origin: 'remote' })
  })

  test('GRPC-13 STRM-20 leaving the loop and aborting the signal end that stream at the server', async () => {
    const { served, client } = await pair()
    let ended = 0
    served.frames = async function* () {
      try {
        for (;;) {
          yield* framesOf([update('TASK_STATE_WORKING')])
          await new Promise((resolve) => setTimeout(resolve, 5))
        }
      } finally {
        ended += 1
      }
    }
    const reply = await client.stream(subscribe())
    for await (const _ of reply.events) break
    await expect.poll(() => ended).toBe(1)
    const controller = new AbortController()
    const other = await client.stream(subscribe({ signal: controller.signal }))
    const gathering = failure(gather(other))
    controller.abort('enough')
    expect(await gathering).toMatchObject({ code: 'Cancelled', origin: 'local', cause: 'enough' })
    await expect.poll(() => ended).toBe(2)
  })

  test('a stream without an event is an error', async () => {
    const { served, client } = await pair()
    served.frames = () => framesOf()
    expect(await failure(client.stream(subscribe()))).toMatchObject({ code: 'Unavailable' })
  })
})

describe('errors', () => {
  const sent = (Object.keys(errorTable) as ErrorCode[]).filter((code) => code !== 'Cancelled')
  /** Errors without a reason that share a status with another one. */
  const told: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
    ParseError: 'InvalidParams',
    InvalidRequest: 'InvalidParams',
    MethodNotAllowed: 'MethodNotFound',
    NotFound: 'TaskNotFound',
    PayloadTooLarge: 'ResourceExhausted',
    UnsupportedMediaType: 'ContentTypeNotSupported',
  }
  for (const code of sent) {
    test(`ERR-26 ERR-32 ${code}`, async () => {
      const { served, client } = await pair()
      served.error = new A2AError(code, `what went wrong: no such method, ${code} ü%`, {
        metadata: { which: 'this one' },
      })
      const error = await failure(client.unary({ operation: 'GetTask', request: { id: 't' }, context: context() }))
      expect(error.code).toBe(told[code] ?? code)
      expect(error.origin).toBe('remote')
      expect(error.message).toContain(`what went wrong: no such method, ${code} ü%`)
      if (errorTable[code].reason !== undefined) expect(error.metadata).toEqual({ which: 'this one' })
    })
  }
})
