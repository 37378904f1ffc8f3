import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamResponse, Task } from '../protocol/generated/v1/types.ts'
import { applyEvent } from '../protocol/task.ts'
import { difference } from './difference.ts'

function fold(events: readonly StreamResponse[]): Task {
  let task: Task | undefined
  for (const event of events) task = applyEvent(task, event)
  return task as Task
}

describe('difference', () => {
  const piece = fc.record({
    artifactId: fc.constantFrom('a', 'b'),
    text: fc.string({ maxLength: 3 }),
    append: fc.boolean(),
    data: fc.boolean(),
  })

  test('folding what was missed over the older copy gives the newer one', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(12), (pieces, split) => {
        const events = pieces.map(({ artifactId, text, append, data }): StreamResponse => {
          const parts = data ? [{ data: text }] : [{ text }]
          return { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId, parts }, append } }
        })
        const begin: StreamResponse = { task: { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } } }
        const older = fold([begin, ...events.slice(0, split)])
        const newer = fold([begin, ...events])
        expect(fold([{ task: older }, ...difference(older, newer)]).artifacts).toEqual(newer.artifacts)
        expect(difference(newer, newer)).toEqual([])
      }),
    )
  })
})
