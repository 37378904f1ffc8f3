import type { HttpRequest } from '../lib/http.ts'
import type { Logger } from '../lib/log.ts'
import type { A2AError } from '../protocol/errors.ts'
import { extensionsHeader } from './service-parameters.ts'

/** Headers of every JSON answer of the API. */
export const apiHeaders: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** Headers of every event stream; they also keep proxies from holding events back. */
export const streamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** Adds what was activated, in the header that the caller used (§3.2.6). */
export function withExtensions(
  headers: Readonly<Record<string, string>>,
  extensions: readonly string[],
  request: Pick<HttpRequest, 'headers'>,
): Readonly<Record<string, string>> {
  if (extensions.length === 0) return headers
  return { ...headers, [extensionsHeader(request.headers)]: extensions.join(',') }
}

/** The headers that an error brings along. */
export function errorHeaders(error: A2AError): Record<string, string> {
  const headers: Record<string, string> = { ...apiHeaders }
  if (error.retryAfter !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfter))
  for (const [name, value] of Object.entries(error.headers)) headers[name.toLowerCase()] = value
  return headers
}

/** Tells the log what the caller is not told. */
export function logFailure(log: Logger, error: A2AError, fields: Readonly<Record<string, unknown>>): void {
  if (error.row.http === 500 && error.cause !== undefined) {
    log.error('a call failed', { ...fields, code: error.code, cause: error.cause })
  } else if (error.code === 'Unauthenticated' || error.code === 'PermissionDenied') {
    log.warn('a call was refused', { ...fields, code: error.code })
  }
}
