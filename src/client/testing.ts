import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import type { Agent } from './agent.ts'
import { createCardCache } from './card-cache.ts'
import { connect } from './connect.ts'
import type { ConnectOptions } from './options.ts'

/** A request as a scripted peer saw it. */
export interface SeenRequest {
  readonly method: string
  /** Path and query as they came. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** The parsed body; empty when there is none. */
  readonly body: JsonObject
}

/** What a script does with a request. */
export type Script = (request: SeenRequest, response: ServerResponse) => void | Promise<void>

/** A server that says what a test tells it to say. */
export interface Peer {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  /** Requests for a path, or JSON-RPC calls of a method. */
  seen(name: string): SeenRequest[]
  close(): Promise<void>
}

/** Starts a peer on a free port of this machine; it closes after the test. */
export async function startPeer(script: Script): Promise<Peer> {
  const requests: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    let text = ''
    for await (const chunk of incoming.setEncoding('utf8')) text += chunk
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, text, body: text === '' ? {} : (JSON.parse(text) as JsonObject) }
    requests.push(request)
    await script(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    seen: (name) => requests.filter(({ url, body }) => url.split('?')[0] === name || body.method === name),
    close,
  }
}

/** A sound card with one JSON-RPC interface. */
export function cardOf(url: string, changes: Partial<AgentCard> = {}): AgentCard {
  return {
    name: 'Peer',
    description: 'Says what it is told to say',
    version: '1.0.0',
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say', name: 'Say', description: 'Says it', tags: ['say'] }],
    ...changes,
  }
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** Answers a JSON-RPC call. */
export function sendResult(response: ServerResponse, { body }: SeenRequest, result: unknown): void {
  sendJson(response, { jsonrpc: '2.0', id: body.id, result })
}

/** A frame of a JSON-RPC stream. */
export function rpcFrame({ body }: SeenRequest, result: unknown, id?: number): string {
  const head = id === undefined ? '' : `id: ${id}\n`
  return `${head}data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result })}\n\n`
}

/** Begins an event stream. */
export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
}

/** Writes pieces, each in a packet of its own as far as the machine plays along. */
export async function writePieces(response: ServerResponse, pieces: readonly (string | Uint8Array)[]): Promise<void> {
  for (const piece of pieces) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()))
    await new Promise(setImmediate)
  }
}

/** Cuts the connection without an end. */
export function cut(response: ServerResponse): void {
  response.socket?.destroy()
}

/** A task with an id, a state, and what else is given. */
export function taskOf(state: string, more: JsonObject = {}): JsonObject {
  return { id: 't1', contextId: 'c1', status: { state, timestamp: '2026-01-01T00:00:00.000Z' }, ...more }
}

/** A status update for that task. */
export function statusOf(state: string, more: JsonObject = {}): JsonObject {
  return { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state, ...more } } }
}

/** An artifact update for that task. */
export function chunkOf(artifactId: string, text: string, more: JsonObject = {}): JsonObject {
  return { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId, parts: [{ text }] }, ...more } }
}

/** Connects with delays fit for a test, and with a cache of its own. */
export function connectFast(target: string | AgentCard, options: ConnectOptions = {}): Promise<Agent> {
  return connect(target, {
    cache: createCardCache(),
    retry: { base: 1, cap: 50 },
    polling: { base: 1, cap: 5 },
    ...options,
  })
}

/** Options of `connect`, and what the card has of its own. */
export interface Setup extends ConnectOptions {
  readonly card?: Partial<AgentCard>
}

/** A scripted peer and an agent connected to it. */
export async function startAgent(
  script: Script,
  { card, ...options }: Setup = {},
): Promise<{ peer: Peer; agent: Agent }> {
  const peer = await startPeer(script)
  return { peer, agent: await connectFast(cardOf(peer.url, card), options) }
}

/** A card without streaming. */
export const polled: Partial<AgentCard> = { capabilities: {} }
/** What an agent asks. */
export const prompt: JsonObject = { messageId: 'p1', role: 'ROLE_AGENT', parts: [{ text: 'which city?' }] }

/** Streams these frames and ends. */
export function streaming(...frames: readonly object[]): Script {
  return (request, response) => {
    beginStream(response)
    response.end(frames.map((frame) => rpcFrame(request, frame)).join(''))
  }
}

/** A card of 0.3, with its main interface at `/rpc`. */
export function oldCard(url: string, changes: JsonObject = {}): JsonObject {
  return {
    protocolVersion: '0.3.0',
    name: 'Old',
    description: 'Speaks 0.3',
    url: `${url}/rpc`,
    preferredTransport: 'JSONRPC',
    version: '1.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'say', name: 'Say', description: 'Says it', tags: ['say'] }],
    ...changes,
  }
}

/** A peer of 0.3 that acts by a script, and an agent connected to it. */
export async function connectOld(
  script: Script,
  changes: (url: string) => JsonObject = () => ({}),
  options: ConnectOptions = {},
): Promise<{ readonly peer: Peer; readonly agent: Agent }> {
  let url = ''
  const peer = await startPeer((request, response) => {
    if (request.url.startsWith('/.well-known/')) return sendJson(response, oldCard(url, changes(url)))
    return script(request, response)
  })
  url = peer.url
  return { peer, agent: await connectFast(peer.url, options) }
}

/** Streams results of JSON-RPC as a peer of 0.3, then whatever else is given. */
export function streamOld(results: readonly JsonObject[], tail = ''): Script {
  return ({ body }, response) => {
    beginStream(response)
    const frames = results.map((result) => `data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result })}\n\n`)
    response.end(frames.join('') + tail)
  }
}
