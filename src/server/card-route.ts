import type { Authenticator } from '../auth/authenticate.ts'
import { apiHeaders } from '../bindings/failure.ts'
import { defineCard, joinCapabilities } from '../cards/define.ts'
import type { Agent } from '../engine/executor.ts'
import type { HttpRequest, HttpResponse } from '../lib/http.ts'
import { idempotencyExtension, resumeExtension } from '../protocol/extensions.ts'
import type { AgentCapabilities, AgentCard, AgentExtension, AgentInterface } from '../protocol/generated/v1/types.ts'
import { wires } from '../protocol/versions/wire.ts'

/** Extensions of this server, declared in each card beside those of the agent. */
export const serverExtensions: readonly AgentExtension[] = [
  { uri: resumeExtension, description: 'Streams can be resumed with Last-Event-ID' },
  { uri: idempotencyExtension, description: 'Sends can be repeated safely with Idempotency-Key' },
]

/** What the agent and this server are capable of together. */
export function servedCapabilities(agent: Agent): AgentCapabilities {
  return joinCapabilities(agent.capabilities, serverExtensions)
}

export interface CardRouteOptions {
  readonly agent: Agent
  readonly authenticator?: Authenticator | undefined
  /** Paths of the bindings, behind the base URL: `/invoke` and `''`. */
  readonly jsonRpcPath: string
  readonly restPath: string
  /** Whether only authenticated callers see the card. */
  readonly protected: boolean
  /** Seconds that a card may be kept. */
  readonly maxAge: number
  /** Request headers that the URLs in the card depend on, for `Vary`. */
  readonly vary: string
}

interface Served {
  readonly text: string
  readonly etag: string
}

/** At most so many base URLs are remembered: the `Host` of a request is anyone's to choose. */
const remembered = 64

/** Serves the card (§8.2, §8.6) for a base URL and a tenant; `''` is no tenant. */
export function createCardRoute(
  options: CardRouteOptions,
): (request: HttpRequest, place: { readonly baseUrl: string; readonly tenant: string }) => Promise<HttpResponse> {
  const modified = Math.floor(Date.now() / 1000) * 1000
  const served = new Map<string, Promise<Served>>()

  return async (request, { baseUrl, tenant }) => {
    const key = `${tenant} ${baseUrl}`
    let entry = served.get(key)
    if (entry === undefined) {
      if (served.size >= remembered) served.delete(served.keys().next().value as string)
      entry = render(createCard(options, { baseUrl, tenant }))
      served.set(key, entry)
    }
    const { text, etag } = await entry
    const headers = {
      'cache-control': `${options.protected ? 'private' : 'public'}, max-age=${options.maxAge}`,
      etag,
      'last-modified': new Date(modified).toUTCString(),
      ...(options.vary !== '' && { vary: options.vary }),
    }
    if (isFresh(request, { etag, modified })) return { status: 304, headers, body: '' }
    return { status: 200, headers: { ...apiHeaders, ...headers }, body: text }
  }
}

/** The card as served under a base URL. */
export function createCard(
  options: Pick<CardRouteOptions, 'agent' | 'authenticator' | 'jsonRpcPath' | 'restPath'>,
  { baseUrl, tenant }: { readonly baseUrl: string; readonly tenant: string },
): AgentCard {
  const { agent, authenticator } = options
  const named = tenant === '' ? {} : { tenant }
  const interfaces: AgentInterface[] = wires.flatMap(({ version: protocolVersion }) => [
    { url: `${baseUrl}${options.jsonRpcPath}`, protocolBinding: 'JSONRPC', ...named, protocolVersion },
    { url: `${baseUrl}${options.restPath}`, protocolBinding: 'HTTP+JSON', ...named, protocolVersion },
  ])
  return defineCard(agent, {
    interfaces,
    extensions: serverExtensions,
    ...(authenticator && {
      securitySchemes: authenticator.securitySchemes,
      securityRequirements: authenticator.securityRequirements,
    }),
  })
}

async function render(card: AgentCard): Promise<Served> {
  const text = JSON.stringify(card)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return {
    text,
    etag: `"${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}"`,
  }
}

/** Whether the caller's copy is the current one (RFC 9110 §13.1): the tag decides, the time only where no tag is given. */
function isFresh(
  request: HttpRequest,
  { etag, modified }: { readonly etag: string; readonly modified: number },
): boolean {
  const tags = request.headers['if-none-match']
  if (tags !== undefined) {
    return tags.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && since >= modified
}
