import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { A2AService, grpcService, UserBuilder } from '@a2a-js/sdk/server/grpc'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { card, executor } from './sdk.mjs'

/** Serves the benchmark's agent with the JavaScript SDK's gRPC service. */
export async function start() {
  const supportedInterfaces = [{ url: '127.0.0.1', protocolBinding: 'GRPC', protocolVersion: '1.0', tenant: '' }]
  const requestHandler = new DefaultRequestHandler({ ...card, supportedInterfaces }, new InMemoryTaskStore(), executor)
  const server = new Server()
  server.addService(A2AService, grpcService({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
  const port = await new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    )
  })
  return { port, path: '/lf.a2a.v1.A2AService', close: () => server.forceShutdown() }
}
