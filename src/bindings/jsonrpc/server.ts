import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/http.ts'
import type { StreamReply } from '../../protocol/endpoint.ts'
import { A2AError, type ErrorCode } from '../../protocol/errors.ts'
import type { StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import type { Dialect, WireOperation } from '../../protocol/versions/dialect.ts'
import { isSupported, recognise, versionError } from '../../protocol/versions/wire.ts'
import { apiHeaders, errorHeaders, logFailure, streamHeaders, withExtensions } from '../failure.ts'
import { checkContentType, checkLength, parseJson, readText } from '../json-body.ts'
import { createLossLog } from '../loss-log.ts'
import { readVersion, requestedExtensions } from '../service-parameters.ts'
import { checkTenant, createContext, decodeRequest, type ServingOptions } from '../serving.ts'
import { errorText, type RequestId, readEnvelope, readId, resultPrefix } from './envelope.ts'

/** Errors that HTTP itself knows keep their status; all others are answers of JSON-RPC and come with 200 (JRPC-18). */
const httpLevel: ReadonlySet<ErrorCode> = new Set([
  'Unauthenticated',
  'PermissionDenied',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'MethodNotAllowed',
])

/** Serves an endpoint over JSON-RPC 2.0 (§9). The path plays no part. */
export function createJsonRpcHandler(options: ServingOptions): HttpHandler {
  const { bodyLimit, profile } = options
  const losses = createLossLog(options.log, 'JSONRPC')

  return async (request) => {
    const known: Known = { id: null }
    try {
      if (request.method !== 'POST') throw methodNotAllowed(request.method)
      checkLength(request, bodyLimit)
      const identified = options.identify(request)
      const owner = typeof identified === 'string' ? identified : await identified
      const asked = readVersion(request)
      if (!isSupported(asked)) throw await unsupported(request, { asked, known })
      checkContentType(request)
      const body = parseJson(await readText(request, bodyLimit))
      known.id = readId(body)
      const { method, params } = readEnvelope(body)
      known.method = method
      const recognised = recognise({
        asked,
        assumed: profile.assumedVersion,
        look: ({ jsonRpc: dialect }) => {
          const row = dialect.find(method)
          return row && { dialect, row }
        },
      })
      if (recognised === undefined) {
        const text = method.length > 60 ? 'Method not found' : `Method not found: ${JSON.stringify(method)}`
        throw new A2AError('MethodNotFound', text)
      }
      known.asEvent = isAnsweredByEvents(request, recognised.found)
      if (recognised.error !== undefined) throw recognised.error
      return await answer(request, { ...recognised.found, owner, params, id: known.id })
    } catch (thrown) {
      return failure(thrown, known)
    }
  }

  /** A version that is not spoken is told under the id of the request, which takes a look at the body. */
  async function unsupported(
    request: HttpRequest,
    { asked, known }: { readonly asked: string; readonly known: Known },
  ): Promise<A2AError> {
    try {
      known.id = readId(parseJson(await readText(request, bodyLimit)))
    } catch (unread) {
      if (A2AError.is(unread) && unread.code === 'PayloadTooLarge') throw unread
    }
    return versionError(asked)
  }

  async function answer(request: HttpRequest, asked: Asked): Promise<HttpResponse> {
    const { dialect, row, owner, params, id } = asked
    const { operation } = row
    const { extensions, header } = requestedExtensions(request)
    options.gate(operation, { extensions })
    const note = losses(row.name)
    const decoded = decodeRequest({ dialect, row, profile }, params, { note })
    const tenant = decoded.tenant ?? ''
    if (tenant !== '') checkTenant(tenant, options.tenants)
    const context = createContext(request, { version: dialect.version, tenant, owner, extensions })
    if (operation.kind === 'stream') {
      const name = operation.name as StreamOperation
      const reply = await options.endpoint.stream({ operation: name, request: decoded as never, context })
      return streamResponse(reply, { ...asked, header })
    }
    const name = operation.name as UnaryOperation
    const reply = await options.endpoint.unary({ operation: name, request: decoded as never, context })
    return {
      status: 200,
      headers: withExtensions(apiHeaders, reply.extensions, header),
      body: `${resultPrefix(id)}${dialect.encode(row, reply.result, note).text}}`,
    }
  }

  function streamResponse(reply: StreamReply, asked: Asked & { readonly header: string }): HttpResponse {
    const { dialect, row, id } = asked
    const body = options.streams.open(dialect.frames(row, reply.events, losses(row.name)), {
      prefix: resultPrefix(id),
      suffix: '}',
      error: (reason) => {
        const error = A2AError.from(reason)
        logFailure(options.log, error, { binding: 'JSONRPC', operation: row.name })
        return errorText(id, error)
      },
    })
    return { status: 200, headers: withExtensions(streamHeaders, reply.extensions, asked.header), body }
  }

  function failure(thrown: unknown, known: Known): HttpResponse {
    const error = A2AError.from(thrown)
    logFailure(options.log, error, { binding: 'JSONRPC', operation: known.method })
    const status = statusOf(error)
    const text = errorText(known.id, error)
    if (status !== 200 || !known.asEvent) return { status, headers: errorHeaders(error), body: text }
    return { status, headers: { ...errorHeaders(error), ...streamHeaders }, body: `data: ${text}\n\n` }
  }

  function statusOf(error: A2AError): number {
    if (!httpLevel.has(error.code)) return 200
    return error.code === 'UnsupportedMediaType' ? profile.mediaTypeStatus : error.row.http
  }
}

/** What is known of a request when it fails. */
interface Known {
  id: RequestId
  method?: string
  asEvent?: boolean
}

interface Asked {
  readonly dialect: Dialect
  readonly row: WireOperation
  readonly owner: string
  readonly id: RequestId
  readonly params: unknown
}

function isAnsweredByEvents(request: HttpRequest, { dialect, row }: Pick<Asked, 'dialect' | 'row'>): boolean {
  if (dialect.streamErrors !== 'event' || row.operation.kind !== 'stream') return false
  return request.headers.accept?.includes('text/event-stream') === true
}

function methodNotAllowed(method: string): A2AError {
  const text = `HTTP method ${method} is not allowed here; JSON-RPC requests are sent with POST`
  return new A2AError('MethodNotAllowed', text, { headers: { allow: 'POST' } })
}
