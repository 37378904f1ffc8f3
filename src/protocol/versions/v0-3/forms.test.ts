import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import type { StreamResponse, Task } from '../../generated/v1/types.ts'
import type { Note } from '../dialect.ts'
import { losses } from './losses.ts'
import { peerGrpc03, peerJsonRpc03, peerRest03 } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

const forms = {
  json: { server: jsonRpc03, peer: peerJsonRpc03 },
  proto: { server: rest03, peer: peerRest03 },
} as const

function rowOf(server: typeof jsonRpc03, operation: Call['operation']): NonNullable<ReturnType<typeof server.of>> {
  const row = server.of(operation)
  if (row === undefined) throw new Error(`there is no ${operation}`)
  return row
}

const silent = (): void => {}

/** What is written of an event, and what is read back. */
function both(event: StreamResponse, form: 'json' | 'proto'): { readonly written: unknown; readonly read: unknown } {
  const { server, peer } = forms[form]
  const written = server.encode(rowOf(server, 'SendStreamingMessage'), encodeValue(event as never)).value
  return { written, read: peer.readFrame(written, silent).event }
}

const time = '2026-01-02T03:04:05.000Z'
const v1Message = { messageId: 'm', contextId: 'c', taskId: 't', role: 'ROLE_AGENT' as const, parts: [{ text: 'hi' }] }
const jsonMessage = {
  kind: 'message',
  messageId: 'm',
  contextId: 'c',
  taskId: 't',
  role: 'agent',
  parts: [{ kind: 'text', text: 'hi' }],
}
const protoMessage = { messageId: 'm', contextId: 'c', taskId: 't', role: 'ROLE_AGENT', content: [{ text: 'hi' }] }

const events: readonly (readonly [name: string, v1: StreamResponse, json: object, proto: object])[] = [
  ['a message', { message: v1Message }, jsonMessage, { message: protoMessage }],
  [
    'a task with all that it can have',
    {
      task: {
        id: 't',
        contextId: 'c',
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: v1Message, timestamp: time },
        artifacts: [
          {
            artifactId: 'a',
            name: 'n',
            description: 'd',
            parts: [{ text: 'x' }],
            metadata: { k: 1 },
            extensions: ['urn:x'],
          },
        ],
        history: [v1Message],
        metadata: { m: null },
      },
    },
    {
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: { state: 'input-required', message: jsonMessage, timestamp: time },
      artifacts: [
        {
          artifactId: 'a',
          name: 'n',
          description: 'd',
          parts: [{ kind: 'text', text: 'x' }],
          metadata: { k: 1 },
          extensions: ['urn:x'],
        },
      ],
      history: [jsonMessage],
      metadata: { m: null },
    },
    {
      task: {
        id: 't',
        contextId: 'c',
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: protoMessage, timestamp: time },
        artifacts: [
          {
            artifactId: 'a',
            name: 'n',
            description: 'd',
            parts: [{ text: 'x' }],
            metadata: { k: 1 },
            extensions: ['urn:x'],
          },
        ],
        history: [protoMessage],
        metadata: { m: null },
      },
    },
  ],
  [
    'a status update',
    { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, metadata: { a: 1 } } },
    {
      kind: 'status-update',
      taskId: 't',
      contextId: 'c',
      status: { state: 'working' },
      final: false,
      metadata: { a: 1 },
    },
    { statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, metadata: { a: 1 } } },
  ],
  [
    'an artifact update',
    {
      artifactUpdate: {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', parts: [{ text: 'x' }] },
        append: true,
        lastChunk: true,
      },
    },
    {
      kind: 'artifact-update',
      taskId: 't',
      contextId: 'c',
      artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'x' }] },
      append: true,
      lastChunk: true,
    },
    {
      artifactUpdate: {
        taskId: 't',
        contextId: 'c',
        artifact: { artifactId: 'a', parts: [{ text: 'x' }] },
        append: true,
        lastChunk: true,
      },
    },
  ],
]

describe('an event in both forms', () => {
  for (const [name, v1, json, proto] of events) {
    test(`${name} (VERS-07)`, () => {
      expect(both(v1, 'json')).toEqual({ written: json, read: v1 })
      expect(both(v1, 'proto')).toEqual({ written: proto, read: v1 })
    })
  }
})

const states = [
  ['TASK_STATE_SUBMITTED', 'submitted', 'TASK_STATE_SUBMITTED'],
  ['TASK_STATE_WORKING', 'working', 'TASK_STATE_WORKING'],
  ['TASK_STATE_INPUT_REQUIRED', 'input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ['TASK_STATE_COMPLETED', 'completed', 'TASK_STATE_COMPLETED'],
  ['TASK_STATE_CANCELED', 'canceled', 'TASK_STATE_CANCELLED'],
  ['TASK_STATE_FAILED', 'failed', 'TASK_STATE_FAILED'],
  ['TASK_STATE_REJECTED', 'rejected', 'TASK_STATE_REJECTED'],
  ['TASK_STATE_AUTH_REQUIRED', 'auth-required', 'TASK_STATE_AUTH_REQUIRED'],
] as const

for (const [v1, json, proto] of states) {
  test(`the state ${v1} is ${json}, and in protobuf ${proto}`, () => {
    const task: Task = { id: 't', contextId: 'c', status: { state: v1 } }
    expect(both({ task }, 'json')).toMatchObject({ written: { status: { state: json } }, read: { task } })
    expect(both({ task }, 'proto')).toMatchObject({ written: { task: { status: { state: proto } } }, read: { task } })
  })
}

const parts: readonly (readonly [name: string, v1: object, json: object, proto: object])[] = [
  [
    'text',
    { text: 'ß🦊', metadata: { a: 1 } },
    { kind: 'text', text: 'ß🦊', metadata: { a: 1 } },
    { text: 'ß🦊', metadata: { a: 1 } },
  ],
  ['no text', { text: '' }, { kind: 'text', text: '' }, { text: '' }],
  [
    'bytes',
    { raw: 'aGk=', mediaType: 'text/plain', filename: 'a.txt' },
    { kind: 'file', file: { bytes: 'aGk=', mimeType: 'text/plain', name: 'a.txt' } },
    { file: { fileWithBytes: 'aGk=', mimeType: 'text/plain', name: 'a.txt' } },
  ],
  [
    'an address',
    { url: 'https://files.example/a' },
    { kind: 'file', file: { uri: 'https://files.example/a' } },
    { file: { fileWithUri: 'https://files.example/a' } },
  ],
  [
    'data',
    { data: { a: 1, b: [null, 1.5] } },
    { kind: 'data', data: { a: 1, b: [null, 1.5] } },
    { data: { data: { a: 1, b: [null, 1.5] } } },
  ],
  [
    'data that holds a member data',
    { data: { data: { x: 1 } } },
    { kind: 'data', data: { data: { x: 1 } } },
    { data: { data: { data: { x: 1 } } } },
  ],
  [
    'a list',
    { data: [1, 'two'] },
    { kind: 'data', data: { value: [1, 'two'] }, metadata: { data_part_compat: true } },
    { data: { data: { value: [1, 'two'] } }, metadata: { data_part_compat: true } },
  ],
  [
    'null, with metadata',
    { data: null, metadata: { a: 1 } },
    { kind: 'data', data: { value: null }, metadata: { a: 1, data_part_compat: true } },
    { data: { data: { value: null } }, metadata: { a: 1, data_part_compat: true } },
  ],
]

describe('a part in both forms', () => {
  for (const [name, v1, json, proto] of parts) {
    test(name, () => {
      const message = { ...v1Message, parts: [v1] }
      expect(both({ message } as StreamResponse, 'json')).toEqual({
        written: { ...jsonMessage, parts: [json] },
        read: { message },
      })
      expect(both({ message } as StreamResponse, 'proto')).toEqual({
        written: { message: { ...protoMessage, content: [proto] } },
        read: { message },
      })
    })
  }
})

const send = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }

describe('a message is read however it is written', () => {
  const written: readonly (readonly [name: string, message: object])[] = [
    ['as the model says', { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
    ['without kinds', { messageId: 'm', role: 'user', parts: [{ text: 'hi' }] }],
    ['as protobuf', { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] }],
    ['in snake_case', { message_id: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
    ['with numbers for names', { messageId: 'm', role: 1, parts: [{ text: 'hi' }] }],
    [
      'with what nobody knows',
      { messageId: 'm', role: 'user', mood: 1, parts: [{ kind: 'text', text: 'hi', mood: 1 }] },
    ],
    [
      'with null for nothing',
      { messageId: 'm', role: 'user', taskId: null, parts: [{ kind: 'text', text: 'hi', metadata: null }] },
    ],
  ]
  for (const [name, message] of written) {
    test(name, () => {
      for (const server of [jsonRpc03, rest03]) {
        expect(server.decode(rowOf(server, 'SendMessage'), { message })).toEqual(send)
        expect(server.decode(rowOf(server, 'SendMessage'), { request: message })).toEqual(send)
      }
    })
  }

  const files: readonly (readonly [file: object, v1: object])[] = [
    [
      { bytes: 'aGk=', name: 'a' },
      { raw: 'aGk=', filename: 'a' },
    ],
    [
      { fileWithBytes: 'aGk', mediaType: 'text/plain' },
      { raw: 'aGk=', mediaType: 'text/plain' },
    ],
    [
      { file_with_uri: 'https://x.example', mime_type: 'text/plain' },
      { url: 'https://x.example', mediaType: 'text/plain' },
    ],
    [{ uri: 'https://x.example', mimeType: '' }, { url: 'https://x.example' }],
  ]
  for (const [file, v1] of files) {
    test(`a file ${JSON.stringify(file)}`, () => {
      const message = { messageId: 'm', role: 'user', parts: [{ kind: 'file', file }] }
      expect(jsonRpc03.decode(rowOf(jsonRpc03, 'SendMessage'), { message })).toEqual({
        message: { ...send.message, parts: [v1] },
      })
    })
  }
})

describe('what is wrong is named in the words of the caller', () => {
  const wrong: readonly (readonly [message: unknown, field: string, text: string])[] = [
    [{ role: 'user', parts: [{ kind: 'text', text: 'x' }] }, 'message.messageId', 'is required'],
    [{ messageId: 'm', role: 'robot', parts: [{ kind: 'text', text: 'x' }] }, 'message.role', 'user, agent'],
    [{ messageId: 'm', role: 'user', parts: 'x' }, 'message.parts', 'array'],
    [{ messageId: 'm', role: 'user', parts: [] }, 'message.parts', 'at least one'],
    [
      { messageId: 'm', role: 'user', parts: [{ kind: 'text' }] },
      'message.parts[0]',
      'exactly one of text, file, data',
    ],
    [
      { messageId: 'm', role: 'user', parts: [{ text: 'x', data: {} }] },
      'message.parts[0]',
      'exactly one of text, file, data',
    ],
    [{ messageId: 'm', role: 'user', parts: [{ kind: 'data', text: 'x' }] }, 'message.parts[0]', 'kind must be "text"'],
    [
      { messageId: 'm', role: 'user', parts: [{ kind: 'file', file: {} }] },
      'message.parts[0]',
      'exactly one of bytes, uri',
    ],
    [
      { messageId: 'm', role: 'user', parts: [{ kind: 'file', file: { bytes: '!' } }] },
      'message.parts[0].file.bytes',
      'base64',
    ],
    [{ messageId: 'm', role: 'user', parts: [{ kind: 'data', data: [1] }] }, 'message.parts[0].data', 'object'],
    [{ kind: 'task', messageId: 'm', role: 'user', parts: [{ text: 'x' }] }, 'message.kind', '"message"'],
    [undefined, 'message', 'is required'],
  ]
  for (const [message, field, text] of wrong) {
    test(`${field} ${text}`, () => {
      for (const server of [jsonRpc03, rest03]) {
        const seen = (() => {
          try {
            return server.decode(rowOf(server, 'SendMessage'), { message })
          } catch (error) {
            return error as { code: string; violations: { field: string; description: string }[] }
          }
        })()
        expect(seen).toMatchObject({ code: 'InvalidParams' })
        expect((seen as { violations: object[] }).violations).toContainEqual({
          field,
          description: expect.stringContaining(text),
        })
      }
    })
  }
})

describe('requests of every wire', () => {
  const wires = { jsonRpc: [jsonRpc03, peerJsonRpc03], rest: [rest03, peerRest03], grpc: [grpc03, peerGrpc03] } as const
  const push = {
    taskId: 't',
    id: 'p',
    url: 'https://hook.example',
    token: 's',
    authentication: { scheme: 'Bearer', credentials: 'c' },
  }
  const requests: readonly (readonly [Call['operation'], object])[] = [
    ['SendMessage', send],
    [
      'SendMessage',
      {
        ...send,
        metadata: { a: 1 },
        configuration: { historyLength: 3, acceptedOutputModes: ['text/plain'], returnImmediately: true },
      },
    ],
    [
      'SendMessage',
      { ...send, configuration: { taskPushNotificationConfig: { id: 'p', url: 'https://hook.example' } } },
    ],
    ['SendStreamingMessage', send],
    ['GetTask', { id: 't', historyLength: 2 }],
    ['CancelTask', { id: 't' }],
    ['SubscribeToTask', { id: 't' }],
    ['CreateTaskPushNotificationConfig', push],
    ['GetTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['ListTaskPushNotificationConfigs', { taskId: 't' }],
    ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['GetExtendedAgentCard', {}],
  ]
  for (const [wire, [server, peer]] of Object.entries(wires)) {
    for (const [operation, request] of requests) {
      test(`${wire}: ${operation} ${JSON.stringify(request).slice(0, 60)}`, () => {
        const written = peer.encodeRequest(rowOf(server, operation), request as Call['request'])
        const read = server.decode(rowOf(server, operation), written) as { configuration?: object }
        const { configuration = {}, ...rest } = read
        // Waiting is said aloud, and means nothing more than what is left out in 1.0.
        expect({ ...rest, ...(Object.keys(configuration).length > 0 && { configuration }) }).toEqual(request)
      })
    }
  }

  test('blocking is the opposite of returnImmediately, and who says nothing in JSON waits (AMB-01)', () => {
    const row = rowOf(jsonRpc03, 'SendMessage')
    const read = (configuration: object, server = jsonRpc03): unknown =>
      (server.decode(row, { ...send, configuration }) as { configuration?: { returnImmediately?: boolean } })
        .configuration?.returnImmediately
    expect([read({ blocking: true }), read({ blocking: false }), read({ historyLength: 1 })]).toEqual([
      undefined,
      true,
      undefined,
    ])
    expect([read({ blocking: true }, grpc03), read({ historyLength: 1 }, grpc03)]).toEqual([undefined, true])
  })

  test('0 messages of history is no limit in protobuf (HIST-02)', () => {
    expect(grpc03.decode(rowOf(grpc03, 'GetTask'), { name: 'tasks/t', historyLength: 0 })).toEqual({ id: 't' })
    expect(jsonRpc03.decode(rowOf(jsonRpc03, 'GetTask'), { id: 't', historyLength: 0 })).toEqual({
      id: 't',
      historyLength: 0,
    })
  })

  test('a push configuration is read from every form that peers send', () => {
    const row = rowOf(rest03, 'CreateTaskPushNotificationConfig')
    const pushNotificationConfig = { id: 'p', url: 'https://hook.example' }
    const inner = { name: 'tasks/t/pushNotificationConfigs/p', pushNotificationConfig: { url: 'https://hook.example' } }
    const bodies = [
      { taskId: 't', pushNotificationConfig },
      { parent: 'tasks/t', configId: 'p', config: inner },
      inner,
      { config: { pushNotificationConfig } },
      pushNotificationConfig,
    ]
    for (const body of bodies) {
      expect(rest03.decode(row, body, { path: { taskId: 't' } })).toEqual({
        taskId: 't',
        id: 'p',
        url: 'https://hook.example',
      })
    }
  })

  test('the extended card by its other name', () => {
    expect(jsonRpc03.find('agent/authenticatedExtendedCard')?.operation.name).toBe('GetExtendedAgentCard')
  })
})

test('every loss of messages and requests is noted where it happens, and nothing else is', () => {
  const noted = new Set<string>()
  const note: Note = (loss) => void noted.add(loss)
  const config = { ...send, tenant: 'x' }
  for (const peer of [peerJsonRpc03, peerGrpc03]) {
    const encode = (operation: Call['operation'], request: object): object =>
      peer.encodeRequest(rowOf(grpc03, operation), request as Call['request'], note)
    encode('SendMessage', config)
    encode('GetTask', { id: 't', historyLength: 0 })
    encode('CancelTask', { id: 't', metadata: {} })
    const odd = [{ text: 'x', mediaType: 'text/x', filename: 'x' }, { data: [1] }]
    encode('SendMessage', { message: { ...send.message, parts: odd, referenceTaskIds: ['r'] } })
  }
  const page = { tasks: [], nextPageToken: 'n', pageSize: 1, totalSize: 3 }
  rest03.encode(rowOf(rest03, 'ListTasks'), encodeValue(page as never), note)
  const configs = { configs: [], nextPageToken: 'n' }
  jsonRpc03.encode(rowOf(jsonRpc03, 'ListTaskPushNotificationConfigs'), encodeValue(configs as never), note)
  jsonRpc03.decode(rowOf(jsonRpc03, 'GetTask'), { id: 't', metadata: {} }, { note })
  const schemes = { schemes: ['Bearer', 'Basic'] }
  const push = { taskId: 't', pushNotificationConfig: { url: 'https://hook.example', authentication: schemes } }
  jsonRpc03.decode(rowOf(jsonRpc03, 'CreateTaskPushNotificationConfig'), push, { note })
  expect([...noted].sort()).toEqual(
    losses
      .map(({ id }) => id)
      .filter((id) => !id.startsWith('card-'))
      .sort(),
  )
})
