import type { OpenStream, SseStreams } from '../../lib/sse.ts'
import { endOfTurn } from '../../lib/turn.ts'
import { A2AError } from '../../protocol/errors.ts'
import type { Frame } from '../../protocol/versions/dialect.ts'
import type { GrpcCall } from './call.ts'
import { compressedFrame } from './compression.ts'
import { prefixLength } from './frame.ts'

/** Bytes from which on messages are written without waiting for the end of the turn. */
const pieceLength = 65_536

export interface StreamWriterOptions {
  readonly call: GrpcCall
  readonly streams: SseStreams
  /** A frame's message with its prefix. */
  readonly encode: (frame: Frame) => Buffer
  /** Messages of so many bytes are compressed; undefined for none. */
  readonly squeezeFrom: number | undefined
}

/**
 * Writes the frames of a stream as messages: those of one turn in one write, and no more than the reader takes. Ends the
 * call with the source, or the source with the call.
 */
export class StreamWriter implements OpenStream {
  readonly #source: AsyncIterator<readonly Frame[]>
  readonly #options: StreamWriterOptions
  readonly #closed: () => void
  #frames: readonly Frame[] = []
  #at = 0
  #last: Frame | undefined
  #held: Buffer[] = []
  #heldLength = 0
  #scheduled = false
  #waiting = false
  #over = false

  /** Begins at once; the call has sent its initial metadata. */
  constructor(source: AsyncIterable<readonly Frame[]>, options: StreamWriterOptions) {
    this.#source = source[Symbol.asyncIterator]()
    this.#options = options
    this.#closed = options.streams.track(this)
    const { call } = options
    call.stream.on('drain', () => this.#drained())
    call.onLeave(() => this.#leave())
    if (!this.#over) this.#pull()
  }

  /** Silence is for the connection to watch: HTTP/2 has its own probes. */
  tick(): void {}

  end(): void {
    if (!this.#over) this.#cut()
  }

  #pull(): void {
    this.#source.next().then(
      (result) => {
        if (this.#over) return
        if (result.done) this.#finish()
        else {
          this.#frames = result.value
          this.#at = 0
          this.#advance()
        }
      },
      (reason) => this.#break(reason),
    )
  }

  #advance(): void {
    const { call, encode, squeezeFrom } = this.#options
    try {
      while (this.#at < this.#frames.length) {
        if (this.#isBehind()) return
        const frame = this.#frames[this.#at++] as Frame
        this.#last = frame
        const bytes = encode(frame)
        if (squeezeFrom !== undefined && bytes.length >= squeezeFrom) {
          this.#squeeze(bytes)
          return
        }
        this.#hold(bytes)
      }
    } catch (reason) {
      this.#break(reason)
      return
    }
    if (!call.isOver && !this.#isBehind()) this.#pull()
  }

  #squeeze(bytes: Buffer): void {
    compressedFrame(bytes.subarray(prefixLength)).then(
      (frame) => {
        if (this.#over) return
        this.#hold(frame)
        this.#advance()
      },
      (reason) => this.#break(reason),
    )
  }

  /** Whether the reader has to take something first; then the writer goes on once it has. */
  #isBehind(): boolean {
    const { call } = this.#options
    if (!call.stream.writableNeedDrain) return false
    if (!this.#waiting) call.lag(true)
    this.#waiting = true
    return true
  }

  #drained(): void {
    if (!this.#waiting || this.#over) return
    this.#waiting = false
    this.#options.call.lag(false)
    this.#advance()
  }

  #hold(frame: Buffer): void {
    this.#held.push(frame)
    this.#heldLength += frame.length
    if (this.#heldLength >= pieceLength) this.#send()
    else if (!this.#scheduled) {
      this.#scheduled = true
      endOfTurn(() => {
        this.#scheduled = false
        if (!this.#over) this.#send()
      })
    }
  }

  #send(): void {
    if (this.#heldLength === 0) return
    const { stream } = this.#options.call
    if (!stream.destroyed) stream.write(this.#take())
  }

  #take(): Buffer {
    const [first] = this.#held
    const bytes = this.#held.length === 1 ? (first as Buffer) : Buffer.concat(this.#held, this.#heldLength)
    this.#held = []
    this.#heldLength = 0
    return bytes
  }

  #finish(): void {
    const { call, streams } = this.#options
    // A source that is cut short by the end of the server ends like any other.
    if (streams.draining && !isEnd(this.#last)) this.#cut()
    else {
      this.#stop()
      call.endStream(this.#heldLength > 0 ? this.#take() : undefined)
    }
  }

  #break(reason: unknown): void {
    if (this.#over) return
    this.#leaveSource()
    this.#send()
    this.#stop()
    this.#options.call.fail(A2AError.from(reason))
  }

  #cut(): void {
    const retryAfter = this.#options.streams.retry / 1_000
    this.#break(new A2AError('Unavailable', 'The server is going down; subscribe to the task again', { retryAfter }))
  }

  /** The caller has gone, or has waited as long as it wanted to. */
  #leave(): void {
    if (this.#over) return
    this.#leaveSource()
    this.#send()
    this.#stop()
  }

  /** The source may take its time to notice; nobody waits for it, and it has no one left to tell an error to. */
  #leaveSource(): void {
    this.#source.return?.()?.then(undefined, () => {})
  }

  #stop(): void {
    this.#over = true
    this.#frames = []
    this.#closed()
  }
}

interface FrameContent {
  readonly task?: { readonly status?: { readonly state?: string } }
  readonly statusUpdate?: { readonly status?: { readonly state?: string } }
  readonly artifactUpdate?: object
}

const ends = /_(COMPLETED|FAILED|CANCELL?ED|REJECTED|INPUT_REQUIRED)$/

/** Whether a stream may have nothing to say after this frame, in the words of any version. */
function isEnd(frame: Frame | undefined): boolean {
  if (frame === undefined) return false
  const { task, statusUpdate, artifactUpdate } = frame.value as FrameContent
  const status = (statusUpdate ?? task)?.status
  return status === undefined ? artifactUpdate === undefined : ends.test(status.state ?? '')
}
