import { describe, expect, test } from 'vitest'
import { A2AError } from './errors.ts'
import type { Messages } from './generated/v1/types.ts'
import { type ValidateOptions, validate } from './validate.ts'

type Type = keyof Messages
type Row = [name: string, type: Type, input: unknown, expected: unknown]

function violationsOf(run: () => unknown): readonly { field: string; description: string }[] {
  try {
    run()
  } catch (error) {
    if (!A2AError.is(error)) throw error
    expect(error.code).toBe('InvalidParams')
    return error.violations
  }
  throw new Error('nothing was refused')
}

const refused = (type: Type, input: unknown, options?: ValidateOptions): string[] =>
  violationsOf(() => validate(type, input, options)).map(({ field }) => field)

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const part = (extra: object) => ({ ...message, parts: [extra] })
const artifact = { artifactId: 'a', parts: [{ text: 'x' }] }
const status = { state: 'TASK_STATE_WORKING' }
const task = { id: 't', contextId: 'c', status }

describe('what has its canonical form stays the same object', () => {
  const rows: [Type, unknown][] = [
    ['SendMessageRequest', { message }],
    ['SendMessageRequest', { tenant: 't', message, configuration: { historyLength: 0 }, metadata: {} }],
    ['Message', part({ text: '' })],
    ['Message', part({ data: null })],
    ['Message', part({ data: { a: [1, 2.5, 'x', null, true, {}] }, metadata: { k: 'v' }, mediaType: 'a/b' })],
    ['Message', part({ raw: 'aGk=', filename: 'f' })],
    ['Task', { ...task, artifacts: [artifact], history: [message], metadata: { a: 1 } }],
    ['TaskStatus', { state: 'TASK_STATE_COMPLETED', timestamp: '2025-01-01T00:00:00.000Z' }],
    ['ListTasksResponse', { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 }],
    ['AgentCapabilities', { streaming: false }],
    ['SecurityRequirement', { schemes: { oauth: { list: ['read'] }, key: {} } }],
    ['ClientCredentialsOAuthFlow', { tokenUrl: 'https://x', scopes: {} }],
    ['Empty', {}],
  ]
  for (const [type, input] of rows) {
    test(`${type} ${JSON.stringify(input).slice(0, 60)}`, () => {
      expect(validate(type, input)).toBe(input)
    })
  }
})

describe('other forms give the canonical one', () => {
  const rows: Row[] = [
    ['PJ-02 proto names', 'GetTaskRequest', { id: 't', history_length: 2 }, { id: 't', historyLength: 2 }],
    [
      'PJ-02 proto names inside',
      'SendMessageRequest',
      { message: { message_id: 'm', role: 'ROLE_USER', parts: [{ text: 'hi', media_type: 'text/plain' }] } },
      { message: { ...message, parts: [{ text: 'hi', mediaType: 'text/plain' }] } },
    ],
    [
      'DM-49 names with digits',
      'SecurityScheme',
      { oauth2_security_scheme: { flows: { device_code: flow() }, oauth2_metadata_url: 'https://m' } },
      { oauth2SecurityScheme: { flows: { deviceCode: flow() }, oauth2MetadataUrl: 'https://m' } },
    ],
    ['PJ-04 enum numbers', 'Message', { ...message, role: 2 }, { ...message, role: 'ROLE_AGENT' }],
    ['PJ-05 base64', 'Part', { raw: '-_8' }, { raw: '+/8=' }],
    [
      'PJ-09 timestamps',
      'TaskStatus',
      { ...status, timestamp: '2025-01-01T02:00:00.1234+02:00' },
      { ...status, timestamp: '2025-01-01T00:00:00.123Z' },
    ],
    ['PJ-12 null is unset', 'Message', { ...message, contextId: null, metadata: null }, message],
    [
      'PJ-12 null keeps the other name',
      'GetTaskRequest',
      { id: 't', historyLength: null, history_length: 1 },
      {
        id: 't',
        historyLength: 1,
      },
    ],
    ['PJ-13 defaults', 'Message', { ...message, contextId: '', extensions: [], referenceTaskIds: [] }, message],
    ['PJ-13 a filter of nothing', 'ListTasksRequest', { status: 'TASK_STATE_UNSPECIFIED', contextId: '' }, {}],
    [
      'PJ-13 false',
      'TaskArtifactUpdateEvent',
      artifactUpdate({ append: false, lastChunk: true }),
      artifactUpdate({
        lastChunk: true,
      }),
    ],
    [
      'PJ-14 explicit presence',
      'AgentCapabilities',
      { streaming: false, pushNotifications: null },
      { streaming: false },
    ],
    ['PJ-15 decimal text', 'GetTaskRequest', { id: 't', historyLength: '2' }, { id: 't', historyLength: 2 }],
    [
      'PJ-21 unknown fields',
      'SendMessageRequest',
      { xUnknown: 1, message: { ...message, kind: 'message' } },
      { message },
    ],
    [
      'AMB-41 the name of old',
      'SendMessageConfiguration',
      { pushNotificationConfig: { url: 'https://w' } },
      {
        taskPushNotificationConfig: { url: 'https://w' },
      },
    ],
    [
      'AMB-41 the real name wins',
      'SendMessageConfiguration',
      { pushNotificationConfig: { url: 'https://old' }, taskPushNotificationConfig: { url: 'https://new' } },
      { taskPushNotificationConfig: { url: 'https://new' } },
    ],
    [
      'DM-48 an empty list of scopes',
      'SecurityRequirement',
      { schemes: { key: { list: [] } } },
      { schemes: { key: {} } },
    ],
    [
      'undefined members',
      'Message',
      { ...message, taskId: undefined, metadata: { a: undefined, b: 1 } },
      {
        ...message,
        metadata: { b: 1 },
      },
    ],
    ['absent params', 'ListTasksRequest', undefined, {}],
  ]
  for (const [name, type, input, expected] of rows) {
    test(name, () => {
      const before = structuredClone(input)
      const result = validate(type, input)
      expect(result).toStrictEqual(expected)
      expect(input).toStrictEqual(before)
      expect(validate(type, result)).toBe(result)
    })
  }
})

describe('what breaks a rule is refused by its field', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })
  const rows: [name: string, type: Type, input: unknown, field: string][] = [
    ['DM-02 missing message', 'SendMessageRequest', {}, 'message'],
    ['DM-02 empty id', 'GetTaskRequest', { id: '' }, 'id'],
    ['DM-02 null id', 'GetTaskRequest', { id: null }, 'id'],
    [
      'DM-03 missing messageId',
      'SendMessageRequest',
      { message: { ...message, messageId: undefined } },
      'message.messageId',
    ],
    ['DM-04 no parts', 'SendMessageRequest', { message: { ...message, parts: [] } }, 'message.parts'],
    ['DM-04 no skills', 'AgentCard', card({ skills: [] }), 'skills'],
    ['DM-07 no content', 'Message', part({}), 'parts[0]'],
    ['AMB-28 metadata alone', 'Message', part({ metadata: {} }), 'parts[0]'],
    ['DM-07 no payload', 'StreamResponse', {}, ''],
    ['PJ-18 two members', 'Message', part({ text: 'x', url: 'https://x' }), 'parts[0].url'],
    ['PJ-18 two members, one of them null data', 'Message', part({ text: 'x', data: null }), 'parts[0].data'],
    ['DM-09 metadata is a list', 'SendMessageRequest', { message, metadata: [] }, 'metadata'],
    ['DM-09 metadata is a string', 'Message', { ...message, metadata: 'x' }, 'metadata'],
    ['DM-18 role unspecified', 'Message', { ...message, role: 'ROLE_UNSPECIFIED' }, 'role'],
    ['PJ-25 role zero', 'Message', { ...message, role: 0 }, 'role'],
    ['PJ-02 both names', 'GetTaskRequest', { id: 't', historyLength: 1, history_length: 1 }, 'history_length'],
    ['PJ-04 unknown name', 'ListTasksRequest', { status: 'TASK_STATE_RUNNING' }, 'status'],
    ['PJ-04 name of 0.3', 'ListTasksRequest', { status: 'working' }, 'status'],
    ['PJ-04 unknown number', 'ListTasksRequest', { status: 99 }, 'status'],
    ['PJ-04 number as text', 'ListTasksRequest', { status: '1' }, 'status'],
    ['PJ-05 bad base64', 'Message', part({ raw: 'not base64!' }), 'parts[0].raw'],
    ['PJ-05 bytes as a list', 'Message', part({ raw: [1, 2] }), 'parts[0].raw'],
    [
      'PJ-10 time out of range',
      'ListTasksRequest',
      { statusTimestampAfter: '0000-01-01T00:00:00Z' },
      'statusTimestampAfter',
    ],
    ['PJ-10 time as a number', 'ListTasksRequest', { statusTimestampAfter: 1735689600000 }, 'statusTimestampAfter'],
    ['PJ-11 infinity', 'Message', part({ data: { n: [0, JSON.parse('1e999')] } }), 'parts[0].data.n[1]'],
    ['PJ-12 null element', 'Message', { ...message, parts: [{ text: 'a' }, null] }, 'parts[1]'],
    ['PJ-12 null text element', 'Message', { ...message, extensions: ['a', null] }, 'extensions[1]'],
    ['PJ-15 fraction', 'GetTaskRequest', { id: 't', historyLength: 1.5 }, 'historyLength'],
    ['PJ-15 range', 'GetTaskRequest', { id: 't', historyLength: 2147483648 }, 'historyLength'],
    ['PJ-16 bool as text', 'SendMessageConfiguration', { returnImmediately: 'true' }, 'returnImmediately'],
    ['PJ-16 bool as number', 'SendMessageConfiguration', { returnImmediately: 1 }, 'returnImmediately'],
    ['PJ-17 map as a list', 'SecurityRequirement', { schemes: [] }, 'schemes'],
    ['PJ-17 null in a map', 'SecurityRequirement', { schemes: { key: null } }, 'schemes.key'],
    ['PJ-17 odd key in a map', 'ClientCredentialsOAuthFlow', { tokenUrl: 'u', scopes: { 'a b': 1 } }, 'scopes["a b"]'],
    ['PJ-23 text', 'Message', part({ text: '\ud800' }), 'parts[0].text'],
    ['PJ-23 struct value', 'Message', { ...message, metadata: { a: ['\udc00'] } }, 'metadata.a[0]'],
    ['PJ-23 struct key', 'Message', { ...message, metadata: { a: { '\ud800': 1 } } }, 'metadata.a'],
    ['PJ-23 map key', 'SecurityRequirement', { schemes: { '\ud800': {} } }, 'schemes["\\ud800"]'],
    ['PJ-23 data', 'Message', part({ data: '\ud800' }), 'parts[0].data'],
    ['a string for a message', 'SendMessageRequest', { message: 'hi' }, 'message'],
    ['an object for a string', 'Message', part({ text: { a: 1 } }), 'parts[0].text'],
    ['an object for a list', 'Message', { ...message, parts: { 0: { text: 'x' } } }, 'parts'],
    ['a list for the request', 'SendMessageRequest', [], ''],
    ['null for the request', 'SendMessageRequest', null, ''],
    ['text for the request', 'SendMessageRequest', 'hi', ''],
    ['a Date in a struct', 'Message', { ...message, metadata: { when: new Date(0) } }, 'metadata.when'],
    ['a bigint in a struct', 'Message', { ...message, metadata: { n: 1n } }, 'metadata.n'],
    ['undefined in a list', 'Message', { ...message, metadata: { l: [undefined] } }, 'metadata.l[0]'],
    ['DM-37 push config without url', 'TaskPushNotificationConfig', { taskId: 't' }, 'url'],
    ['nesting', 'Message', { ...message, metadata: deep(80) }, `metadata${'.a'.repeat(63)}`],
  ]
  for (const [name, type, input, field] of rows) {
    test(`${name}: ${field || 'the request'}`, () => {
      const [first, ...others] = violationsOf(() => validate(type, input))
      expect(first?.field).toBe(field)
      expect(first?.description).toMatch(/^(is|has|must|cannot|holds) /)
      expect(others).toEqual([])
    })
  }

  test('DM-03 every REQUIRED field that is missing is named', () => {
    expect(refused('Message', {})).toEqual(['messageId', 'role', 'parts'])
    expect(refused('SendMessageRequest', { message: { parts: [{}, { text: 1 }] } })).toEqual([
      'message.parts[0]',
      'message.parts[1].text',
      'message.messageId',
      'message.role',
    ])
  })

  test('the error names the field, the rule and what to give', () => {
    const text = 'parts: is required; give an array with at least one element'
    expect(() => validate('Message', { messageId: 'm', role: 'ROLE_USER' })).toThrow(text)
  })

  test('a long list of faults is cut', () => {
    const parts = Array.from({ length: 500 }, () => ({}))
    expect(refused('Message', { ...message, parts })).toHaveLength(20)
  })
})

describe('limits', () => {
  test('levels of objects and arrays', () => {
    const nest = (levels: number): unknown => (levels === 0 ? [] : [nest(levels - 1)])
    // The message is level 1, the list of parts 2, the part 3.
    const input = (levels: number) => part({ data: nest(levels) })
    expect(validate('Message', input(60))).toStrictEqual(input(60))
    expect(refused('Message', input(61))).toEqual([`parts[0].data${'[0]'.repeat(61)}`])
    expect(validate('Message', input(61), { maxDepth: 65 })).toStrictEqual(input(61))
    expect(refused('Message', input(5000), { maxDepth: Number.POSITIVE_INFINITY })).toHaveLength(1)
  })

  test('parts of a message', () => {
    const input = (count: number) => ({ ...message, parts: Array.from({ length: count }, () => ({ text: 'x' })) })
    expect(validate('Message', input(1000))).toStrictEqual(input(1000))
    expect(refused('Message', input(1001))).toEqual(['parts'])
    expect(refused('Message', input(3), { maxParts: 2 })).toEqual(['parts'])
  })
})

describe('keys that mean something to JavaScript', () => {
  test('__proto__ is a member like any other', () => {
    const input = JSON.parse(
      '{"messageId":"m","role":1,"parts":[{"data":{"__proto__":{"polluted":true},"x":1}}],"metadata":{"__proto__":1}}',
    )
    const result = validate('Message', input)
    expect(JSON.stringify(result.parts)).toBe('[{"data":{"__proto__":{"polluted":true},"x":1}}]')
    expect(JSON.stringify(result.metadata)).toBe('{"__proto__":1}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('__proto__ in a map survives a copy', () => {
    const input = JSON.parse('{"schemes":{"__proto__":{"list":["a"]},"b":{"list":[]}}}')
    const result = validate('SecurityRequirement', input)
    expect(JSON.stringify(result)).toBe('{"schemes":{"__proto__":{"list":["a"]},"b":{}}}')
    expect(Object.getPrototypeOf(result.schemes)).toBe(Object.prototype)
  })

  test('__proto__, constructor and toString as unknown fields are dropped', () => {
    const input = JSON.parse('{"id":"t","__proto__":{"id":"x"},"constructor":1,"toString":2}')
    const result = validate('GetTaskRequest', input)
    expect(result).toStrictEqual({ id: 't' })
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })
})

describe('REST-30 fields from the path', () => {
  test('the path wins, whatever the body calls the field', () => {
    const options = { path: { taskId: 'path', tenant: 'acme' } }
    const expected = { url: 'https://w', taskId: 'path', tenant: 'acme' }
    expect(validate('TaskPushNotificationConfig', { url: 'https://w', task_id: 'body' }, options)).toEqual(expected)
    expect(validate('TaskPushNotificationConfig', { url: 'https://w', taskId: 'body' }, options)).toEqual(expected)
  })

  test('REST-29 no body, or null, is an empty one', () => {
    expect(validate('CancelTaskRequest', undefined, { path: { id: 't' } })).toEqual({ id: 't' })
    expect(validate('CancelTaskRequest', null, { path: { id: 't' } })).toEqual({ id: 't' })
    expect(refused('CancelTaskRequest', [], { path: { id: 't' } })).toEqual([''])
  })
})

describe('a lenient reader', () => {
  const rows: [name: string, type: Type, input: unknown, expected: unknown, warned: string[]][] = [
    [
      'AMB-32 a page without its members',
      'ListTasksResponse',
      { tasks: null },
      { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 },
      ['tasks', 'nextPageToken', 'pageSize', 'totalSize'],
    ],
    [
      'a task without status',
      'Task',
      { id: 't' },
      { id: 't', status: { state: 'TASK_STATE_UNSPECIFIED' } },
      ['status'],
    ],
    [
      'empty REQUIRED text and list',
      'Artifact',
      { artifactId: '', parts: [] },
      { artifactId: '', parts: [] },
      ['artifactId', 'parts'],
    ],
    ['AMB-28 an empty part', 'Message', part({ filename: 'f' }), part({ filename: 'f', text: '' }), ['parts[0]']],
    [
      'an unknown state',
      'TaskStatus',
      { state: 'TASK_STATE_PAUSED' },
      { state: 'TASK_STATE_UNSPECIFIED' },
      ['state', 'state'],
    ],
    ['an unknown scheme', 'SecurityScheme', { quantumSecurityScheme: {} }, {}, ['must have exactly one of ']],
    ['AMB-21 a task without context', 'Task', { id: 't', status }, { id: 't', status }, []],
  ]
  for (const [name, type, input, expected, warned] of rows) {
    test(name, () => {
      const warnings: string[] = []
      expect(validate(type, input, { lenient: true, warnings })).toStrictEqual(expected)
      expect(warnings).toHaveLength(warned.length)
      for (const [index, start] of warned.entries()) expect(warnings[index]).toContain(start)
    })
  }

  test('still refuses wrong types and an answer without payload', () => {
    expect(refused('Task', { id: 1, status }, { lenient: true })).toEqual(['id'])
    expect(refused('SendMessageResponse', {}, { lenient: true })).toEqual([''])
    expect(refused('Message', part({ text: 'a', url: 'b' }), { lenient: true })).toEqual(['parts[0].url'])
  })

  test('reads artifacts with any number of parts', () => {
    const parts = Array.from({ length: 1500 }, () => ({ text: 'x' }))
    expect(validate('Artifact', { artifactId: 'a', parts }, { lenient: true }).parts).toBe(parts)
  })
})

test('an unknown message type is a mistake of the program', () => {
  expect(() => validate('Nothing' as Type, {})).toThrow(TypeError)
})

function flow() {
  return { deviceAuthorizationUrl: 'https://d', tokenUrl: 'https://t', scopes: {} }
}

function artifactUpdate(extra: object) {
  return { taskId: 't', contextId: 'c', artifact, ...extra }
}

function card(extra: object) {
  return {
    name: 'n',
    description: 'd',
    supportedInterfaces: [{ url: 'https://a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 's', description: 's', tags: ['t'] }],
    ...extra,
  }
}
