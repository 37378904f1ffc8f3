// A reader's own idea of a task: the first frame of a stream and what came after it, put together as the specification says.

/** Adds the parts of a chunk to those of an artifact: text goes on where text of the same kind stood last. */
function join(known, added) {
  const parts = [...known]
  for (const part of added) {
    const last = parts.at(-1)
    const plain = [last, part].every((each) => each?.text !== undefined && !each.metadata && !each.filename)
    if (plain && last.mediaType === part.mediaType) parts[parts.length - 1] = { ...last, text: last.text + part.text }
    else parts.push(part)
  }
  return parts
}

/** The task after one more event. */
export function fold(task, event) {
  if (event.statusUpdate !== undefined) {
    const { message } = task.status
    const history = message === undefined ? task.history : [...(task.history ?? []), message]
    return { ...task, status: event.statusUpdate.status, ...(history && { history }) }
  }
  const { artifact, append } = event.artifactUpdate
  const artifacts = [...(task.artifacts ?? [])]
  const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId)
  if (at < 0) artifacts.push(artifact)
  else if (append) artifacts[at] = { ...artifacts[at], ...artifact, parts: join(artifacts[at].parts, artifact.parts) }
  else artifacts[at] = artifact
  return { ...task, artifacts }
}

/** The messages of a task in order, that of its status last. */
export function messagesOf(task) {
  return [...(task.history ?? []), ...(task.status.message === undefined ? [] : [task.status.message])]
}

/**
 * Whether messages that were shown are in a task: every one, and those of the user in their order. A question that the status
 * still holds stands after the answer to it, and before it once the next status has come, so the agent's may move.
 */
export function holdsMessages(task, shown) {
  const all = messagesOf(task)
  const texts = new Set(all.map(canonical))
  if (!shown.every((message) => texts.has(canonical(message)))) return false
  const stored = all.filter(fromUser)
  let at = 0
  for (const { messageId } of shown.filter(fromUser)) {
    while (at < stored.length && stored[at].messageId !== messageId) at += 1
    if (at++ >= stored.length) return false
  }
  return true
}

function fromUser({ role }) {
  return role === 'ROLE_USER'
}

/** The text of an artifact. */
export function textOf({ parts }) {
  return parts.map((part) => part.text ?? '').join('')
}

const terminal = new Set(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((state) => `TASK_STATE_${state}`))

/** Whether a task has ended. */
export function hasEnded(task) {
  return terminal.has(task.status.state)
}

/** A value as text that is the same for equal values, whatever the order of their members. */
export function canonical(value) {
  return JSON.stringify(value, (_, each) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
