import { describe, expect, test } from 'vitest'
import { emit } from './emit.ts'
import type { Messages } from './generated/v1/types.ts'

type Row = [name: string, type: keyof Messages, value: unknown, sent: unknown]

const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] }
const status = { state: 'TASK_STATE_WORKING' }

describe('what is sent as it is', () => {
  const rows: [name: string, type: keyof Messages, value: unknown][] = [
    ['a canonical task', 'Task', { id: 't', contextId: 'c', status, history: [message], metadata: {} }],
    ['PJ-14 explicit presence', 'AgentCapabilities', { streaming: false, pushNotifications: false }],
    ['PJ-14 zero', 'SendMessageConfiguration', { historyLength: 0 }],
    ['PJ-14 empty optional text', 'AgentCard', { documentationUrl: '', iconUrl: '' }],
    ['PJ-13 an empty text part', 'Part', { text: '' }],
    ['PJ-12 null data', 'Part', { data: null }],
    ['PJ-13 REQUIRED empties', 'ClientCredentialsOAuthFlow', { tokenUrl: '', scopes: {} }],
    ['REQUIRED message without members', 'AgentCard', { capabilities: {} }],
    [
      'LIST-04 LIST-21 an empty page',
      'ListTasksResponse',
      { tasks: [], nextPageToken: '', pageSize: 50, totalSize: 0 },
    ],
    ['PJ-19 Empty', 'Empty', {}],
  ]
  for (const [name, type, value] of rows) {
    test(name, () => {
      expect(emit(type, value as never)).toBe(value)
    })
  }
})

describe('what is left out or added', () => {
  const rows: Row[] = [
    ['PJ-13 implicit defaults', 'Message', { ...message, contextId: '', taskId: '', extensions: [] }, message],
    ['PJ-13 false', 'SendMessageConfiguration', { returnImmediately: false }, {}],
    ['PJ-13 zero', 'ListTaskPushNotificationConfigsRequest', { taskId: 't', pageSize: 0 }, { taskId: 't' }],
    ['PJ-13 an empty map', 'AgentCard', { securitySchemes: {} }, {}],
    ['PJ-13 UNSPECIFIED as a filter', 'ListTasksRequest', { status: 'TASK_STATE_UNSPECIFIED' }, {}],
    ['undefined and null', 'Task', { id: 't', status, contextId: undefined, artifacts: null }, { id: 't', status }],
    ['DM-10 members that are no fields', 'Task', { id: 't', status, kind: 'task' }, { id: 't', status }],
    [
      'inside lists',
      'Task',
      { id: 't', status, history: [message, { ...message, taskId: '' }] },
      {
        id: 't',
        status,
        history: [message, message],
      },
    ],
    [
      'inside messages',
      'StreamResponse',
      { statusUpdate: { taskId: 't', status: { ...status, message: undefined } } },
      {
        statusUpdate: { taskId: 't', status },
      },
    ],
    [
      'inside maps',
      'SecurityRequirement',
      { schemes: { a: { list: ['x'] }, b: { list: [] } } },
      {
        schemes: { a: { list: ['x'] }, b: {} },
      },
    ],
    [
      'LIST-03 LIST-21 the four members of a page',
      'ListTasksResponse',
      { tasks: [] },
      {
        tasks: [],
        nextPageToken: '',
        pageSize: 0,
        totalSize: 0,
      },
    ],
  ]
  for (const [name, type, value, sent] of rows) {
    test(name, () => {
      const before = structuredClone(value)
      expect(emit(type, value as never)).toStrictEqual(sent)
      expect(value).toStrictEqual(before)
    })
  }
})
