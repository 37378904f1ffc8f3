import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CallAgent, Instruction } from '../../examples/conformance/instruction.ts'
import { startItkAgent } from '../../examples/conformance/itk-agent.ts'
import type { Server } from '../../src/server/serve.ts'
import type { Binding, Json } from './wire/peer.ts'

/** An agent of a walk: one of ours, known to others by a card of one version only. */
export interface Walker {
  readonly name: string
  readonly version: string
  readonly server: Server
  /** The card that others are told of. */
  readonly cardUri: string
}

/** Agents that know each other. */
export interface Walkers {
  readonly all: readonly Walker[]
  close(): Promise<void>
}

/** Starts one agent for each version that is named; names may come again. */
export async function startWalkers(versions: readonly string[]): Promise<Walkers> {
  const servers = await Promise.all(versions.map(() => startItkAgent({ httpPort: 0, grpcPort: 0 })))
  const cards = new Map<string, Json>()
  const board = await startBoard(cards)
  const all: Walker[] = []
  for (const [at, server] of servers.entries()) {
    const version = versions[at] as string
    const name = `agent${at + 1}_v${version.replace('.', '')}`
    const card = (await (await fetch(server.cardUrl, { headers: { 'a2a-version': version } })).json()) as Json
    cards.set(`/${name}/card.json`, version === '0.3' ? card : only(version, card))
    all.push({ name, version, server, cardUri: `${board.url}/${name}/card.json` })
  }
  return {
    all,
    close: async () => {
      await Promise.all([...servers.map((server) => server.close({ graceMs: 0 })), board.close()])
    },
  }
}

/** A card without the interfaces of other versions. */
function only(version: string, card: Json): Json {
  const listed = card.supportedInterfaces as readonly Json[]
  return { ...card, supportedInterfaces: listed.filter(({ protocolVersion }) => protocolVersion === version) }
}

async function startBoard(cards: ReadonlyMap<string, Json>): Promise<{ url: string; close(): Promise<void> }> {
  const server: HttpServer = createServer((request, response) => {
    const card = cards.get(request.url ?? '')
    response.writeHead(card === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(card ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A closed walk over every edge of the complete digraph of so many nodes, each edge once, from node 0. */
export function eulerCircuit(nodes: number): readonly (readonly [from: number, to: number])[] {
  const left = Array.from({ length: nodes }, (_, from) =>
    Array.from({ length: nodes }, (_, to) => to).filter((to) => to !== from),
  )
  const stack = [0]
  const visited: number[] = []
  while (stack.length > 0) {
    const to = left[stack.at(-1) as number]?.pop()
    if (to === undefined) visited.unshift(stack.pop() as number)
    else stack.push(to)
  }
  return visited.slice(1).map((to, at) => [visited[at] as number, to] as const)
}

export type Behaviour = 'send' | 'stream' | 'resubscribe' | 'push'

/** The name that the kit has for a binding. */
export const transports: Readonly<Record<Binding, string>> = {
  JSONRPC: 'jsonrpc',
  'HTTP+JSON': 'http_json',
  GRPC: 'grpc',
}

const behaviours: Readonly<Record<Behaviour, (hook: string) => CallAgent>> = {
  send: () => ({ sendMessage: {} }),
  stream: () => ({ sendMessage: {}, streaming: true }),
  resubscribe: () => ({ resubscribe: {} }),
  push: (url) => ({ pushNotification: { url } }),
}

export interface Walk {
  /** What the first agent is told to do. */
  readonly instruction: Instruction
  /** Everything that must be in its answer. */
  readonly tokens: readonly string[]
}

export interface WalkOptions {
  readonly binding: Binding
  readonly behaviour: Behaviour
  /** Where notifications go. */
  readonly hook?: string
}

/** A walk over every pair of agents in both directions: each says its word and calls the next. */
export function planWalk(walkers: readonly Walker[], { binding, behaviour, hook = '' }: WalkOptions): Walk {
  const end = `traversal-completed:${transports[binding]}`
  const hold = behaviour === 'resubscribe' ? { holdTask: true } : {}
  const tokens: string[] = [end]
  let instruction: Instruction = { returnResponse: { response: end, ...hold } }
  const edges = eulerCircuit(walkers.length)
  for (const [at, [from, to]] of [...edges.entries()].reverse()) {
    const callee = walkers[to] as Walker
    const token = `[${walkers[from]?.name} -> ${callee.name} (${transports[binding]})]`
    tokens.push(token)
    const callAgent: CallAgent = {
      transport: transports[binding],
      agentCardUri: callee.cardUri,
      instruction,
      ...behaviours[behaviour](hook),
    }
    // Nobody subscribes to the first agent, so that its task need not be held.
    const response = { response: token, ...(at === 0 ? {} : hold) }
    instruction = { steps: { instructions: [{ returnResponse: response }, { callAgent }], responseGenerator: 1 } }
  }
  return { instruction, tokens }
}
