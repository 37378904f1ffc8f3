import type { Artifact, Part, StreamResponse, Task, TaskStatus } from '../protocol/generated/v1/types.ts'
import { joinParts } from '../protocol/task.ts'

/** Whether two statuses are the same one, and not only alike. */
export function sameStatus(left: TaskStatus, right: TaskStatus): boolean {
  return (
    left.state === right.state &&
    left.timestamp === right.timestamp &&
    left.message?.messageId === right.message?.messageId
  )
}

/** The events that lead from the task as it is known to a newer copy of it: what was missed and nothing twice. */
export function difference(known: Task, newer: Task): StreamResponse[] {
  const events: StreamResponse[] = []
  const ids = { taskId: newer.id, contextId: newer.contextId ?? known.contextId ?? '' }
  const artifacts = new Map((known.artifacts ?? []).map((artifact) => [artifact.artifactId, artifact]))
  for (const artifact of newer.artifacts ?? []) {
    const old = artifacts.get(artifact.artifactId)
    const tail = old === undefined ? undefined : tailOf(old, artifact)
    if (tail === undefined) events.push({ artifactUpdate: { ...ids, artifact } })
    else if (tail.length > 0) {
      events.push({ artifactUpdate: { ...ids, artifact: { ...artifact, parts: tail }, append: true } })
    }
  }
  // A status that is written anew piece by piece may keep its message's id.
  const isSaid = same(known.status.message?.parts, newer.status.message?.parts)
  if (!isSaid || !sameStatus(known.status, newer.status))
    events.push({ statusUpdate: { ...ids, status: newer.status } })
  return events
}

/** What was appended to an artifact; undefined when it is another one now. */
function tailOf(old: Artifact, artifact: Artifact): readonly Part[] | undefined {
  const before = joinParts([], old.parts)
  const after = joinParts([], artifact.parts)
  const last = before.at(-1)
  if (last === undefined) return after
  const split = before.length - 1
  const grown = after[split]
  if (grown === undefined || !same(before.slice(0, split), after.slice(0, split))) return undefined
  const rest = after.slice(split + 1)
  if (same(last, grown)) return rest
  const { text, ...others } = last
  const { text: longer, ...grownOthers } = grown
  if (text === undefined || longer === undefined || !longer.startsWith(text) || !same(others, grownOthers))
    return undefined
  return [{ ...grown, text: longer.slice(text.length) } as Part, ...rest]
}

function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}
