import type { HttpRequest } from '../lib/http.ts'
import { A2AError } from '../protocol/errors.ts'
import { isUnspecified, urlHost } from './address.ts'

/** Where the server was told to listen, once it does. */
export interface Listening {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  /** The port of gRPC; the same unless it has one of its own. */
  readonly grpcPort?: number
  /** The target of gRPC where it has no port. Without either, gRPC is not spoken. */
  readonly grpcSocket?: string
}

/**
 * Where gRPC is reached by those who reach the rest at a base URL, as cards name it: `host:port` (AMB-60). undefined where
 * it is not spoken, or shares a port with what else there is under a base URL with a path: a gRPC call has none.
 */
export function grpcTarget(baseUrl: string, { port, grpcPort, grpcSocket }: Listening): string | undefined {
  if (grpcPort === undefined) return grpcSocket
  const { protocol, hostname, port: outside, pathname } = new URL(baseUrl)
  if (grpcPort !== port) return `${hostname}:${grpcPort}`
  if (pathname !== '/') return undefined
  return `${hostname}:${outside || (protocol === 'https:' ? 443 : 80)}`
}

export interface BaseUrlOptions {
  /** The address that callers use; it overrules everything else. */
  readonly publicUrl?: string
  /** Hosts, with or without port, that requests may name; absent means any. */
  readonly allowedHosts?: readonly string[]
  /** Whether `X-Forwarded-Host`, `-Proto` and `-Prefix` of the nearest proxy are believed. */
  readonly trustProxy?: boolean
}

/** Finds the URL under which the caller of a request reaches this server, without a slash at the end. */
export type FindBaseUrl = (request: HttpRequest) => string

const authority = /^(\[[\da-f:.]+\]|[a-z\d](?:[a-z\d._-]*[a-z\d])?\.?)(?::(\d{1,5}))?$/i

/**
 * The public URL; else what a trusted proxy says; else the address listened on; else, behind a wildcard or another host
 * program, the `Host` of the request. Never an unspecified address (§8.3.1).
 */
export function createBaseUrl(options: BaseUrlOptions, listening: () => Listening | undefined): FindBaseUrl {
  const { publicUrl } = options
  if (publicUrl !== undefined) {
    const fixed = checkPublicUrl(publicUrl)
    return () => fixed
  }
  return (request) => {
    const forwarded = options.trustProxy === true
    const host = (forwarded ? firstOf(request.headers['x-forwarded-host']) : undefined) ?? request.headers.host
    const proto = forwarded ? firstOf(request.headers['x-forwarded-proto'])?.toLowerCase() : undefined
    const prefix = forwarded ? checkPrefix(firstOf(request.headers['x-forwarded-prefix'])) : ''
    const place = listening()
    const scheme = proto === 'https' || proto === 'http' ? proto : request.secure ? 'https' : 'http'
    const path = `${prefix}${request.mount ?? ''}`
    const behindProxy = forwarded && request.headers['x-forwarded-host'] !== undefined
    if (place !== undefined && !behindProxy && (!isUnspecified(place.host) || host === undefined)) {
      const name = isUnspecified(place.host) ? 'localhost' : urlHost(place.host)
      return `${scheme}://${withPort(name, { port: place.port, scheme })}${path}`
    }
    const match = authority.exec(host ?? '')
    if (match === null || Number(match[2] ?? 0) > 65_535)
      throw new A2AError('InvalidRequest', 'The Host header is not a host name')
    const name = match[1] as string
    const reachable = isUnspecified(name) ? (name.startsWith('[') ? '[::1]' : '127.0.0.1') : name.toLowerCase()
    return `${scheme}://${match[2] === undefined ? reachable : withPort(reachable, { port: Number(match[2]), scheme })}${path}`
  }
}

/** Refuses requests for hosts that are not listed; a defence against pages that rebind names to this address. */
export function createHostCheck({
  allowedHosts,
  trustProxy,
}: BaseUrlOptions): ((request: HttpRequest) => void) | undefined {
  if (allowedHosts === undefined) return undefined
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  return (request) => {
    const forwarded = trustProxy === true ? firstOf(request.headers['x-forwarded-host']) : undefined
    const host = (forwarded ?? request.headers.host ?? '').toLowerCase()
    if (!allowed.has(host) && !allowed.has(host.replace(/:\d+$/, ''))) {
      throw new A2AError('PermissionDenied', 'The Host that this request names is not served here')
    }
  }
}

function checkPublicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (
    url === undefined ||
    (url.protocol !== 'http:' && url.protocol !== 'https:') ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new TypeError(`publicUrl: ${JSON.stringify(text)} must be an http or https URL without query or fragment`)
  }
  if (url.username !== '' || url.password !== '') throw new TypeError('publicUrl: must not hold credentials')
  if (isUnspecified(url.hostname))
    throw new TypeError(`publicUrl: nobody can be sent to ${url.hostname}; name a real host`)
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`
}

function checkPrefix(prefix: string | undefined): string {
  return prefix !== undefined && /^(?:\/[\w.~-]+)+\/?$/.test(prefix) ? prefix.replace(/\/$/, '') : ''
}

function firstOf(list: string | undefined): string | undefined {
  const first = list?.split(',')[0]?.trim()
  return first === '' ? undefined : first
}

function withPort(host: string, { port, scheme }: { readonly port: number; readonly scheme: string }): string {
  return port === (scheme === 'https' ? 443 : 80) ? host : `${host}:${port}`
}
