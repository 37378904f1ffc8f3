import type { ServerResponse } from 'node:http'
import type { TransportOptions } from '../../src/bindings/fetch-call.ts'
import { connectHttp } from '../../src/bindings/http/client.ts'
import { connectJsonRpc } from '../../src/bindings/jsonrpc/client.ts'
import { type Peer, type Script, type SeenRequest, sendJson, startPeer } from '../../src/client/testing.ts'
import type { CallContext, Endpoint } from '../../src/protocol/endpoint.ts'
import type { AgentInterface } from '../../src/protocol/generated/v1/types.ts'

/** The bindings that speak JSON. */
export type Binding = 'JSONRPC' | 'HTTP+JSON'
/** Each of them. */
export const bindings: readonly Binding[] = ['JSONRPC', 'HTTP+JSON']

/** A scripted peer and a transport to it; the peer closes after the test. */
export async function startTransport(
  binding: Binding,
  script: Script,
  { iface = {}, transport = {} }: { iface?: Partial<AgentInterface>; transport?: TransportOptions } = {},
): Promise<{ peer: Peer; endpoint: Endpoint; warnings: string[] }> {
  const peer = await startPeer(script)
  const warnings: string[] = []
  const full = { url: `${peer.url}/base/`, protocolBinding: binding, protocolVersion: '1.0', ...iface }
  const options: TransportOptions = { warn: (text) => warnings.push(text), ...transport }
  return {
    peer,
    endpoint: binding === 'JSONRPC' ? connectJsonRpc(full, options) : connectHttp(full, options),
    warnings,
  }
}

/** The context of a plain call. */
export const context: CallContext = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }

/** A success in the form of the binding. */
export function succeed(
  binding: Binding,
  response: ServerResponse,
  { request, result }: { request: SeenRequest; result: unknown },
): void {
  sendJson(response, binding === 'JSONRPC' ? { jsonrpc: '2.0', id: request.body.id ?? null, result } : result)
}

/** A frame of a stream in the form of the binding. */
export function frame(binding: Binding, result: unknown, id?: number): string {
  const body = binding === 'JSONRPC' ? { jsonrpc: '2.0', id: 1, result } : result
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(body)}\n\n`
}

/** Subscribes and gathers ids and values of all frames. */
export async function collect(
  endpoint: Endpoint,
  options: Partial<CallContext> = {},
): Promise<{ ids: unknown[]; values: unknown[] }> {
  const request = { id: 't1' }
  const reply = await endpoint.stream({ operation: 'SubscribeToTask', request, context: { ...context, ...options } })
  const ids: unknown[] = []
  const values: unknown[] = []
  for await (const group of reply.events) {
    for (const event of group) {
      ids.push(event.id)
      values.push(event.value)
    }
  }
  return { ids, values }
}

/** A message that may be sent. */
export const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const
