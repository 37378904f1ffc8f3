import {
  A2AError,
  type ErrorCode,
  type ErrorDetail,
  errorDomain,
  errorTable,
  grpcCodes,
} from '../../protocol/errors.ts'
import type { OperationName } from '../../protocol/operations.ts'
import { remoteError } from '../remote-error.ts'
import { decodeStatusDetails } from './status.ts'

/** How a call ended, as a gRPC library tells it. */
export interface CallStatus {
  readonly code: number
  /** Text for people. */
  readonly details: string
  /** Trailing metadata, or the only metadata where there is no other. */
  readonly metadata: { get(name: string): readonly (string | Buffer)[]; getMap(): object }
}

/** What a status is the answer to. */
export interface CallSite {
  readonly operation: OperationName
  /** The address as people get to see it. */
  readonly url: string
  /** Bytes of the largest message that is read. */
  readonly limit: number
}

/**
 * The error of a call that did not end well: by reason and domain of its ErrorInfo, else by its status and the operation
 * (§10.6). `origin` is `remote` when the peer said so; `metadata.delivered` is `no` when the call surely never arrived.
 */
export function statusError(status: CallStatus, site: CallSite): A2AError {
  const { details, metadata } = status
  // What a peer sends brings some metadata along; what the library found out by itself has none.
  const own = Object.keys(metadata.getMap()).length === 0 ? localError(status, site) : undefined
  if (own !== undefined) return own
  const headers = headersOf(metadata)
  const [, http] = /^Received HTTP status code (\d+)/.exec(details) ?? []
  if (http !== undefined) return httpError(Number(http), { site, headers })
  const packed = metadata.get('grpc-status-details-bin')[0]
  const told = Buffer.isBuffer(packed) ? decodeStatusDetails(packed) : undefined
  const message = told?.message || details || `${site.url} answered with gRPC status ${nameOf(status.code)}`
  const answer = { status: 200, headers, url: site.url }
  if (told?.details.some(isReason))
    return remoteError({ ...answer, body: { error: { message, details: told.details } } })
  const code = errorTable[codeOf(status, site.operation)].jsonRpc
  const error = remoteError({ ...answer, body: { error: { code, message, details: told?.details ?? [] } } })
  if (error.code !== 'MethodNotFound') return error
  // Nobody who speaks the protocol has seen the request.
  return new A2AError(error.code, error.message, { origin: 'remote', metadata: { url: site.url, delivered: 'no' } })
}

const reasons: ReadonlySet<unknown> = new Set(Object.values(errorTable).flatMap(({ reason }) => reason ?? []))

/** Whether a detail names one of the protocol's errors. */
function isReason({ domain, reason }: ErrorDetail): boolean {
  return domain === errorDomain && reasons.has(reason)
}

function headersOf(metadata: CallStatus['metadata']): Headers {
  const headers = new Headers()
  for (const name of ['www-authenticate', 'retry-after']) {
    const [value] = metadata.get(name)
    if (typeof value === 'string') headers.set(name, value)
  }
  const pushback = Number(metadata.get('grpc-retry-pushback-ms')[0] ?? Number.NaN)
  if (pushback >= 0 && !headers.has('retry-after')) headers.set('retry-after', String(Math.ceil(pushback / 1_000)))
  return headers
}

/** The answer of something on the way that does not speak gRPC. */
function httpError(status: number, { site, headers }: { site: CallSite; headers: Headers }): A2AError {
  const error = remoteError({ status, headers, url: site.url })
  if (status !== 404 && status !== 405) return error
  const text = `${error.message}; no gRPC is spoken there`
  return new A2AError(error.code, text, { origin: 'remote', metadata: { url: site.url, delivered: 'no' } })
}

const names = Object.entries(grpcCodes)

function nameOf(code: number): string {
  return names.find(([, number]) => number === code)?.[0] ?? String(code)
}

const byCode: Readonly<Record<number, ErrorCode>> = {
  [grpcCodes.CANCELLED]: 'Cancelled',
  [grpcCodes.INVALID_ARGUMENT]: 'InvalidParams',
  [grpcCodes.DEADLINE_EXCEEDED]: 'DeadlineExceeded',
  [grpcCodes.NOT_FOUND]: 'TaskNotFound',
  [grpcCodes.ALREADY_EXISTS]: 'InvalidParams',
  [grpcCodes.PERMISSION_DENIED]: 'PermissionDenied',
  [grpcCodes.RESOURCE_EXHAUSTED]: 'ResourceExhausted',
  [grpcCodes.ABORTED]: 'Unavailable',
  // OUT_OF_RANGE, which the protocol does not use.
  11: 'InvalidParams',
  [grpcCodes.UNAVAILABLE]: 'Unavailable',
  [grpcCodes.UNAUTHENTICATED]: 'Unauthenticated',
}

/** What a status without details means for an operation; several errors share one, and 1.0.0 and 0.3 used UNIMPLEMENTED. */
function codeOf({ code, details }: CallStatus, operation: OperationName): ErrorCode {
  const push = operation.includes('PushNotification')
  if (code === grpcCodes.UNIMPLEMENTED) {
    if (/\bversion\b/i.test(details)) return 'VersionNotSupported'
    if (/^$|unknown|unimplemented|(service|method)\b.*\bno|\bno.*\b(service|method)/i.test(details))
      return 'MethodNotFound'
    return push ? 'PushNotificationNotSupported' : 'UnsupportedOperation'
  }
  if (code === grpcCodes.FAILED_PRECONDITION) {
    if (operation === 'CancelTask') return 'TaskNotCancelable'
    if (operation === 'GetExtendedAgentCard') return 'ExtendedAgentCardNotConfigured'
    return push ? 'PushNotificationNotSupported' : 'UnsupportedOperation'
  }
  return byCode[code] ?? 'Internal'
}

/** Texts for failures that come before a byte of the request is sent, or of a request that was sent back unread. */
const undelivered =
  /^(No connection established|Name resolution failed|Failed to (parse|connect|start)|Channel closed|Stream refused)/

const tooLarge = /larger than/

/** What happened when no peer has answered; undefined when it may have done so nevertheless. */
function localError({ code, details }: CallStatus, { url, limit }: CallSite): A2AError | undefined {
  if (code === grpcCodes.RESOURCE_EXHAUSTED && tooLarge.test(details)) {
    return new A2AError('InvalidAgentResponse', `${url} answered with more than ${limit} bytes, the limit set here`)
  }
  if (/^Failed to decompress/.test(details)) {
    return new A2AError('InvalidAgentResponse', `${url} answered with a message whose compression is broken`)
  }
  if (undelivered.test(details)) {
    const text = `Cannot reach ${url}: ${details.replace('No connection established. Last error: ', '')}`
    return new A2AError('Unavailable', text, { metadata: { url, delivered: 'no' } })
  }
  if (code === grpcCodes.DEADLINE_EXCEEDED) {
    return new A2AError('DeadlineExceeded', `${url} did not answer in time: ${details}`, { metadata: { url } })
  }
  const broken =
    code === grpcCodes.UNAVAILABLE ||
    /^(Received RST_STREAM|Call cancelled)/.test(details) ||
    code === grpcCodes.CANCELLED
  if (!broken || /^Received HTTP status/.test(details)) return undefined
  return new A2AError('Unavailable', `${url} broke off its answer: ${details}`, { metadata: { url } })
}
