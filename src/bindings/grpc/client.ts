import { encodeValue } from '../../protocol/encoded.ts'
import type { Call, Endpoint, Reply, StreamEvent, StreamReply } from '../../protocol/endpoint.ts'
import { A2AError } from '../../protocol/errors.ts'
import { resumeExtension } from '../../protocol/extensions.ts'
import type { AgentInterface } from '../../protocol/generated/v1/types.ts'
import type { OperationName, StreamOperation, UnaryOperation } from '../../protocol/operations.ts'
import { protocolVersion } from '../../protocol/schema.ts'
import { majorMinor } from '../../protocol/version-text.ts'
import type { WireOperation } from '../../protocol/versions/dialect.ts'
import { callHeaders, callTenant } from '../call-headers.ts'
import { type TransportOptions, transportLimits } from '../fetch-call.ts'
import { followOld } from '../old-stream.ts'
import { readExtensions } from '../service-parameters.ts'
import { resumed } from '../stream-reply.ts'
import { readEventNumber } from './event-number.ts'
import { exchange, type GrpcAnswer } from './exchange.ts'
import { loadPeer, type Peer } from './peer.ts'
import { type GrpcTarget, readTarget } from './target.ts'

/** Calls an agent over gRPC (§10). What the address lacks, `transport.secure` decides. */
export function connectGrpc(iface: AgentInterface, transport: TransportOptions = {}): Endpoint {
  const warn = transport.warn ?? (() => {})
  const limits = { ...transportLimits, ...transport.limits }
  let target: GrpcTarget | undefined
  let loading: Promise<Peer> | undefined

  async function send(call: Call<OperationName>): Promise<Sent> {
    target ??= readTarget(iface.url, { secure: transport.secure ?? false })
    loading ??= loadPeer(majorMinor(iface.protocolVersion) ?? protocolVersion, {
      warn,
      filesAsText: transport.filesAsText,
    })
    const peer = await loading
    const { operation, request, context } = call
    const row = peer.words.of(operation)
    if (row === undefined) {
      const text = `${operation} is not part of A2A ${peer.words.version}, in which this agent is called`
      throw new A2AError('UnsupportedOperation', text)
    }
    const tenant = callTenant(context, iface)
    const message = peer.toWire(row, tenant === '' ? request : { ...request, tenant })
    const answer = await exchange(
      {
        operation,
        path: `/${peer.words.grpc.service}/${row.name}`,
        message: peer.codec.encode(row.request, message),
        headers: callHeaders(context, iface),
        signal: context.signal,
        firstByte: 'message' in request ? limits.firstByteOfSend : limits.firstByte,
        streams: row.operation.kind === 'stream',
      },
      { target, transport },
    )
    const numbered = context.extensions.includes(resumeExtension)
    return { answer, peer, row, target, request, numbered }
  }

  const endpoint: Endpoint = {
    async unary<O extends UnaryOperation>(call: Call<O>): Promise<Reply<O>> {
      const sent = await send(call as Call)
      let only: Buffer | undefined
      for await (const group of sent.answer.messages()) only ??= group[0]
      if (only === undefined) {
        throw new A2AError('InvalidAgentResponse', `${sent.target.shown} ended its answer without a message`)
      }
      const value = sent.peer.fromWire(sent.row, decode(only, sent), sent.request)
      return { result: encodeValue(value), extensions: extensionsOf(sent) } as Reply<O>
    },
    async stream<O extends StreamOperation>(call: Call<O>): Promise<StreamReply> {
      const sent = await send(call as Call)
      const groups = readGroups(sent)
      const first = await groups.next()
      if (first.done) {
        throw new A2AError('Unavailable', `${sent.target.shown} ended its event stream before the first event`)
      }
      const stream = { events: resumed(first.value, groups), extensions: extensionsOf(sent), retry: undefined }
      return sent.peer.words.version === '0.3' ? followOld(stream, { call, endpoint }) : stream
    },
  }
  return endpoint
}

/** A call under way, and what is needed to read its answer. */
interface Sent {
  readonly peer: Peer
  readonly answer: GrpcAnswer
  readonly row: WireOperation
  readonly target: GrpcTarget
  readonly request: Call['request']
  /** Whether messages tell the numbers of their events. */
  readonly numbered: boolean
}

function extensionsOf({ answer, peer }: Sent): readonly string[] {
  return readExtensions(answer.header(peer.words.extensionsHeader))
}

function decode(message: Buffer, { peer, row, target }: Sent): object {
  try {
    return peer.codec.decode(row.response, message)
  } catch (cause) {
    const text = `${target.shown} answered with bytes that are no ${row.response}: ${A2AError.from(cause).message}`
    throw new A2AError('InvalidAgentResponse', text, { cause })
  }
}

/** What came before a bad message is given out before the error is thrown. */
async function* readGroups(sent: Sent): AsyncGenerator<readonly StreamEvent[]> {
  for await (const messages of sent.answer.messages()) {
    const group: StreamEvent[] = []
    let failure: unknown
    let ended = false
    for (const message of messages) {
      try {
        const { event, final } = sent.peer.readFrame(sent.row, decode(message, sent))
        group.push(encodeValue(event, sent.numbered ? readEventNumber(message) : undefined))
        ended = final
      } catch (error) {
        failure = error
      }
      if (ended || failure !== undefined) break
    }
    if (group.length > 0) yield group
    if (failure !== undefined) throw failure
    if (ended) return
  }
}
