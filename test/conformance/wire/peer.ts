import type { Json } from './proto.ts'

export type { Json }

export type Binding = 'JSONRPC' | 'HTTP+JSON' | 'GRPC'
export const allBindings: readonly Binding[] = ['JSONRPC', 'HTTP+JSON', 'GRPC']

/** How a call differs from the plain one. */
export interface CallOptions {
  /** Beside those that every call has; a header that is `undefined` is left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

/** An error without the spelling of its binding. */
export interface WireError {
  /** The JSON-RPC code, the HTTP status, or the gRPC status. */
  readonly code: number
  readonly message: string
  /** Of the ErrorInfo among the details. */
  readonly reason: string | undefined
  readonly domain: string | undefined
  readonly details: readonly Json[]
}

/** The HTTP answer behind a result. */
export interface HttpAnswer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly text: string
  /** The text as JSON, where it is some. */
  readonly body: Json | undefined
}

/** What a call came to: a value or an error. */
export interface Answer {
  readonly value: Json | undefined
  readonly error: WireError | undefined
  readonly http?: HttpAnswer
}

/** A stream that is read as it comes. */
export interface Frames {
  /** The next event; undefined at the end, and where the stream failed. */
  next(): Promise<Json | undefined>
  /** All events from here to the end. */
  rest(): Promise<readonly Json[]>
  /** Why the stream failed or never began. */
  readonly failure: WireError | undefined
  /** What stood around each event: the envelope of JSON-RPC. */
  readonly envelopes: readonly Json[]
  /** Media type of the answer; of HTTP only. */
  readonly type: string
  /** Leaves the stream. */
  close(): void
}

/** One binding of the server under test, spoken by hand. */
export interface Peer {
  readonly binding: Binding
  /** As the card has it. */
  readonly url: string
  call(operation: string, request: Json, options?: CallOptions): Promise<Answer>
  open(operation: string, request: Json, options?: CallOptions): Promise<Frames>
  close(): void
}

/** A queue of events between who reads a stream and who fills it. */
export class FrameQueue implements Frames {
  readonly type: string
  readonly envelopes: Json[] = []
  failure: WireError | undefined
  readonly #events: Json[] = []
  #over = false
  #wake: () => void = () => {}
  readonly #leave: () => void

  constructor(leave: () => void, type = '') {
    this.#leave = leave
    this.type = type
  }

  add(event: Json): void {
    this.#events.push(event)
    this.#wake()
  }

  end(failure?: WireError): void {
    this.failure ??= failure
    this.#over = true
    this.#wake()
  }

  async next(): Promise<Json | undefined> {
    while (this.#events.length === 0 && !this.#over) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.#events.shift()
  }

  async rest(): Promise<readonly Json[]> {
    const all: Json[] = []
    for (let event = await this.next(); event !== undefined; event = await this.next()) all.push(event)
    return all
  }

  close(): void {
    this.#over = true
    this.#leave()
    this.#wake()
  }
}

/** An error of JSON: `data` or `details` hold its details. */
export function readError(error: unknown): WireError | undefined {
  if (error === undefined || error === null) return undefined
  const { code, message, data, details } = error as Json
  const listed = (Array.isArray(data) ? data : Array.isArray(details) ? details : []) as Json[]
  const info = listed.find((detail) => String(detail['@type']).endsWith('google.rpc.ErrorInfo'))
  return {
    code: Number(code),
    message: String(message),
    reason: info?.reason as string | undefined,
    domain: info?.domain as string | undefined,
    details: listed,
  }
}
