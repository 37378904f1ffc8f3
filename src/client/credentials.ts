import { A2AError } from '../protocol/errors.ts'
import type { AgentCard, SecurityScheme } from '../protocol/generated/v1/types.ts'
import type { ConnectOptions } from './options.ts'

const loopback = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a host name stands for this machine. */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname)
}

export interface Credentials {
  /** Whether there are any. */
  readonly given: boolean
  /** The headers for a request to this address. */
  headers(url: URL): Promise<Readonly<Record<string, string>>>
  /** Fixes whom the credentials are for. From now on other origins get them only when `trust` has named them. */
  trust(url: string): void
}

/**
 * The caller's credentials, as headers. They go to the origin that the caller named and to the interfaces of the card
 * found there; never to where a redirect leads, nor from HTTPS to plain HTTP on another machine.
 */
export function createCredentials(
  { token, headers }: Pick<ConnectOptions, 'token' | 'headers'>,
  warn: (text: string) => void,
): Credentials {
  const given = token !== undefined || headers !== undefined
  const trusted = new Set<string>()
  let encrypted = false
  return {
    given,
    trust(url) {
      const { origin, protocol, hostname } = new URL(url)
      if (protocol === 'https:') encrypted = true
      if (!encrypted || protocol === 'https:' || isLoopback(hostname)) trusted.add(origin)
      else if (given) warn(`credentials: not sent to ${origin}, as it is not encrypted while the card's origin is`)
    },
    async headers(url) {
      if (!given || !trusted.has(url.origin)) return {}
      const own = typeof headers === 'function' ? await headers() : headers
      const bearer = typeof token === 'function' ? await token() : token
      return { ...own, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) }
    },
  }
}

function describe(scheme: SecurityScheme): string {
  if (scheme.httpAuthSecurityScheme) return `HTTP ${scheme.httpAuthSecurityScheme.scheme}`
  if (scheme.apiKeySecurityScheme) {
    return `API key in ${scheme.apiKeySecurityScheme.location} ${scheme.apiKeySecurityScheme.name}`
  }
  if (scheme.oauth2SecurityScheme) return 'OAuth 2'
  if (scheme.openIdConnectSecurityScheme)
    return `OpenID Connect, ${scheme.openIdConnectSecurityScheme.openIdConnectUrl}`
  return 'TLS client certificate'
}

/** An error that tells how to authenticate: the challenge of the answer and the schemes of the card (§7.4). */
export function explainAuthentication(error: A2AError, card?: AgentCard): A2AError {
  if (error.code !== 'Unauthenticated') return error
  const challenge = error.headers['www-authenticate']
  const schemes = Object.entries(card?.securitySchemes ?? {}).map(([name, scheme]) => `${name} (${describe(scheme)})`)
  const text = [
    error.message,
    challenge && `The agent's challenge: ${challenge}`,
    schemes.length > 0 && `The card names: ${schemes.join(', ')}`,
    'Give `token` or `headers` to connect',
  ]
  const { metadata, violations, extraDetails, headers, origin } = error
  return new A2AError('Unauthenticated', text.filter(Boolean).join('. '), {
    metadata,
    violations,
    details: extraDetails,
    headers,
    origin,
    cause: error,
  })
}
