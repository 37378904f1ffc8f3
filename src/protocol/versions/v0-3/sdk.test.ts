import * as newer from '@a2a-js/sdk'
import { LegacyJsonRpcTransport, LegacyRestTransport } from '@a2a-js/sdk/compat/v0_3/client'
import type * as older from 'a2a-js-sdk-v0-3'
import { JsonRpcTransport, RestTransport } from 'a2a-js-sdk-v0-3/client'
import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call, StreamEvent } from '../../endpoint.ts'
import type { SendMessageRequest, StreamResponse, Task, TaskPushNotificationConfig } from '../../generated/v1/types.ts'
import type { OperationName } from '../../operations.ts'
import type { Dialect, WireOperation } from '../dialect.ts'
import { jsonRpc03, rest03 } from './server.ts'

const endpoint = 'https://agent.example/a2a'
const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'hi' }] }
const task: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_INPUT_REQUIRED', message, timestamp: '2026-01-02T03:04:05.678Z' },
  artifacts: [
    {
      artifactId: 'a',
      name: 'n',
      parts: [
        { text: 'ü🦊' },
        { raw: 'AAEC', mediaType: 'image/png' },
        { data: { i: 1, deep: [1.5, 'x', { y: true }] } },
      ],
    },
  ],
  history: [{ ...message, role: 'ROLE_USER' }],
  metadata: { k: [1, 'v'] },
}
const config: TaskPushNotificationConfig = {
  taskId: 't',
  id: 'p',
  url: 'https://hook.example/',
  token: 's',
  authentication: { scheme: 'Bearer', credentials: 'c' },
}
/** Without `append`, which both SDKs lose over HTTP+JSON. */
const events: readonly StreamResponse[] = [
  { task },
  { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } },
  {
    artifactUpdate: {
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'a', parts: [{ text: 'x' }] },
      lastChunk: true,
    },
  },
  { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_CANCELED' } } },
]

const answers: Readonly<Partial<Record<OperationName, object>>> = {
  SendMessage: { task },
  GetTask: task,
  CancelTask: task,
  CreateTaskPushNotificationConfig: config,
  GetTaskPushNotificationConfig: config,
  ListTaskPushNotificationConfigs: { configs: [config] },
  DeleteTaskPushNotificationConfig: {},
}

interface Served {
  readonly fetchImpl: typeof fetch
  /** What came in, as requests of 1.0. */
  readonly seen: (readonly [OperationName, Call['request']])[]
}

async function eventsOf(server: Dialect, row: WireOperation): Promise<readonly unknown[]> {
  async function* source(): AsyncGenerator<readonly StreamEvent[]> {
    yield events.map((event) => encodeValue(event) as StreamEvent)
  }
  const values: unknown[] = []
  for await (const group of server.frames(row, source())) values.push(...group.map(({ value }) => value))
  return values
}

async function answer(
  server: Dialect,
  { row, wrap }: { readonly row: WireOperation; readonly wrap: (result: unknown) => unknown },
): Promise<Response> {
  if (row.operation.kind === 'stream') {
    const all = await eventsOf(server, row)
    const text = all.map((value) => `data: ${JSON.stringify(wrap(value))}\n\n`).join('')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  }
  const value = answers[row.operation.name]
  return Response.json(wrap(server.encode(row, encodeValue(value as never)).value))
}

/** A fetch that is answered by the JSON-RPC form. */
function serveJsonRpc(): Served {
  const seen: [OperationName, Call['request']][] = []
  const fetchImpl: typeof fetch = async (_url, init) => {
    const { id, method, params } = JSON.parse(String(init?.body)) as { id: number; method: string; params: unknown }
    const row = jsonRpc03.find(method) as WireOperation
    seen.push([row.operation.name, jsonRpc03.decode(row, params)])
    return answer(jsonRpc03, { row, wrap: (result) => ({ jsonrpc: '2.0', id, result }) })
  }
  return { fetchImpl, seen }
}

/** A fetch that is answered by the HTTP+JSON form, as it is for callers in JavaScript. */
function serveRest(): Served {
  const server = rest03
  const seen: [OperationName, Call['request']][] = []
  const fetchImpl: typeof fetch = async (url, init) => {
    const { pathname, searchParams } = new URL(String(url))
    for (const row of server.operations) {
      for (const rule of row.http.filter(({ verb }) => verb === (init?.method ?? 'GET'))) {
        const pattern = new RegExp(`^/a2a${rule.path.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)')}$`)
        const path = pattern.exec(pathname)?.groups
        if (!pattern.test(pathname)) continue
        const options = { path: { ...path } }
        const body = init?.body === undefined || init.body === null ? undefined : JSON.parse(String(init.body))
        const request =
          rule.body === '*' ? server.decode(row, body, options) : server.decodeQuery(row, searchParams, options)
        seen.push([row.operation.name, request])
        return answer(server, { row, wrap: (result) => result })
      }
    }
    throw new Error(`nothing is at ${init?.method} ${pathname}`)
  }
  return { fetchImpl, seen }
}

const served = { 'JSON-RPC': serveJsonRpc, 'HTTP+JSON': serveRest } as const
type Binding = keyof typeof served

/** What a call of SendMessage must come out as. */
const sent: SendMessageRequest = {
  message: {
    messageId: 'm',
    contextId: 'c',
    role: 'ROLE_USER',
    parts: [
      { text: 'hi' },
      { raw: 'AAEC', mediaType: 'image/png' },
      { url: 'https://files.example/a', mediaType: 'text/plain' },
      { data: { a: [1, 'x'] } },
    ],
    metadata: { k: 1 },
    extensions: ['urn:x'],
  },
  configuration: { acceptedOutputModes: ['text/plain'] },
  metadata: { r: true },
}

const message03: older.Message = {
  kind: 'message',
  messageId: 'm',
  contextId: 'c',
  role: 'user',
  parts: [
    { kind: 'text', text: 'hi' },
    { kind: 'file', file: { bytes: 'AAEC', mimeType: 'image/png' } },
    { kind: 'file', file: { uri: 'https://files.example/a', mimeType: 'text/plain' } },
    { kind: 'data', data: { a: [1, 'x'] } },
  ],
  metadata: { k: 1 },
  extensions: ['urn:x'],
}
const params03: older.MessageSendParams = {
  message: message03,
  configuration: { acceptedOutputModes: ['text/plain'], blocking: true },
  metadata: { r: true },
}
const { value: task03 } = jsonRpc03.encode(jsonRpc03.of('GetTask') as WireOperation, encodeValue(task as never))
const push03 = {
  taskId: 't',
  pushNotificationConfig: {
    id: 'p',
    url: 'https://hook.example/',
    token: 's',
    authentication: { schemes: ['Bearer'], credentials: 'c' },
  },
}

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const values: unknown[] = []
  for await (const value of stream) values.push(value)
  return values
}

/** The same without what stands for nothing: that SDK fills in defaults. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare)
  if (typeof value !== 'object' || value === null) return value
  const left = Object.entries(value).filter(
    ([, member]) => member !== undefined && member !== '' && !(Array.isArray(member) && member.length === 0),
  )
  return Object.fromEntries(left.map(([key, member]) => [key, bare(member)]))
}

describe('the published SDK for 0.3 calls, and reads what it gets', () => {
  const transports = {
    'JSON-RPC': (fetchImpl: typeof fetch) => new JsonRpcTransport({ endpoint, fetchImpl }),
    'HTTP+JSON': (fetchImpl: typeof fetch) => new RestTransport({ endpoint, fetchImpl }),
  } as const
  for (const binding of Object.keys(served) as Binding[]) {
    test(`VERS-07 every operation over ${binding}`, async () => {
      const { fetchImpl, seen } = served[binding]()
      const client = transports[binding](fetchImpl)
      const results = [
        await client.sendMessage(params03),
        await client.getTask({ id: 't', historyLength: 2 }),
        await client.cancelTask({ id: 't' }),
        await client.setTaskPushNotificationConfig(push03),
        await client.getTaskPushNotificationConfig({ id: 't', pushNotificationConfigId: 'p' }),
        await client.listTaskPushNotificationConfig({ id: 't' }),
        await client.deleteTaskPushNotificationConfig({ id: 't', pushNotificationConfigId: 'p' }),
      ]
      expect(seen).toEqual([
        ['SendMessage', sent],
        ['GetTask', { id: 't', historyLength: 2 }],
        ['CancelTask', { id: 't' }],
        ['CreateTaskPushNotificationConfig', config],
        ['GetTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
        ['ListTaskPushNotificationConfigs', { taskId: 't' }],
        ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
      ])
      expect(results.map(bare)).toEqual([task03, task03, task03, push03, push03, [push03], undefined])
    })

    test(`VERS-07 D-31 what it leaves out of a configuration, over ${binding}`, async () => {
      const { fetchImpl, seen } = served[binding]()
      const client = transports[binding](fetchImpl)
      await client.sendMessage({ message: message03 })
      await client.sendMessage({ message: message03, configuration: { blocking: false } })
      await client.sendMessage({ message: message03, configuration: { acceptedOutputModes: ['a/b'] } })
      const asked = seen.map(([, request]) => (request as SendMessageRequest).configuration?.returnImmediately)
      // Its own server over HTTP+JSON does not wait either for a configuration that leaves the word out.
      expect(asked).toEqual([undefined, true, binding === 'JSON-RPC' ? undefined : true])
    })

    test(`VERS-07 streams over ${binding}`, async () => {
      const { fetchImpl, seen } = served[binding]()
      const client = transports[binding](fetchImpl)
      const streams = [await all(client.sendMessageStream(params03)), await all(client.resubscribeTask({ id: 't' }))]
      expect(seen).toEqual([
        ['SendStreamingMessage', sent],
        ['SubscribeToTask', { id: 't' }],
      ])
      const row = jsonRpc03.of('SendStreamingMessage') as WireOperation
      const expected = await eventsOf(jsonRpc03, row)
      for (const stream of streams) expect(stream.map(bare)).toEqual(expected)
    })
  }
})

describe('the published SDK for 1.0 calls 0.3, and reads what it gets', () => {
  const transports = {
    'JSON-RPC': (fetchImpl: typeof fetch) => new LegacyJsonRpcTransport({ endpoint, fetchImpl }),
    'HTTP+JSON': (fetchImpl: typeof fetch) => new LegacyRestTransport({ endpoint, fetchImpl }),
  } as const
  const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))
  const readTask = newer.Task.fromJSON(task)
  const readConfig = newer.TaskPushNotificationConfig.fromJSON(config)

  for (const binding of Object.keys(served) as Binding[]) {
    test(`VERS-07 every operation over ${binding}`, async () => {
      const { fetchImpl, seen } = served[binding]()
      const client = transports[binding](fetchImpl)
      const ids = { tenant: '', taskId: 't', id: 'p' }
      const results = [
        await client.sendMessage(newer.SendMessageRequest.fromJSON(sent)),
        await client.getTask({ tenant: '', id: 't', historyLength: 2 }),
        await client.cancelTask({ tenant: '', id: 't', metadata: undefined }),
        await client.createTaskPushNotificationConfig(readConfig),
        await client.getTaskPushNotificationConfig(ids),
        await client.deleteTaskPushNotificationConfig(ids),
      ]
      expect(json(seen)).toEqual([
        ['SendMessage', sent],
        ['GetTask', { id: 't', historyLength: 2 }],
        ['CancelTask', { id: 't' }],
        ['CreateTaskPushNotificationConfig', config],
        ['GetTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
        ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
      ])
      expect(results.map(json)).toEqual([readTask, readTask, readTask, readConfig, readConfig, undefined].map(json))
    })

    test(`VERS-07 streams over ${binding}`, async () => {
      const { fetchImpl } = served[binding]()
      const client = transports[binding](fetchImpl)
      const read = await all(client.sendMessageStream(newer.SendMessageRequest.fromJSON(sent)))
      expect(json(read)).toEqual(json(events.map((event) => newer.StreamResponse.fromJSON(event))))
    })
  }
})
