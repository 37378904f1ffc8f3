import { A2AError } from '../protocol/errors.ts'
import type { AgentInterface, Messages, StreamResponse } from '../protocol/generated/v1/types.ts'
import { findOperation, type OperationName } from '../protocol/operations.ts'
import { majorMinor } from '../protocol/version-text.ts'
import type { WireOperation } from '../protocol/versions/dialect.ts'
import { answerReader } from './answer.ts'
import { wantsNoHistory, withoutHistory } from './no-history.ts'

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
  answer(row: CallRow, input: unknown, request: object): Promise<Messages[keyof Messages]>
  frameReader(): Promise<(input: unknown) => PeerFrame>
}

export interface PeerOptions {
  readonly binding: 'jsonRpc' | 'rest'
  /** Whether JSON-RPC of 0.3 is spoken with the names of the drafts after it. */
  readonly draft?: boolean | undefined
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
    loading ??= oldPeer(options)
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
  }
}

async function oldPeer({ binding, draft, warn }: PeerOptions): Promise<Peer> {
  const { losses, peerJsonRpc03, peerRest03 } = await import('../protocol/versions/v0-3/peer.ts')
  const plain = binding === 'jsonRpc' ? peerJsonRpc03 : peerRest03
  const isDraft = draft === true && binding === 'jsonRpc'
  const words = isDraft ? (await import('../protocol/versions/v0-3/gateway.ts')).peerGateway : plain
  const note = (id: string): void => {
    const loss = losses.find((row) => row.id === id)
    warn(`A2A 0.3 cannot say ${loss?.what ?? id}: ${loss?.outcome ?? ''}`)
  }
  return {
    isOld: true,
    row: (name) => {
      const row = words.of(name)
      if (row !== undefined) return row
      const text = `${name} is not part of A2A 0.3, which is all that this agent speaks`
      throw new A2AError('UnsupportedOperation', text)
    },
    request: (row, request) => words.encodeRequest(row as WireOperation, request as never, note),
    answer: async (row, input, request) => {
      const answer = words.decodeAnswer(row as WireOperation, input, warn)
      return wantsNoHistory(request) ? withoutHistory(answer) : answer
    },
    frameReader: async () => (input) => words.readFrame(input, warn),
  }
}
