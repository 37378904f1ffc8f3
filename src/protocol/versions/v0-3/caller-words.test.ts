import { describe, expect, test } from 'vitest'
import type { Call } from '../../endpoint.ts'
import { A2AError } from '../../errors.ts'
import type { DecodeOptions, Dialect, WireOperation } from '../dialect.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

/** The fields that a request is refused for. */
function refused(server: Dialect, operation: Call['operation'], input: unknown, options?: DecodeOptions): string[] {
  try {
    server.decode(server.of(operation) as WireOperation, input, options)
  } catch (error) {
    const { code, violations, message } = A2AError.from(error)
    expect(code).toBe('InvalidParams')
    expect(message).toContain(violations[0]?.field)
    return violations.map(({ field }) => field)
  }
  throw new Error('it was accepted')
}

const good = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] }
const hook = { url: 'https://hook.example' }

describe('what is wrong has the name that its sender gave it', () => {
  const rows: readonly (readonly [Dialect, Call['operation'], input: unknown, fields: readonly string[]])[] = [
    [jsonRpc03, 'GetTask', {}, ['id']],
    [grpc03, 'GetTask', {}, ['name']],
    [jsonRpc03, 'CancelTask', undefined, ['id']],
    [grpc03, 'CancelTask', {}, ['name']],
    [jsonRpc03, 'SubscribeToTask', { id: 7 }, ['id']],
    [grpc03, 'SubscribeToTask', {}, ['name']],
    [jsonRpc03, 'GetTask', { id: 't', history_length: 'x' }, ['history_length']],
    [jsonRpc03, 'GetTaskPushNotificationConfig', {}, ['id', 'pushNotificationConfigId']],
    [jsonRpc03, 'ListTaskPushNotificationConfigs', {}, ['id']],
    [grpc03, 'ListTaskPushNotificationConfigs', {}, ['parent']],
    [
      jsonRpc03,
      'CreateTaskPushNotificationConfig',
      { taskId: 't', pushNotificationConfig: {} },
      ['pushNotificationConfig.url'],
    ],
    [
      grpc03,
      'CreateTaskPushNotificationConfig',
      { parent: 'tasks/t', configId: 'p', config: { pushNotificationConfig: {} } },
      ['config.pushNotificationConfig.url'],
    ],
    [
      jsonRpc03,
      'CreateTaskPushNotificationConfig',
      { taskId: 't', pushNotificationConfig: { ...hook, authentication: { schemes: 'Bearer' } } },
      ['pushNotificationConfig.authentication.schemes'],
    ],
    [
      jsonRpc03,
      'SendMessage',
      { message: good, configuration: { pushNotificationConfig: { id: 'p' } } },
      ['configuration.pushNotificationConfig.url'],
    ],
    [
      grpc03,
      'SendMessage',
      { message: good, configuration: { pushNotification: { id: 'p' } } },
      ['configuration.pushNotification.url'],
    ],
    [
      jsonRpc03,
      'SendMessage',
      { message: { ...good, parts: [{ kind: 'data', text: 'x' }] } },
      ['message.parts[0].kind'],
    ],
    [jsonRpc03, 'SendMessage', { message: { ...good, parts: [{ kind: 'text', text: 7 }] } }, ['message.parts[0].text']],
    [jsonRpc03, 'SendMessage', { message: { ...good, metadata: 'x' } }, ['message.metadata']],
    [rest03, 'SendMessage', { request: { role: 'ROLE_USER', content: [{ text: 'x' }, {}] } }, ['request.messageId']],
    [
      rest03,
      'SendMessage',
      { message: { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'x' }, {}] } },
      ['message.content[1]'],
    ],
    [
      rest03,
      'SendMessage',
      { message: { messageId: 'm', role: 'ROLE_USER', content: [{ file: { file_with_bytes: '!' } }] } },
      ['message.content[0].file.file_with_bytes'],
    ],
    [jsonRpc03, 'SendMessage', { message: 'hi' }, ['message']],
    [jsonRpc03, 'SendMessage', [], ['']],
  ]
  for (const [server, operation, input, fields] of rows) {
    test(`SEND-08 ${operation} ${JSON.stringify(input)}`, () => {
      expect(refused(server, operation, input)).toEqual(fields)
    })
  }

  test('limits hold for what 0.3 sends as well', () => {
    const message = { ...good, parts: [good.parts[0], good.parts[0]] }
    expect(refused(jsonRpc03, 'SendMessage', { message }, { maxParts: 1 })).toEqual(['message.parts'])
    const deep = { ...good, metadata: { a: { b: { c: {} } } } }
    expect(refused(jsonRpc03, 'SendMessage', { message: deep }, { maxDepth: 4 })).toHaveLength(1)
    const wide = { ...good, parts: Array.from({ length: 1500 }, () => good.parts[0]) }
    const row = jsonRpc03.of('SendMessage') as WireOperation
    const read = jsonRpc03.decode(row, { message: wide }, { maxParts: 2000 }) as { message: { parts: unknown[] } }
    expect(read.message.parts).toHaveLength(1500)
  })
})

describe('push configurations without an id', () => {
  test('one configuration of a task has the id of the task', () => {
    const read = (operation: Call['operation'], input: object): unknown =>
      jsonRpc03.decode(jsonRpc03.of(operation) as WireOperation, input)
    expect(read('CreateTaskPushNotificationConfig', { taskId: 't', pushNotificationConfig: hook })).toEqual({
      taskId: 't',
      id: 't',
      ...hook,
    })
    expect(read('GetTaskPushNotificationConfig', { id: 't' })).toEqual({ taskId: 't', id: 't' })
    expect(read('GetTaskPushNotificationConfig', { id: 't', pushNotificationConfigId: '' })).toEqual({
      taskId: 't',
      id: 't',
    })
    expect(read('DeleteTaskPushNotificationConfig', { id: 't' })).toEqual({ taskId: 't', id: 't' })
    expect(read('GetTaskPushNotificationConfig', { id: 't', pushNotificationConfigId: 'p' })).toEqual({
      taskId: 't',
      id: 'p',
    })
  })
})
