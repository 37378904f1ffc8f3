import { describe, expect, test } from 'vitest'
import type { Call } from '../../endpoint.ts'
import type { WireOperation } from '../dialect.ts'
import { peerGateway } from './gateway.ts'
import { jsonRpc03 } from './server.ts'

function rowOf(operation: Call['operation']): WireOperation {
  return peerGateway.of(operation) as WireOperation
}

const part = { text: 'hi' }
const send = { message: { messageId: 'm', role: 'ROLE_USER', parts: [part] } }

const requests: readonly (readonly [Call['operation'], method: string, v1: object, written: object])[] = [
  ['SendMessage', 'message/send', send, { ...send, configuration: { blocking: true } }],
  [
    'SendStreamingMessage',
    'message/stream',
    { message: { ...send.message, parts: [{ raw: 'AAEC', mediaType: 'image/png', filename: 'a' }] } },
    {
      message: { ...send.message, parts: [{ file: { fileWithBytes: 'AAEC', mediaType: 'image/png', name: 'a' } }] },
      configuration: { blocking: true },
    },
  ],
  [
    'SendMessage',
    'message/send',
    { message: { ...send.message, parts: [{ url: 'https://x.example' }, { data: { a: 1 } }, { data: [1] }] } },
    {
      message: {
        ...send.message,
        parts: [
          { file: { fileWithUri: 'https://x.example' } },
          { data: { data: { a: 1 } } },
          { data: { data: { value: [1] } }, metadata: { data_part_compat: true } },
        ],
      },
      configuration: { blocking: true },
    },
  ],
  ['GetTask', 'tasks/get', { id: 't', historyLength: 3 }, { id: 't', name: 't', historyLength: 3 }],
  ['CancelTask', 'tasks/cancel', { id: 't' }, { id: 't', name: 't' }],
  ['SubscribeToTask', 'tasks/resubscribe', { id: 't' }, { id: 't', name: 't' }],
  [
    'CreateTaskPushNotificationConfig',
    'tasks/pushNotificationConfig/set',
    { taskId: 't', id: 'p', url: 'https://hook.example' },
    { taskId: 't', name: 't', pushNotificationConfig: { id: 'p', url: 'https://hook.example' } },
  ],
  [
    'ListTasks',
    'tasks/list',
    { contextId: 'c', status: 'TASK_STATE_CANCELED', pageSize: 10, pageToken: '20' },
    { contextId: 'c', state: 'TASK_STATE_CANCELLED', limit: 10, offset: 20 },
  ],
]

describe('requests to software between the versions', () => {
  for (const [operation, method, v1, written] of requests) {
    test(`${method} ${JSON.stringify(v1).slice(0, 60)}`, () => {
      expect(rowOf(operation).name).toBe(method)
      expect(peerGateway.encodeRequest(rowOf(operation), v1 as Call['request'])).toEqual(written)
      // Our own server reads them as well, but for pages, which it does not count.
      const { pageToken: _, ...rest } = v1 as { pageToken?: string }
      const { configuration = {}, ...read } = jsonRpc03.decode(rowOf(operation), written) as { configuration?: object }
      expect(read).toEqual(rest)
      expect(configuration).toEqual({})
    })
  }
})

const silent = (): void => {}
const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_CANCELED' } }
const written = { ...task, status: { state: 'TASK_STATE_CANCELLED' } }

describe('answers of software between the versions', () => {
  test('a bare task without kind, as an answer and as a frame', () => {
    expect(peerGateway.decodeAnswer(rowOf('SendMessage'), written, silent)).toEqual({ task })
    expect(peerGateway.readFrame(written, silent)).toEqual({ event: { task }, final: false })
  })

  test('a bare status event', () => {
    const frame = { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED' }, final: true }
    const { final, ...statusUpdate } = frame
    expect(peerGateway.readFrame(frame, silent)).toEqual({ event: { statusUpdate }, final })
  })

  test('bytes are those of the file, also where they read like base64 text', () => {
    const file = { fileWithBytes: btoa('c2VjcmV0'), mediaType: 'text/plain', name: 'a' }
    const frame = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ file }, { data: { data: { data: {} } } }] }
    expect(peerGateway.readFrame(frame, silent).event.message?.parts).toEqual([
      { raw: file.fileWithBytes, mediaType: 'text/plain', filename: 'a' },
      { data: { data: {} } },
    ])
  })

  const pages: readonly (readonly [name: string, page: object, next: string, size: number, total: number])[] = [
    ['the first of two', { tasks: [written], total: 2, limit: 1, offset: 0 }, '1', 1, 2],
    ['the last', { tasks: [written], total: 2, limit: 1, offset: 1 }, '', 1, 2],
    ['without numbers', { tasks: [written] }, '', 1, 1],
  ]
  for (const [name, page, nextPageToken, pageSize, totalSize] of pages) {
    test(`a page of tasks: ${name}`, () => {
      const list = { tasks: [task], nextPageToken, pageSize, totalSize }
      expect(peerGateway.decodeAnswer(rowOf('ListTasks'), page, silent)).toEqual(list)
    })
  }
})
