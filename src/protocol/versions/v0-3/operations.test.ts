import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import { operations } from '../../operations.ts'
import type { WireOperation } from '../dialect.ts'
import { peerGateway } from './gateway.ts'
import { methodAliases, rows03 } from './operations.ts'
import { peerGrpc03, peerJsonRpc03, peerRest03 } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

const wires = {
  jsonRpc: { server: jsonRpc03, peer: peerJsonRpc03 },
  rest: { server: rest03, peer: peerRest03 },
  grpc: { server: grpc03, peer: peerGrpc03 },
} as const
type Wire = keyof typeof wires

const hook = 'https://hook.example'
const auth1 = { scheme: 'Bearer', credentials: 'c' }
const auth3 = { schemes: ['Bearer'], credentials: 'c' }
const config = { taskId: 't', id: 'p', url: hook, token: 's', authentication: auth1 }
const inner = { id: 'p', url: hook, token: 's', authentication: auth3 }
const name = 'tasks/t/pushNotificationConfigs/p'
const v1Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const jsonMessage = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] }
const protoMessage = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'hi' }] }
const configuration = {
  acceptedOutputModes: ['text/plain'],
  historyLength: 2,
  taskPushNotificationConfig: { id: 'p', url: hook, token: 's', authentication: auth1 },
  returnImmediately: true,
}
const plain = { acceptedOutputModes: ['text/plain'], historyLength: 2, blocking: false }
const protoSend = { message: protoMessage, configuration: { ...plain, pushNotification: inner }, metadata: { a: 1 } }
const create = { parent: 'tasks/t', configId: 'p', config: { name, pushNotificationConfig: inner } }
const byIds = { id: 't', pushNotificationConfigId: 'p' }

/** A request of 1.0, and what is written of it on each wire. Over HTTP+JSON some of it goes into the path or the query. */
const requests: readonly (readonly [Call['operation'], v1: object, Readonly<Record<Wire, object>>])[] = [
  [
    'SendMessage',
    { message: v1Message, configuration, metadata: { a: 1 } },
    {
      jsonRpc: {
        message: jsonMessage,
        configuration: { ...plain, pushNotificationConfig: inner },
        metadata: { a: 1 },
      },
      rest: protoSend,
      grpc: protoSend,
    },
  ],
  [
    'SendStreamingMessage',
    { message: v1Message },
    {
      jsonRpc: { message: jsonMessage, configuration: { blocking: true } },
      rest: { message: protoMessage, configuration: { blocking: true } },
      grpc: { message: protoMessage, configuration: { blocking: true } },
    },
  ],
  [
    'GetTask',
    { id: 't', historyLength: 3 },
    {
      jsonRpc: { id: 't', historyLength: 3 },
      rest: { id: 't', historyLength: 3 },
      grpc: { name: 'tasks/t', historyLength: 3 },
    },
  ],
  ['CancelTask', { id: 't' }, { jsonRpc: { id: 't' }, rest: { id: 't', name: 'tasks/t' }, grpc: { name: 'tasks/t' } }],
  ['SubscribeToTask', { id: 't' }, { jsonRpc: { id: 't' }, rest: { id: 't' }, grpc: { name: 'tasks/t' } }],
  [
    'CreateTaskPushNotificationConfig',
    config,
    { jsonRpc: { taskId: 't', pushNotificationConfig: inner }, rest: { taskId: 't', ...create }, grpc: create },
  ],
  ['GetTaskPushNotificationConfig', { taskId: 't', id: 'p' }, { jsonRpc: byIds, rest: byIds, grpc: { name } }],
  ['DeleteTaskPushNotificationConfig', { taskId: 't', id: 'p' }, { jsonRpc: byIds, rest: byIds, grpc: { name } }],
  [
    'ListTaskPushNotificationConfigs',
    { taskId: 't' },
    { jsonRpc: { id: 't' }, rest: { id: 't' }, grpc: { parent: 'tasks/t' } },
  ],
  ['GetExtendedAgentCard', {}, { jsonRpc: {}, rest: {}, grpc: {} }],
]

describe('requests as they are written, and read again', () => {
  for (const [operation, v1, written] of requests) {
    for (const wire of Object.keys(wires) as Wire[]) {
      test(`VERS-07 D-44 ${operation} over ${wire}`, () => {
        const { server, peer } = wires[wire]
        const row = server.of(operation) as WireOperation
        expect(peer.encodeRequest(row, v1 as Call['request'])).toEqual(written[wire])
        const { configuration: read, ...rest } = server.decode(row, written[wire]) as { configuration?: object }
        const given = v1 as { configuration?: object }
        expect({ ...rest, ...(given.configuration && { configuration: read }) }).toEqual(v1)
      })
    }
  }
})

const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_CANCELED' } }
const jsonTask = { kind: 'task', id: 't', contextId: 'c', status: { state: 'canceled' } }
const protoTask = { ...task, status: { state: 'TASK_STATE_CANCELLED' } }
const jsonConfig = { taskId: 't', pushNotificationConfig: inner }
const protoConfig = { name, pushNotificationConfig: inner }
const page = { tasks: [task], nextPageToken: '', pageSize: 1, totalSize: 1 }

const answers: readonly (readonly [Call['operation'], v1: object, Readonly<Record<Wire, unknown>>])[] = [
  ['SendMessage', { task }, { jsonRpc: jsonTask, rest: { task: protoTask }, grpc: { task: protoTask } }],
  [
    'SendMessage',
    { message: v1Message },
    { jsonRpc: jsonMessage, rest: { message: protoMessage }, grpc: { message: protoMessage } },
  ],
  ['GetTask', task, { jsonRpc: jsonTask, rest: protoTask, grpc: protoTask }],
  ['CancelTask', task, { jsonRpc: jsonTask, rest: protoTask, grpc: protoTask }],
  [
    'ListTasks',
    page,
    { jsonRpc: { ...page, tasks: [jsonTask] }, rest: [protoTask], grpc: { ...page, tasks: [protoTask] } },
  ],
  ['CreateTaskPushNotificationConfig', config, { jsonRpc: jsonConfig, rest: protoConfig, grpc: protoConfig }],
  ['GetTaskPushNotificationConfig', config, { jsonRpc: jsonConfig, rest: protoConfig, grpc: protoConfig }],
  [
    'ListTaskPushNotificationConfigs',
    { configs: [config] },
    { jsonRpc: [jsonConfig], rest: { configs: [protoConfig] }, grpc: { configs: [protoConfig] } },
  ],
  ['DeleteTaskPushNotificationConfig', {}, { jsonRpc: null, rest: {}, grpc: {} }],
]

describe('answers as they are written, and read again', () => {
  for (const [operation, v1, written] of answers) {
    for (const wire of Object.keys(wires) as Wire[]) {
      test(`VERS-07 D-33 D-51 D-52 ${operation} over ${wire}: ${Object.keys(v1)[0] ?? 'nothing'}`, () => {
        const { server, peer } = wires[wire]
        const row = server.of(operation) as WireOperation
        expect(server.encode(row, encodeValue(v1 as never)).value).toEqual(written[wire])
        const warnings: string[] = []
        expect(peer.decodeAnswer(row, written[wire], (text) => warnings.push(text))).toEqual(v1)
        expect(warnings).toEqual([])
      })
    }
  }
})

describe('what an operation is called', () => {
  test('VERS-07 every operation of 1.0 has one name on each wire of 0.3', () => {
    expect(rows03.map(({ operation }) => operation.name).sort()).toEqual(operations.map((one) => one.name).sort())
    for (const { server } of Object.values(wires)) {
      expect(server.operations).toHaveLength(11)
      expect(server.restErrors).toBe('bare')
      expect(server.extensionsHeader).toBe('x-a2a-extensions')
      for (const row of server.operations) {
        expect(server.find(row.name)).toBe(row)
        expect(server.of(row.operation.name)).toBe(row)
        expect(server.find(row.name.toUpperCase())).toBeUndefined()
      }
    }
  })

  test('D-47 D-53 D-64 methods of JSON-RPC, and their other names', () => {
    expect(jsonRpc03.of('SubscribeToTask')?.name).toBe('tasks/resubscribe')
    expect(jsonRpc03.of('GetExtendedAgentCard')?.name).toBe('agent/getAuthenticatedExtendedCard')
    expect(grpc03.of('GetExtendedAgentCard')?.name).toBe('GetAgentCard')
    for (const [other, method] of Object.entries(methodAliases)) {
      expect(jsonRpc03.find(other)).toBe(jsonRpc03.find(method))
      expect(grpc03.find(other)).toBeUndefined()
    }
  })

  test('D-56 a server lists tasks, servers of others do not, software between the versions does', () => {
    expect(jsonRpc03.find('tasks/list')?.operation.name).toBe('ListTasks')
    for (const peer of [peerJsonRpc03, peerRest03, peerGrpc03]) expect(peer.of('ListTasks')).toBeUndefined()
    expect(peerGateway.of('ListTasks')?.name).toBe('tasks/list')
  })

  test('D-57 HTTP+JSON has both verbs to subscribe, and the slip of the schema', () => {
    const rules = rest03.operations.flatMap(({ http }) => http.map(({ verb, path }) => `${verb} ${path}`))
    expect(new Set(rules).size).toBe(rules.length)
    for (const rule of [
      'POST /v1/tasks/{id}:subscribe',
      'GET /v1/tasks/{id}:subscribe',
      'GET /v1/card',
      'GET /v1/tasks',
    ]) {
      expect(rules).toContain(rule)
    }
    expect(rules).toContain('POST /v1/task/{taskId}/pushNotificationConfigs')
  })

  test('a query has both spellings of its names', () => {
    const row = rest03.of('GetTask') as WireOperation
    for (const query of ['historyLength=3', 'history_length=3', 'historyLength=3&mood=1']) {
      const read = rest03.decodeQuery(row, new URLSearchParams(query), { path: { id: 't' } })
      expect(read).toEqual({ id: 't', historyLength: 3 })
    }
    const list = rest03.of('ListTasks') as WireOperation
    const query = new URLSearchParams('status=TASK_STATE_CANCELLED&pageSize=2&contextId=c')
    expect(rest03.decodeQuery(list, query)).toEqual({ status: 'TASK_STATE_CANCELED', pageSize: 2, contextId: 'c' })
    expect(rest03.decodeQuery(list, new URLSearchParams('status=working'))).toEqual({ status: 'TASK_STATE_WORKING' })
  })
})
