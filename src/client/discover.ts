import { type FetchAnswer, fetchCall, shownUrl, type TransportOptions } from '../bindings/fetch-call.ts'
import { remoteError } from '../bindings/remote-error.ts'
import { A2AError, invalidParams } from '../protocol/errors.ts'
import { protocolVersion } from '../protocol/schema.ts'
import { type CardCache, toCached, validators } from './card-cache.ts'
import { isLoopback } from './credentials.ts'

/** A card as JSON, and where it was found. */
export interface FoundCard {
  readonly json: unknown
  readonly url: string
  /** The `X-Powered-By` of the answer, where it is no copy from the cache. */
  readonly poweredBy?: string
}

export interface DiscoverOptions {
  readonly transport: TransportOptions
  readonly cache: CardCache | undefined
  readonly signal?: AbortSignal
  readonly warn: (text: string) => void
}

const wellKnown = '/.well-known/agent-card.json'
const oldWellKnown = '/.well-known/agent.json'

/** The address that a person means: `example.com` is HTTPS, a host of this machine is plain HTTP. Throws InvalidParams. */
export function toUrl(text: string): URL {
  const written = text.trim()
  let scheme = ''
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(written)) {
    const host = /^(\[[^\]]*\]|[^/:?#]*)/.exec(written)?.[0] ?? ''
    scheme = isLoopback(host) ? 'http://' : 'https://'
  }
  let url: URL | undefined
  try {
    url = new URL(scheme + written)
  } catch {}
  const problem =
    url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')
      ? 'must be a host such as example.com, an http(s) URL, or an agent card'
      : url.username || url.password
        ? 'must not hold a user or password; give them in `headers`'
        : undefined
  if (problem !== undefined || url === undefined) throw invalidParams([{ field: 'url', description: problem ?? '' }])
  url.hash = ''
  return url
}

/** Where the card of an agent may be, the likeliest first (§8.2). */
export function cardAddresses(url: URL): string[] {
  if (url.pathname.endsWith('.json')) return [url.href]
  const prefix = url.pathname.replace(/\/+$/, '')
  const under = (path: string): string => url.origin + path
  const direct = prefix === '' ? [] : [under(prefix + wellKnown), url.href]
  return [...new Set([...direct, under(wellKnown), under(prefix + oldWellKnown), under(oldWellKnown)])]
}

/**
 * Finds the card of an agent, from a cache where HTTP allows. Throws Unauthenticated or PermissionDenied when a card is
 * kept from the caller; else, when none is found, an error that names every address tried and what it answered.
 */
export async function discover(url: URL, options: DiscoverOptions): Promise<FoundCard> {
  const tried: string[] = []
  let unreachable = true
  let cause: unknown
  for (const address of cardAddresses(url)) {
    let outcome: FoundCard | string
    try {
      outcome = await fetchCard(address, options)
      unreachable = false
    } catch (error) {
      const known = A2AError.from(error)
      if (known.code !== 'Unavailable' && known.code !== 'DeadlineExceeded') throw error
      cause = error
      outcome = known.message
    }
    if (typeof outcome !== 'string') {
      if (address.endsWith(oldWellKnown)) {
        options.warn(`card: found only at ${oldWellKnown}, the address of before 0.3; it belongs to ${wellKnown}`)
      }
      return outcome
    }
    tried.push(`${shownUrl(address)}: ${outcome}`)
    // Another path on a host that is not there is not there either.
    if (cause !== undefined && unreachable) break
  }
  throw new A2AError(
    unreachable ? 'Unavailable' : 'NotFound',
    `No agent card was found for ${shownUrl(url.href)}. Tried:\n  ${tried.join('\n  ')}`,
    { cause, metadata: { url: shownUrl(url.href) } },
  )
}

/** The card at one address, or what stands there instead. */
async function fetchCard(address: string, options: DiscoverOptions): Promise<FoundCard | string> {
  const { cache, transport, signal } = options
  const kept = cache?.get(address)
  if (kept !== undefined && kept.expires > Date.now()) return { json: JSON.parse(kept.text), url: kept.url }
  const answer = await fetchCall(
    {
      url: address,
      method: 'GET',
      headers: { accept: 'application/json', 'a2a-version': protocolVersion, ...validators(kept) },
      signal,
    },
    transport,
  )
  const text = await answer.text()
  if (answer.status === 304 && kept !== undefined) {
    keep(cache, address, toCached(mergeHeaders(answer, kept), kept.text))
    return { json: JSON.parse(kept.text), url: kept.url }
  }
  if (answer.status !== 200) return refusal(answer)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return `HTTP status 200, but not JSON (${answer.mediaType || 'no media type'})`
  }
  if (!looksLikeCard(json)) return 'HTTP status 200, but JSON that is no agent card'
  keep(cache, address, toCached(answer, text))
  const poweredBy = answer.headers.get('x-powered-by')
  return { json, url: answer.url, ...(poweredBy !== null && { poweredBy }) }
}

/** Whether JSON is an agent card of any version, sound or not. */
function looksLikeCard(json: unknown): boolean {
  if (typeof json !== 'object' || json === null || !('name' in json) || typeof json.name !== 'string') return false
  const names = ['supportedInterfaces', 'supported_interfaces', 'skills', 'capabilities', 'protocolVersion', 'url']
  return names.some((name) => name in json)
}

function refusal({ status, headers, url, mediaType }: FetchAnswer): string {
  if (status === 401 || status === 403) {
    const error = remoteError({ status, headers, url, mediaType })
    const text = `The agent card at ${shownUrl(url)} is not for everyone: HTTP status ${status}`
    throw new A2AError(error.code, text, { origin: 'remote', headers: error.headers })
  }
  return `HTTP status ${status}`
}

/** A 304 need not repeat the validators of what it confirms. */
function mergeHeaders(
  { headers, url }: FetchAnswer,
  kept: { etag?: string; lastModified?: string },
): { headers: Headers; url: string } {
  const merged = new Headers(headers)
  if (!merged.has('etag') && kept.etag !== undefined) merged.set('etag', kept.etag)
  if (!merged.has('last-modified') && kept.lastModified !== undefined) merged.set('last-modified', kept.lastModified)
  return { headers: merged, url }
}

function keep(cache: CardCache | undefined, address: string, card: ReturnType<typeof toCached>): void {
  if (card === undefined) cache?.delete(address)
  else cache?.set(address, card)
}
