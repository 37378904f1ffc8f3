import type { TaskState } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'

/** The number by which the schema knows each state; stored in place of the name. */
export const stateNumbers: Readonly<Record<TaskState, number>> = {
  TASK_STATE_UNSPECIFIED: 0,
  TASK_STATE_SUBMITTED: 1,
  TASK_STATE_WORKING: 2,
  TASK_STATE_COMPLETED: 3,
  TASK_STATE_FAILED: 4,
  TASK_STATE_CANCELED: 5,
  TASK_STATE_INPUT_REQUIRED: 6,
  TASK_STATE_REJECTED: 7,
  TASK_STATE_AUTH_REQUIRED: 8,
}

const names = Object.keys(stateNumbers) as TaskState[]

/** The state with a number; undefined for a number this version does not know. */
export function stateName(number: unknown): TaskState | undefined {
  return typeof number === 'number' ? names[number] : undefined
}

/** Numbers of the states that a task never leaves (§4.1.3). */
export const endedStates: readonly number[] = names.filter(isTerminal).map((name) => stateNumbers[name])
