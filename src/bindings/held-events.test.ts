import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeValue } from '../protocol/encoded.ts'
import type { StreamEvent } from '../protocol/endpoint.ts'
import type { Part, StreamResponse, Task, TaskState } from '../protocol/generated/v1/types.ts'
import { applyEvent } from '../protocol/task.ts'
import { notHeld } from './held-events.ts'

const ids = { taskId: 't1', contextId: 'c1' }
const begun: Task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_SUBMITTED' } }
const piece = (artifactId: string, parts: readonly Part[], append = true): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: { artifactId, parts }, append },
})
const state = (name: TaskState, second: number): StreamResponse => ({
  statusUpdate: { ...ids, status: { state: name, timestamp: `2026-01-01T00:00:0${second}.000Z` } },
})
const wrap = (events: readonly StreamResponse[]): readonly StreamEvent[] =>
  events.map((event) => encodeValue(event) as StreamEvent)
const fold = (task: Task, events: readonly StreamResponse[]): Task => events.reduce<Task>(applyEvent, task)

/** The events that are left of those after `joined`, when the task was read after `read` of all. */
function left(events: readonly StreamResponse[], { joined, read }: { joined: number; read: number }): StreamResponse[] {
  const task = fold(begun, events.slice(0, read))
  return notHeld(task, wrap(events.slice(joined))).map(({ value }) => value)
}

describe('notHeld', () => {
  const story = [
    state('TASK_STATE_WORKING', 1),
    piece('a', [{ text: 'one ' }]),
    piece('a', [{ text: 'two ' }]),
    state('TASK_STATE_WORKING', 2),
    piece('b', [{ data: { n: 1 } }], false),
    piece('a', [{ text: 'three' }, { data: [1] }]),
    piece('b', [{ text: 'new' }], false),
  ]
  for (let joined = 0; joined < story.length; joined++) {
    for (let read = joined; read <= story.length; read++) {
      test(`a stream joined after ${joined} events, a task read after ${read}: nothing twice, nothing lost`, () => {
        expect(left(story, { joined, read })).toEqual(story.slice(read))
      })
    }
  }

  test('what a task does not tell of is new', () => {
    const events = [piece('c', [{ text: 'x' }]), state('TASK_STATE_WORKING', 3)]
    expect(notHeld(begun, wrap(events)).map(({ value }) => value)).toEqual(events)
  })

  test('pieces that differ are put together to the same artifact, wherever a stream is joined', () => {
    const pieces = fc
      .array(fc.boolean(), { minLength: 1, maxLength: 8 })
      .map((kinds) => kinds.map((isData, at) => piece('a', [isData ? { data: at } : { text: `${at};` }])))
    fc.assert(
      fc.property(pieces, fc.nat(8), fc.nat(8), (events, joined, more) => {
        const read = Math.min(events.length, joined + more)
        const rest = left(events, { joined, read })
        expect(fold(fold(begun, events.slice(0, read)), rest).artifacts).toEqual(fold(begun, events).artifacts)
      }),
    )
  })
})
