import type { HttpRequest, HttpResponse } from '../lib/http.ts'

/** Which pages of other origins may call. */
export interface CorsOptions {
  /** Origins such as `https://app.example`, expressions such as `~https://.*\.example` for the whole origin, or `*`. */
  readonly origins: readonly string[]
}

const allowHeaders = [
  'A2A-Version',
  'A2A-Extensions',
  'Authorization',
  'Content-Type',
  'Accept',
  'Last-Event-ID',
  'Idempotency-Key',
].join(', ')

/** Answers preflights and lets pages read answers. Credentials mode is never allowed: tokens travel in headers. */
export interface Cors {
  /** The answer to a preflight; undefined when the request is none. */
  preflight(request: HttpRequest): HttpResponse | undefined
  /** The headers that an answer needs. */
  headers(request: HttpRequest): Readonly<Record<string, string>>
}

/** Makes the CORS rules of a server. An origin that is not one, or a broken expression, is a `TypeError`. */
export function createCors({ origins }: CorsOptions): Cors {
  const any = origins.includes('*')
  const exact = new Set<string>()
  const expressions: RegExp[] = []
  for (const entry of origins) {
    if (entry === '*') continue
    if (entry.startsWith('~')) expressions.push(expression(entry.slice(1)))
    else exact.add(checkOrigin(entry))
  }
  const vary = any ? '' : 'origin'

  function allowed(request: HttpRequest): string | undefined {
    const { origin } = request.headers
    if (origin === undefined) return undefined
    if (any) return '*'
    return exact.has(origin) || expressions.some((rule) => rule.test(origin)) ? origin : undefined
  }

  return {
    preflight(request) {
      if (request.method !== 'OPTIONS' || request.headers.origin === undefined) return undefined
      if (request.headers['access-control-request-method'] === undefined) return undefined
      const origin = allowed(request)
      return {
        status: 204,
        headers: {
          vary: 'origin, access-control-request-method, access-control-request-headers',
          ...(origin !== undefined && {
            'access-control-allow-origin': origin,
            'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
            'access-control-allow-headers': allowHeaders,
            'access-control-max-age': '7200',
          }),
        },
        body: '',
      }
    },
    headers(request) {
      const origin = allowed(request)
      return {
        ...(vary !== '' && { vary }),
        ...(origin !== undefined && {
          'access-control-allow-origin': origin,
          'access-control-expose-headers': 'A2A-Extensions, ETag, Retry-After, WWW-Authenticate',
        }),
      }
    },
  }
}

function expression(source: string): RegExp {
  try {
    return new RegExp(`^(?:${source})$`)
  } catch (error) {
    throw new TypeError(`cors: ~${source} is not a valid expression (${(error as Error).message})`)
  }
}

function checkOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.origin !== text) {
    const hint =
      url === undefined || url.origin === 'null' ? 'like https://app.example' : `which would be ${url.origin}`
    throw new TypeError(`cors: ${JSON.stringify(text)} is not an origin (scheme, host and port only), ${hint}`)
  }
  return text
}
