import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import type { Note } from '../dialect.ts'
import { losses } from './losses.ts'
import { peerGrpc03, peerJsonRpc03, peerRest03 } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

function rowOf(server: typeof jsonRpc03, operation: Call['operation']): NonNullable<ReturnType<typeof server.of>> {
  const row = server.of(operation)
  if (row === undefined) throw new Error(`there is no ${operation}`)
  return row
}

const send = { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }

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
