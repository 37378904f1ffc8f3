import { defined } from '../lib/defined.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type {
  AgentCard,
  AgentInterface,
  ListTasksRequest,
  ListTasksResponse,
  StreamResponse,
  Task,
} from '../protocol/generated/v1/types.ts'
import type { RequestOf, ResponseOf, UnaryOperation } from '../protocol/operations.ts'
import { isTerminal } from '../protocol/task.ts'
import { type Conversation, createConversation } from './conversation.ts'
import type { Link } from './follow.ts'
import type { CallOptions, SendInput, SendOptions } from './options.ts'
import type { Progress } from './progress.ts'
import { createEventStream, createResult, type EventStream, type Result, type ResultActions } from './result.ts'
import { followTask, sendAndFollow, type Turn, untilChanged } from './send.ts'

/** An agent that can be called. It remembers nothing between calls, so one object serves any number of users. */
export interface Agent {
  readonly card: AgentCard
  /** The interface in use. */
  readonly interface: AgentInterface
  /** What the agent does wrong without harm. */
  readonly warnings: readonly string[]
  /** The transport with all its wrappers, for calls by hand. */
  readonly endpoint: Endpoint
  /**
   * Sends a message and waits for the answer, however the agent gives it. A task that failed or waits for input is a
   * result too. Throws A2AError when there is no answer.
   */
  send(input: SendInput, options?: SendOptions): Promise<Result>
  /** Sends a message and gives each event once and in order, also over broken connections. Ends when the task ends or waits for somebody. */
  stream(input: SendInput, options?: SendOptions): EventStream
  /** A conversation: it carries `contextId`, and `taskId` while a task waits for input, from one send to the next. */
  conversation(start?: ConversationStart): Conversation
  /** Reads one task (§3.1.3). */
  get(taskId: string, options?: GetOptions): Promise<Task>
  /** One page of the caller's tasks (§3.1.4). */
  list(filter?: ListTasksRequest, options?: CallOptions): Promise<ListTasksResponse>
  /** All of the caller's tasks, page by page as they are read. */
  listAll(filter?: ListTasksRequest, options?: CallOptions): AsyncGenerator<Task>
  /** Asks the agent to stop a task; a task that is canceled already counts as success (§3.1.5). */
  cancel(taskId: string, options?: CallOptions): Promise<Task>
  /** The task as it stands, then each event until it ends; a task that has ended gives itself alone. */
  subscribe(taskId: string, options?: GetOptions): EventStream
  /** Any other operation, such as `CreateTaskPushNotificationConfig` or `GetExtendedAgentCard`. */
  call<O extends UnaryOperation>(operation: O, request: RequestOf<O>, options?: CallOptions): Promise<ResponseOf<O>>
}

/** Where a conversation goes on. */
export interface ConversationStart {
  readonly contextId?: string
  readonly taskId?: string
}

/** What reading a task takes. */
export interface GetOptions extends CallOptions {
  /** How many of the newest history messages to return; 0 for none. */
  readonly historyLength?: number
}

/** What an agent is made of. */
export interface AgentParts {
  readonly card: AgentCard
  readonly link: Link
  readonly warnings: readonly string[]
  readonly currentInterface: () => AgentInterface
}

/** The calls of an agent over a link to it. */
export function createAgent({ card, link, warnings, currentInterface }: AgentParts): Agent {
  async function call<O extends UnaryOperation>(
    operation: O,
    request: RequestOf<O>,
    { signal }: CallOptions = {},
  ): Promise<ResponseOf<O>> {
    const { result } = await link.endpoint.unary({ operation, request, context: link.context({ signal }) })
    return result.value
  }

  function start(input: SendInput, options: SendOptions, turn: Turn): EventStream {
    const progress: Progress = {}
    return createEventStream(sendAndFollow(link, input, { options, turn, progress }), { progress, actions })
  }

  const actions: ResultActions = {
    reply({ task, message }, input, options) {
      const contextId = task?.contextId ?? message?.contextId
      const open = task !== undefined && !isTerminal(task.status.state)
      const taskId = open ? task.id : undefined
      return start(input, { ...defined({ contextId, taskId }), ...options }, { replied: task?.status }).result()
    },
    async wait({ task }, { signal }) {
      const progress: Progress = {}
      const enough = untilChanged(task?.status)
      for await (const _ of followTask(link, task?.id ?? '', { progress, signal, enough }));
      return createResult(progress, actions)
    },
  }

  const agent: Agent = {
    card,
    get interface() {
      return currentInterface()
    },
    warnings,
    endpoint: link.endpoint,
    send: (input, options = {}) => start(input, options, {}).result(),
    stream: (input, options = {}) => start(input, options, {}),
    conversation: (from = {}) => createConversation(start, from),
    get: (id, { signal, ...options } = {}) => call('GetTask', { id, ...options }, { ...(signal && { signal }) }),
    list: (filter = {}, options) => call('ListTasks', filter, options),
    async *listAll(filter = {}, options = {}) {
      let { pageToken } = filter
      for (;;) {
        const page = await call('ListTasks', { ...filter, ...(pageToken !== undefined && { pageToken }) }, options)
        yield* page.tasks
        if (page.nextPageToken === '') return
        if (page.nextPageToken === pageToken) {
          throw new A2AError(
            'InvalidAgentResponse',
            'nextPageToken: names the page that it came with, so the list has no end',
          )
        }
        pageToken = page.nextPageToken
      }
    },
    async cancel(id, options) {
      try {
        return await call('CancelTask', { id }, options)
      } catch (error) {
        if (A2AError.from(error).code !== 'TaskNotCancelable') throw error
        const task = await call('GetTask', { id }, options)
        if (task.status.state === 'TASK_STATE_CANCELED') return task
        throw error
      }
    },
    subscribe(id, { signal, historyLength } = {}) {
      const progress: Progress = {}
      const enough = ({ task }: Progress): boolean => task !== undefined && isTerminal(task.status.state)
      const events: AsyncGenerator<StreamResponse> = followTask(link, id, { progress, signal, historyLength, enough })
      return createEventStream(events, { progress, actions })
    },
    call,
  }
  return agent
}
