import type { HttpHeaders, HttpRequest } from '../lib/http.ts'

const none: readonly string[] = []

/** The extension URIs of an `A2A-Extensions` value, each once (§3.2.6). */
export function readExtensions(value: string | undefined): readonly string[] {
  if (value === undefined || value === '') return none
  return [...new Set(value.split(',').map((uri) => uri.trim()))].filter((uri) => uri !== '')
}

/** The extensions that an answer says it used, in the header of either version. */
export function activatedExtensions(headers: Headers): readonly string[] {
  return readExtensions(headers.get('a2a-extensions') ?? headers.get('x-a2a-extensions') ?? undefined)
}

/** The version a request asks for: the header, else the query parameter, else `''` (§3.6.1, AMB-50). */
export function readVersion(request: Pick<HttpRequest, 'headers' | 'query'>): string {
  const header = request.headers['a2a-version']
  if (header !== undefined || request.query === '') return header ?? ''
  for (const [name, value] of new URLSearchParams(request.query)) {
    if (name.toLowerCase() === 'a2a-version') return value
  }
  return ''
}

/** The extension URIs that a request asks for, in the header of either version (§3.2.6). */
export function requestedExtensions(headers: HttpHeaders): readonly string[] {
  const named = headers['a2a-extensions']
  const old = headers['x-a2a-extensions']
  return readExtensions(old === undefined ? named : `${named ?? ''},${old}`)
}

/** The header to answer with: that of 0.3 for those who use it. */
export function extensionsHeader(headers: HttpHeaders): string {
  return headers['x-a2a-extensions'] === undefined ? 'a2a-extensions' : 'x-a2a-extensions'
}
