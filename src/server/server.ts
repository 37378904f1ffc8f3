import type { Authenticator } from '../auth/authenticate.ts'
import { bearerTokens } from '../auth/bearer.ts'
import { apiHeaders, errorHeaders, logFailure } from '../bindings/failure.ts'
import type { GrpcHandler } from '../bindings/grpc/server.ts'
import { restErrorText } from '../bindings/http/error-text.ts'
import { createHttpJsonHandler } from '../bindings/http/server.ts'
import { createJsonRpcHandler } from '../bindings/jsonrpc/server.ts'
import type { ServingOptions } from '../bindings/serving.ts'
import type { Agent } from '../engine/executor.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../lib/http.ts'
import { type Logger, silent } from '../lib/log.ts'
import { SseStreams } from '../lib/sse.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { createGate } from '../protocol/gate.ts'
import { type Profile, type ProfileName, resolveProfile } from '../protocol/profiles.ts'
import { metricsAnswer } from './admin.ts'
import { type BaseUrlOptions, createBaseUrl, createHostCheck, grpcTarget, type Listening } from './base-url.ts'
import { createCard, createCardRoute, servedCapabilities } from './card-route.ts'
import { type CorsOptions, createCors } from './cors.ts'
import { createGrpc } from './grpc.ts'
import { observeCalls } from './observe-calls.ts'
import { type Readiness, readinessAnswer } from './readiness.ts'

/** Where each part is found; paths begin with `/` and stand behind the base URL. */
export interface ServerPaths {
  /** JSON-RPC; the first one is advertised, and each is served with and without a slash at its end. */
  readonly jsonRpc?: readonly string[]
  /** What comes before the HTTP+JSON paths; `''` is the root. */
  readonly rest?: string
  /** Where the card is, the first one told to people; add `/.well-known/agent.json` for peers of before 0.3. */
  readonly cards?: readonly string[]
}

/** How an endpoint is put on HTTP. */
export interface HandlerOptions extends BaseUrlOptions {
  /** Names that callers may use as tenant; each has its own card and paths. */
  readonly tenants?: readonly string[]
  /** Without one, everybody is let in as one anonymous caller. */
  readonly authenticator?: Authenticator
  /** Whether the card too is for authenticated callers only. */
  readonly protectCard?: boolean
  /** Seconds that a card may be kept; 300. */
  readonly cardMaxAge?: number
  readonly cors?: CorsOptions
  /** What to do where peers and suites disagree: a profile by name, or fields that differ from `spec-1.0.1`. */
  readonly profile?: ProfileName | Partial<Profile>
  readonly paths?: ServerPaths
  /** Bytes of a request body; 16 MiB. */
  readonly bodyLimit?: number
  /** The longest silence on a stream, milliseconds; 15,000. 0 sends no keep-alive comments. */
  readonly keepAlive?: number
  /** When readers of cut streams are told to come back, milliseconds; 1,000. */
  readonly retryHint?: number
  readonly log?: Logger
}

/** What an HTTP side is made of. */
export interface HttpServerOptions extends HandlerOptions {
  readonly endpoint: Endpoint
  readonly telemetry?: Telemetry
  /** Tells how the rest of the server is. */
  readonly readiness?: (draining: boolean) => Promise<Readiness>
  /** The text of all metrics; only where they are measured. */
  readonly metrics?: () => Promise<string>
  /** What callers of `/metrics` need; without it, there is no such path. */
  readonly metricsToken?: string
}

/** An agent's HTTP side without a listener. */
export interface HttpServer {
  readonly handle: HttpHandler
  /** Answers gRPC calls, for listeners that speak HTTP/2. */
  readonly grpc: GrpcHandler
  /** The path of the card, behind the base URL. */
  readonly cardPath: string
  /** Event streams that are open now. */
  readonly openStreams: number
  /** Whether it takes no new work any more. */
  readonly draining: boolean
  /** Tells where the listener is, once there is one. */
  setListening(place: Listening): void
  /** From now on `/readyz` says no, and streams that end say when to come back. */
  drain(): void
  /** Ends the streams that are open. */
  endStreams(): void
}

const wellKnown = '/.well-known/agent-card.json'
const hsts = 'max-age=31536000'

type Route = (request: HttpRequest) => Promise<HttpResponse>

/** Puts an endpoint on HTTP: JSON-RPC, HTTP+JSON, the card and the health paths. Wrong settings are a `TypeError`. */
export function createHttpServer(agent: Agent, options: HttpServerOptions): HttpServer {
  const log = options.log ?? silent
  const profile = resolveProfile(options.profile)
  const { authenticator, trustProxy = false } = options
  if (options.protectCard && authenticator === undefined) {
    throw new TypeError('protectCard: needs a way to authenticate; set tokens or an authenticator')
  }
  const tenants = new Set(options.tenants ?? [])
  for (const tenant of tenants) checkTenantName(tenant)
  const jsonRpcPaths = (options.paths?.jsonRpc ?? ['/invoke', '/', '/a2a']).map(trimPath)
  const restPath = trimPath(options.paths?.rest ?? '')
  const cardPaths = (options.paths?.cards ?? [wellKnown]).map(trimPath)
  const streams = new SseStreams({ keepAlive: options.keepAlive ?? 15_000, retry: options.retryHint ?? 1_000 })
  let listening: Listening | undefined
  let draining = false

  const serving: ServingOptions = {
    endpoint: options.endpoint,
    identify: createIdentify(authenticator),
    gate: createGate(servedCapabilities(agent, profile)),
    streams,
    profile,
    tenants,
    bodyLimit: options.bodyLimit ?? 16 * 1024 * 1024,
    log,
  }
  const observed = (binding: string): ServingOptions => {
    if (options.telemetry === undefined) return serving
    return { ...serving, ...observeCalls(options.endpoint, binding, options.telemetry) }
  }
  const jsonRpc = createJsonRpcHandler(observed('JSONRPC'))
  const rest = createHttpJsonHandler(observed('HTTP+JSON'), restPath)
  const baseUrl = createBaseUrl(options, () => listening)
  const checkHost = createHostCheck(options)
  const cors = options.cors && createCors(options.cors)
  const cardOptions = {
    agent,
    authenticator,
    jsonRpcPath: jsonRpcPaths[0] ?? '/invoke',
    restPath,
    grpc: (base: string) => listening && grpcTarget(base, listening),
    profile,
    protected: options.protectCard ?? false,
    maxAge: options.cardMaxAge ?? 300,
    vary:
      trustProxy && options.publicUrl === undefined ? 'x-forwarded-host, x-forwarded-proto, x-forwarded-prefix' : '',
    log,
  }
  createCard(cardOptions, { baseUrl: 'http://localhost', tenant: '' })
  const card = createCardRoute(cardOptions)

  const routes = new Map<string, Route>()
  for (const path of jsonRpcPaths) {
    routes.set(path === '' ? '/' : path, jsonRpc)
    routes.set(`${path}/`, jsonRpc)
  }
  for (const tenant of ['', ...tenants]) {
    const place = tenant === '' ? '' : `/${encodeURIComponent(tenant)}`
    const route = readOnly(async (request) => {
      if (cardOptions.protected) await serving.identify(request)
      return await card(request, { baseUrl: baseUrl(request), tenant })
    })
    for (const path of cardPaths) routes.set(`${place}${path}`, route)
  }
  routes.set(
    '/healthz',
    readOnly(async () => status(200, 'ok')),
  )
  routes.set(
    '/readyz',
    readOnly(async () => {
      if (options.readiness === undefined) return draining ? status(503, 'draining') : status(200, 'ready')
      return readinessAnswer(await options.readiness(draining))
    }),
  )
  const { metrics, metricsToken } = options
  if (metrics !== undefined && metricsToken !== undefined) {
    const guard = bearerTokens([metricsToken])
    routes.set(
      '/metrics',
      readOnly(async (request) => {
        await guard.authenticate(request)
        return metricsAnswer(await metrics())
      }),
    )
  }

  /** GET and HEAD only; errors in the form of HTTP+JSON. */
  function readOnly(route: Route): Route {
    return async (request) => {
      try {
        if (request.method === 'GET' || request.method === 'HEAD') return await route(request)
        throw new A2AError('MethodNotAllowed', undefined, { headers: { allow: 'GET, HEAD' } })
      } catch (thrown) {
        const error = A2AError.from(thrown)
        logFailure(log, error, { path: request.path })
        return { status: error.row.http, headers: errorHeaders(error), body: restErrorText(error, error.row.http) }
      }
    }
  }

  const checked = checkHost && readOnlyCheck(checkHost)

  async function decorated(request: HttpRequest): Promise<HttpResponse> {
    const response =
      cors?.preflight(request) ?? checked?.(request) ?? (await (routes.get(request.path) ?? rest)(request))
    let { headers } = response
    if (cors !== undefined) {
      const added = cors.headers(request)
      const vary = [headers.vary, added.vary].filter((value) => value !== undefined).join(', ')
      headers = { ...headers, ...added, ...(vary !== '' && { vary }) }
    }
    const secure =
      request.secure || (trustProxy && request.headers['x-forwarded-proto']?.toLowerCase().startsWith('https'))
    return secure
      ? { ...response, headers: { ...headers, 'strict-transport-security': hsts } }
      : { ...response, headers }
  }

  return {
    handle: (request) => {
      if (cors !== undefined || checked !== undefined || trustProxy || request.secure) return decorated(request)
      return (routes.get(request.path) ?? rest)(request)
    },
    grpc: createGrpc(observed('GRPC')),
    cardPath: cardPaths[0] ?? wellKnown,
    get openStreams() {
      return streams.size
    },
    get draining() {
      return draining
    },
    setListening: (place) => {
      listening = place
    },
    drain: () => {
      draining = true
      streams.drain()
    },
    endStreams: () => streams.end(),
  }
}

function readOnlyCheck(check: (request: HttpRequest) => void): (request: HttpRequest) => HttpResponse | undefined {
  return (request) => {
    try {
      check(request)
      return undefined
    } catch (thrown) {
      const error = A2AError.from(thrown)
      return { status: error.row.http, headers: errorHeaders(error), body: restErrorText(error, error.row.http) }
    }
  }
}

function createIdentify(authenticator: Authenticator | undefined): ServingOptions['identify'] {
  if (authenticator === undefined) return () => ''
  return (request) => {
    const principal = authenticator.authenticate(request)
    return 'id' in principal ? principal.id : principal.then(({ id }) => id)
  }
}

function status(code: number, text: string): HttpResponse {
  return { status: code, headers: apiHeaders, body: JSON.stringify({ status: text }) }
}

function checkTenantName(tenant: string): void {
  if (tenant === '' || tenant.includes('\n')) throw new TypeError('tenants: a tenant must be a name')
  if (['tasks', 'message:send', 'message:stream', 'extendedAgentCard', 'v1'].includes(tenant)) {
    throw new TypeError(`tenants: ${tenant} cannot be a tenant, as it is a path of the protocol`)
  }
}

function trimPath(path: string): string {
  if (path !== '' && !path.startsWith('/')) throw new TypeError(`paths: ${JSON.stringify(path)} must begin with /`)
  return path.replace(/\/+$/, '')
}
