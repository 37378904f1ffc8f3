import type { AgentInterface } from '../protocol/generated/v1/types.ts'

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
