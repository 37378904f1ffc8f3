import { type ClientHttp2Session, connect } from 'node:http2'
import {
  Client,
  type ClientOptions,
  credentials,
  Server as GrpcJsServer,
  Metadata,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceError,
} from '@grpc/grpc-js'
import { expect, onTestFinished } from 'vitest'
import { silent } from '../../lib/log.ts'
import type { Endpoint } from '../../protocol/endpoint.ts'
import { A2AError } from '../../protocol/errors.ts'
import { v1 } from '../../protocol/versions/v1.ts'
import { refuseOthers } from '../../server/grpc.ts'
import { type ConnectionLimits, type Listener, listen, type TlsOptions } from '../../server/listen.ts'
import type { TransportOptions } from '../fetch-call.ts'
import type { ServingOptions } from '../serving.ts'
import { servingOptions } from '../testing.ts'
import { connectGrpc } from './client.ts'
import { createCodec } from './codec.ts'
import { frameOf } from './frame.ts'
import { createGrpcHandler } from './server.ts'

const { service, schema } = v1.grpc
const codec = createCodec(schema)
const asIs = (bytes: Buffer): Buffer => bytes

export interface GrpcServerOptions extends Partial<ServingOptions> {
  readonly limits?: ConnectionLimits
  readonly tls?: TlsOptions
}

/** A server of gRPC alone in front of an endpoint, until the test ends; its message limit is 1,000 bytes. */
export interface GrpcServer {
  readonly options: ServingOptions
  readonly listener: Listener
  readonly client: GrpcJsClient
  /** A connection of its own for calls that are written by hand. */
  connect(): ClientHttp2Session
}

export async function startGrpc(endpoint: Endpoint, given: GrpcServerOptions = {}): Promise<GrpcServer> {
  const { limits, tls, ...more } = given
  const options = servingOptions(endpoint, more)
  const grpc = createGrpcHandler(options)
  const place = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
  const listener = await listen(place, { handle: refuseOthers, grpc, log: silent, limits, tls })
  const client = createGrpcJsClient(listener.port)
  const sessions: ClientHttp2Session[] = []
  onTestFinished(async () => {
    client.client.close()
    for (const session of sessions) session.destroy()
    await listener.close(0)
  })
  return {
    options,
    listener,
    client,
    connect: () => {
      const session = connect(`http://127.0.0.1:${listener.port}`)
      session.on('error', () => {})
      sessions.push(session)
      return session
    },
  }
}

/** What came of a call. */
export interface Outcome {
  readonly error: ServiceError | undefined
  readonly values: readonly Record<string, unknown>[]
  readonly messages: readonly Buffer[]
  readonly initial: Readonly<Record<string, unknown>>
}

export interface CallMore {
  readonly headers?: Readonly<Record<string, string>>
  readonly deadline?: number
  /** Told of each message; may cancel the call. */
  readonly onMessage?: (bytes: Buffer, cancel: () => void) => void
}

/** Calls over `@grpc/grpc-js`, as most programs in JavaScript would. */
export interface GrpcJsClient {
  readonly client: Client
  ask(operation: string, request: object, more?: CallMore): Promise<Outcome>
  /** Any method of any service, with bytes. */
  raw(path: string, message: Uint8Array, more?: CallMore): Promise<Outcome>
}

export function createGrpcJsClient(port: number, options: ClientOptions = {}): GrpcJsClient {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    ...options,
  })

  function metadataOf(more: CallMore): Metadata {
    const metadata = new Metadata()
    for (const [name, value] of Object.entries({ 'a2a-version': '1.0', ...more.headers })) {
      if (value !== '') metadata.set(name, value)
    }
    return metadata
  }

  function call(path: string, message: Uint8Array, more: CallMore & { readonly response?: string }): Promise<Outcome> {
    return new Promise((resolve) => {
      const messages: Buffer[] = []
      let initial = {}
      const deadline = more.deadline === undefined ? {} : { deadline: Date.now() + more.deadline }
      const made = client.makeServerStreamRequest(path, asIs, asIs, Buffer.from(message), metadataOf(more), deadline)
      const done = (error: ServiceError | undefined): void => {
        const { response } = more
        const values = response === undefined ? [] : messages.map((bytes) => codec.decode(response, bytes))
        resolve({ error, values, messages, initial })
      }
      made.on('metadata', (metadata: Metadata) => {
        initial = metadata.getMap()
      })
      made.on('data', (bytes: Buffer) => {
        messages.push(bytes)
        more.onMessage?.(bytes, () => made.cancel())
      })
      made.on('error', done)
      made.on('status', ({ code }: { code: number }) => code === 0 && done(undefined))
    })
  }

  const ask = (operation: string, request: object, more: CallMore = {}): Promise<Outcome> => {
    const row = v1.find(operation)
    if (row === undefined) throw new Error(`there is no operation ${operation}`)
    const bytes = codec.encode(row.request, request)
    return call(`/${service}/${operation}`, bytes, { ...more, response: row.response })
  }
  return { client, ask, raw: (path, message, more = {}) => call(path, message, more) }
}

/** What a stream of HTTP/2 answered, byte by byte. */
export interface RawAnswer {
  readonly head: Readonly<Record<string, unknown>>
  readonly trailers: Readonly<Record<string, unknown>> | undefined
  readonly body: Buffer
  readonly code: number
}

export interface RawCall {
  readonly path?: string
  /** Those that are `undefined` are left out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Written one after the other, each in a frame of HTTP/2 of its own. */
  readonly chunks?: readonly Uint8Array[]
}

/** A call whose bytes are written as they are given. */
export function callRaw(session: ClientHttp2Session, { path, headers, chunks = [] }: RawCall): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const all: Record<string, string | undefined> = {
      ':method': 'POST',
      ':path': path ?? `/${service}/GetTask`,
      'content-type': 'application/grpc',
      te: 'trailers',
      'a2a-version': '1.0',
      ...headers,
    }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
    const stream = session.request(sent as Record<string, string>)
    let head = {}
    let trailers: Record<string, unknown> | undefined
    const pieces: Buffer[] = []
    stream.on('response', (received) => {
      head = Object.fromEntries(Object.entries(received))
    })
    stream.on('trailers', (received) => {
      trailers = Object.fromEntries(Object.entries(received))
    })
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('error', reject)
    stream.on('close', () => resolve({ head, trailers, body: Buffer.concat(pieces), code: stream.rstCode }))
    const write = (at: number): void => {
      if (stream.destroyed || stream.writableEnded) return
      const chunk = chunks[at]
      if (chunk === undefined) stream.end()
      else stream.write(chunk, () => setImmediate(() => write(at + 1)))
    }
    write(0)
  })
}

/** A request as a frame. */
export function requestFrame(operation: string, request: object): Buffer {
  return frameOf(codec.encode(v1.find(operation)?.request ?? '', request))
}

/** An answer of one message. */
export function readAnswer(operation: string, body: Buffer): Record<string, unknown> {
  return codec.decode(v1.find(operation)?.response ?? '', body.subarray(5))
}

/** Our client of an address, or of a port of this machine. */
export function clientOf(address: string | number, transport: TransportOptions = {}): Endpoint {
  const url = typeof address === 'number' ? `127.0.0.1:${address}` : address
  return connectGrpc({ url, protocolBinding: 'GRPC', protocolVersion: '1.0' }, transport)
}

/** What a promise is rejected with, which must be an A2AError. */
export async function failure(run: Promise<unknown>): Promise<A2AError> {
  const thrown = await run.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error,
  )
  expect(A2AError.is(thrown), String(thrown)).toBe(true)
  return thrown as A2AError
}

/** A method of a peer that is told what to say. */
export type Method = (call: ServerUnaryCall<Buffer, Buffer> & ServerWritableStream<Buffer, Buffer>) => void

/** A server made with `@grpc/grpc-js`, whose methods write bytes; all of them stream, which looks the same on the wire. */
export async function startPeer(methods: Readonly<Record<string, Method>>, options: object = {}): Promise<number> {
  const same = (bytes: Buffer): Buffer => bytes
  const server = new GrpcJsServer(options)
  const definition = (name: string) => ({
    path: `/${v1.grpc.service}/${name}`,
    requestStream: false,
    responseStream: true,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  })
  const service = Object.fromEntries(Object.keys(methods).map((name) => [name, definition(name)]))
  server.addService(service, methods as never)
  onTestFinished(() => server.forceShutdown())
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    )
  })
}

/** A method that writes these bytes and ends well. */
export function giving(...messages: readonly Buffer[]): Method {
  return (call) => {
    for (const message of messages) call.write(message)
    call.end()
  }
}
