import { encodeValue } from '../../protocol/encoded.ts'
import type { Call, Endpoint, Reply } from '../../protocol/endpoint.ts'
import { A2AError } from '../../protocol/errors.ts'
import type { AgentInterface } from '../../protocol/generated/v1/types.ts'
import {
  findOperation,
  type OperationName,
  type StreamOperation,
  type UnaryOperation,
} from '../../protocol/operations.ts'
import { answerReader, readJson } from '../answer.ts'
import { callHeaders, callTenant } from '../call-headers.ts'
import { type FetchAnswer, fetchCall, shownUrl, type TransportOptions, transportLimits } from '../fetch-call.ts'
import { members } from '../remote-error.ts'
import { readExtensions } from '../service-parameters.ts'
import { openStream } from '../stream-reply.ts'

/** Calls an agent by JSON-RPC over HTTP (§9). */
export function connectJsonRpc(iface: AgentInterface, transport: TransportOptions = {}): Endpoint {
  const warn = transport.warn ?? (() => {})
  const limits = { ...transportLimits, ...transport.limits }
  let calls = 0

  function post(call: Call<OperationName>, accept: string): Promise<FetchAnswer> {
    const { operation, request, context } = call
    const tenant = callTenant(context, iface)
    const params = tenant === '' ? request : { ...request, tenant }
    calls += 1
    return fetchCall(
      {
        url: iface.url,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...callHeaders(context, iface) },
        body: JSON.stringify({ jsonrpc: '2.0', id: calls, method: operation, params }),
        signal: context.signal,
        firstByte: 'message' in request ? limits.firstByteOfSend : limits.firstByte,
      },
      transport,
    )
  }

  return {
    async unary<O extends UnaryOperation>(call: Call<O>): Promise<Reply<O>> {
      const answer = await post(call, 'application/json')
      const body = await readJson(answer)
      const result = Array.isArray(body) && body.length === 1 ? body[0] : body
      if (!('result' in members(result))) {
        const text = `${shownUrl(answer.url)} answered with JSON that holds neither a result nor an error`
        throw new A2AError('InvalidAgentResponse', text)
      }
      const readAnswer = await answerReader(warn)
      const value = readAnswer(findOperation(call.operation)!.response, members(result).result ?? {})
      const extensions = readExtensions(answer.headers.get('a2a-extensions') ?? undefined)
      return { result: encodeValue(value), extensions } as Reply<O>
    },
    async stream<O extends StreamOperation>(call: Call<O>) {
      const answer = await post(call, 'text/event-stream, application/json')
      return openStream(answer, { framing: 'envelope', transport })
    },
  }
}
