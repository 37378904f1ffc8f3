import { createSecureContext } from 'node:tls'
import {
  type ChannelOptions,
  Client,
  type ClientReadableStream,
  connectivityState,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import type { TlsOptions } from '../fetch-call.ts'
import type { GrpcTarget } from './target.ts'

/** What a channel is made from; calls that agree in all of it share one. */
export interface ChannelKey {
  readonly target: GrpcTarget
  readonly tls: TlsOptions | undefined
  /** Bytes of the largest message that is read. */
  readonly bytes: number
}

/** Milliseconds after which a channel without calls is closed. */
const idleTime = 60_000

/** What this process asks of every connection. */
const usual: ChannelOptions = {
  // Calls are repeated by whoever knows which may be.
  'grpc.primary_user_agent': 'parlance',
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
  'grpc.use_local_subchannel_pool': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // Many servers end connections that ping more often than every five minutes.
  'grpc.keepalive_time_ms': 330_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_send_message_length': -1,
  // As with `fetch`, a proxy for web pages is not one for this; it may lead away from this machine.
  'grpc.enable_http_proxy': process.env.grpc_proxy === undefined ? 0 : 1,
}

const channels = new Map<string, Channel>()

/** The channel of a key, connected when it is first used. It is to be released after the call. */
export function leaseChannel(key: ChannelKey): Channel {
  const text = textOf(key)
  let channel = channels.get(text)
  if (channel === undefined) {
    channel = new Channel(key, () => channels.delete(text))
    channels.set(text, channel)
  }
  channel.lease()
  return channel
}

/** Closes the channels that no call uses. */
export function closeIdleChannels(): void {
  for (const channel of [...channels.values()]) channel.closeIfIdle()
}

function textOf({ target, tls, bytes }: ChannelKey): string {
  const parts = [tls?.ca, tls?.cert, tls?.key].map((part) =>
    part === undefined ? '' : bufferOf(part).toString('latin1'),
  )
  return JSON.stringify([target.name, target.secure, bytes, ...parts])
}

function bufferOf(part: string | Uint8Array): Buffer {
  return typeof part === 'string' ? Buffer.from(part) : Buffer.from(part.buffer, part.byteOffset, part.byteLength)
}

/** Trusts whom Node trusts, as the other bindings do. */
function trusting({ ca, cert, key }: TlsOptions = {}): ReturnType<typeof createSecureContext> {
  return createSecureContext({
    ...(ca !== undefined && { ca: bufferOf(ca) }),
    ...(cert !== undefined && { cert: bufferOf(cert) }),
    ...(key !== undefined && { key: bufferOf(key) }),
  })
}

const same = (bytes: Buffer): Buffer => bytes
const dead: ReadonlySet<number> = new Set([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED])

/** Connections to one target, for all calls that go there. It keeps no process alive by itself. */
export class Channel {
  readonly #client: Client
  readonly #onClose: () => void
  #calls = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #probe: Promise<boolean> | undefined

  constructor({ target, tls, bytes }: ChannelKey, onClose: () => void) {
    const security = target.secure ? credentials.createFromSecureContext(trusting(tls)) : credentials.createInsecure()
    this.#client = new Client(target.name, security, { ...usual, 'grpc.max_receive_message_length': bytes })
    this.#onClose = onClose
  }

  /** Whether there is a connection. */
  get isConnected(): boolean {
    return this.#client.getChannel().getConnectivityState(false) === connectivityState.READY
  }

  /** Begins a call whose answer is read message by message, also where there is only one. */
  call(path: string, message: Buffer, { metadata, deadline }: CallStart): ClientReadableStream<Buffer> {
    const options = deadline === undefined ? {} : { deadline }
    return this.#client.makeServerStreamRequest(path, same, same, message, metadata, options)
  }

  /** Whether the peer answers at all within so many milliseconds; what it answers does not matter. */
  isAlive(milliseconds: number): Promise<boolean> {
    this.#probe ??= new Promise<boolean>((resolve) => {
      const options = { deadline: Date.now() + milliseconds }
      const path = '/grpc.health.v1.Health/Check'
      this.#client.makeUnaryRequest(
        path,
        same,
        same,
        Buffer.alloc(0),
        new Metadata(),
        options,
        (error: ServiceError | null) => {
          this.#probe = undefined
          resolve(error === null || !dead.has(error.code))
        },
      )
    })
    return this.#probe
  }

  lease(): void {
    this.#calls += 1
    clearTimeout(this.#timer)
  }

  release(): void {
    this.#calls -= 1
    if (this.#calls > 0) return
    this.#timer = setTimeout(() => this.closeIfIdle(), idleTime)
    this.#timer.unref()
  }

  closeIfIdle(): void {
    if (this.#calls > 0) return
    clearTimeout(this.#timer)
    this.#client.close()
    this.#onClose()
  }
}

export interface CallStart {
  readonly metadata: Metadata
  /** Milliseconds since 1970. */
  readonly deadline?: number
}
