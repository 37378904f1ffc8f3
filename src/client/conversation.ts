import { defined } from '../lib/defined.ts'
import type { TaskStatus } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import type { SendInput, SendOptions } from './options.ts'
import type { Progress } from './progress.ts'
import type { EventStream, Result } from './result.ts'
import type { Turn } from './send.ts'

/** Sends that belong together (§3.4). */
export interface Conversation {
  /** The agent's id of the conversation, once it has given one. */
  readonly contextId: string | undefined
  /** The task that the next message goes to: one that has not ended. */
  readonly taskId: string | undefined
  /** Sends the next message and waits for the answer; see `Agent.send`. */
  send(input: SendInput, options?: SendOptions): Promise<Result>
  /** Sends the next message and gives the events; see `Agent.stream`. */
  stream(input: SendInput, options?: SendOptions): EventStream
}

type Start = (input: SendInput, options: SendOptions, turn: Turn) => EventStream

/** A conversation over sends that know nothing of each other. */
export function createConversation(
  start: Start,
  from: { readonly contextId?: string; readonly taskId?: string },
): Conversation {
  let { contextId, taskId } = from
  let status: TaskStatus | undefined

  function remember({ task, message }: Progress): void {
    contextId = task?.contextId ?? message?.contextId ?? contextId
    status = task?.status
    taskId = task === undefined || isTerminal(task.status.state) ? undefined : task.id
  }

  function stream(input: SendInput, options: SendOptions = {}): EventStream {
    return start(
      input,
      { ...defined({ contextId, taskId }), ...options },
      { replied: options.taskId === undefined ? status : undefined, onProgress: remember },
    )
  }

  return {
    get contextId() {
      return contextId
    },
    get taskId() {
      return taskId
    },
    send: (input, options) => stream(input, options).result(),
    stream,
  }
}
