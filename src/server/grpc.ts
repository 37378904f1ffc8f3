import type { IncomingHttpHeaders } from 'node:http2'
import { apiHeaders } from '../bindings/failure.ts'
import type { GrpcHandler } from '../bindings/grpc/server.ts'
import { restErrorText } from '../bindings/http/error-text.ts'
import type { ServingOptions } from '../bindings/serving.ts'
import type { HttpHandler } from '../lib/http.ts'
import { A2AError } from '../protocol/errors.ts'

/** The gRPC side of a server; it is loaded with the first call. */
export function createGrpc(serving: ServingOptions): GrpcHandler {
  let handler: GrpcHandler | undefined
  let loading: Promise<GrpcHandler> | undefined

  async function load(): Promise<GrpcHandler> {
    const { createGrpcHandler } = await import('../bindings/grpc/server.ts')
    handler = createGrpcHandler(serving)
    return handler
  }

  return (stream, headers, limits) => {
    if (handler !== undefined) return handler(stream, headers, limits)
    stream.on('error', () => {})
    loading ??= load()
    loading.then(
      (loaded) => loaded(stream, headers, limits),
      (cause) => {
        serving.log.error('gRPC could not be loaded', { cause })
        stream.destroy()
      },
    )
  }
}

/** Whether an HTTP/2 stream carries a gRPC call, well-formed or not. */
export function isGrpcStream(headers: IncomingHttpHeaders): boolean {
  return headers['content-type']?.startsWith('application/grpc') === true
}

/** Answers what comes to an address that carries gRPC alone and is something else. */
export const refuseOthers: HttpHandler = async () => {
  const error = new A2AError('NotFound', 'This address carries gRPC alone')
  return { status: 404, headers: apiHeaders, body: restErrorText(error, 404) }
}
