import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/http.ts'
import type { Call, StreamReply } from '../../protocol/endpoint.ts'
import { A2AError, type ErrorCode } from '../../protocol/errors.ts'
import type { StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import { selectWire, type Wire } from '../../protocol/versions/wire.ts'
import { apiHeaders, errorHeaders, logFailure, streamHeaders, withExtensions } from '../failure.ts'
import { checkContentType, checkLength, parseJson, readText } from '../json-body.ts'
import { readExtensions, readVersion } from '../service-parameters.ts'
import { checkTenant, createContext, type ServingOptions } from '../serving.ts'
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
  const { bodyLimit, policy } = options

  return async (request) => {
    const known: { id: RequestId; method?: string } = { id: null }
    try {
      if (request.method !== 'POST') throw methodNotAllowed(request.method)
      checkLength(request, bodyLimit)
      const identified = options.identify(request)
      const owner = typeof identified === 'string' ? identified : await identified
      const wire = await readWire(request)
      checkContentType(request)
      const body = parseJson(await readText(request, bodyLimit))
      known.id = readId(body)
      const { method, params } = readEnvelope(body)
      known.method = method
      return await answer(request, { wire, owner, method, params, id: known.id })
    } catch (thrown) {
      return failure(thrown, known)
    }

    /** A version that is not spoken is told under the id of the request, which takes a look at the body. */
    async function readWire(request: HttpRequest): Promise<Wire> {
      try {
        return selectWire(readVersion(request), policy.assumedVersion)
      } catch (error) {
        try {
          known.id = readId(parseJson(await readText(request, bodyLimit)))
        } catch (unread) {
          if (A2AError.is(unread) && unread.code === 'PayloadTooLarge') throw unread
        }
        throw error
      }
    }
  }

  async function answer(request: HttpRequest, asked: Asked): Promise<HttpResponse> {
    const { wire, owner, method, params, id } = asked
    const operation = wire.findMethod(method)
    if (operation === undefined) {
      const text = method.length > 60 ? 'Method not found' : `Method not found: ${JSON.stringify(method)}`
      throw new A2AError('MethodNotFound', text)
    }
    const extensions = readExtensions(request.headers['a2a-extensions'])
    options.gate(operation, { extensions })
    const decoded = wire.decode(operation, params) as Call['request']
    const tenant = decoded.tenant ?? ''
    if (tenant !== '') checkTenant(tenant, options.tenants)
    const context = createContext(request, { version: wire.version, tenant, owner, extensions })
    if (operation.kind === 'stream') {
      const name = operation.name as StreamOperation
      const reply = await options.endpoint.stream({ operation: name, request: decoded as never, context })
      return streamResponse(reply, { wire, id, method })
    }
    const name = operation.name as UnaryOperation
    const reply = await options.endpoint.unary({ operation: name, request: decoded as never, context })
    return {
      status: 200,
      headers: withExtensions(apiHeaders, reply.extensions),
      body: `${resultPrefix(id)}${wire.encode(operation, reply.result)}}`,
    }
  }

  function streamResponse(reply: StreamReply, asked: Pick<Asked, 'wire' | 'id' | 'method'>): HttpResponse {
    const body = options.streams.open(asked.wire.frames(reply.events), {
      prefix: resultPrefix(asked.id),
      suffix: '}',
      error: (reason) => {
        const error = A2AError.from(reason)
        logFailure(options.log, error, { binding: 'JSONRPC', operation: asked.method })
        return errorText(asked.id, error)
      },
    })
    return { status: 200, headers: withExtensions(streamHeaders, reply.extensions), body }
  }

  function failure(thrown: unknown, known: { readonly id: RequestId; readonly method?: string }): HttpResponse {
    const error = A2AError.from(thrown)
    logFailure(options.log, error, { binding: 'JSONRPC', operation: known.method })
    return { status: statusOf(error), headers: errorHeaders(error), body: errorText(known.id, error) }
  }

  function statusOf(error: A2AError): number {
    if (!httpLevel.has(error.code)) return 200
    return error.code === 'UnsupportedMediaType' ? policy.mediaTypeStatus : error.row.http
  }
}

interface Asked {
  readonly wire: Wire
  readonly owner: string
  readonly id: RequestId
  readonly method: string
  readonly params: unknown
}

function methodNotAllowed(method: string): A2AError {
  const text = `HTTP method ${method} is not allowed here; JSON-RPC requests are sent with POST`
  return new A2AError('MethodNotAllowed', text, { headers: { allow: 'POST' } })
}
