import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { HttpHeaders, HttpRequest } from '../../lib/http.ts'
import { endOfTurn } from '../../lib/turn.ts'
import { A2AError } from '../../protocol/errors.ts'
import { acceptedEncodings, decompress } from './compression.ts'
import { FrameReader } from './frame.ts'
import { type CallLimits, messageTooLarge } from './limits.ts'
import { errorTrailers, okTrailers, type StatusOverrides, type Trailers } from './trailers.ts'

/** Begins to answer a call whose headers are in order. */
export type GrpcMethod = (call: GrpcCall) => void

/** What all calls of a server share. */
export interface CallSettings {
  /** Bytes of a request message. */
  readonly bodyLimit: number
  readonly overrides: StatusOverrides
  /** Told of every error that is sent. */
  readonly failed: (error: A2AError, call: GrpcCall) => void
}

/** What every answer begins with. */
export const answerHeaders: Readonly<Record<string, string | number>> = {
  ':status': 200,
  'content-type': 'application/grpc',
  'grpc-accept-encoding': acceptedEncodings,
}

const begin = { waitForTrailers: true, sendDate: false } as const
const beginAndEnd = { endStream: true, sendDate: false } as const

/** Answers longer than this are watched until they are read. */
const watchedLength = 65_536

function ignore(): void {}

function onStall(this: ServerHttp2Stream): void {
  this.close(constants.NGHTTP2_CANCEL)
}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers(okTrailers)
}

/** What becomes of the messages of a call that takes many. */
interface MessageReader {
  readonly onMessage: (message: Uint8Array) => void | Promise<void>
  readonly onEnd: () => void
}

/**
 * One call on an HTTP/2 stream; to authenticators it looks like any request. It is over once its status was handed over or
 * the caller has gone, and whatever is said after that is not sent.
 */
export class GrpcCall implements HttpRequest {
  readonly stream: ServerHttp2Stream
  readonly headers: HttpHeaders
  readonly path: string
  readonly limits: CallLimits
  /** Whether the text of an error begins with the name of its type, as callers of 0.3 tell types by that alone. */
  namesErrors = false
  readonly #settings: CallSettings
  #over = false
  #begun = false
  #watched = false
  #message: Uint8Array | undefined
  #trailers: Trailers = okTrailers
  #abort: AbortController | undefined
  #deadline: ReturnType<typeof setTimeout> | undefined
  #leave: (() => void) | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, { settings, limits }: CallOptions) {
    this.stream = stream
    this.headers = headers as HttpHeaders
    this.path = headers[':path'] ?? ''
    this.limits = limits
    this.#settings = settings
    stream.on('error', ignore)
  }

  get method(): string {
    return 'POST'
  }

  get query(): string {
    return ''
  }

  get secure(): boolean {
    return (this.stream.session?.socket as { encrypted?: boolean } | undefined)?.encrypted === true
  }

  get remoteAddress(): string {
    return this.stream.session?.socket?.remoteAddress ?? ''
  }

  /** Aborted when the caller cancels, goes away, or has waited as long as it wanted to. */
  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController()
      if (this.stream.destroyed || this.#over) this.#abort.abort(new A2AError('Cancelled'))
      else this.#watch()
    }
    return this.#abort.signal
  }

  /** Whether nothing that is said any more reaches the caller. */
  get isOver(): boolean {
    return this.#over || this.stream.destroyed
  }

  /** The message, once it is there. */
  body(limit: number): Promise<Uint8Array> {
    const message = this.#message
    if (message === undefined) return Promise.reject(new A2AError('Internal', 'The message has not been read yet'))
    return message.length > limit ? Promise.reject(messageTooLarge(limit)) : Promise.resolve(message)
  }

  /** Ends the call with DEADLINE_EXCEEDED after so many milliseconds. What works for it goes on, but its signal is aborted. */
  setDeadline(ms: number): void {
    this.#watch()
    this.#deadline = setTimeout(() => {
      const error = new A2AError(
        'DeadlineExceeded',
        `There was no answer within ${ms} ms, which is what the call allows`,
      )
      this.fail(error)
      this.#abort?.abort(error)
    }, ms)
  }

  /** Called once, when the call is over before its answer is complete. */
  onLeave(callback: () => void): void {
    this.#leave = callback
    if (this.isOver) this.#left()
    else this.#watch()
  }

  /** Reads a request of exactly one message. */
  readOne(onMessage: (message: Uint8Array) => void): void {
    let found: Buffer | undefined
    let compressed = false
    let count = 0
    this.#read(
      (payload, flag) => {
        found = payload
        compressed = flag
        count += 1
        if (count > 1) throw new A2AError('MethodNotFound', 'The method takes one message, but more were sent')
      },
      () => {
        if (found === undefined) throw new A2AError('MethodNotFound', 'The method takes one message, but none was sent')
        if (!compressed) {
          this.#message = found
          onMessage(found)
        } else {
          this.#decompress(found)
            .then((message) => {
              this.#message = message
              if (!this.isOver) onMessage(message)
            })
            .catch((error) => this.fail(A2AError.from(error)))
        }
      },
    )
  }

  /**
   * Reads messages of at most `limit` bytes as they come, the next one when `onMessage` is through with the one before;
   * `onEnd` follows the last one.
   */
  readEach(limit: number, { onMessage, onEnd }: MessageReader): void {
    // Compressed ones take their time, and none may overtake another.
    let last: Promise<void> | undefined
    let waiting = 0
    const then = (next: () => void | Promise<void>): void => {
      waiting += 1
      this.stream.pause()
      const step = async (): Promise<void> => {
        if (!this.isOver) await next()
      }
      last = (last ?? Promise.resolve())
        .then(step)
        .catch((error) => this.fail(A2AError.from(error)))
        .then(() => {
          waiting -= 1
          if (waiting === 0) this.stream.resume()
        })
    }
    this.#read(
      (payload, compressed) =>
        then(async () => await onMessage(compressed ? await this.#decompress(payload, limit) : payload)),
      () => then(onEnd),
      limit,
    )
  }

  /** Settles when the caller has taken what was written to it, or is gone. */
  drained(): Promise<void> {
    const { stream } = this
    if (!stream.writableNeedDrain || stream.destroyed) return Promise.resolve()
    this.lag(true)
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done)
        stream.off('close', done)
        this.lag(false)
        resolve()
      }
      stream.once('drain', done)
      stream.once('close', done)
    })
  }

  #decompress(payload: Buffer, limit = this.#settings.bodyLimit): Promise<Buffer> {
    return decompress(payload, { headers: this.headers, limit })
  }

  #read(
    onFrame: (payload: Buffer, compressed: boolean) => void,
    onEnd: () => void,
    limit = this.#settings.bodyLimit,
  ): void {
    const { stream } = this
    const frames = new FrameReader(limit, onFrame)
    stream.on('data', (chunk: Buffer) => {
      if (this.#over) return
      try {
        frames.push(chunk)
      } catch (error) {
        this.fail(A2AError.from(error))
      }
    })
    stream.once('end', () => {
      // A stream that was reset ends too.
      if (this.#over || stream.aborted) return
      try {
        if (frames.isCut) throw new A2AError('InvalidRequest', 'The request ends in the middle of a message')
        onEnd()
      } catch (error) {
        this.fail(A2AError.from(error))
      }
    })
    if (arriving.length === 0) endOfTurn(watchArrival)
    arriving.push(this)
  }

  /** Limits the time that the rest of a request may take. */
  limitArrival(): void {
    if (this.#over || this.stream.readableEnded || this.stream.destroyed) return
    const late = (): void => this.fail(new A2AError('DeadlineExceeded', 'The request did not arrive in time'))
    const timer = setTimeout(late, this.limits.request)
    const stop = (): void => clearTimeout(timer)
    this.stream.once('end', stop)
    this.stream.once('close', stop)
  }

  /** Sends the one message of a unary answer, together with all others that are ready in this turn. */
  answer(frame: Buffer, headers: Readonly<Record<string, string | number>> = answerHeaders): void {
    if (this.#over) return
    this.#finish()
    endOfTurn(() => {
      const { stream } = this
      if (stream.destroyed || stream.closed) return
      try {
        stream.respond(headers, begin)
        stream.once('wantTrailers', sendOk)
        stream.end(frame)
        if (frame.length > watchedLength) this.lag(true)
      } catch {
        // One answer that cannot be written must not cost the others.
        stream.destroy()
      }
    })
  }

  /** Sends the initial metadata of an answer of many messages. */
  beginStream(headers: Readonly<Record<string, string | number>>): void {
    if (this.isOver) return
    this.#begun = true
    this.stream.respond(headers, begin)
    this.stream.once('wantTrailers', () => this.stream.sendTrailers(this.#trailers))
  }

  /** Ends an answer of many messages, with the last bytes of it where some are left. */
  endStream(last?: Buffer): void {
    if (this.#over) return
    this.#finish()
    this.#close(last)
  }

  /** Whether the reader is behind: then it has a limited time to take something. */
  lag(lags: boolean): void {
    const { stream } = this
    if (stream.destroyed) return
    if (lags) {
      if (stream.listenerCount('timeout') === 0) stream.once('timeout', onStall)
      stream.setTimeout(this.limits.stall)
    } else stream.setTimeout(0)
  }

  /** Ends the call with an error, in trailers alone when nothing was sent before. */
  fail(error: A2AError): void {
    if (this.#over) return
    const { stream } = this
    this.#finish()
    const leave = this.#leave
    this.#leave = undefined
    leave?.()
    this.#settings.failed(error, this)
    if (stream.destroyed || stream.closed) return
    const trailers = errorTrailers(error, { overrides: this.#settings.overrides, named: this.namesErrors })
    try {
      if (this.#begun) {
        this.#trailers = trailers
        this.#close()
      } else {
        stream.respond({ ...answerHeaders, ...trailers }, beginAndEnd)
        this.#stopSender()
      }
    } catch {
      stream.destroy()
    }
  }

  #close(last?: Buffer): void {
    const { stream } = this
    if (stream.destroyed) return
    if (last === undefined) stream.end()
    else stream.end(last)
    if (stream.writableLength > 0) this.lag(true)
    this.#stopSender('wantTrailers')
  }

  /** An answer may come while the request is still on its way: the sender is told to stop, without an error (RFC 9113 §8.1). */
  #stopSender(after: 'finish' | 'wantTrailers' = 'finish'): void {
    const { stream } = this
    if (stream.readableEnded || stream.endAfterHeaders) return
    stream.resume()
    const stop = (): void => {
      if (!stream.readableEnded && !stream.destroyed) stream.close(constants.NGHTTP2_NO_ERROR)
    }
    if (after === 'finish' && stream.writableFinished) setImmediate(stop)
    else stream.once(after, () => setImmediate(stop))
  }

  #finish(): void {
    this.#over = true
    if (this.#deadline !== undefined) clearTimeout(this.#deadline)
  }

  #watch(): void {
    if (this.#watched) return
    this.#watched = true
    this.stream.once('close', () => {
      if (this.#over) return
      this.#finish()
      this.#left()
      this.#abort?.abort(new A2AError('Cancelled'))
    })
  }

  #left(): void {
    const leave = this.#leave
    this.#leave = undefined
    leave?.()
  }
}

export interface CallOptions {
  readonly settings: CallSettings
  readonly limits: CallLimits
}

/** Calls whose request is on its way. Most are complete within the turn in which they begin, and need no timer. */
let arriving: GrpcCall[] = []

function watchArrival(): void {
  const calls = arriving
  arriving = []
  for (const call of calls) call.limitArrival()
}
