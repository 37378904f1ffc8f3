import type { JsonValue } from '../lib/json.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, StreamResponse, Task, TaskState } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import { contentOf, type ResultFile } from './content.ts'
import type { CallOptions, SendInput, SendOptions } from './options.ts'
import type { Progress } from './progress.ts'

/** What came of a send. A task that failed or waits is a result too; look at `ok` or `state`. */
export interface Result {
  /** Whether the agent answered with a message or the task completed. */
  readonly ok: boolean
  /** The state of the task; undefined when the agent answered without one. */
  readonly state: TaskState | undefined
  /** Artifacts' text; without it that of the status message, then of the agent's message. The question of a task that waits is always part of it. */
  readonly text: string
  /** Text of the status message: the question of a task that waits, the reason of one that failed. */
  readonly statusText: string
  /** JSON values, in order. */
  readonly data: readonly JsonValue[]
  readonly files: readonly ResultFile[]
  readonly task: Task | undefined
  readonly message: Message | undefined
  readonly contextId: string | undefined
  /** Sends within the same conversation; to the same task unless it has ended. */
  reply(input: SendInput, options?: SendOptions): Promise<Result>
  /** Waits until a task that is not at its end changes: for AUTH_REQUIRED once somebody has signed in (§7.6). */
  wait(options?: CallOptions): Promise<Result>
}

/** What a result can do, given by whoever makes it. */
export interface ResultActions {
  reply(progress: Progress, input: SendInput, options: SendOptions): Promise<Result>
  wait(progress: Progress, options: CallOptions): Promise<Result>
}

/** The result of what is known at the end of a send. */
export function createResult({ task, message, ...rest }: Progress, actions: ResultActions): Result {
  if (task === undefined && message === undefined) {
    throw new A2AError('InvalidAgentResponse', 'The agent answered with neither a task nor a message')
  }
  const progress: Progress = { ...rest, ...(task && { task }), ...(message && { message }) }
  const state = task?.status.state
  return {
    ok: task === undefined || state === 'TASK_STATE_COMPLETED',
    state,
    ...contentOf({ task, message }),
    task,
    message,
    contextId: task?.contextId ?? message?.contextId,
    reply: (input, options = {}) => actions.reply(progress, input, options),
    wait(options = {}) {
      if (task === undefined || isTerminal(task.status.state)) return Promise.resolve(createResult(progress, actions))
      return actions.wait(progress, options)
    },
  }
}

/** The events of a send or a task, read once. Nothing is sent before it is read. */
export interface EventStream extends AsyncIterable<StreamResponse> {
  /** What came of it; reads what is left. After an early `break`, what was known then. */
  result(): Promise<Result>
}

/** An event stream over a generator and what it gathers in `progress`. */
export function createEventStream(
  events: AsyncGenerator<StreamResponse>,
  { progress, actions }: { readonly progress: Progress; readonly actions: ResultActions },
): EventStream {
  return {
    [Symbol.asyncIterator]: () => events,
    async result() {
      for await (const _ of events);
      return createResult(progress, actions)
    },
  }
}
