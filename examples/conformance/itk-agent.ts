// The agent as the integration test kit and ACTS start it: npm run itk-agent -- --httpPort 8080 --grpcPort 8081
import { parseArgs } from 'node:util'
import { type Server, type ServerPaths, serve } from 'parlance/server'
import { actsAuthenticator } from './acts-auth.ts'
import { agent } from './agent.ts'

/** Where the kit looks for each binding, and for the card. */
const paths: ServerPaths = {
  jsonRpc: ['/jsonrpc'],
  rest: '/rest',
  cards: ['', '/jsonrpc', '/rest'].map((place) => `${place}/.well-known/agent-card.json`),
}

/** Where the agent is to be reached; 0 is any free port. */
export interface ItkPorts {
  readonly httpPort: number
  readonly grpcPort: number
}

/** Serves the agent on two ports of this machine. */
export function startItkAgent({ httpPort, grpcPort }: ItkPorts): Promise<Server> {
  const { ITK_ACTS_REDUCED_CAPABILITIES: reduced, ITK_ACTS_AUTH: auth } = process.env
  return serve(agent, {
    listen: `127.0.0.1:${httpPort}`,
    grpcListen: `127.0.0.1:${grpcPort}`,
    profile: reduced === '1' || auth === '1' ? 'acts' : 'itk',
    paths,
    store: 'memory',
    ...(auth === '1' && { authenticator: actsAuthenticator }),
  })
}

/** Reads the ports from a command line, serves, and closes on a signal. */
export async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { httpPort: { type: 'string' }, grpcPort: { type: 'string' } },
  })
  const server = await startItkAgent({ httpPort: portOf('httpPort', values), grpcPort: portOf('grpcPort', values) })
  console.log(server.cardUrl)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close({ graceMs: 0 }).then(() => process.exit(0)))
  }
}

function portOf(name: keyof ItkPorts, values: { readonly [name in keyof ItkPorts]?: string | undefined }): number {
  const port = Number(values[name])
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TypeError(`--${name} must be a port, such as 8080`)
  return port
}
