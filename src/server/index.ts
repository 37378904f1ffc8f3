export { type Authenticate, type Authenticator, type Principal, unauthenticated } from '../auth/authenticate.ts'
export { bearerTokens, type StaticToken } from '../auth/bearer.ts'
export {
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type ArtifactEvent,
  type ArtifactOptions,
  agent,
  artifact,
  authRequired,
  completed,
  type Executor,
  type ExecutorState,
  type Extension,
  failed,
  inputRequired,
  type LeaveOpenEvent,
  leaveOpen,
  type MessageEvent,
  message,
  reject,
  type StatusEvent,
  type TaskContext,
  type TaskConversation,
  working,
  type Yielded,
} from '../engine/executor.ts'
export type { Limits } from '../engine/limits.ts'
export type { Store } from '../engine/store.ts'
export type { HttpHandler, HttpRequest, HttpResponse } from '../lib/http.ts'
export type { Logger } from '../lib/log.ts'
export { A2AError, type A2AErrorOptions, type ErrorCode } from '../protocol/errors.ts'
export type { Artifact, Message, Part, Task, TaskState } from '../protocol/generated/v1/types.ts'
export { type Profile, type ProfileName, profiles } from '../protocol/profiles.ts'
export type { CorsOptions } from './cors.ts'
export { toExpress } from './express.ts'
export { toFastify } from './fastify.ts'
export { createFetch, type FetchOptions } from './fetch.ts'
export { type AgentHandler, type AgentHandlerOptions, createHandler } from './handler.ts'
export { toHono } from './hono.ts'
export type { ConnectionLimits, TlsOptions } from './listen.ts'
export type { StoreChoice } from './open-store.ts'
export { type CloseOptions, type ServeOptions, type Server, serve } from './serve.ts'
export type { HandlerOptions, ServerPaths } from './server.ts'
