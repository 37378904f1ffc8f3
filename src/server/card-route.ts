import type { Authenticator } from '../auth/authenticate.ts'
import { apiHeaders } from '../bindings/failure.ts'
import { createLossLog } from '../bindings/loss-log.ts'
import { defineCard, joinCapabilities } from '../cards/define.ts'
import type { Agent } from '../engine/executor.ts'
import type { HttpRequest, HttpResponse } from '../lib/http.ts'
import type { Logger } from '../lib/log.ts'
import { idempotencyExtension, resumeExtension } from '../protocol/extensions.ts'
import type { AgentCapabilities, AgentCard, AgentExtension, AgentInterface } from '../protocol/generated/v1/types.ts'
import type { Profile } from '../protocol/profiles.ts'
import { type Wire, wires } from '../protocol/versions/wire.ts'
import { askedShape, inShape } from './card-shape.ts'

/** Extensions of this server, declared in each card beside those of the agent. */
export const serverExtensions: readonly AgentExtension[] = [
  { uri: resumeExtension, description: 'Streams can be resumed with Last-Event-ID' },
  { uri: idempotencyExtension, description: 'Sends can be repeated safely with Idempotency-Key' },
]

/** What the agent and this server are capable of together. */
export function servedCapabilities(agent: Agent, { extendedCard }: Pick<Profile, 'extendedCard'>): AgentCapabilities {
  const { extendedAgentCard, ...others } = agent.capabilities
  const own = extendedCard && extendedAgentCard ? agent.capabilities : others
  return joinCapabilities(own, serverExtensions)
}

export interface CardRouteOptions {
  readonly agent: Agent
  readonly authenticator?: Authenticator | undefined
  /** Paths of the bindings, behind the base URL: `/invoke` and `''`. */
  readonly jsonRpcPath: string
  readonly restPath: string
  /** Where gRPC is reached beside a base URL; undefined where it is not spoken. */
  readonly grpc?: (baseUrl: string) => string | undefined
  /** The card for those who name no version, and whether an extended one may be offered. */
  readonly profile: Pick<Profile, 'cardShape' | 'extendedCard'>
  /** Whether only authenticated callers see the card. */
  readonly protected: boolean
  /** Seconds that a card may be kept. */
  readonly maxAge: number
  /** Request headers that the URLs in the card depend on, for `Vary`. */
  readonly vary: string
  /** Told of what a card of 0.3 could not express. */
  readonly log: Logger
}

interface Served {
  readonly text: string
  readonly etag: string
}

/** At most so many base URLs are remembered: the `Host` of a request is anyone's to choose. */
const remembered = 64

/**
 * Serves the card (§8.2, §8.6) for a base URL and a tenant; `''` is no tenant. A request that names a version gets the
 * card of that version, each with its own entity tag (AMB-62).
 */
export function createCardRoute(
  options: CardRouteOptions,
): (request: HttpRequest, place: { readonly baseUrl: string; readonly tenant: string }) => Promise<HttpResponse> {
  const modified = Math.floor(Date.now() / 1000) * 1000
  const served = new Map<string, Promise<Served>>()
  const note = createLossLog(options.log, 'card')('AgentCard')
  const vary = options.vary === '' ? 'a2a-version' : `a2a-version, ${options.vary}`

  return async (request, { baseUrl, tenant }) => {
    const shape = askedShape(request, options.profile.cardShape)
    const key = `${shape} ${tenant} ${baseUrl}`
    let entry = served.get(key)
    if (entry === undefined) {
      if (served.size >= remembered) served.delete(served.keys().next().value as string)
      entry = render(inShape(createCard(options, { baseUrl, tenant }), shape, note))
      served.set(key, entry)
    }
    const { text, etag } = await entry
    const headers = {
      'cache-control': `${options.protected ? 'private' : 'public'}, max-age=${options.maxAge}`,
      etag,
      'last-modified': new Date(modified).toUTCString(),
      vary,
    }
    if (isFresh(request, { etag, modified })) return { status: 304, headers, body: '' }
    return { status: 200, headers: { ...apiHeaders, ...headers }, body: text }
  }
}

/** The card of 1.0 as served under a base URL. */
export function createCard(
  options: Pick<CardRouteOptions, 'agent' | 'authenticator' | 'jsonRpcPath' | 'restPath' | 'grpc' | 'profile'>,
  place: { readonly baseUrl: string; readonly tenant: string },
): AgentCard {
  const { agent, authenticator, profile } = options
  const described = { ...agent, capabilities: servedCapabilities(agent, profile) }
  return defineCard(described, {
    interfaces: wires.flatMap((wire) => listInterfaces(wire, { ...options, ...place })),
    ...(authenticator && {
      securitySchemes: authenticator.securitySchemes,
      securityRequirements: authenticator.securityRequirements,
    }),
  })
}

type Place = Pick<CardRouteOptions, 'jsonRpcPath' | 'restPath' | 'grpc'> & {
  readonly baseUrl: string
  readonly tenant: string
}

function listInterfaces({ version: protocolVersion, rest }: Wire, place: Place): AgentInterface[] {
  const { baseUrl, tenant, jsonRpcPath, restPath } = place
  const named = tenant === '' ? {} : { tenant }
  if (tenant !== '' && protocolVersion === '0.3') {
    // Messages of 0.3 name no tenant; only a path can.
    if (!rest.operations.every(({ http }) => http.some(({ path }) => path.startsWith('/{tenant}/')))) return []
    const url = `${baseUrl}${restPath}/${encodeURIComponent(tenant)}`
    return [{ url, protocolBinding: 'HTTP+JSON', protocolVersion }]
  }
  const target = place.grpc?.(baseUrl)
  return [
    { url: `${baseUrl}${jsonRpcPath}`, protocolBinding: 'JSONRPC', ...named, protocolVersion },
    { url: `${baseUrl}${restPath}`, protocolBinding: 'HTTP+JSON', ...named, protocolVersion },
    ...(target === undefined ? [] : [{ url: target, protocolBinding: 'GRPC', ...named, protocolVersion }]),
  ]
}

async function render(card: object): Promise<Served> {
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
