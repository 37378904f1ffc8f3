export type { Agent, ConversationStart, GetOptions } from './client/agent.ts'
export { type CachedCard, type CardCache, createCardCache } from './client/card-cache.ts'
export { connect } from './client/connect.ts'
export type { ResultFile } from './client/content.ts'
export type { Conversation } from './client/conversation.ts'
export type {
  CallOptions,
  ConnectBinding,
  ConnectOptions,
  PollingOptions,
  RetryOptions,
  SendInput,
  SendOptions,
} from './client/options.ts'
export type { EventStream, Result } from './client/result.ts'
export type { Call, CallContext, Endpoint, Middleware, Reply, StreamEvent, StreamReply } from './protocol/endpoint.ts'
export {
  A2AError,
  type A2AErrorOptions,
  type ErrorCode,
  type ErrorDetail,
  type FieldViolation,
} from './protocol/errors.ts'
export type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  Artifact,
  JsonObject,
  JsonValue,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Part,
  Role,
  SecurityRequirement,
  SecurityScheme,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from './protocol/generated/v1/types.ts'
export { isInterrupted, isTerminal } from './protocol/task.ts'
