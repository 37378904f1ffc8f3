import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { schema } from './generated/v1/schema.ts'
import type { Messages } from './generated/v1/types.ts'
import { jsonSchema } from './json-schema.ts'

const ajv = new Ajv2020({ strict: true, strictRequired: false })
addFormats.default(ajv)

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const status = { state: 'TASK_STATE_WORKING', timestamp: '2025-01-01T00:00:00.000Z' }

const rows: [type: keyof Messages, valid: unknown[], invalid: unknown[]][] = [
  [
    'SendMessageRequest',
    [{ message }, { message, metadata: {}, configuration: { historyLength: 0 } }, { message, xUnknown: 1 }],
    [{}, { message: {} }, { message, metadata: [] }, { message: { ...message, parts: [] } }, { message, tenant: 1 }],
  ],
  [
    'Message',
    [message, { ...message, extensions: ['urn:x'] }],
    [
      { ...message, messageId: '' },
      { ...message, role: 'user' },
      { ...message, role: 'ROLE_UNSPECIFIED' },
      { ...message, role: 1 },
      { ...message, parts: [null] },
    ],
  ],
  [
    'Part',
    [
      { text: '' },
      { raw: 'aGk=' },
      { url: 'https://x' },
      { data: null },
      { data: [1], mediaType: 'a/b', metadata: {} },
    ],
    [{}, { metadata: {} }, { text: 'a', raw: 'aGk=' }, { raw: 'aGk' }, { raw: '-_8=' }, { text: null }],
  ],
  ['Task', [{ id: 't', status }], [{ id: 't' }, { id: '', status }, { id: 't', status: { state: 'working' } }]],
  [
    'TaskStatus',
    [status, { state: 'TASK_STATE_FAILED' }],
    [
      { ...status, timestamp: '2025-01-01T00:00:00+01:00' },
      { ...status, timestamp: 'now' },
    ],
  ],
  ['ListTasksRequest', [{}, { status: 'TASK_STATE_UNSPECIFIED' }], [{ pageSize: 1.5 }, { pageSize: 2 ** 31 }]],
  [
    'ListTasksResponse',
    [{ tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 }],
    [{ tasks: [] }, { tasks: [{}], nextPageToken: '', pageSize: 0, totalSize: 0 }],
  ],
  ['SecurityRequirement', [{ schemes: { a: { list: ['x'] }, b: {} } }], [{ schemes: { a: ['x'] } }, { schemes: [] }]],
  ['StreamResponse', [{ task: { id: 't', status } }], [{}, { task: { id: 't', status }, message }]],
  ['Empty', [{}], [null, []]],
]

describe('GOV-03 JSON Schema', () => {
  for (const [type, valid, invalid] of rows) {
    const accepts = ajv.compile(jsonSchema(type) as object)
    for (const value of valid) {
      test(`${type} accepts ${JSON.stringify(value)}`, () => {
        expect(accepts(value), JSON.stringify(accepts.errors)).toBe(true)
      })
    }
    for (const value of invalid) {
      test(`${type} refuses ${JSON.stringify(value)}`, () => {
        expect(accepts(value)).toBe(false)
      })
    }
  }

  test('the whole document defines every message and enum, in words too', () => {
    const document = jsonSchema()
    const definitions = document.$defs as Record<string, { description?: string }>
    expect(Object.keys(definitions)).toEqual([...Object.keys(schema.messages), ...Object.keys(schema.enums)])
    expect(Object.entries(definitions).filter(([, definition]) => !definition.description)).toEqual([])
    expect(ajv.validateSchema(document as object)).toBe(true)
  })
})
