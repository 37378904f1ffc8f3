import type { Endpoint } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type { ConnectBinding } from './options.ts'

/** Whether this runtime can speak gRPC, which no browser can. */
export const canSpeakGrpc: boolean = typeof globalThis.process?.versions?.node === 'string'

/** Calls an agent over gRPC (§10); what that takes is loaded with the first call. */
export const connectGrpcLater: ConnectBinding = (iface, transport) => {
  let made: Promise<Endpoint> | undefined
  const endpoint = (): Promise<Endpoint> => {
    made ??= import('../bindings/grpc/client.ts')
      .then(({ connectGrpc }) => connectGrpc(iface, transport))
      .catch((cause) => {
        const text = 'gRPC cannot be spoken here, as what it takes cannot be loaded'
        throw new A2AError('Unavailable', text, { cause, metadata: { delivered: 'no' }, retryable: false })
      })
    return made
  }
  return {
    unary: async (call) => (await endpoint()).unary(call),
    stream: async (call) => (await endpoint()).stream(call),
  }
}
