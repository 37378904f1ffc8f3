import { A2AError } from '../protocol/errors.ts'
import type { Message, StreamResponse, Task } from '../protocol/generated/v1/types.ts'
import { applyEvent, illegalTransition, isInterrupted, isTerminal } from '../protocol/task.ts'

/** What is known so far of the answer to a send, or of a task that is followed. */
export interface Progress {
  task?: Task
  /** An answer without a task. */
  message?: Message
  /** Number of the newest event seen, where the agent numbers them. */
  lastEventId?: number
}

/** Whether there is nothing left to wait for by itself: an answer, an end, or a question. */
export function isSettled({ task, message }: Progress): boolean {
  if (task === undefined || message !== undefined) return message !== undefined
  return isTerminal(task.status.state) || isInterrupted(task.status.state)
}

/**
 * Takes in one event of a stream, liberally: what the order of states does not allow is left out or put right, with a
 * warning. Gives whether the event says anything.
 */
export function takeIn(progress: Progress, event: StreamResponse, warn: (text: string) => void): boolean {
  const { task } = progress
  if (event.message !== undefined) return takeMessage(progress, event.message, warn)
  if (event.task !== undefined) {
    if (task !== undefined && isTerminal(task.status.state) && !isTerminal(event.task.status.state)) {
      warn(`stream: a task frame in ${event.task.status.state} after the end was left out`)
      return false
    }
    progress.task = event.task
    return true
  }
  const known = task ?? taskOf(event, warn)
  try {
    progress.task = applyEvent(known, event)
    return true
  } catch (error) {
    const { message } = A2AError.from(error)
    const status = event.statusUpdate?.status
    const bendable =
      status !== undefined && !isTerminal(known.status.state) && status.state !== 'TASK_STATE_UNSPECIFIED'
    if (bendable && illegalTransition(undefined, status.state) === undefined) {
      warn(`stream: ${message}; it was taken as it came`)
      progress.task = { ...known, status }
      return true
    }
    warn(`stream: ${message}; the event was left out`)
    return false
  }
}

function takeMessage(progress: Progress, message: Message, warn: (text: string) => void): boolean {
  const { task } = progress
  progress.message = message
  if (task !== undefined) {
    warn('stream: a message after a task; it belongs into the status of the task')
    if (!isTerminal(task.status.state)) progress.task = { ...task, status: { ...task.status, message } }
  }
  return true
}

/** The task that an update speaks of, when the agent did not send it first (§3.1.2). */
function taskOf(event: StreamResponse, warn: (text: string) => void): Task {
  warn('stream: the first event is no task; one was made from it')
  const update = event.statusUpdate ?? event.artifactUpdate
  return {
    id: update?.taskId ?? '',
    contextId: update?.contextId ?? '',
    status: { state: 'TASK_STATE_SUBMITTED' },
  }
}
