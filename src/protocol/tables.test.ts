import { expect, test } from 'vitest'
import { createEmitter } from './emit.ts'
import type { A2AError } from './errors.ts'
import type { Tables } from './schema.ts'
import { createValidator, validate } from './validate.ts'

// A version that never was: it has what 1.0 has not.
const tables: Tables = {
  schema: {
    messages: {
      Task: [
        { name: 'kind', json: 'kind', number: 1, type: 'string', constant: 'task', required: true },
        { name: 'id', json: 'id', number: 2, type: 'string', required: true },
        { name: 'name', json: 'name', number: 3, type: 'string', required: true },
        { name: 'state', json: 'state', number: 4, type: 'enum', typeName: 'State', required: true },
        { name: 'sub_tasks', json: 'subTasks', number: 5, type: 'message', typeName: 'Task', repeated: true },
      ],
      Loose: [{ name: 'kind', json: 'kind', number: 1, type: 'string', constant: 'loose' }],
    },
    enums: {
      State: [
        ['unknown', 0, 'TASK_STATE_UNSPECIFIED'],
        ['canceled', 1, 'TASK_STATE_CANCELLED', 'cancelled'],
      ],
    },
  },
  mayBeEmpty: new Set(['Task.name']),
  aliases: { 'Task.subTasks': ['children'] },
  queryAliases: { taskId: 'id' },
}

type Words = Record<'Task' | 'Loose', object>
const reader = createValidator<Words>(tables)
const emit = createEmitter<Words>(tables)
const task = { kind: 'task', id: 't', name: '', state: 'canceled' }

function violations(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return (error as A2AError).violations?.map(({ field, description }) => `${field} ${description}`)
  }
}

test('a version of its own is read by its own tables', () => {
  expect(reader.validate('Task', task)).toBe(task)
  expect(reader.validate('Task', { ...task, children: [{ ...task, extra: 1 }] })).toEqual({ ...task, subTasks: [task] })
  const query = new URLSearchParams({ kind: 'task', taskId: 't', name: '', state: 'cancelled', lastUpdatedAfter: 'x' })
  expect(reader.validateQuery('Task', query)).toEqual(task)
  expect(() => reader.validate('Message' as 'Task', {})).toThrow(new TypeError('There is no message type Message'))
  expect(validate('Task', { id: 't', status: { state: 'TASK_STATE_WORKING' } })).toBeDefined()
})

test('other spellings of an enum give its name', () => {
  for (const state of ['canceled', 'TASK_STATE_CANCELLED', 'cancelled', 1]) {
    expect(reader.validate('Task', { ...task, state })).toEqual(task)
  }
  expect(violations(() => reader.validate('Task', { ...task, state: 'CANCELED' }))).toEqual([
    'state must be one of canceled',
  ])
})

test('a constant holds its one text, is written where it is REQUIRED, and forgiven to a lenient reader', () => {
  expect(reader.validate('Loose', {})).toEqual({})
  expect(violations(() => reader.validate('Loose', { kind: 'task' }))).toEqual(['kind must be "loose"'])
  expect(violations(() => reader.validate('Task', { ...task, kind: undefined }))).toEqual([
    'kind is required; give "task"',
  ])
  const warnings: string[] = []
  expect(
    reader.validate(
      'Task',
      { id: 't', name: '', state: 1, children: [{ ...task, kind: 7 }] },
      { lenient: true, warnings },
    ),
  ).toEqual({
    ...task,
    subTasks: [task],
  })
  expect(warnings).toEqual(['subTasks[0].kind: must be "task"', 'kind: is required; give "task"'])
  expect(emit('Task', { id: 't', name: '', state: 'canceled', subTasks: [{ id: 'u', state: 'canceled' }] })).toEqual({
    ...task,
    subTasks: [{ ...task, id: 'u' }],
  })
})
