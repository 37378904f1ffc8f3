import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server, ServerCredentials, type ServiceDefinition, type UntypedServiceImplementation } from '@grpc/grpc-js'
import express from 'express'

/** A served agent of a peer. */
export interface ServedPeer {
  /** Where its card is. */
  readonly card: string
  close(): Promise<void>
}

/** What a peer puts on its ports, once they are known. */
export interface PeerRoutes {
  readonly http: (app: express.Express) => void
  readonly grpc: readonly (readonly [ServiceDefinition, UntypedServiceImplementation])[]
}

/** Where the bindings of a peer are. */
export interface PeerUrls {
  readonly JSONRPC: string
  readonly 'HTTP+JSON': string
  readonly GRPC: string
}

/** Serves a peer in this process, its HTTP bindings with express and its gRPC services with grpc-js. */
export async function servePeer(routes: (urls: PeerUrls) => PeerRoutes): Promise<ServedPeer> {
  const app = express()
  const http = createServer(app)
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const grpc = new Server()
  const grpcPort = await new Promise<number>((resolve, refuse) => {
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : refuse(error),
    )
  })
  const card = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { http: mount, grpc: services } = routes({
    JSONRPC: `${card}/rpc`,
    'HTTP+JSON': `${card}/rest`,
    GRPC: `127.0.0.1:${grpcPort}`,
  })
  mount(app)
  for (const [definition, implementation] of services) grpc.addService(definition, implementation)
  return {
    card,
    close: async () => {
      grpc.forceShutdown()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}
