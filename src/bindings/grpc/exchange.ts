import { type ClientReadableStream, Metadata } from '@grpc/grpc-js'
import { A2AError } from '../../protocol/errors.ts'
import type { OperationName } from '../../protocol/operations.ts'
import { type TransportLimits, type TransportOptions, transportLimits, Watch } from '../fetch-call.ts'
import { type Channel, leaseChannel } from './channel.ts'
import { type CallStatus, statusError } from './remote-status.ts'
import type { GrpcTarget } from './target.ts'

export interface GrpcRequest {
  readonly operation: OperationName
  /** `/service/method`. */
  readonly path: string
  readonly message: Uint8Array
  /** Metadata of the call, without credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal | undefined
  /** Milliseconds until the answer begins. */
  readonly firstByte: number
  /** Whether the answer is a stream, which may last. */
  readonly streams: boolean
}

/** An answer whose messages are still to be read. */
export interface GrpcAnswer {
  /** The value of an entry of the initial metadata. */
  header(name: string): string | undefined
  /** Messages in the groups in which they arrive. Leaving the loop cancels the call. */
  messages(): AsyncGenerator<readonly Buffer[]>
}

/**
 * One gRPC call. Throws Unavailable when nothing answers, DeadlineExceeded when a limit passes, Cancelled when the signal
 * is aborted, or the error that the peer answers. `metadata.delivered` is `no` when the request surely never arrived.
 */
export async function exchange(
  request: GrpcRequest,
  { target, transport }: { readonly target: GrpcTarget; readonly transport: TransportOptions },
): Promise<GrpcAnswer> {
  const limits = { ...transportLimits, ...transport.limits }
  const watch = new Watch(request.signal)
  const channel = leaseChannel({ target, tls: transport.tls, bytes: limits.bytes })
  const answer = new Answer(request, { target, limits, watch, channel })
  try {
    const secrets = await watch.race(transport.headers?.(new URL(target.url)) ?? Promise.resolve({}))
    await answer.begin(metadataOf({ ...request.headers, ...secrets }))
    return answer
  } catch (thrown) {
    const unsent = watch.failure?.code === 'DeadlineExceeded' && !channel.isConnected
    answer.close()
    if (unsent) throw neverConnected(watch.failure, target)
    throw watch.failure ?? A2AError.from(thrown)
  }
}

/** A request waits in this process until there is a connection. */
function neverConnected(cause: unknown, { shown }: GrpcTarget): A2AError {
  const metadata = { url: shown, delivered: 'no' }
  return new A2AError('DeadlineExceeded', `${shown} could not be reached in time`, { cause, metadata })
}

function metadataOf(headers: Readonly<Record<string, string>>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) {
    try {
      metadata.set(name, value)
    } catch (cause) {
      const text = `The header ${JSON.stringify(name)} cannot travel as gRPC metadata: use printable ASCII`
      throw new A2AError('InvalidRequest', text, { cause })
    }
  }
  return metadata
}

interface Surroundings {
  readonly target: GrpcTarget
  readonly limits: TransportLimits
  readonly watch: Watch
  readonly channel: Channel
}

/** Bytes of messages that are held for a reader who is slow; beyond that the peer has to wait. */
const mostHeld = 1_048_576
/** What a message costs beside its bytes. */
const perMessage = 200

class Answer implements GrpcAnswer {
  readonly #request: GrpcRequest
  readonly #target: GrpcTarget
  readonly #limits: TransportLimits
  readonly #watch: Watch
  readonly #channel: Channel
  #call: ClientReadableStream<Buffer> | undefined
  #metadata: Metadata | undefined
  #messages: Buffer[] = []
  #held = 0
  #ended = false
  #error: A2AError | undefined
  #wake: (() => void) | undefined
  #closed = false
  #silence: ReturnType<typeof setTimeout> | undefined

  constructor(request: GrpcRequest, { target, limits, watch, channel }: Surroundings) {
    this.#request = request
    this.#target = target
    this.#limits = limits
    this.#watch = watch
    this.#channel = channel
  }

  /** Sends the request; done once the answer begins. */
  async begin(metadata: Metadata): Promise<void> {
    const { path, message, firstByte, streams } = this.#request
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
    const longest = firstByte + this.#patience
    const deadline = streams ? {} : { deadline: Date.now() + longest }
    const call = this.#channel.call(path, bytes, { metadata, ...deadline })
    this.#call = call
    const wake = (): void => this.#wake?.()
    call.on('metadata', (received: Metadata) => {
      this.#metadata = received
      wake()
    })
    call.on('error', (status: Error & CallStatus) => {
      this.#error = this.#errorOf(status)
      wake()
    })
    call.on('status', () => {
      this.#ended = true
      wake()
    })
    call.on('readable', () => {
      this.#pull()
      wake()
    })
    this.#watch.signal.addEventListener('abort', () => call.cancel(), { once: true })
    this.#watch.limit(firstByte, `${this.#target.shown} did not begin to answer within ${firstByte} ms`)
    while (this.#metadata === undefined && !this.#ended && this.#error === undefined) await this.#event()
    this.#watch.stop()
    if (this.#metadata === undefined && this.#error !== undefined) throw this.#error
  }

  header(name: string): string | undefined {
    const values = this.#metadata?.get(name) ?? []
    return values.length === 0 ? undefined : values.join(',')
  }

  async *messages(): AsyncGenerator<readonly Buffer[]> {
    let first = true
    try {
      for (;;) {
        const group = this.#take()
        if (group.length > 0) yield group
        else if (this.#error !== undefined) throw this.#error
        else if (this.#ended) return
        else await this.#wait(first ? this.#patience : this.#limits.idle)
        first = first && group.length === 0
      }
    } catch (thrown) {
      throw this.#watch.failure ?? thrown
    } finally {
      this.close()
    }
  }

  /** Frees what the call holds. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#silence)
    this.#watch.close()
    this.#call?.cancel()
    this.#channel.release()
  }

  /** A peer may send its metadata at once and begin to work only then. */
  get #patience(): number {
    return Math.max(this.#limits.idle, this.#request.firstByte)
  }

  /**
   * Takes messages in as they come, up to a limit: the library below drops what nobody has read when a call ends with an
   * error.
   */
  #pull(): void {
    while (this.#held < mostHeld) {
      const message = this.#call?.read() as Buffer | null
      if (message === null) return
      this.#messages.push(message)
      this.#held += message.length + perMessage
    }
  }

  #take(): Buffer[] {
    this.#pull()
    const group = this.#messages
    if (group.length === 0) return group
    this.#messages = []
    this.#held = 0
    this.#pull()
    return group
  }

  #event(): Promise<void> {
    return this.#watch.race(
      new Promise((resolve) => {
        this.#wake = resolve
      }),
    )
  }

  /** Waits for whatever comes next. A stream may be silent as long as its peer is there. */
  async #wait(milliseconds: number): Promise<void> {
    const silent = `${this.#target.shown} was silent for ${milliseconds} ms within its answer`
    const event = this.#event()
    if (this.#request.streams) this.#listen(milliseconds, silent)
    else this.#watch.limit(milliseconds, silent)
    await event
    clearTimeout(this.#silence)
    this.#watch.stop()
  }

  #listen(milliseconds: number, silent: string): void {
    const waits = this.#wake
    this.#silence = setTimeout(async () => {
      const alive = await this.#channel.isAlive(milliseconds)
      if (this.#closed || this.#wake !== waits) return
      if (alive) return this.#listen(milliseconds, silent)
      this.#error ??= new A2AError('DeadlineExceeded', `${silent}, and answers nothing else`)
      this.#wake?.()
    }, milliseconds)
  }

  #errorOf(status: CallStatus): A2AError {
    const { operation } = this.#request
    return statusError(status, { operation, url: this.#target.shown, limit: this.#limits.bytes })
  }
}
