import type { HttpHandler, HttpRequest, HttpResponse } from '../../lib/http.ts'
import type { StreamReply } from '../../protocol/endpoint.ts'
import { A2AError, type ErrorCode } from '../../protocol/errors.ts'
import type { StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import type { Dialect, Note, WireOperation } from '../../protocol/versions/dialect.ts'
import { isSupported, namedWire, recognise, versionError, wires } from '../../protocol/versions/wire.ts'
import { apiHeaders, errorHeaders, logFailure, streamHeaders, withExtensions } from '../failure.ts'
import { checkContentType, checkLength, parseJson, readText } from '../json-body.ts'
import { createLossLog } from '../loss-log.ts'
import { readVersion, requestedExtensions } from '../service-parameters.ts'
import { checkTenant, createContext, createStreamContext, type ServingOptions, withMessageId } from '../serving.ts'
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
  const fillsIds = profile.messageId === 'optional'
  const losses = createLossLog(options.log, 'JSONRPC')
  const targets = new Map<WireOperation, Target>()
  for (const { jsonRpc: dialect } of wires) {
    for (const row of dialect.operations) targets.set(row, { dialect, row, decoding: { note: losses(row.name) } })
  }

  return async (request) => {
    const known: Known = { id: null, method: undefined, asEvent: false }
    try {
      if (request.method !== 'POST') throw methodNotAllowed(request.method)
      checkLength(request, bodyLimit)
      const identified = options.identify(request)
      const owner = typeof identified === 'string' ? identified : await identified
      const asked = readVersion(request)
      const named = namedWire(asked)
      if (named === undefined && !isSupported(asked)) throw await unsupported(request, { asked, known })
      checkContentType(request)
      const body = parseJson(await readText(request, bodyLimit))
      known.id = readId(body)
      const { method, params } = readEnvelope(body)
      known.method = method
      const row = named?.jsonRpc.find(method)
      const target = row === undefined ? find(request, { asked, method, known }) : (targets.get(row) as Target)
      known.asEvent = isAnsweredByEvents(request, target)
      return await answer(request, { target, owner, params, id: known.id })
    } catch (thrown) {
      return failure(thrown, known)
    }
  }

  /** What a method leads to where the version that is named, if any is, has no such method. */
  function find(
    request: HttpRequest,
    { asked, method, known }: { readonly asked: string; readonly method: string; readonly known: Known },
  ): Target {
    const recognised = recognise({
      asked,
      assumed: profile.assumedVersion,
      look: ({ jsonRpc }) => jsonRpc.find(method),
    })
    if (recognised === undefined) {
      const text = method.length > 60 ? 'Method not found' : `Method not found: ${JSON.stringify(method)}`
      throw new A2AError('MethodNotFound', text)
    }
    const target = targets.get(recognised.found) as Target
    known.asEvent = isAnsweredByEvents(request, target)
    if (recognised.error !== undefined) throw recognised.error
    return target
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

  async function answer(request: HttpRequest, { target, owner, params, id }: Asked): Promise<HttpResponse> {
    const { dialect, row, decoding } = target
    const { operation } = row
    const extensions = requestedExtensions(request.headers)
    options.gate(operation, { extensions })
    const decoded = dialect.decode(row, fillsIds ? withMessageId(operation, params) : params, decoding)
    const tenant = decoded.tenant ?? ''
    if (tenant !== '') checkTenant(tenant, options.tenants)
    const facts = { version: dialect.version, tenant, owner, extensions }
    const context = operation.kind === 'stream' ? createStreamContext(request, facts) : createContext(request, facts)
    if (operation.kind === 'stream') {
      const name = operation.name as StreamOperation
      const reply = await options.endpoint.stream({ operation: name, request: decoded as never, context })
      const headers = withExtensions(streamHeaders, reply.extensions, request)
      return { status: 200, headers, body: streamText(reply, target, id) }
    }
    const name = operation.name as UnaryOperation
    const reply = await options.endpoint.unary({ operation: name, request: decoded as never, context })
    return {
      status: 200,
      headers: withExtensions(apiHeaders, reply.extensions, request),
      body: `${resultPrefix(id)}${dialect.encode(row, reply.result, decoding.note).text}}`,
    }
  }

  function streamText(reply: StreamReply, { dialect, row, decoding }: Target, id: RequestId): HttpResponse['body'] {
    return options.streams.open(dialect.frames(row, reply.events, decoding.note), {
      prefix: resultPrefix(id),
      suffix: '}',
      error: (reason) => {
        const error = A2AError.from(reason)
        logFailure(options.log, error, { binding: 'JSONRPC', operation: row.name })
        return errorText(id, error)
      },
    })
  }

  function failure(thrown: unknown, known: Known): HttpResponse {
    const error = A2AError.from(thrown)
    logFailure(options.log, error, { binding: 'JSONRPC', operation: known.method })
    options.failed?.(error)
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
  method: string | undefined
  asEvent: boolean
}

/** What a method of one version leads to. */
interface Target {
  readonly dialect: Dialect
  readonly row: WireOperation
  readonly decoding: { readonly note: Note }
}

interface Asked {
  readonly target: Target
  readonly owner: string
  readonly id: RequestId
  readonly params: unknown
}

function isAnsweredByEvents(request: HttpRequest, { dialect, row }: Target): boolean {
  if (dialect.streamErrors !== 'event' || row.operation.kind !== 'stream') return false
  return request.headers.accept?.includes('text/event-stream') === true
}

function methodNotAllowed(method: string): A2AError {
  const text = `HTTP method ${method} is not allowed here; JSON-RPC requests are sent with POST`
  return new A2AError('MethodNotAllowed', text, { headers: { allow: 'POST' } })
}
