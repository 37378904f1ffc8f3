import { TurnoverMap } from './turnover-map.ts'

/** One frame of a stream: a JSON document, and its number where it has one. */
export interface SseFrame {
  readonly id?: number
  readonly text: string
}

/** How the frames of one stream are written. */
export interface SseFraming {
  /** Written before and after the text of each frame, on the same line. */
  readonly prefix: string
  readonly suffix: string
  /** The data line of an error that comes after the stream has begun. */
  error(reason: unknown): string
}

/** Frames as event-stream text, in one string: one `data:` line each (WHATWG HTML §9.2). */
export function sseText(frames: readonly SseFrame[], framing: Pick<SseFraming, 'prefix' | 'suffix'>): string {
  const opening = `data: ${framing.prefix}`
  const closing = `${framing.suffix}\n\n`
  let text = ''
  for (const { id, text: data } of frames) {
    text += id === undefined ? opening + data + closing : `id: ${id}\n${opening}${data}${closing}`
  }
  return text
}

/** Characters from which on a piece is not joined to the next: a string has a longest length, and few frames may reach it. */
const pieceLength = 1 << 20

/** The same in pieces of bounded length, however long the frames are together. */
function* ssePieces(frames: readonly SseFrame[], framing: Pick<SseFraming, 'prefix' | 'suffix'>): Generator<string> {
  const overhead = framing.prefix.length + framing.suffix.length
  let from = 0
  let length = 0
  for (let at = 0; at < frames.length; at++) {
    length += (frames[at] as SseFrame).text.length + overhead
    if (length < pieceLength) continue
    yield sseText(frames.slice(from, at + 1), framing)
    from = at + 1
    length = 0
  }
  if (from === 0) yield sseText(frames, framing)
  else if (from < frames.length) yield sseText(frames.slice(from), framing)
}

const done: IteratorResult<string> = { done: true, value: undefined }

export interface SseOptions {
  /** The longest silence on a stream, milliseconds, before a comment is sent; 0 for no comments. */
  readonly keepAlive: number
  /** What readers are told to wait before they come back, milliseconds; sent when the server goes down. */
  readonly retry: number
}

/** A stream that is open, as the server that holds it sees it. */
export interface OpenStream {
  /** Called twice within the longest silence that is allowed. */
  tick(): void
  /** The server takes no more calls from now on. */
  drain?(): void
  /** The server ends; so shall the stream, although its source has more to say. */
  end(): void
}

/** The open streams of one server. */
export class SseStreams {
  readonly #open = new TurnoverMap<number, OpenStream>()
  #opened = 0
  /** One for all streams, as most streams are over before it is due. */
  #beat: ReturnType<typeof setInterval> | undefined
  readonly #options: SseOptions
  #draining = false

  constructor(options: SseOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#open.size
  }

  /** Whether the server is about to end. */
  get draining(): boolean {
    return this.#draining
  }

  /** What readers of cut streams are told to wait before they come back, milliseconds. */
  get retry(): number {
    return this.#options.retry
  }

  /** Text of the frames, a string for each group; ends with the source. Leaving the loop leaves the source. */
  open(source: AsyncIterable<readonly SseFrame[]>, framing: SseFraming): AsyncIterableIterator<string> {
    const stream = new SseStream(source, { framing, streams: this, number: ++this.#opened })
    this.#add(this.#opened, stream)
    return stream
  }

  /** What a stream says as it ends. */
  get farewell(): string {
    return this.#draining ? `retry: ${this.#options.retry}\n\n` : ''
  }

  /** Counts a stream among the open ones until the returned function is called. */
  track(stream: OpenStream): () => void {
    const number = ++this.#opened
    this.#add(number, stream)
    return () => this.closed(number)
  }

  #add(number: number, stream: OpenStream): void {
    const { keepAlive } = this.#options
    if (keepAlive > 0) this.#beat ??= setInterval(() => this.#tick(), keepAlive / 2)
    this.#open.set(number, stream)
  }

  #tick(): void {
    for (const stream of this.#open.values()) stream.tick()
  }

  /** Called by a stream that has ended. */
  closed(number: number): void {
    this.#open.delete(number)
    if (this.#open.size > 0) return
    clearInterval(this.#beat)
    this.#beat = undefined
  }

  /** From now on each stream that ends tells its reader when to come back. */
  drain(): void {
    this.#draining = true
    for (const stream of this.#open.values()) stream.drain?.()
  }

  /** Ends all streams that are open. */
  end(): void {
    this.#draining = true
    for (const stream of this.#open.values()) stream.end()
  }
}

interface StreamOptions {
  readonly framing: SseFraming
  readonly streams: SseStreams
  readonly number: number
}

/** Turns groups of frames into text. Written by hand, as a generator cannot speak while it waits for its source. */
class SseStream implements AsyncIterableIterator<string> {
  readonly #source: AsyncIterator<readonly SseFrame[]>
  readonly #options: StreamOptions
  #waiting: ((result: IteratorResult<string>) => void) | undefined
  #ready: string[] = []
  #pulling = false
  #ended = false
  #quietTicks = 0

  constructor(source: AsyncIterable<readonly SseFrame[]>, options: StreamOptions) {
    this.#source = source[Symbol.asyncIterator]()
    this.#options = options
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<string> {
    return this
  }

  next(): Promise<IteratorResult<string>> {
    const value = this.#ready.shift()
    if (value !== undefined) return Promise.resolve({ done: false, value })
    if (this.#ended) return Promise.resolve(done)
    return new Promise((resolve) => {
      this.#waiting = resolve
      if (!this.#pulling) this.#pull()
    })
  }

  return(): Promise<IteratorResult<string>> {
    this.#ready = []
    this.#leave()
    this.#finish('')
    return Promise.resolve(done)
  }

  /** Ends the stream although its source has more to say. */
  end(): void {
    if (this.#ended) return
    this.#leave()
    this.#finish(this.#options.streams.farewell)
  }

  #pull(): void {
    this.#pulling = true
    this.#source.next().then(
      (result) => {
        this.#pulling = false
        if (this.#ended) return
        if (result.done) this.#finish(this.#options.streams.farewell)
        else if (result.value.length > 0) this.#write(result.value)
        else this.#pull()
      },
      (reason) => this.#break(reason),
    )
  }

  #write(frames: readonly SseFrame[]): void {
    try {
      for (const piece of ssePieces(frames, this.#options.framing)) this.#emit(piece)
    } catch (reason) {
      this.#leave()
      this.#break(reason)
    }
  }

  #break(reason: unknown): void {
    if (this.#ended) return
    this.#finish(`data: ${this.#options.framing.error(reason)}\n\n${this.#options.streams.farewell}`)
  }

  /** The source may take its time to notice; nobody waits for it, and it has no one left to tell an error to. */
  #leave(): void {
    if (!this.#ended) this.#source.return?.()?.then(undefined, () => {})
  }

  #emit(value: string): void {
    this.#quietTicks = 0
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) this.#ready.push(value)
    else waiting({ done: false, value })
  }

  #finish(last: string): void {
    if (this.#ended) return
    this.#ended = true
    this.#options.streams.closed(this.#options.number)
    if (last !== '') this.#emit(last)
    this.#waiting?.(done)
    this.#waiting = undefined
  }

  /** Sends a comment when nothing came since the tick before the last. A reader that is not waiting has unread text, so it needs none. */
  tick(): void {
    this.#quietTicks++
    if (this.#quietTicks > 1 && this.#waiting !== undefined) this.#emit(': keep-alive\n\n')
  }
}
