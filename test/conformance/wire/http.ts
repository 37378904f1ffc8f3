import { createParser } from 'eventsource-parser'
import { FrameQueue, type HttpAnswer, type Json, type WireError } from './peer.ts'

/** One HTTP request, written by hand. */
export interface HttpRequest {
  readonly method?: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
}

function send({ method = 'POST', url, headers = {}, body }: HttpRequest, signal?: AbortSignal): Promise<Response> {
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return fetch(url, {
    method,
    headers: given,
    redirect: 'manual',
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
  })
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Sends a request and reads the whole answer. */
export async function exchange(request: HttpRequest): Promise<HttpAnswer> {
  const answer = await send(request)
  const text = await answer.text()
  const { status, headers } = answer
  return { status, headers, type: headers.get('content-type') ?? '', text, body: parsed(text) }
}

/** How the events of a binding are read. */
export interface EventReading {
  /** The event in the data of a frame, or the error there. */
  event(data: Json): { readonly value?: Json; readonly error?: WireError | undefined }
  /** The error in an answer that is no stream. */
  refusal(answer: HttpAnswer): WireError | undefined
}

/** Sends a request and reads the answer as events come. */
export async function openEvents(request: HttpRequest, reading: EventReading): Promise<FrameQueue> {
  const leaving = new AbortController()
  const answer = await send(request, leaving.signal)
  const { status, headers } = answer
  const type = headers.get('content-type') ?? ''
  const queue = new FrameQueue(() => leaving.abort(), type)
  if (status !== 200 || !type.startsWith('text/event-stream')) {
    const text = await answer.text()
    const other: WireError = { code: status, message: text, reason: undefined, domain: undefined, details: [] }
    queue.end(reading.refusal({ status, headers, type, text, body: parsed(text) }) ?? other)
    return queue
  }
  void read(answer, queue, reading)
  return queue
}

async function read(answer: Response, queue: FrameQueue, reading: EventReading): Promise<void> {
  const parser = createParser({
    onEvent({ data }) {
      const envelope = JSON.parse(data) as Json
      queue.envelopes.push(envelope)
      const { value, error } = reading.event(envelope)
      if (error !== undefined) queue.end(error)
      else if (value !== undefined) queue.add(value)
    },
  })
  const decoder = new TextDecoder()
  try {
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      parser.feed(decoder.decode(bytes, { stream: true }))
    }
    queue.end()
  } catch {
    queue.end()
  }
}
