import { describe, expect, test } from 'vitest'
import { A2AError } from './errors.ts'
import type { Messages } from './generated/v1/types.ts'
import { validateQuery } from './validate.ts'

type Type = keyof Messages

describe('query strings', () => {
  const rows: [name: string, type: Type, query: string, expected: object][] = [
    [
      'REST-08 every filter of ListTasks',
      'ListTasksRequest',
      'contextId=c%2F1&status=TASK_STATE_WORKING&pageSize=10&pageToken=a%2Bb%3D&historyLength=0&includeArtifacts=false&statusTimestampAfter=2025-11-09T10%3A30%3A00Z',
      {
        contextId: 'c/1',
        status: 'TASK_STATE_WORKING',
        pageSize: 10,
        pageToken: 'a+b=',
        historyLength: 0,
        includeArtifacts: false,
        statusTimestampAfter: '2025-11-09T10:30:00.000Z',
      },
    ],
    [
      'REST-09 snake_case',
      'ListTasksRequest',
      'page_size=10&include_artifacts=true',
      { pageSize: 10, includeArtifacts: true },
    ],
    [
      'REST-09 lastUpdatedAfter',
      'ListTasksRequest',
      'lastUpdatedAfter=2025-11-09T10:30:00Z',
      {
        statusTimestampAfter: '2025-11-09T10:30:00.000Z',
      },
    ],
    ['REST-10 a plus is a space', 'ListTasksRequest', 'contextId=a+b', { contextId: 'a b' }],
    [
      'REST-16 an offset whose plus became a space',
      'ListTasksRequest',
      'statusTimestampAfter=2025-11-09T10:30:00+02:00',
      {
        statusTimestampAfter: '2025-11-09T08:30:00.000Z',
      },
    ],
    ['REST-36 A2A-Version is no field', 'ListTasksRequest', 'A2A-Version=1.0&other=x&__proto__=1', {}],
    ['empty text is unset', 'ListTasksRequest', 'contextId=&pageToken=', {}],
    [
      'REST-14 repeated names and commas',
      'AgentSkill',
      'id=i&name=n&description=d&tags=a,b&tags=c',
      {
        id: 'i',
        name: 'n',
        description: 'd',
        tags: ['a', 'b', 'c'],
      },
    ],
  ]
  for (const [name, type, query, expected] of rows) {
    test(name, () => {
      expect(validateQuery(type, new URLSearchParams(query))).toStrictEqual(expected)
    })
  }

  test('fields of the path join in and win', () => {
    const query = new URLSearchParams('historyLength=2&id=other')
    expect(validateQuery('GetTaskRequest', query, { path: { id: 't' } })).toStrictEqual({ id: 't', historyLength: 2 })
  })
})

describe('query strings that are refused', () => {
  const rows: [name: string, type: Type, query: string, field: string][] = [
    ['REST-11 a boolean in capitals', 'ListTasksRequest', 'includeArtifacts=TRUE', 'includeArtifacts'],
    ['REST-11 a boolean as a digit', 'ListTasksRequest', 'includeArtifacts=1', 'includeArtifacts'],
    ['REST-12 no number', 'ListTasksRequest', 'pageSize=ten', 'pageSize'],
    ['REST-12 an empty number', 'ListTasksRequest', 'pageSize=', 'pageSize'],
    ['REST-12 out of range', 'ListTasksRequest', 'historyLength=99999999999', 'historyLength'],
    ['REST-13 an enum by number', 'ListTasksRequest', 'status=1', 'status'],
    ['LIST-07 an unknown state', 'ListTasksRequest', 'status=TASK_STATE_RUNNING', 'status'],
    ['REST-15 an object', 'SendMessageRequest', 'message=%7B%7D', 'message'],
    ['REST-16 no time', 'ListTasksRequest', 'statusTimestampAfter=yesterday', 'statusTimestampAfter'],
    ['given twice', 'ListTasksRequest', 'pageSize=1&pageSize=2', 'pageSize'],
    ['given under both names', 'ListTasksRequest', 'pageSize=1&page_size=1', 'pageSize'],
    ['DM-02 a REQUIRED field', 'GetTaskRequest', 'historyLength=1', 'id'],
  ]
  for (const [name, type, query, field] of rows) {
    test(name, () => {
      const run = () => validateQuery(type, new URLSearchParams(query))
      expect(run).toThrow(A2AError)
      try {
        run()
      } catch (error) {
        expect((error as A2AError).violations.map((violation) => violation.field)).toContain(field)
      }
    })
  }
})
