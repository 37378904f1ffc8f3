import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/http.ts'
import { acceptWeight } from '../../lib/media-type.ts'
import type { Call } from '../../protocol/endpoint.ts'
import { A2AError, invalidParams } from '../../protocol/errors.ts'
import { schema } from '../../protocol/generated/v1/schema.ts'
import type { Operation, StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import { selectWire, type Wire, wires } from '../../protocol/versions/wire.ts'
import { statusOverrides, type WirePolicy } from '../../protocol/wire-policy.ts'
import { apiHeaders, errorHeaders, logFailure, streamHeaders, withExtensions } from '../failure.ts'
import { checkContentType, checkLength, parseJson, readText } from '../json-body.ts'
import { readExtensions, readVersion } from '../service-parameters.ts'
import { checkTenant, createContext, type ServingOptions } from '../serving.ts'
import { restErrorText } from './error-text.ts'
import { createRouter, type Route, type Router } from './path.ts'

const emptyQuery: URLSearchParams = new URLSearchParams()

/** Serves an endpoint over HTTP+JSON (§11). `prefix` is what comes before the operation paths, `''` or like `/rest`. */
export function createHttpJsonHandler(options: ServingOptions, prefix = ''): HttpHandler {
  const { bodyLimit, policy } = options
  const overrides = statusOverrides(policy)
  const routers = new Map<Wire, Router>(wires.map((wire) => [wire, createRouter(wire.operations, options.tenants)]))

  return async (request) => {
    const known: { operation?: string } = {}
    try {
      const selected = trySelect(request)
      const route = findRoute(selected.wire, request)
      known.operation = route.operation.name
      checkLength(request, bodyLimit)
      const identified = options.identify(request)
      const owner = typeof identified === 'string' ? identified : await identified
      if (selected.error !== undefined) throw selected.error
      return await answer(request, { wire: selected.wire, route, owner })
    } catch (thrown) {
      return failure(request, thrown, known)
    }
  }

  /** Paths come before versions: where the version is unknown, the newest one tells whether there is such a path. */
  function trySelect(request: HttpRequest): { readonly wire: Wire; readonly error?: unknown } {
    try {
      return { wire: selectWire(readVersion(request), policy.assumedVersion) }
    } catch (error) {
      return { wire: wires[0] as Wire, error }
    }
  }

  function findRoute(wire: Wire, request: HttpRequest): Route {
    const path = request.path.startsWith(prefix) ? request.path.slice(prefix.length) : ''
    const found = routers.get(wire)?.(request.method, path)
    if (found === undefined) throw new A2AError('NotFound')
    if ('operation' in found) return found
    const allow = found.allow.join(', ')
    throw new A2AError('MethodNotAllowed', `HTTP method ${request.method} is not allowed here; use ${allow}`, {
      headers: { allow },
    })
  }

  async function answer(request: HttpRequest, asked: Asked): Promise<HttpResponse> {
    const { wire, route, owner } = asked
    const { operation } = route
    const body = route.rule.body === '*' ? await readBody(request, operation) : undefined
    const extensions = readExtensions(request.headers['a2a-extensions'])
    options.gate(operation, { extensions })
    const decoded = decode(request, { wire, route, body })
    const tenant = decoded.tenant ?? ''
    if (tenant !== '') checkTenant(tenant, options.tenants)
    const context = createContext(request, { version: wire.version, tenant, owner, extensions })
    if (operation.kind === 'stream') {
      const name = operation.name as StreamOperation
      const reply = await options.endpoint.stream({ operation: name, request: decoded as never, context })
      const text = options.streams.open(wire.frames(reply.events), {
        prefix: '',
        suffix: '',
        error: (reason) => {
          const error = A2AError.from(reason)
          logFailure(options.log, error, { binding: 'HTTP+JSON', operation: name })
          return restErrorText(error, statusOf(error))
        },
      })
      return { status: 200, headers: withExtensions(streamHeaders, reply.extensions), body: text }
    }
    const name = operation.name as UnaryOperation
    const reply = await options.endpoint.unary({ operation: name, request: decoded as never, context })
    const headers = withMediaType(withExtensions(apiHeaders, reply.extensions), request, policy)
    return { status: 200, headers, body: wire.encode(operation, reply.result) }
  }

  /** The parsed body; undefined for none. Where all that is needed stands in the path, an empty body may have any type (REST-29). */
  async function readBody(request: HttpRequest, operation: Operation): Promise<unknown> {
    const optional = bodyIsOptional(operation)
    if (!optional) checkContentType(request)
    const text = await readText(request, bodyLimit)
    const bare = text.length > 16 ? text : text.trim()
    if (bare === '' || bare === 'null' || (optional && bare === '{}')) return undefined
    if (optional) checkContentType(request)
    return parseJson(text)
  }

  function failure(request: HttpRequest, thrown: unknown, known: { readonly operation?: string }): HttpResponse {
    const error = A2AError.from(thrown)
    logFailure(options.log, error, { binding: 'HTTP+JSON', operation: known.operation })
    const status = statusOf(error)
    const headers = withMediaType(errorHeaders(error), request, policy)
    const body = restErrorText(error, status)
    return error.code === 'NotFound' ? { status, headers, body, unrouted: true } : { status, headers, body }
  }

  function statusOf(error: A2AError): number {
    return overrides[error.code] ?? error.row.http
  }
}

interface Asked {
  readonly wire: Wire
  readonly route: Route
  readonly owner: string
}

/** The request from path, query and body; the path rules (REST-30), and no two may name different tenants (AMB-69). */
function decode(
  request: HttpRequest,
  { wire, route, body }: { readonly wire: Wire; readonly route: Route; readonly body: unknown },
): Call['request'] {
  const { operation, rule } = route
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
  const decoded =
    rule.body === '*' ? wire.decode(operation, body, { path }) : wire.decodeQuery(operation, query, { path })
  return decoded as Call['request']
}

/** Whether a request needs no member but those in its path. */
function bodyIsOptional(operation: Operation): boolean {
  let optional = optionalBodies.get(operation)
  if (optional === undefined) {
    const inPath = operation.http[0]?.path ?? ''
    const fields = schema.messages[operation.request] ?? []
    optional = fields.every(({ required, json }) => !required || inPath.includes(`{${json}}`))
    optionalBodies.set(operation, optional)
  }
  return optional
}

const optionalBodies = new WeakMap<Operation, boolean>()

const a2aJson = 'application/a2a+json'

/** Gives an answer the media type that the policy and the caller want (AMB-10, REST-35). */
function withMediaType(
  headers: Readonly<Record<string, string>>,
  request: HttpRequest,
  policy: WirePolicy,
): Readonly<Record<string, string>> {
  if (policy.restMediaType === 'json') return headers
  if (policy.restMediaType === 'a2a+json') return { ...headers, 'content-type': a2aJson }
  const { accept } = request.headers
  const weight = accept === undefined ? undefined : acceptWeight(accept, a2aJson)
  const wanted =
    weight !== undefined && weight > 0 && weight >= (acceptWeight(accept as string, 'application/json') ?? 0)
  return wanted ? { ...headers, vary: 'accept', 'content-type': a2aJson } : { ...headers, vary: 'accept' }
}
