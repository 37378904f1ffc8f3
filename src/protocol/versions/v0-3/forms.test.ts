import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import type { StreamResponse, Task } from '../../generated/v1/types.ts'
import { peerJsonRpc03, peerRest03 } from './peer.ts'
import { jsonRpc03, rest03 } from './server.ts'

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
    // The base64 text of the base64 text.
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
    [{ messageId: 'm', role: 'user', parts: [{ kind: 'data', text: 'x' }] }, 'message.parts[0].kind', 'must be "text"'],
    [
      { messageId: 'm', role: 'user', parts: [{ kind: 'file', file: {} }] },
      'message.parts[0].file',
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
