import type { Call, Endpoint } from '../protocol/endpoint.ts'
import type { AgentInterface, Messages, StreamResponse } from '../protocol/generated/v1/types.ts'
import { findOperation, type OperationName, type StreamOperation } from '../protocol/operations.ts'
import { majorMinor } from '../protocol/version-text.ts'
import type { WireOperation } from '../protocol/versions/dialect.ts'
import { answerReader } from './answer.ts'
import type { RemoteStream } from './stream-reply.ts'

/** An operation as a peer calls it. */
export type CallRow = Pick<WireOperation, 'operation' | 'name' | 'http'>

/** One frame of a stream, and whether its sender says that it is the last. */
export interface PeerFrame {
  readonly event: StreamResponse
  readonly final: boolean
}

/** How a client speaks one version over one binding; requests and answers are those of 1.0. */
export interface Peer {
  readonly isOld: boolean
  /** Throws UnsupportedOperation where the version has nothing like it. */
  row(operation: OperationName): CallRow
  /** A request in the version's form. */
  request(row: CallRow, request: object): object
  /** Calls once more where the version's request is said in two ways; `attempt` takes the second. */
  insist?<T>(attempt: (written?: object) => Promise<T>, row: CallRow, request: object): Promise<T>
  answer(row: CallRow, input: unknown, request: object): Promise<Messages[keyof Messages]>
  frameReader(): Promise<(input: unknown) => PeerFrame>
  /** Makes a stream of the version one of 1.0. */
  follow(
    stream: RemoteStream,
    asked: { readonly call: Call<StreamOperation>; readonly endpoint: Endpoint },
  ): RemoteStream | Promise<RemoteStream>
}

export interface PeerOptions {
  readonly binding: 'jsonRpc' | 'rest'
  /** Whether JSON-RPC of 0.3 is spoken with the names of the drafts after it. */
  readonly draft?: boolean | undefined
  readonly filesAsText?: boolean | undefined
  readonly warn: (text: string) => void
}

/** The peer for an interface. What 0.3 takes is loaded with the first call that needs it. */
export function peerOf(iface: AgentInterface, options: PeerOptions): () => Peer | Promise<Peer> {
  if (majorMinor(iface.protocolVersion) !== '0.3') {
    const peer = currentPeer(options)
    return () => peer
  }
  let loading: Promise<Peer> | undefined
  return () => {
    loading ??= import('./old-peer.ts').then(({ loadOldPeer }) => loadOldPeer(iface, options))
    return loading
  }
}

function currentPeer({ warn }: PeerOptions): Peer {
  return {
    isOld: false,
    row: (name) => {
      const operation = findOperation(name)
      if (operation === undefined) throw new TypeError(`there is no operation ${name}`)
      return { operation, name, http: operation.http }
    },
    request: (_row, request) => request,
    answer: async (row, input) => (await answerReader(warn))(row.operation.response, input),
    frameReader: async () => {
      const read = await answerReader(warn)
      return (input) => ({ event: read('StreamResponse', input), final: false })
    },
    follow: (stream) => stream,
  }
}
