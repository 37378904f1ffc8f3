import type { StreamEvent } from '../protocol/endpoint.ts'
import type { Part, Task, TaskStatus } from '../protocol/generated/v1/types.ts'
import { joinParts } from '../protocol/task.ts'

/**
 * The events of a stream that a task which was read beside it does not hold. `events` are all that came before the task did;
 * the task may hold any number of the first of them, and nothing but its own words tells how many.
 */
export function notHeld(task: Task, events: readonly StreamEvent[]): readonly StreamEvent[] {
  const held = new Set([...heldStatuses(task, events), ...heldPieces(task, events)])
  return events.filter((event) => !held.has(event))
}

/** All statuses up to the one that the task has. */
function heldStatuses({ status }: Task, events: readonly StreamEvent[]): readonly StreamEvent[] {
  const updates = events.filter(({ value }) => value.statusUpdate !== undefined)
  const last = updates.findLastIndex(({ value }) => isSame(value.statusUpdate?.status as TaskStatus, status))
  return updates.slice(0, last + 1)
}

function isSame(left: TaskStatus, right: TaskStatus): boolean {
  return (
    JSON.stringify([left.state, left.timestamp, left.message]) ===
    JSON.stringify([right.state, right.timestamp, right.message])
  )
}

/** Of each artifact as many pieces as, one after the other, stand at its end. */
function heldPieces({ artifacts = [] }: Task, events: readonly StreamEvent[]): readonly StreamEvent[] {
  return artifacts.flatMap(({ artifactId, parts }) => {
    const pieces = events.filter(({ value }) => value.artifactUpdate?.artifact.artifactId === artifactId)
    const whole = joinParts([], parts)
    for (let count = pieces.length; count > 0; count--) {
      const given = pieces.slice(0, count)
      // What replaces an artifact makes all before it count for nothing.
      const start = given.findLastIndex(({ value }) => value.artifactUpdate?.append !== true)
      const joined = given
        .slice(Math.max(start, 0))
        .reduce<readonly Part[]>((known, { value }) => joinParts(known, value.artifactUpdate?.artifact.parts ?? []), [])
      if (start >= 0 ? same(whole, joined) : endsWith(whole, joined)) return given
    }
    return []
  })
}

/** Whether parts end with others, of which the first may begin within a text. */
function endsWith(whole: readonly Part[], end: readonly Part[]): boolean {
  if (end.length === 0 || end.length > whole.length) return false
  const [first, ...rest] = whole.slice(-end.length) as [Part, ...Part[]]
  const [begun, ...others] = end as [Part, ...Part[]]
  if (!same(rest, others)) return false
  if (first.text === undefined || begun.text === undefined) return same(first, begun)
  return same({ ...first, text: '' }, { ...begun, text: '' }) && first.text.endsWith(begun.text)
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
