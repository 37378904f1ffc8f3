import { findOperation, type Operation, type OperationName } from '../../operations.ts'
import type { HttpRule } from '../../schema.ts'

/** One operation of 0.3: what it is called on each wire, and which rows of the shapes it takes and gives. */
export interface Row03 {
  readonly operation: Operation
  readonly method: string
  readonly rpc: string
  /** Request and answer in protobuf. */
  readonly proto: readonly [request: string, response: string]
  /** The request among the shapes. */
  readonly params: string
  readonly http: readonly HttpRule[]
}

function row(
  name: OperationName,
  words: Omit<Row03, 'operation' | 'http'> & { readonly http: readonly string[] },
): Row03 {
  return {
    ...words,
    operation: findOperation(name) as Operation,
    http: words.http.map((text) => {
      const [verb, path] = text.split(' ') as [HttpRule['verb'], string]
      return { verb, path, body: verb === 'POST' ? '*' : '' }
    }),
  }
}

const configs = '/v1/tasks/{id}/pushNotificationConfigs'

/** All operations. `tasks/list` stands in the text of 0.3 and in drafts after it only. */
export const rows03: readonly Row03[] = [
  row('SendMessage', {
    method: 'message/send',
    rpc: 'SendMessage',
    proto: ['SendMessageRequest', 'SendMessageResponse'],
    params: 'MessageSendParams',
    http: ['POST /v1/message:send'],
  }),
  row('SendStreamingMessage', {
    method: 'message/stream',
    rpc: 'SendStreamingMessage',
    proto: ['SendMessageRequest', 'StreamResponse'],
    params: 'MessageSendParams',
    http: ['POST /v1/message:stream'],
  }),
  row('GetTask', {
    method: 'tasks/get',
    rpc: 'GetTask',
    proto: ['GetTaskRequest', 'Task'],
    params: 'TaskQueryParams',
    http: ['GET /v1/tasks/{id}'],
  }),
  row('ListTasks', {
    method: 'tasks/list',
    rpc: 'ListTasks',
    proto: ['ListTasksRequest', 'ListTasksResponse'],
    params: 'TaskListParams',
    http: ['GET /v1/tasks'],
  }),
  row('CancelTask', {
    method: 'tasks/cancel',
    rpc: 'CancelTask',
    proto: ['CancelTaskRequest', 'Task'],
    params: 'TaskIdParams',
    http: ['POST /v1/tasks/{id}:cancel'],
  }),
  row('SubscribeToTask', {
    method: 'tasks/resubscribe',
    rpc: 'TaskSubscription',
    proto: ['TaskSubscriptionRequest', 'StreamResponse'],
    params: 'TaskIdParams',
    http: ['POST /v1/tasks/{id}:subscribe', 'GET /v1/tasks/{id}:subscribe'],
  }),
  row('CreateTaskPushNotificationConfig', {
    method: 'tasks/pushNotificationConfig/set',
    rpc: 'CreateTaskPushNotificationConfig',
    proto: ['CreateTaskPushNotificationConfigRequest', 'TaskPushNotificationConfig'],
    params: 'TaskPushNotificationConfig',
    // A bare configuration has an `id` of its own. The second path is a slip in the schema of 0.3 that peers may follow.
    http: ['POST /v1/tasks/{taskId}/pushNotificationConfigs', 'POST /v1/task/{taskId}/pushNotificationConfigs'],
  }),
  row('GetTaskPushNotificationConfig', {
    method: 'tasks/pushNotificationConfig/get',
    rpc: 'GetTaskPushNotificationConfig',
    proto: ['GetTaskPushNotificationConfigRequest', 'TaskPushNotificationConfig'],
    params: 'PushNotificationConfigParams',
    http: [`GET ${configs}/{pushNotificationConfigId}`],
  }),
  row('ListTaskPushNotificationConfigs', {
    method: 'tasks/pushNotificationConfig/list',
    rpc: 'ListTaskPushNotificationConfig',
    proto: ['ListTaskPushNotificationConfigRequest', 'ListTaskPushNotificationConfigResponse'],
    params: 'PushNotificationConfigParams',
    http: [`GET ${configs}`],
  }),
  row('DeleteTaskPushNotificationConfig', {
    method: 'tasks/pushNotificationConfig/delete',
    rpc: 'DeleteTaskPushNotificationConfig',
    proto: ['DeleteTaskPushNotificationConfigRequest', 'Empty'],
    params: 'PushNotificationConfigParams',
    http: [`DELETE ${configs}/{pushNotificationConfigId}`],
  }),
  row('GetExtendedAgentCard', {
    method: 'agent/getAuthenticatedExtendedCard',
    rpc: 'GetAgentCard',
    proto: ['GetAgentCardRequest', 'AgentCard'],
    params: 'Nothing',
    http: ['GET /v1/card'],
  }),
]

/** Methods by other names that the texts of 0.3 have for them. */
export const methodAliases: Readonly<Record<string, string>> = {
  'agent/authenticatedExtendedCard': 'agent/getAuthenticatedExtendedCard',
}
