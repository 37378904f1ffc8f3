import { encodeValue } from '../protocol/encoded.ts'
import type { StreamEvent, StreamReply } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { readJson } from './answer.ts'
import { type FetchAnswer, shownUrl, type TransportOptions, transportLimits } from './fetch-call.ts'
import type { Peer, PeerFrame } from './peer.ts'
import { isErrorBody, members, remoteError } from './remote-error.ts'
import { activatedExtensions } from './service-parameters.ts'
import { createSseReader, type SseMessage } from './sse-reader.ts'

/** A stream from another process. */
export interface RemoteStream extends StreamReply {
  /** Milliseconds that the peer wants us to wait before we come back, once it has said so. */
  readonly retry: number | undefined
  /** Closes the connection, also while an event is waited for. */
  readonly close?: () => void
}

/** What the frames of a binding hold: the event itself, or an envelope around it. */
export type Framing = 'bare' | 'envelope'

/**
 * Reads an answer as a stream; it is ready once the first event is known, so that an earlier error is an ordinary error.
 * A peer that answers with one plain JSON document gives a stream of one event.
 */
export async function openStream(
  answer: FetchAnswer,
  {
    framing,
    transport,
    peer,
  }: { readonly framing: Framing; readonly transport: TransportOptions; readonly peer: Peer },
): Promise<RemoteStream> {
  const warn = transport.warn ?? (() => {})
  const readFrame = await peer.frameReader()
  const extensions = activatedExtensions(answer.headers)
  if (answer.mediaType !== 'text/event-stream' || answer.status >= 300) {
    const body = await readJson(answer)
    const { event } = readFrame(payload(body, framing, warn))
    warn('stream: the peer answered a streaming call with one JSON document')
    return { events: once([encodeValue(event)]), extensions, retry: undefined }
  }
  const reader = createSseReader({ limit: transport.limits?.bytes ?? transportLimits.bytes })
  const groups = readGroups(answer, { framing, warn, reader, readFrame, isOld: peer.isOld, final: { seen: false } })
  const first = await groups.next()
  if (first.done) {
    throw new A2AError('Unavailable', `${shownUrl(answer.url)} ended its event stream before the first event`)
  }
  return {
    events: resumed(first.value, groups),
    extensions,
    get retry() {
      return reader.retry
    },
    close: answer.close,
  }
}

async function* once(group: readonly StreamEvent[]): AsyncGenerator<readonly StreamEvent[]> {
  yield group
}

/** An iteration whose first group is known already. */
export function resumed(
  first: readonly StreamEvent[],
  rest: Pick<AsyncGenerator<readonly StreamEvent[]>, 'next' | 'return'>,
): AsyncIterable<readonly StreamEvent[]> {
  let waiting: readonly StreamEvent[] | undefined = first
  const iterator: AsyncIterableIterator<readonly StreamEvent[]> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      if (waiting === undefined) return rest.next()
      const value = waiting
      waiting = undefined
      return Promise.resolve({ done: false, value })
    },
    return() {
      waiting = undefined
      return rest.return(undefined)
    },
  }
  return iterator
}

interface Reading {
  readonly framing: Framing
  readonly warn: (text: string) => void
  readonly reader: ReturnType<typeof createSseReader>
  readonly readFrame: (input: unknown) => PeerFrame
  /** Peers of 0.3 may end a stream by a frame of their own. */
  readonly isOld: boolean
  /** Whether the peer said that nothing follows. */
  readonly final: { seen: boolean }
}

async function* readGroups(answer: FetchAnswer, reading: Reading): AsyncGenerator<readonly StreamEvent[]> {
  const decoder = new TextDecoder()
  for await (const chunk of answer.chunks()) {
    yield* readMessages(reading.reader.push(decoder.decode(chunk, { stream: true })), { answer, reading })
    if (reading.final.seen) return
  }
  const rest = [...reading.reader.push(decoder.decode()), ...reading.reader.end()]
  yield* readMessages(rest, { answer, reading })
}

/** What came before a bad message is given out before the error is thrown. */
function* readMessages(
  messages: readonly SseMessage[],
  { answer, reading }: { answer: FetchAnswer; reading: Reading },
): Generator<readonly StreamEvent[]> {
  const group: StreamEvent[] = []
  let failure: unknown
  for (const message of messages) {
    try {
      const event = readMessage(message, answer, reading)
      if (event !== undefined) group.push(event)
      if (reading.final.seen) break
    } catch (error) {
      failure = error
      break
    }
  }
  if (group.length > 0) yield group
  if (failure !== undefined) throw failure
}

function readMessage(message: SseMessage, answer: FetchAnswer, reading: Reading): StreamEvent | undefined {
  const { warn, framing, readFrame } = reading
  let body: unknown
  try {
    body = JSON.parse(message.data)
  } catch (cause) {
    const from = shownUrl(answer.url)
    if (message.data.trim() === '[DONE]') {
      if (reading.isOld) reading.final.seen = true
      else warn('stream: the frame [DONE] is no JSON; it was left out')
      return undefined
    }
    if (!message.complete) throw new A2AError('Unavailable', `${from} broke off in the middle of an event`, { cause })
    throw new A2AError('InvalidAgentResponse', `${from} sent an event that is not JSON`, { cause })
  }
  if (!message.complete) warn('stream: the last event lacks the blank line that ends it')
  if (isErrorBody(body) || message.event === 'error') {
    throw remoteError({
      status: 200,
      headers: new Headers(),
      url: answer.url,
      body: isErrorBody(body) ? body : { error: body },
    })
  }
  const { event, final } = readFrame(payload(body, framing, warn))
  if (final) reading.final.seen = true
  const id = message.id !== undefined && /^\d{1,15}$/.test(message.id) ? Number(message.id) : undefined
  return encodeValue(event, id)
}

/** What an envelope holds; a missing or a needless one is forgiven. */
function payload(body: unknown, framing: Framing, warn: (text: string) => void): unknown {
  const enveloped = 'result' in members(body)
  if (enveloped === (framing === 'envelope')) return enveloped ? members(body).result : body
  warn(
    enveloped
      ? 'stream: an event in a JSON-RPC envelope, which this binding does not have'
      : 'stream: an event without its JSON-RPC envelope',
  )
  return enveloped ? members(body).result : body
}
