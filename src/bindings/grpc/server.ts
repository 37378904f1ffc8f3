import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { parseMediaType } from '../../lib/media-type.ts'
import type { StreamReply } from '../../protocol/endpoint.ts'
import { A2AError } from '../../protocol/errors.ts'
import { resumeExtension } from '../../protocol/extensions.ts'
import type { StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import { grpcOverrides } from '../../protocol/profiles.ts'
import type { Dialect, Frame, Note, WireOperation } from '../../protocol/versions/dialect.ts'
import { recognise, type Wire, wires } from '../../protocol/versions/wire.ts'
import { logFailure } from '../failure.ts'
import { createLossLog } from '../loss-log.ts'
import { extensionsHeader, requestedExtensions } from '../service-parameters.ts'
import { checkTenant, createContext, type ServingOptions, withMessageId } from '../serving.ts'
import { answerHeaders, type CallSettings, GrpcCall, type GrpcMethod } from './call.ts'
import { type Codec, createCodec } from './codec.ts'
import { checkEncoding, compressedFrame, squeezeFrom } from './compression.ts'
import { withEventNumber } from './event-number.ts'
import { frameOf } from './frame.ts'
import { FrameCache } from './frame-cache.ts'
import { addHealth } from './health.ts'
import { type CallLimits, readTimeout, usualLimits } from './limits.ts'
import { addReflection } from './reflection.ts'
import { StreamWriter } from './stream-writer.ts'

/** Answers the gRPC calls that come as HTTP/2 streams. */
export type GrpcHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, limits?: CallLimits) => void

/** An operation in the words of one version. */
interface Target {
  readonly wire: Wire
  readonly dialect: Dialect
  readonly row: WireOperation
  readonly codec: Codec
  readonly note: Note
  /** What frames are encoded to, once for all who read them. */
  readonly encoded: FrameCache
}

/** Serves an endpoint over gRPC (§10), with health checks and reflection beside it. */
export function createGrpcHandler(options: ServingOptions): GrpcHandler {
  const { log, profile } = options
  const losses = createLossLog(log, 'GRPC')
  const methods = new Map<string, GrpcMethod>()
  const services = wires.map(({ grpc }) => grpc.grpc.service)
  for (const wire of wires) {
    const dialect = wire.grpc
    const { service, schema } = dialect.grpc
    const shared = { wire, dialect, codec: createCodec(schema), encoded: new FrameCache() }
    for (const row of dialect.operations) {
      const target: Target = { ...shared, row, note: losses(row.name) }
      methods.set(`/${service}/${row.name}`, (call) => identify(call, target))
    }
  }
  addHealth(methods, { services, streams: options.streams })
  addReflection(methods, services)

  const settings: CallSettings = {
    bodyLimit: options.bodyLimit,
    overrides: grpcOverrides(profile),
    failed: (error, { path }) => {
      logFailure(log, error, { binding: 'GRPC', operation: operationOf(path) })
      options.failed?.(error)
    },
  }

  return (stream, headers, limits = usualLimits) => {
    const call = new GrpcCall(stream, headers, { settings, limits })
    if (headers['content-type'] !== 'application/grpc' && !isGrpc(headers['content-type'])) {
      refuseType(stream)
      return
    }
    try {
      checkHead(headers)
      checkEncoding(call.headers)
      const timeout = headers['grpc-timeout']
      if (timeout !== undefined) call.setDeadline(readTimeout(String(timeout)))
      const method = methods.get(call.path)
      if (method === undefined) throw unknownMethod(call.path, services)
      method(call)
    } catch (thrown) {
      call.fail(A2AError.from(thrown))
    }
  }

  function identify(call: GrpcCall, usual: Target): void {
    const dialect = usual.dialect.forCaller?.(call.headers['user-agent'] ?? '')
    const target = dialect === undefined ? usual : { ...usual, dialect }
    call.namesErrors = target.wire.version === '0.3'
    const identified = options.identify(call)
    if (typeof identified === 'string') admit(call, target, identified)
    else identified.then((owner) => admit(call, target, owner)).catch((thrown) => call.fail(A2AError.from(thrown)))
  }

  /** What can be said against a call before its message is read. */
  function admit(call: GrpcCall, target: Target, owner: string): void {
    const { wire, dialect, row } = target
    const asked = call.headers['a2a-version'] ?? ''
    if (asked !== dialect.version) {
      const recognised = recognise({
        asked,
        assumed: profile.assumedVersion,
        look: (other) => (other === wire ? target : undefined),
      })
      if (recognised?.error !== undefined) throw recognised.error
    }
    const extensions = requestedExtensions(call.headers)
    options.gate(row.operation, { extensions })
    call.readOne((message) => serve(call, { target, owner, extensions, message }))
  }

  function serve(call: GrpcCall, asked: Asked): void {
    const { target, owner, extensions } = asked
    const { dialect, row, codec, note } = target
    const { operation } = row
    const message = readMessage(codec, row, asked.message)
    const input = profile.messageId === 'optional' ? withMessageId(operation, message) : message
    const decoded = dialect.decode(row, input, { note })
    const tenant = decoded.tenant ?? ''
    if (tenant !== '') checkTenant(tenant, options.tenants)
    const context = createContext(call, { version: dialect.version, tenant, owner, extensions })
    const failed = (thrown: unknown): void => call.fail(A2AError.from(thrown))
    if (operation.kind === 'stream') {
      const name = operation.name as StreamOperation
      options.endpoint
        .stream({ operation: name, request: decoded as never, context })
        .then((reply) => stream(call, reply, asked))
        .catch(failed)
      return
    }
    const name = operation.name as UnaryOperation
    options.endpoint
      .unary({ operation: name, request: decoded as never, context })
      .then(({ result, extensions: activated }) => {
        if (call.isOver) return
        const { value } = dialect.encode(row, result, note)
        const message = writeMessage(codec, row, value)
        const threshold = squeezeFrom(call.headers)
        const headers = headersWith(activated, call)
        if (threshold === undefined || message.length < threshold) return call.answer(frameOf(message), headers)
        return compressedFrame(message).then((frame) => call.answer(frame, { ...headers, ...gzipped }))
      })
      .catch(failed)
  }

  function stream(call: GrpcCall, reply: StreamReply, asked: Asked): void {
    const { dialect, row, codec, note, encoded } = asked.target
    if (call.isOver) {
      reply.events[Symbol.asyncIterator]()
        .return?.()
        .then(undefined, () => {})
      return
    }
    const threshold = squeezeFrom(call.headers)
    const headers = headersWith(reply.extensions, call)
    const numbered = asked.extensions.includes(resumeExtension)
    call.beginStream(threshold === undefined ? headers : { ...headers, ...gzipped })
    const bytesOf = (frame: Frame): Buffer => {
      let bytes = encoded.get(frame)
      if (bytes === undefined) {
        bytes = frameOf(writeMessage(codec, row, frame.value))
        encoded.set(frame, bytes)
      }
      return bytes
    }
    new StreamWriter(dialect.frames(row, reply.events, note), {
      call,
      streams: options.streams,
      encode: numbered ? (frame) => withEventNumber(bytesOf(frame), frame.id) : bytesOf,
      squeezeFrom: threshold,
    })
  }
}

interface Asked {
  readonly target: Target
  readonly owner: string
  readonly extensions: readonly string[]
  /** Name of the metadata entry that answers with what was activated. */
  readonly message: Uint8Array
}

const gzipped = { 'grpc-encoding': 'gzip' } as const

function headersWith(activated: readonly string[], { headers }: GrpcCall): typeof answerHeaders {
  if (activated.length === 0) return answerHeaders
  return { ...answerHeaders, [extensionsHeader(headers)]: activated.join(',') }
}

function readMessage(codec: Codec, { request }: WireOperation, message: Uint8Array): object {
  try {
    const read: { pageSize?: unknown } = codec.decode(request, message)
    // The Go SDK writes 0 for a size that nobody gave.
    if (request === 'ListTasksRequest' && read.pageSize === 0) delete read.pageSize
    return read
  } catch (cause) {
    if (A2AError.is(cause)) throw cause
    throw new A2AError('ParseError', `The message is not a valid ${request} of protocol buffers`, { cause })
  }
}

/** What cannot be written is no fault of the caller's. */
function writeMessage(codec: Codec, { response }: WireOperation, value: unknown): Uint8Array {
  try {
    return codec.encode(response, value as object)
  } catch (cause) {
    throw new A2AError('Internal', undefined, { cause })
  }
}

function isGrpc(type: string | undefined): boolean {
  if (type === undefined) return false
  const media = parseMediaType(type).type
  return media === 'application/grpc' || media === 'application/grpc+proto'
}

function refuseType(stream: ServerHttp2Stream): void {
  if (stream.destroyed || stream.closed) return
  stream.respond({ ':status': 415, 'accept-post': 'application/grpc, application/grpc+proto' }, { endStream: true })
  stream.resume()
}

function checkHead(headers: IncomingHttpHeaders): void {
  if (headers[':method'] !== 'POST') {
    throw new A2AError('MethodNotAllowed', `HTTP method ${headers[':method']} is not allowed here; gRPC uses POST`)
  }
  if (headers.te !== 'trailers') {
    throw new A2AError(
      'InvalidRequest',
      'The header "te: trailers" is missing; a client or a proxy on the way does not speak gRPC',
    )
  }
}

function unknownMethod(path: string, services: readonly string[]): A2AError {
  const [, service = '', method = ''] = /^\/([^/]*)\/(.*)$/.exec(path) ?? []
  const text = services.includes(service)
    ? `The service ${service} has no method ${JSON.stringify(method.slice(0, 60))}`
    : `There is no service ${JSON.stringify(service.slice(0, 60))} here; there are ${services.join(', ')}`
  return new A2AError('MethodNotFound', text)
}

function operationOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1, 80)
}
