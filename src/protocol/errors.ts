import type { JsonValue } from '../lib/json.ts'

/** How one kind of error is spelled on each wire (§5.4, §9.5, §11.6). */
export interface ErrorRow {
  /** `ErrorInfo.reason`; only the nine A2A errors have one. */
  readonly reason?: string
  readonly jsonRpc: number
  readonly http: number
  /** gRPC status name, which is also `error.status` of the HTTP+JSON binding. */
  readonly status: keyof typeof grpcCodes
  /** The text used when the thrower gives none. */
  readonly message: string
  /** Whether the same call may succeed later without a change. */
  readonly retryable?: true
}

/** gRPC status codes by name. */
export const grpcCodes = {
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const

/** The name of a row of the error table. */
export type ErrorCode =
  | 'TaskNotFound'
  | 'TaskNotCancelable'
  | 'PushNotificationNotSupported'
  | 'UnsupportedOperation'
  | 'ContentTypeNotSupported'
  | 'InvalidAgentResponse'
  | 'ExtendedAgentCardNotConfigured'
  | 'ExtensionSupportRequired'
  | 'VersionNotSupported'
  | 'ParseError'
  | 'InvalidRequest'
  | 'MethodNotFound'
  | 'InvalidParams'
  | 'Internal'
  | 'Unavailable'
  | 'ResourceExhausted'
  | 'Unauthenticated'
  | 'PermissionDenied'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'UnsupportedMediaType'
  | 'PayloadTooLarge'
  | 'DeadlineExceeded'
  | 'Cancelled'

/** Every error that crosses a wire: one row each, in every wire's spelling. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  TaskNotFound: {
    reason: 'TASK_NOT_FOUND',
    jsonRpc: -32001,
    http: 404,
    status: 'NOT_FOUND',
    message: 'Task not found',
  },
  TaskNotCancelable: {
    reason: 'TASK_NOT_CANCELABLE',
    jsonRpc: -32002,
    http: 400,
    status: 'FAILED_PRECONDITION',
    message: 'Task cannot be canceled',
  },
  PushNotificationNotSupported: {
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    jsonRpc: -32003,
    http: 400,
    status: 'FAILED_PRECONDITION',
    message: 'This agent does not send push notifications',
  },
  UnsupportedOperation: {
    reason: 'UNSUPPORTED_OPERATION',
    jsonRpc: -32004,
    http: 400,
    status: 'FAILED_PRECONDITION',
    message: 'This operation is not supported',
  },
  ContentTypeNotSupported: {
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    jsonRpc: -32005,
    http: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Content type not supported',
  },
  InvalidAgentResponse: {
    reason: 'INVALID_AGENT_RESPONSE',
    jsonRpc: -32006,
    http: 500,
    status: 'INTERNAL',
    message: 'The agent gave an answer that the protocol does not allow',
  },
  ExtendedAgentCardNotConfigured: {
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    jsonRpc: -32007,
    http: 400,
    status: 'FAILED_PRECONDITION',
    message: 'No extended agent card is configured',
  },
  ExtensionSupportRequired: {
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    jsonRpc: -32008,
    http: 400,
    status: 'FAILED_PRECONDITION',
    message: 'This agent requires an extension that the request does not declare',
  },
  VersionNotSupported: {
    reason: 'VERSION_NOT_SUPPORTED',
    jsonRpc: -32009,
    http: 400,
    status: 'FAILED_PRECONDITION',
    message: 'This protocol version is not supported',
  },
  ParseError: { jsonRpc: -32700, http: 400, status: 'INVALID_ARGUMENT', message: 'Invalid JSON payload' },
  InvalidRequest: {
    jsonRpc: -32600,
    http: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request payload validation error',
  },
  MethodNotFound: { jsonRpc: -32601, http: 404, status: 'UNIMPLEMENTED', message: 'Method not found' },
  InvalidParams: { jsonRpc: -32602, http: 400, status: 'INVALID_ARGUMENT', message: 'Invalid parameters' },
  Internal: { jsonRpc: -32603, http: 500, status: 'INTERNAL', message: 'Internal error' },
  Unavailable: {
    jsonRpc: -31503,
    http: 503,
    status: 'UNAVAILABLE',
    message: 'The service is not available at the moment',
    retryable: true,
  },
  ResourceExhausted: {
    jsonRpc: -31429,
    http: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Too many requests',
    retryable: true,
  },
  Unauthenticated: { jsonRpc: -31401, http: 401, status: 'UNAUTHENTICATED', message: 'Authentication is required' },
  PermissionDenied: { jsonRpc: -31403, http: 403, status: 'PERMISSION_DENIED', message: 'Permission denied' },
  NotFound: { jsonRpc: -32601, http: 404, status: 'NOT_FOUND', message: 'Nothing is served at this path' },
  MethodNotAllowed: { jsonRpc: -32600, http: 405, status: 'UNIMPLEMENTED', message: 'HTTP method not allowed' },
  UnsupportedMediaType: {
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    jsonRpc: -32005,
    http: 415,
    status: 'INVALID_ARGUMENT',
    message: 'The request body must be JSON',
  },
  PayloadTooLarge: { jsonRpc: -32600, http: 413, status: 'RESOURCE_EXHAUSTED', message: 'The request is too large' },
  DeadlineExceeded: {
    jsonRpc: -31504,
    http: 504,
    status: 'DEADLINE_EXCEEDED',
    message: 'The call took too long',
    retryable: true,
  },
  Cancelled: { jsonRpc: -31499, http: 499, status: 'CANCELLED', message: 'The caller went away' },
}

/** The domain of `ErrorInfo` for the protocol's own reasons. */
export const errorDomain: string = 'a2a-protocol.org'

/** One `google.protobuf.Any` in ProtoJSON: `@type` and the message's own members. */
export type ErrorDetail = Readonly<{ '@type': string } & Record<string, JsonValue>>

/** One violated rule: where (`message.parts[0].text`), and what to do about it. */
export interface FieldViolation {
  readonly field: string
  readonly description: string
}

export interface A2AErrorOptions {
  /** Strings for `ErrorInfo.metadata`. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly violations?: readonly FieldViolation[]
  /** Further details as they stood on the wire. */
  readonly details?: readonly ErrorDetail[]
  /** Kept for logs; never sent. */
  readonly cause?: unknown
  readonly origin?: 'local' | 'remote'
  readonly retryable?: boolean
  /** Seconds after which a retry makes sense (`Retry-After`). */
  readonly retryAfter?: number
  /** HTTP headers that belong to the answer, such as `WWW-Authenticate` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The one error class: a row of the error table, a text for people, and details. */
export class A2AError extends Error {
  override readonly name: string = 'A2AError'
  readonly code: ErrorCode
  readonly metadata: Readonly<Record<string, string>>
  readonly violations: readonly FieldViolation[]
  readonly extraDetails: readonly ErrorDetail[]
  readonly origin: 'local' | 'remote'
  readonly retryable: boolean
  readonly retryAfter: number | undefined
  readonly headers: Readonly<Record<string, string>>
  /** How a second copy of this package recognises the error. */
  readonly isA2AError: true = true

  constructor(code: ErrorCode, message?: string, options: A2AErrorOptions = {}) {
    super(message ?? errorTable[code].message, Object.hasOwn(options, 'cause') ? { cause: options.cause } : undefined)
    this.code = code
    this.metadata = options.metadata ?? {}
    this.violations = options.violations ?? []
    this.extraDetails = options.details ?? []
    this.origin = options.origin ?? 'local'
    this.retryable = options.retryable ?? errorTable[code].retryable ?? false
    this.retryAfter = options.retryAfter
    this.headers = options.headers ?? {}
  }

  get row(): ErrorRow {
    return errorTable[this.code]
  }

  /** Whether a value is such an error, also one made by a second copy of this package. */
  static is(value: unknown): value is A2AError {
    return typeof value === 'object' && value !== null && 'isA2AError' in value
  }

  /** Turns anything thrown into an A2AError; what it does not know becomes Internal, with a text that gives nothing away. */
  static from(value: unknown): A2AError {
    return A2AError.is(value) ? value : new A2AError('Internal', undefined, { cause: value })
  }
}

/** The details of an error in ProtoJSON form: ErrorInfo for A2A errors, then BadRequest, then any others (§9.5, §11.6). */
export function errorDetails(error: A2AError): ErrorDetail[] {
  const details: ErrorDetail[] = []
  const { reason } = error.row
  if (reason !== undefined) {
    const info: ErrorDetail = {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: errorDomain,
      ...(Object.keys(error.metadata).length > 0 && { metadata: error.metadata }),
    }
    details.push(info)
  }
  if (error.violations.length > 0) {
    details.push({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: error.violations.map(({ field, description }) => ({ field, description })),
    })
  }
  details.push(...error.extraDetails)
  return details
}

/** An InvalidParams error that names each field and the rule it breaks. */
export function invalidParams(violations: readonly FieldViolation[]): A2AError {
  const [first] = violations
  const text = first === undefined ? undefined : `${first.field || 'request'}: ${first.description}`
  return new A2AError('InvalidParams', text, { violations })
}
