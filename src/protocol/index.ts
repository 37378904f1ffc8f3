export { emit } from './emit.ts'
export { type Encoded, encodeText, encodeValue } from './encoded.ts'
export type { Call, CallContext, Endpoint, Middleware, Reply, StreamEvent, StreamReply } from './endpoint.ts'
export {
  A2AError,
  type A2AErrorOptions,
  type ErrorCode,
  type ErrorDetail,
  type ErrorRow,
  errorDetails,
  errorDomain,
  errorTable,
  type FieldViolation,
  grpcCodes,
  invalidParams,
} from './errors.ts'
export { idempotencyExtension, resumeExtension } from './extensions.ts'
export type * from './generated/v1/types.ts'
export { jsonSchema } from './json-schema.ts'
export { openApi } from './openapi.ts'
export {
  findOperation,
  type Need,
  type Operation,
  type OperationName,
  type OperationTypes,
  operations,
  type RequestOf,
  type ResponseOf,
  type StreamOperation,
  type UnaryOperation,
} from './operations.ts'
export { applyEvent, illegalTransition, isInterrupted, isPlainText, isTerminal, joinParts, taskStates } from './task.ts'
export { type ValidateOptions, validate, validateQuery } from './validate.ts'
