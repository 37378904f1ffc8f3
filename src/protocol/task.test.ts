import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Part, StreamResponse, Task, TaskState } from './generated/v1/types.ts'
import { applyEvent, illegalTransition, isInterrupted, isTerminal, joinParts, taskStates } from './task.ts'

const terminal = ['TASK_STATE_COMPLETED', 'TASK_STATE_FAILED', 'TASK_STATE_CANCELED', 'TASK_STATE_REJECTED']
const interrupted = ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED']
const ids = { taskId: 't', contextId: 'c' }

const task = (state: TaskState, rest: Partial<Task> = {}): Task => ({
  id: 't',
  contextId: 'c',
  status: { state },
  ...rest,
})

const status = (state: TaskState, text?: string): StreamResponse => ({
  statusUpdate: {
    ...ids,
    status: { state, ...(text && { message: { messageId: text, role: 'ROLE_AGENT', parts: [{ text }] } }) },
  },
})

const chunk = (text: string, rest: { append?: boolean; metadata?: Record<string, number> } = {}): StreamResponse => ({
  artifactUpdate: {
    ...ids,
    artifact: { artifactId: 'a', parts: [{ text }], ...(rest.metadata && { metadata: rest.metadata }) },
    ...(rest.append && { append: true }),
  },
})

describe('states', () => {
  it.each(taskStates)('%s is of one class (TASK-04, TASK-05, DM-13)', (state) => {
    expect(isTerminal(state)).toBe(terminal.includes(state))
    expect(isInterrupted(state)).toBe(interrupted.includes(state))
  })

  it('knows the eight states, and UNSPECIFIED is none of them (TASK-11)', () => {
    expect(taskStates).toHaveLength(8)
    expect(illegalTransition(undefined, 'TASK_STATE_UNSPECIFIED')).toMatch(/not a state/)
  })

  const legal: Record<string, readonly string[]> = {
    TASK_STATE_SUBMITTED: [
      'SUBMITTED',
      'WORKING',
      'INPUT_REQUIRED',
      'AUTH_REQUIRED',
      'COMPLETED',
      'FAILED',
      'CANCELED',
      'REJECTED',
    ],
    TASK_STATE_WORKING: ['WORKING', 'INPUT_REQUIRED', 'AUTH_REQUIRED', 'COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'],
    TASK_STATE_INPUT_REQUIRED: [
      'SUBMITTED',
      'WORKING',
      'INPUT_REQUIRED',
      'AUTH_REQUIRED',
      'COMPLETED',
      'FAILED',
      'CANCELED',
      'REJECTED',
    ],
    TASK_STATE_AUTH_REQUIRED: [
      'WORKING',
      'INPUT_REQUIRED',
      'AUTH_REQUIRED',
      'COMPLETED',
      'FAILED',
      'CANCELED',
      'REJECTED',
    ],
  }
  it.each(taskStates.flatMap((from) => taskStates.map((to) => [from, to] as const)))(
    '%s to %s (TASK-06, TASK-07)',
    (from, to) => {
      const allowed = legal[from]?.includes(to.replace('TASK_STATE_', '')) ?? false
      expect(illegalTransition(from, to) === undefined).toBe(allowed)
    },
  )
})

describe('applyEvent', () => {
  it('moves a replaced status message to the history', () => {
    const after = [
      status('TASK_STATE_WORKING', 'one'),
      status('TASK_STATE_WORKING'),
      status('TASK_STATE_COMPLETED', 'two'),
    ].reduce<Task>(applyEvent, task('TASK_STATE_SUBMITTED'))
    expect(after.history?.map((message) => message.messageId)).toEqual(['one'])
    expect(after.status.message?.messageId).toBe('two')
  })

  it('appends, replaces and merges artifacts (STRM-14, STRM-15, DM-20)', () => {
    const events = [
      chunk('old'),
      chunk('a', { metadata: { k: 1, j: 1 } }),
      chunk('b', { append: true, metadata: { k: 2 } }),
    ]
    const { artifacts } = events.reduce<Task>(applyEvent, task('TASK_STATE_WORKING'))
    expect(artifacts).toEqual([{ artifactId: 'a', parts: [{ text: 'ab' }], metadata: { k: 2, j: 1 } }])
  })

  it('takes a later task as the new copy (STRM-12, AMB-05)', () => {
    const copy = task('TASK_STATE_COMPLETED')
    expect(applyEvent(task('TASK_STATE_WORKING'), { task: copy })).toBe(copy)
  })

  it.each([
    ['no task yet', undefined, status('TASK_STATE_WORKING')],
    [
      'a message after a task',
      task('TASK_STATE_WORKING'),
      { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } },
    ],
    ['a status after the end', task('TASK_STATE_COMPLETED'), status('TASK_STATE_WORKING')],
    ['a chunk after the end', task('TASK_STATE_CANCELED'), chunk('late')],
  ] as const)('refuses %s (SEND-23, AMB-06)', (_, before, event) => {
    expect(() => applyEvent(before, event as StreamResponse)).toThrow(
      expect.objectContaining({ code: 'InvalidAgentResponse' }),
    )
  })

  it('never changes what it is given, and ends once (TASK-06)', () => {
    const anyEvent = fc.oneof(
      fc.constantFrom(...taskStates).map((state) => status(state, state)),
      fc.record({ text: fc.string(), append: fc.boolean() }).map(({ text, append }) => chunk(text, { append })),
    )
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        let current = task('TASK_STATE_SUBMITTED')
        let ended: string | undefined
        for (const event of events) {
          const before = JSON.stringify(current)
          const given = current
          try {
            current = applyEvent(current, event)
          } catch {
            expect(current).toBe(given)
          }
          expect(JSON.stringify(given)).toBe(before)
          if (ended !== undefined) expect(JSON.stringify(current)).toBe(ended)
          if (isTerminal(current.status.state)) ended = JSON.stringify(current)
        }
      }),
    )
  })
})

describe('joinParts', () => {
  const rows: readonly { name: string; parts: readonly Part[]; joined: readonly Part[] }[] = [
    { name: 'plain text', parts: [{ text: 'a' }, { text: 'b' }], joined: [{ text: 'ab' }] },
    {
      name: 'one media type',
      parts: [
        { text: 'a', mediaType: 't/x' },
        { text: 'b', mediaType: 't/x' },
      ],
      joined: [{ text: 'ab', mediaType: 't/x' }],
    },
    {
      name: 'two media types',
      parts: [{ text: 'a' }, { text: 'b', mediaType: 't/x' }],
      joined: [{ text: 'a' }, { text: 'b', mediaType: 't/x' }],
    },
    {
      name: 'a filename',
      parts: [{ text: 'a' }, { text: 'b', filename: 'f' }],
      joined: [{ text: 'a' }, { text: 'b', filename: 'f' }],
    },
    {
      name: 'metadata',
      parts: [{ text: 'a' }, { text: 'b', metadata: {} }],
      joined: [{ text: 'a' }, { text: 'b', metadata: {} }],
    },
    {
      name: 'data between',
      parts: [{ text: 'a' }, { data: null }, { text: 'b' }],
      joined: [{ text: 'a' }, { data: null }, { text: 'b' }],
    },
  ]
  it.each(rows)('$name', ({ parts, joined }) => {
    expect(joinParts([], parts)).toEqual(joined)
  })
})
