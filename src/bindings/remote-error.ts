import {
  A2AError,
  type ErrorCode,
  type ErrorDetail,
  errorDomain,
  errorTable,
  type FieldViolation,
  type grpcCodes,
} from '../protocol/errors.ts'
import { shownUrl } from './fetch-call.ts'

/** What is known of an answer that is an error. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: Headers
  readonly url: string
  /** The body, where it is JSON. */
  readonly body?: unknown
  /** Media type of the body. */
  readonly mediaType?: string
}

type Members = Readonly<Record<string, unknown>>

/** A value as an object; empty when it is none. */
export function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * Whether a JSON body is an error in one of the forms that peers use: JSON-RPC, in its envelope or bare as over HTTP+JSON
 * of 0.3, google.rpc.Status, problem details.
 */
export function isErrorBody(body: unknown): boolean {
  const { error, title, detail, status, code, message } = members(body)
  if (typeof error === 'object' && error !== null) return true
  if (typeof code === 'number' && code < 0 && typeof message === 'string') return true
  return typeof status === 'number' && (text(title) ?? text(detail)) !== undefined
}

/**
 * The error that an answer reports: found by reason and domain of its ErrorInfo, then by its JSON-RPC code, then by its
 * status (§3.3.2). `origin` is `remote`.
 */
export function remoteError(answer: ErrorAnswer): A2AError {
  const body = members(answer.body)
  const inner = { ...body, ...members(body.error) }
  // A server of both versions may say them in the form of either.
  const [data, more] = [inner.data, inner.details].map((value) => [value].flat().filter(isDetail))
  const details: readonly ErrorDetail[] = (data?.length ? data : more) ?? []
  const info = details.find((detail) => typeOf(detail) === 'ErrorInfo')
  const code =
    byReason(info) ??
    byCode(inner.code, answer.status) ??
    byName(inner.status, answer.status) ??
    byStatus(answer.status)
  const metadata: Record<string, string> = {}
  for (const [name, value] of Object.entries(members(info?.metadata)))
    metadata[name] = typeof value === 'string' ? value : JSON.stringify(value)
  // Only this side knows whether a request arrived nowhere; who answers has got it.
  delete metadata.delivered
  if (typeof inner.code === 'number' && inner.code < 0 && inner.code !== errorTable[code].jsonRpc) {
    metadata.jsonRpcCode = String(inner.code)
  }
  const challenge = answer.headers.get('www-authenticate')
  const spoken = text(inner.message) ?? text(inner.detail) ?? text(inner.title) ?? text(body.error)
  const after = retryAfter(answer.headers.get('retry-after'), details)
  return new A2AError(code, spoken ?? statusText(answer), {
    origin: 'remote',
    metadata,
    violations: violationsOf(details, inner.errors),
    details: details.filter((detail) => detail !== info && typeOf(detail) !== 'BadRequest'),
    ...(after !== undefined && { retryAfter: after }),
    headers: challenge === null ? {} : { 'www-authenticate': challenge },
  })
}

function statusText({ status, url, mediaType, body }: ErrorAnswer): string {
  const kind = body !== undefined ? 'JSON that is no error of the protocol' : mediaType || 'no media type'
  return `${shownUrl(url)} answered with HTTP status ${status} (${kind})`
}

function isDetail(value: unknown): value is ErrorDetail {
  return typeof members(value)['@type'] === 'string'
}

function typeOf(detail: ErrorDetail): string | undefined {
  return detail['@type'].split(/[./]/).at(-1)
}

const codes = Object.keys(errorTable) as ErrorCode[]

function byReason(info: ErrorDetail | undefined): ErrorCode | undefined {
  if (info === undefined || info.domain !== errorDomain) return undefined
  return codes.find((code) => errorTable[code].reason === info.reason && info.reason !== undefined)
}

/** Statuses that say more than a JSON-RPC code for any failure does. */
const telling: ReadonlySet<number> = new Set([401, 403, 413, 429, 503, 504])

function byCode(code: unknown, status: number): ErrorCode | undefined {
  if (typeof code !== 'number' || code >= 0) return undefined
  const known = codes.find((name) => errorTable[name].jsonRpc === code)
  if (known === undefined) return status >= 400 ? byStatus(status) : 'Internal'
  const general = known === 'Internal' || known === 'InvalidRequest'
  return general && telling.has(status) ? byStatus(status) : known
}

const byGrpcName: Readonly<Partial<Record<keyof typeof grpcCodes, ErrorCode>>> = {
  CANCELLED: 'Cancelled',
  INVALID_ARGUMENT: 'InvalidParams',
  DEADLINE_EXCEEDED: 'DeadlineExceeded',
  NOT_FOUND: 'NotFound',
  PERMISSION_DENIED: 'PermissionDenied',
  RESOURCE_EXHAUSTED: 'ResourceExhausted',
  FAILED_PRECONDITION: 'UnsupportedOperation',
  UNIMPLEMENTED: 'MethodNotFound',
  INTERNAL: 'Internal',
  UNAVAILABLE: 'Unavailable',
  UNAUTHENTICATED: 'Unauthenticated',
}

function byName(status: unknown, http: number): ErrorCode | undefined {
  if (http === 405) return undefined
  return typeof status === 'string' ? byGrpcName[status as keyof typeof grpcCodes] : undefined
}

const byHttp: Readonly<Record<number, ErrorCode>> = {
  400: 'InvalidParams',
  401: 'Unauthenticated',
  403: 'PermissionDenied',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  408: 'DeadlineExceeded',
  409: 'TaskNotCancelable',
  410: 'NotFound',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  422: 'InvalidParams',
  429: 'ResourceExhausted',
  501: 'MethodNotFound',
  502: 'Unavailable',
  503: 'Unavailable',
  504: 'DeadlineExceeded',
}

function byStatus(status: number): ErrorCode {
  return byHttp[status] ?? (status >= 400 && status < 500 ? 'InvalidRequest' : 'Internal')
}

/** Field violations of BadRequest details, or of the `errors` of problem details. */
function violationsOf(details: readonly ErrorDetail[], errors: unknown): FieldViolation[] {
  const listed = details.filter((detail) => typeOf(detail) === 'BadRequest').map((detail) => detail.fieldViolations)
  return [...listed, errors].flatMap((list) =>
    Array.isArray(list)
      ? list.map((item) => {
          const { field, description, message } = members(item)
          return { field: text(field) ?? '', description: text(description) ?? text(message) ?? 'is not valid' }
        })
      : [],
  )
}

/** Seconds of a `Retry-After` header, else of a RetryInfo detail. */
function retryAfter(header: string | null, details: readonly ErrorDetail[]): number | undefined {
  if (header !== null) {
    const date = /^[A-Za-z]{3}/.test(header) ? Date.parse(header) : Number.NaN
    const seconds = /^\d+$/.test(header.trim()) ? Number(header) : (date - Date.now()) / 1000
    if (!Number.isNaN(seconds)) return Math.max(0, seconds)
  }
  const delay = details.find((detail) => typeOf(detail) === 'RetryInfo')?.retryDelay
  const seconds = typeof delay === 'string' ? Number.parseFloat(delay) : Number.NaN
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
