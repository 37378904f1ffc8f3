import { encodeValue } from '../../protocol/encoded.ts'
import type { Call, Endpoint, Reply } from '../../protocol/endpoint.ts'
import { A2AError } from '../../protocol/errors.ts'
import type { AgentInterface } from '../../protocol/generated/v1/types.ts'
import type { OperationName, StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import { readJson } from '../answer.ts'
import { callHeaders, callTenant } from '../call-headers.ts'
import { type FetchAnswer, fetchCall, shownUrl, type TransportOptions, transportLimits } from '../fetch-call.ts'
import { type Peer, peerOf } from '../peer.ts'
import { members } from '../remote-error.ts'
import { activatedExtensions } from '../service-parameters.ts'
import { openStream } from '../stream-reply.ts'

/** Calls an agent by JSON-RPC over HTTP (§9). */
export function connectJsonRpc(iface: AgentInterface, transport: TransportOptions = {}): Endpoint {
  const warn = transport.warn ?? (() => {})
  const limits = { ...transportLimits, ...transport.limits }
  const getPeer = peerOf(iface, { binding: 'jsonRpc', draft: transport.draft, warn })
  let calls = 0

  function post(call: Call<OperationName>, peer: Peer, accept: string): Promise<FetchAnswer> {
    const { operation, request, context } = call
    const tenant = callTenant(context, iface)
    const row = peer.row(operation)
    const params = peer.request(row, tenant === '' ? request : { ...request, tenant })
    calls += 1
    return fetchCall(
      {
        url: iface.url,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...callHeaders(context, iface) },
        body: JSON.stringify({ jsonrpc: '2.0', id: calls, method: row.name, params }),
        signal: context.signal,
        firstByte: 'message' in request ? limits.firstByteOfSend : limits.firstByte,
      },
      transport,
    )
  }

  const endpoint: Endpoint = {
    async unary<O extends UnaryOperation>(call: Call<O>): Promise<Reply<O>> {
      const peer = await getPeer()
      const answer = await post(call, peer, 'application/json')
      const body = await readJson(answer)
      const result = Array.isArray(body) && body.length === 1 ? body[0] : body
      if (!('result' in members(result))) {
        const text = `${shownUrl(answer.url)} answered with JSON that holds neither a result nor an error`
        throw new A2AError('InvalidAgentResponse', text)
      }
      const value = await peer.answer(peer.row(call.operation), members(result).result ?? {}, call.request)
      return { result: encodeValue(value), extensions: activatedExtensions(answer.headers) } as Reply<O>
    },
    async stream<O extends StreamOperation>(call: Call<O>) {
      const peer = await getPeer()
      const answer = await post(call, peer, 'text/event-stream, application/json')
      const stream = await openStream(answer, { framing: 'envelope', transport, peer })
      return peer.follow(stream, { call, endpoint })
    },
  }
  return endpoint
}
