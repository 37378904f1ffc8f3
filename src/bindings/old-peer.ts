import { A2AError } from '../protocol/errors.ts'
import type { WireOperation } from '../protocol/versions/dialect.ts'
import { losses, peerJsonRpc03, peerOfFiles } from '../protocol/versions/v0-3/peer.ts'
import { wantsNoHistory, withoutHistory } from './no-history.ts'
import { followOld } from './old-stream.ts'
import type { Peer, PeerOptions } from './peer.ts'

/** The peer for an interface of 0.3. */
export async function loadOldPeer({ binding, draft, filesAsText, warn }: PeerOptions): Promise<Peer> {
  const plain = binding === 'jsonRpc' ? peerJsonRpc03 : peerOfFiles('rest', filesAsText)
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
    follow: followOld,
  }
}
