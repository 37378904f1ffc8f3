// biome-ignore-all format: generated
// Written by scripts/generate.mjs from spec/a2a.proto. Do not edit.

import type { OperationRow } from '../../schema.ts'
import type {
  Messages,
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  Empty,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from './types.ts'

/** Request and response of every operation; a stream's response is one event. */
export interface OperationTypes {
  /** Sends a message; waits for the outcome unless asked to return immediately (§3.1.1). */
  SendMessage: { request: SendMessageRequest; response: SendMessageResponse }
  /** Sends a message and streams what follows (§3.1.2). */
  SendStreamingMessage: { request: SendMessageRequest; response: StreamResponse }
  /** Reads one task (§3.1.3). */
  GetTask: { request: GetTaskRequest; response: Task }
  /** Lists the caller's tasks, newest status first, page by page (§3.1.4). */
  ListTasks: { request: ListTasksRequest; response: ListTasksResponse }
  /** Asks the agent to stop a task (§3.1.5). */
  CancelTask: { request: CancelTaskRequest; response: Task }
  /** Streams a running task from now on (§3.1.6). Two verbs are served; clients send the first. */
  SubscribeToTask: { request: SubscribeToTaskRequest; response: StreamResponse }
  /** Registers a webhook for the updates of a task (§3.1.7). */
  CreateTaskPushNotificationConfig: { request: TaskPushNotificationConfig; response: TaskPushNotificationConfig }
  /** Reads one webhook registration (§3.1.8). */
  GetTaskPushNotificationConfig: { request: GetTaskPushNotificationConfigRequest; response: TaskPushNotificationConfig }
  /** Lists the webhook registrations of a task (§3.1.9). */
  ListTaskPushNotificationConfigs: { request: ListTaskPushNotificationConfigsRequest; response: ListTaskPushNotificationConfigsResponse }
  /** Reads the card that only authenticated callers see (§3.1.11). */
  GetExtendedAgentCard: { request: GetExtendedAgentCardRequest; response: AgentCard }
  /** Removes one webhook registration (§3.1.10). */
  DeleteTaskPushNotificationConfig: { request: DeleteTaskPushNotificationConfigRequest; response: Empty }
}

/** The name of an operation. */
export type OperationName = keyof OperationTypes

/** Operations with one answer. */
export type UnaryOperation =
  | 'SendMessage'
  | 'GetTask'
  | 'ListTasks'
  | 'CancelTask'
  | 'CreateTaskPushNotificationConfig'
  | 'GetTaskPushNotificationConfig'
  | 'ListTaskPushNotificationConfigs'
  | 'GetExtendedAgentCard'
  | 'DeleteTaskPushNotificationConfig'

/** Operations that answer with a stream of events. */
export type StreamOperation =
  | 'SendStreamingMessage'
  | 'SubscribeToTask'

/** The request of an operation. */
export type RequestOf<O extends OperationName> = OperationTypes[O]['request']

/** The response of an operation. */
export type ResponseOf<O extends OperationName> = OperationTypes[O]['response']

/** The full name of the gRPC service. */
export const serviceName = 'lf.a2a.v1.A2AService'

/** Every operation of the service, in its order. */
export const operationRows: readonly OperationRow<OperationName, keyof Messages>[] = [
  {
    name: 'SendMessage',
    kind: 'unary',
    request: 'SendMessageRequest',
    response: 'SendMessageResponse',
    http: [
      { verb: 'POST', path: '/message:send', body: '*' },
      { verb: 'POST', path: '/{tenant}/message:send', body: '*' },
    ],
  },
  {
    name: 'SendStreamingMessage',
    kind: 'stream',
    request: 'SendMessageRequest',
    response: 'StreamResponse',
    http: [
      { verb: 'POST', path: '/message:stream', body: '*' },
      { verb: 'POST', path: '/{tenant}/message:stream', body: '*' },
    ],
  },
  {
    name: 'GetTask',
    kind: 'unary',
    request: 'GetTaskRequest',
    response: 'Task',
    http: [
      { verb: 'GET', path: '/tasks/{id}', body: '' },
      { verb: 'GET', path: '/{tenant}/tasks/{id}', body: '' },
    ],
  },
  {
    name: 'ListTasks',
    kind: 'unary',
    request: 'ListTasksRequest',
    response: 'ListTasksResponse',
    http: [
      { verb: 'GET', path: '/tasks', body: '' },
      { verb: 'GET', path: '/{tenant}/tasks', body: '' },
    ],
  },
  {
    name: 'CancelTask',
    kind: 'unary',
    request: 'CancelTaskRequest',
    response: 'Task',
    http: [
      { verb: 'POST', path: '/tasks/{id}:cancel', body: '*' },
      { verb: 'POST', path: '/{tenant}/tasks/{id}:cancel', body: '*' },
    ],
  },
  {
    name: 'SubscribeToTask',
    kind: 'stream',
    request: 'SubscribeToTaskRequest',
    response: 'StreamResponse',
    http: [
      { verb: 'POST', path: '/tasks/{id}:subscribe', body: '*' },
      { verb: 'GET', path: '/tasks/{id}:subscribe', body: '' },
      { verb: 'POST', path: '/{tenant}/tasks/{id}:subscribe', body: '*' },
      { verb: 'GET', path: '/{tenant}/tasks/{id}:subscribe', body: '' },
    ],
  },
  {
    name: 'CreateTaskPushNotificationConfig',
    kind: 'unary',
    request: 'TaskPushNotificationConfig',
    response: 'TaskPushNotificationConfig',
    http: [
      { verb: 'POST', path: '/tasks/{taskId}/pushNotificationConfigs', body: '*' },
      { verb: 'POST', path: '/{tenant}/tasks/{taskId}/pushNotificationConfigs', body: '*' },
    ],
  },
  {
    name: 'GetTaskPushNotificationConfig',
    kind: 'unary',
    request: 'GetTaskPushNotificationConfigRequest',
    response: 'TaskPushNotificationConfig',
    http: [
      { verb: 'GET', path: '/tasks/{taskId}/pushNotificationConfigs/{id}', body: '' },
      { verb: 'GET', path: '/{tenant}/tasks/{taskId}/pushNotificationConfigs/{id}', body: '' },
    ],
  },
  {
    name: 'ListTaskPushNotificationConfigs',
    kind: 'unary',
    request: 'ListTaskPushNotificationConfigsRequest',
    response: 'ListTaskPushNotificationConfigsResponse',
    http: [
      { verb: 'GET', path: '/tasks/{taskId}/pushNotificationConfigs', body: '' },
      { verb: 'GET', path: '/{tenant}/tasks/{taskId}/pushNotificationConfigs', body: '' },
    ],
  },
  {
    name: 'GetExtendedAgentCard',
    kind: 'unary',
    request: 'GetExtendedAgentCardRequest',
    response: 'AgentCard',
    http: [
      { verb: 'GET', path: '/extendedAgentCard', body: '' },
      { verb: 'GET', path: '/{tenant}/extendedAgentCard', body: '' },
    ],
  },
  {
    name: 'DeleteTaskPushNotificationConfig',
    kind: 'unary',
    request: 'DeleteTaskPushNotificationConfigRequest',
    response: 'Empty',
    http: [
      { verb: 'DELETE', path: '/tasks/{taskId}/pushNotificationConfigs/{id}', body: '' },
      { verb: 'DELETE', path: '/{tenant}/tasks/{taskId}/pushNotificationConfigs/{id}', body: '' },
    ],
  },
]
