import { emit } from '../../protocol/emit.ts'
import type { Call } from '../../protocol/endpoint.ts'
import type { Messages, StreamResponse } from '../../protocol/generated/v1/types.ts'
import type { Schema } from '../../protocol/schema.ts'
import type { Vocabulary, WireOperation } from '../../protocol/versions/dialect.ts'
import { v1 } from '../../protocol/versions/v1.ts'
import { answerReader } from '../answer.ts'
import { wantsNoHistory, withoutHistory } from '../no-history.ts'
import type { PeerFrame } from '../peer.ts'
import { type Codec, createCodec } from './codec.ts'

type Warn = (text: string) => void

/** How a client speaks one version over gRPC. Answers that cannot be used throw InvalidAgentResponse. */
export interface Peer {
  readonly words: Vocabulary
  readonly codec: Codec
  /** The request in the version's form. */
  toWire(row: WireOperation, request: Call['request']): object
  /** An answer in the version's form as a message of 1.0. */
  fromWire(row: WireOperation, value: object, request: Call['request']): Messages[keyof Messages]
  /** One frame of a stream, and whether its sender says that it is the last. */
  readFrame(row: WireOperation, value: object): PeerFrame
}

/** Codecs of the versions in use. */
const codecs = new Map<Schema, Codec>()

function codecOf({ grpc: { schema } }: Vocabulary): Codec {
  let codec = codecs.get(schema)
  if (codec === undefined) {
    codec = createCodec(schema)
    codecs.set(schema, codec)
  }
  return codec
}

/** The peer for a version, `Major.Minor`; `warn` hears of what was overlooked or cannot be said. */
export async function loadPeer(
  version: string,
  { warn, filesAsText }: { readonly warn: Warn; readonly filesAsText?: boolean | undefined },
): Promise<Peer> {
  return version === '0.3' ? loadPeer03(warn, filesAsText) : loadPeer10(warn)
}

async function loadPeer10(warn: Warn): Promise<Peer> {
  const readAnswer = await answerReader(warn)
  // Bytes have no REQUIRED default, such as an empty page's number of tasks.
  const read = ({ operation: { response } }: WireOperation, value: object) =>
    readAnswer(response, emit(response, value as never))
  return {
    words: v1,
    codec: codecOf(v1),
    toWire: (_row, request) => request,
    fromWire: read,
    readFrame: (row, value) => ({ event: read(row, value) as StreamResponse, final: false }),
  }
}

async function loadPeer03(warn: Warn, filesAsText?: boolean): Promise<Peer> {
  const { losses, peerOfFiles } = await import('../../protocol/versions/v0-3/peer.ts')
  const words = peerOfFiles('grpc', filesAsText)
  const note = (id: string): void => {
    const loss = losses.find((row) => row.id === id)
    warn(`A2A 0.3 cannot say ${loss?.what ?? id}: ${loss?.outcome ?? 'left out'}`)
  }
  return {
    words,
    codec: codecOf(words),
    toWire: (row, request) => words.encodeRequest(row, request, note),
    fromWire: (row, value, request) => {
      const answer = words.decodeAnswer(row, value, warn)
      return wantsNoHistory(request) ? withoutHistory(answer) : answer
    },
    readFrame: (_row, value) => words.readFrame(value, warn),
  }
}
