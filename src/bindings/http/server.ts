import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/http.ts'
import { acceptWeight } from '../../lib/media-type.ts'
import type { Call } from '../../protocol/endpoint.ts'
import { A2AError, invalidParams } from '../../protocol/errors.ts'
import type { StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import { httpOverrides, type Profile } from '../../protocol/profiles.ts'
import type { Dialect, Note, WireOperation } from '../../protocol/versions/dialect.ts'
import { type Recognised, recognise, type Wire, wires } from '../../protocol/versions/wire.ts'
import { apiHeaders, errorHeaders, logFailure, streamHeaders, withExtensions } from '../failure.ts'
import { checkContentType, checkLength, parseJson, readText } from '../json-body.ts'
import { createLossLog } from '../loss-log.ts'
import { readVersion, requestedExtensions } from '../service-parameters.ts'
import { checkTenant, createContext, createStreamContext, type ServingOptions, withMessageId } from '../serving.ts'
import { bareErrorText, restErrorText } from './error-text.ts'
import { createRouter, type Route, type Router, type WrongVerb } from './path.ts'

const emptyQuery: URLSearchParams = new URLSearchParams()

/** Serves an endpoint over HTTP+JSON (§11). `prefix` is what comes before the operation paths, `''` or like `/rest`. */
export function createHttpJsonHandler(options: ServingOptions, prefix = ''): HttpHandler {
  const { bodyLimit, profile } = options
  const overrides = httpOverrides(profile)
  const losses = createLossLog(options.log, 'HTTP+JSON')
  const routers = new Map<Wire, Router>(
    wires.map((wire) => [wire, createRouter(wire.rest.operations, options.tenants)]),
  )

  return async (request) => {
    const known: Known = {}
    try {
      const recognised = recogniseRequest(request)
      // Who asks for another version than that of the path knows the errors of 1.0.
      if (recognised.error === undefined) known.dialect = recognised.wire.rest
      const route = rightVerb(recognised.found, request.method)
      known.operation = route.row.name
      checkLength(request, bodyLimit)
      const identified = options.identify(request)
      const owner = typeof identified === 'string' ? identified : await identified
      if (recognised.error !== undefined) throw recognised.error
      const { rest: usual } = recognised.wire
      const dialect = usual.forCaller?.(request.headers['user-agent'] ?? '') ?? usual
      return await answer(request, { dialect, route, owner })
    } catch (thrown) {
      return failure(request, thrown, known)
    }
  }

  function recogniseRequest(request: HttpRequest): Recognised<Route | WrongVerb> {
    const path = request.path.startsWith(prefix) ? request.path.slice(prefix.length) : ''
    const recognised = recognise({
      asked: readVersion(request),
      assumed: profile.assumedVersion,
      look: (wire) => routers.get(wire)?.(request.method, path),
    })
    if (recognised === undefined) throw new A2AError('NotFound')
    return recognised
  }

  async function answer(request: HttpRequest, asked: Asked): Promise<HttpResponse> {
    const { dialect, route, owner } = asked
    const { row } = route
    const { operation } = row
    const body = route.rule.body === '*' ? await readBody(request, row) : undefined
    const extensions = requestedExtensions(request.headers)
    options.gate(operation, { extensions })
    const note = losses(row.name)
    const decoded = decode(request, { dialect, route, body, profile, note })
    const tenant = decoded.tenant ?? ''
    if (tenant !== '') checkTenant(tenant, options.tenants)
    const facts = { version: dialect.version, tenant, owner, extensions }
    const context = operation.kind === 'stream' ? createStreamContext(request, facts) : createContext(request, facts)
    if (operation.kind === 'stream') {
      const name = operation.name as StreamOperation
      const reply = await options.endpoint.stream({ operation: name, request: decoded as never, context })
      const text = options.streams.open(dialect.frames(row, reply.events, note), {
        prefix: '',
        suffix: '',
        error: (reason) => {
          const error = A2AError.from(reason)
          logFailure(options.log, error, { binding: 'HTTP+JSON', operation: name })
          return errorTextOf(error, dialect)
        },
      })
      return { status: 200, headers: withExtensions(streamHeaders, reply.extensions, request), body: text }
    }
    const name = operation.name as UnaryOperation
    const reply = await options.endpoint.unary({ operation: name, request: decoded as never, context })
    const headers = withExtensions(apiHeaders, reply.extensions, request)
    return {
      status: 200,
      headers: dialect.version === '0.3' ? headers : withMediaType(headers, request, profile),
      body: dialect.encode(row, reply.result, note).text,
    }
  }

  /** The parsed body; undefined for none. Where all that is needed stands in the path, an empty body may have any type (REST-29). */
  async function readBody(request: HttpRequest, { bodyIsOptional }: WireOperation): Promise<unknown> {
    if (!bodyIsOptional) checkContentType(request)
    const text = await readText(request, bodyLimit)
    const bare = text.length > 16 ? text : text.trim()
    if (bare === '' || bare === 'null' || (bodyIsOptional && bare === '{}')) return undefined
    if (bodyIsOptional) checkContentType(request)
    return parseJson(text)
  }

  function failure(request: HttpRequest, thrown: unknown, known: Known): HttpResponse {
    const error = A2AError.from(thrown)
    logFailure(options.log, error, { binding: 'HTTP+JSON', operation: known.operation })
    if (known.operation !== undefined) options.failed?.(error)
    const status = statusOf(error)
    const headers = withMediaType(errorHeaders(error), request, profile)
    const body = errorTextOf(error, known.dialect)
    return error.code === 'NotFound' ? { status, headers, body, unrouted: true } : { status, headers, body }
  }

  function errorTextOf(error: A2AError, dialect: Dialect | undefined): string {
    return dialect?.restErrors === 'bare'
      ? bareErrorText(error, statusOf(error))
      : restErrorText(error, statusOf(error))
  }

  function statusOf(error: A2AError): number {
    return overrides[error.code] ?? error.row.http
  }
}

/** What is known of a request when it fails. */
interface Known {
  dialect?: Dialect
  operation?: string
}

interface Asked {
  readonly dialect: Dialect
  readonly route: Route
  readonly owner: string
}

function rightVerb(found: Route | WrongVerb, verb: string): Route {
  if ('row' in found) return found
  const allow = found.allow.join(', ')
  throw new A2AError('MethodNotAllowed', `HTTP method ${verb} is not allowed here; use ${allow}`, {
    headers: { allow },
  })
}

interface Received {
  readonly dialect: Dialect
  readonly route: Route
  readonly body: unknown
  readonly profile: Profile
  readonly note: Note
}

/** The request from path, query and body; the path rules (REST-30), and no two may name different tenants (AMB-69). */
function decode(request: HttpRequest, { dialect, route, body, profile, note }: Received): Call['request'] {
  const { row, rule } = route
  const query = request.query === '' ? emptyQuery : new URLSearchParams(request.query)
  const inQuery = query.get('tenant') || undefined
  const inBody = (body as { tenant?: unknown } | undefined)?.tenant || undefined
  const inPath = route.path.tenant
  const tenant = inPath ?? inBody ?? inQuery
  for (const other of [inBody, inQuery]) {
    if (other !== undefined && other !== tenant) {
      throw invalidParams([
        { field: 'tenant', description: 'path, body and query name different tenants; name it once' },
      ])
    }
  }
  const path = inPath === undefined && typeof tenant === 'string' ? { ...route.path, tenant } : route.path
  if (rule.body !== '*') return dialect.decodeQuery(row, query, { path, note })
  const input = profile.messageId === 'optional' ? withMessageId(row.operation, body) : body
  return dialect.decode(row, input, { path, note })
}

const a2aJson = 'application/a2a+json'

/** Gives an answer the media type that the profile and the caller want (AMB-10, REST-35). */
function withMediaType(
  headers: Readonly<Record<string, string>>,
  request: HttpRequest,
  profile: Profile,
): Readonly<Record<string, string>> {
  if (profile.restMediaType === 'json') return headers
  if (profile.restMediaType === 'a2a+json') return { ...headers, 'content-type': a2aJson }
  const { accept } = request.headers
  const weight = accept === undefined ? undefined : acceptWeight(accept, a2aJson)
  const wanted =
    weight !== undefined && weight > 0 && weight >= (acceptWeight(accept as string, 'application/json') ?? 0)
  return wanted ? { ...headers, vary: 'accept', 'content-type': a2aJson } : { ...headers, vary: 'accept' }
}
