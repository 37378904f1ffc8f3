import { Client, credentials, type Metadata, Metadata as MetadataOf, type ServiceError, status } from '@grpc/grpc-js'
import { type Answer, type CallOptions, FrameQueue, type Json, type Peer, type WireError } from './peer.ts'
import { loadProto, type ProtoFile } from './proto.ts'

/** How the suites write gRPC. */
export interface GrpcStyle {
  /** `host:port`, dialled without TLS. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly proto: ProtoFile
}

let current: ProtoFile | undefined
let older: ProtoFile | undefined

/** The service of 1.0. */
export function protoOf10(): ProtoFile {
  current ??= loadProto(new URL('../../../spec/a2a.proto', import.meta.url), 'lf.a2a.v1.A2AService')
  return current
}

/** The service of 0.3. */
export function protoOf03(): ProtoFile {
  older ??= loadProto(new URL('../../../spec/a2a-v0.3.proto', import.meta.url), 'a2a.v1.A2AService')
  return older
}

/** gRPC by hand (§10): bytes in, bytes out. */
export function grpcPeer({ url, headers, proto }: GrpcStyle): Peer {
  const client = new Client(url.replace(/^(?:https?|grpc):\/\//, ''), credentials.createInsecure())
  const metadataOf = (options: CallOptions = {}): Metadata => {
    const metadata = new MetadataOf()
    for (const [name, value] of Object.entries({ ...headers, ...options.headers })) {
      if (value !== undefined) metadata.set(name.toLowerCase(), value)
    }
    return metadata
  }
  const methodOf = (operation: string) => {
    const method = proto.service.methods[operation]
    if (method === undefined) throw new Error(`gRPC has no ${operation}`)
    return {
      path: `/${proto.service.fullName.slice(1)}/${operation}`,
      write: (request: Json) => proto.encode(method.requestType, request),
      read: (bytes: Buffer) => proto.decode(method.responseType, bytes),
    }
  }
  const failureOf = ({ code, details, metadata }: ServiceError): WireError => {
    const [encoded] = metadata.get('grpc-status-details-bin')
    const listed = encoded === undefined ? [] : readDetails(proto, encoded as Buffer)
    const info = listed.find((detail) => detail['@type'] === 'type.googleapis.com/google.rpc.ErrorInfo')
    return {
      code,
      message: details,
      reason: info?.reason as string | undefined,
      domain: info?.domain as string | undefined,
      details: listed,
    }
  }
  return {
    binding: 'GRPC',
    url,
    call(operation, request, options) {
      const { path, write, read } = methodOf(operation)
      return new Promise<Answer>((resolve) => {
        const deadline = Date.now() + 30_000
        client.makeUnaryRequest(path, write, read, request, metadataOf(options), { deadline }, (error, value) =>
          resolve(error ? { value: undefined, error: failureOf(error) } : { value, error: undefined }),
        )
      })
    },
    async open(operation, request, options) {
      const { path, write, read } = methodOf(operation)
      const call = client.makeServerStreamRequest(path, write, read, request, metadataOf(options))
      const queue = new FrameQueue(() => call.cancel())
      call.on('data', (event: Json) => {
        queue.envelopes.push(event)
        queue.add(event)
      })
      call.on('error', (error: ServiceError) =>
        queue.end(error.code === status.CANCELLED ? undefined : failureOf(error)),
      )
      call.on('end', () => queue.end())
      return queue
    },
    close: () => client.close(),
  }
}

interface Any {
  readonly type_url: string
  readonly value: Uint8Array
}

function readDetails(proto: ProtoFile, encoded: Buffer): readonly Json[] {
  const { details = [] } = proto.decode('google.rpc.Status', encoded) as { details?: readonly Any[] }
  return details.map(({ type_url: type, value }) => {
    const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : value
    return { '@type': type, ...proto.decode(type.replace('type.googleapis.com/', ''), bytes) }
  })
}
