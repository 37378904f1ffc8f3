/** A card as it was received, and how long it may be used. */
export interface CachedCard {
  /** The JSON text. */
  readonly text: string
  /** Where it came from, after redirects. */
  readonly url: string
  /** Milliseconds since 1970; from then on it is asked for again, with the validators below. */
  readonly expires: number
  readonly etag?: string
  readonly lastModified?: string
}

/** Where cards are kept, by address; a `Map` will do. */
export interface CardCache {
  get(url: string): CachedCard | undefined
  set(url: string, card: CachedCard): unknown
  delete(url: string): unknown
}

/** How long a card without any caching headers is used, milliseconds. */
const freshFor = 60_000
const most = 100

/** A cache for the life of the process that forgets the oldest of more than 100 cards. */
export function createCardCache(): CardCache {
  const cards = new Map<string, CachedCard>()
  return {
    get: (url) => cards.get(url),
    set(url, card) {
      cards.delete(url)
      cards.set(url, card)
      const [oldest] = cards.keys()
      if (cards.size > most && oldest !== undefined) cards.delete(oldest)
    },
    delete: (url) => cards.delete(url),
  }
}

/**
 * What to keep of an answer with a card, by the rules of a private HTTP cache (RFC 9111); undefined when it may not be
 * kept. `text` is that of the answer, or of the card that a 304 confirms.
 */
export function toCached(
  { headers, url }: { readonly headers: Headers; readonly url: string },
  text: string,
  now: number = Date.now(),
): CachedCard | undefined {
  const directives = new Map<string, string>()
  for (const item of (headers.get('cache-control') ?? '').toLowerCase().split(',')) {
    const [name = '', value = ''] = item.trim().split('=')
    directives.set(name, value.replaceAll('"', ''))
  }
  if (directives.has('no-store') || headers.get('vary')?.trim() === '*') return undefined
  const etag = headers.get('etag')
  const lastModified = headers.get('last-modified')
  const expires = now + (directives.has('no-cache') ? 0 : lifetime(headers, directives.get('max-age'), now))
  return { text, url, expires, ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) }
}

function lifetime(headers: Headers, maxAge: string | undefined, now: number): number {
  const age = Number(headers.get('age') ?? 0) || 0
  if (maxAge !== undefined) return /^\d+$/.test(maxAge) ? Math.max(0, Number(maxAge) - age) * 1000 : 0
  const expires = headers.get('expires')
  if (expires === null) return freshFor
  const date = Date.parse(headers.get('date') ?? '')
  // `Expires: 0` and the like are no dates and mean the past; Date.parse would find a year in them.
  const until = /^[A-Za-z]{3}/.test(expires) ? Date.parse(expires) : Number.NaN
  const left = until - (Number.isNaN(date) ? now : date) - age * 1000
  return Number.isNaN(left) ? 0 : Math.max(0, left)
}

/** The headers that ask whether a kept card still holds. */
export function validators(card: CachedCard | undefined): Record<string, string> {
  return {
    ...(card?.etag !== undefined && { 'if-none-match': card.etag }),
    ...(card?.lastModified !== undefined && { 'if-modified-since': card.lastModified }),
  }
}
