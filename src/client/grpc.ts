import type { Endpoint } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type { AgentInterface } from '../protocol/generated/v1/types.ts'
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

/**
 * Gives the URL that stands for an interface where credentials are decided on, or undefined where nobody can be reached.
 * `secure`: whether a gRPC address that does not say so is reached over TLS.
 */
export async function addressReader(
  interfaces: readonly AgentInterface[],
  secure: boolean,
): Promise<(iface: AgentInterface) => string | undefined> {
  const isGrpc = ({ protocolBinding }: AgentInterface): boolean => protocolBinding === 'GRPC'
  const target = interfaces.some(isGrpc) ? await import('../bindings/grpc/target.ts') : undefined
  return (iface) => {
    const { url } = iface
    if (target === undefined || !isGrpc(iface)) return URL.canParse(url) ? url : undefined
    try {
      return target.readTarget(url, { secure }).url
    } catch {
      // Whoever calls it gets to see why it is no address.
      return undefined
    }
  }
}
