import { A2AError } from './errors.ts'
import type {
  Artifact,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskState,
  TaskStatusUpdateEvent,
} from './generated/v1/types.ts'

type Class = 'active' | 'interrupted' | 'terminal' | 'unknown'

const classes: Readonly<Record<TaskState, Class>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'active',
  TASK_STATE_WORKING: 'active',
  TASK_STATE_COMPLETED: 'terminal',
  TASK_STATE_FAILED: 'terminal',
  TASK_STATE_CANCELED: 'terminal',
  TASK_STATE_REJECTED: 'terminal',
  TASK_STATE_INPUT_REQUIRED: 'interrupted',
  TASK_STATE_AUTH_REQUIRED: 'interrupted',
}

/** The states that a task never leaves: COMPLETED, FAILED, CANCELED, REJECTED. */
export function isTerminal(state: TaskState): boolean {
  return classes[state] === 'terminal'
}

/** The states in which a task waits for somebody: INPUT_REQUIRED, AUTH_REQUIRED. */
export function isInterrupted(state: TaskState): boolean {
  return classes[state] === 'interrupted'
}

/** Every state that a task can be in. */
export const taskStates: readonly TaskState[] = (Object.keys(classes) as TaskState[]).filter(
  (state) => classes[state] !== 'unknown',
)

/** Why a task in state `from` may not go to `to`; undefined when it may. `from` undefined: the task begins. */
export function illegalTransition(from: TaskState | undefined, to: TaskState): string | undefined {
  if (classes[to] === undefined || classes[to] === 'unknown') return `${to} is not a state that a task can have`
  if (from === undefined) return undefined
  if (isTerminal(from)) return `the task is ${from}, which is final`
  if (to !== 'TASK_STATE_SUBMITTED') return undefined
  if (from === 'TASK_STATE_SUBMITTED' || from === 'TASK_STATE_INPUT_REQUIRED') return undefined
  return `a task that is ${from} does not go back to ${to}`
}

/** Whether a part is text and nothing else, so that it may be joined to its neighbour. */
export function isPlainText(part: Part): part is Part & { readonly text: string } {
  return part.text !== undefined && part.filename === undefined && part.metadata === undefined
}

function joinable(left: Part | undefined, right: Part): left is Part & { readonly text: string } {
  return left !== undefined && isPlainText(left) && isPlainText(right) && left.mediaType === right.mediaType
}

/** Adds parts to others; adjacent text of the same media type without metadata or filename becomes one part. */
export function joinParts(known: readonly Part[], added: readonly Part[]): readonly Part[] {
  const parts = [...known]
  for (const part of added) {
    const last = parts.at(-1)
    if (joinable(last, part)) parts[parts.length - 1] = { ...last, text: last.text + part.text } as Part
    else parts.push(part)
  }
  return parts
}

function mergeArtifact(known: Artifact, given: Artifact): Artifact {
  const metadata = known.metadata || given.metadata ? { ...known.metadata, ...given.metadata } : undefined
  const extensions =
    known.extensions || given.extensions
      ? [...new Set([...(known.extensions ?? []), ...(given.extensions ?? [])])]
      : undefined
  return {
    ...known,
    ...given,
    parts: joinParts(known.parts, given.parts),
    ...(metadata && { metadata }),
    ...(extensions && { extensions }),
  }
}

function withStatus(task: Task, { status }: TaskStatusUpdateEvent): Task {
  const problem = illegalTransition(task.status.state, status.state)
  if (problem !== undefined) throw new A2AError('InvalidAgentResponse', `Illegal event order: ${problem}`)
  const replaced: Message | undefined = task.status.message
  return { ...task, status, ...(replaced && { history: [...(task.history ?? []), replaced] }) }
}

function withArtifact(task: Task, { artifact, append }: TaskArtifactUpdateEvent): Task {
  if (isTerminal(task.status.state)) {
    throw new A2AError('InvalidAgentResponse', `Illegal event order: the task is ${task.status.state}, which is final`)
  }
  const artifacts = [...(task.artifacts ?? [])]
  const at = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId)
  const known = artifacts[at]
  const joined = { ...artifact, parts: joinParts([], artifact.parts) }
  if (known === undefined) artifacts.push(joined)
  else artifacts[at] = append === true ? mergeArtifact(known, artifact) : joined
  return { ...task, artifacts }
}

/**
 * The task after a stream event; the one meaning of an event, for whoever reads a stream (§3.1.2, §4.2).
 * Throws InvalidAgentResponse for an event that the order of states does not allow.
 */
export function applyEvent(task: Task | undefined, event: StreamResponse): Task {
  if (event.task !== undefined) return event.task
  if (task === undefined)
    throw new A2AError('InvalidAgentResponse', 'Illegal event order: the first event of a task must be the task')
  if (event.message !== undefined) {
    throw new A2AError('InvalidAgentResponse', 'Illegal event order: a message may not follow a task')
  }
  return event.statusUpdate !== undefined
    ? withStatus(task, event.statusUpdate)
    : withArtifact(task, event.artifactUpdate)
}
