import { Client, type ClientReadableStream, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { createCodec } from '../../src/bindings/grpc/codec.ts'
import { readEventNumber } from '../../src/bindings/grpc/event-number.ts'
import { decodeStatusDetails } from '../../src/bindings/grpc/status.ts'
import { emit } from '../../src/protocol/emit.ts'
import { resumeExtension } from '../../src/protocol/extensions.ts'
import type { StreamResponse } from '../../src/protocol/generated/v1/types.ts'
import { findOperation, type Operation } from '../../src/protocol/operations.ts'
import { v1 } from '../../src/protocol/versions/v1.ts'
import { onCleanup } from '../harness.ts'
import type { RawStream, SeenFrame } from './raw-stream.ts'
import type { CallOptions, Outcome, SeenError } from './wire.ts'

const { service, schema } = v1.grpc
const codec = createCodec(schema)
const asIs = (bytes: Buffer): Buffer => bytes

interface Asked {
  readonly url: string
  readonly operation: string
  readonly request: Readonly<Record<string, unknown>>
  readonly options: CallOptions | undefined
}

interface Opened {
  readonly path: string
  readonly message: Buffer
  readonly metadata: Metadata
}

/** A connection of its own, which can be cut. */
function connect(url: string): Client {
  return new Client(new URL(url).host, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 })
}

const clients = new Map<string, Client>()

/** The connection that all unary calls to a server share; it ends with the server. */
function shared(url: string): Client {
  const client = clients.get(url) ?? connect(url)
  clients.set(url, client)
  return client
}

function open({ operation, request, options }: Asked): Opened {
  const row = v1.find(operation)
  if (row === undefined) throw new Error(`there is no operation ${operation}`)
  const metadata = new Metadata()
  const headers = { 'a2a-version': '1.0', 'a2a-extensions': resumeExtension, ...options?.headers }
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const message = Buffer.from(codec.encode(row.request, request))
  return { path: `/${service}/${operation}`, message, metadata }
}

/** An error of gRPC in the form that the other bindings' errors have here. */
function seenError(error: ServiceError): SeenError {
  const [bytes] = error.metadata.get('grpc-status-details-bin')
  const details = bytes === undefined ? [] : decodeStatusDetails(bytes as Buffer).details
  return {
    code: error.code,
    status: status[error.code],
    message: error.details,
    reason: details.map(({ reason }) => reason as string | undefined).find((reason) => reason !== undefined),
    fields: details.flatMap(({ fieldViolations }) =>
      ((fieldViolations ?? []) as readonly { readonly field: string }[]).map(({ field }) => field),
    ),
  }
}

/** Makes a unary call. The text of the outcome is the answer as JSON. */
export async function callGrpc(asked: Asked): Promise<Outcome> {
  const { path, message, metadata } = open(asked)
  const headers = new Headers()
  return new Promise((resolve) => {
    const call = shared(asked.url).makeUnaryRequest(path, asIs, asIs, message, metadata, (error, bytes) => {
      if (error !== null) return resolve({ status: 200, headers, text: '', error: seenError(error), value: undefined })
      const { response } = findOperation(asked.operation) as Operation
      // Bytes leave out what is empty, where JSON has to say it.
      const value = emit(response, codec.decode(response, bytes as Buffer) as never)
      resolve({ status: 200, headers, text: JSON.stringify(value), error: undefined, value })
    })
    call.on('metadata', (answered) => {
      for (const [name, value] of Object.entries(answered.getMap())) headers.set(name, String(value))
    })
  })
}

/** Opens a stream; what is refused comes as one frame with an error. */
export async function openGrpc(asked: Asked): Promise<RawStream> {
  const { path, message, metadata } = open(asked)
  const client = connect(asked.url)
  const call: ClientReadableStream<Buffer> = client.makeServerStreamRequest(path, asIs, asIs, message, metadata)
  const frames: SeenFrame[] = []
  let taken = 0
  let text = ''
  let over: 'ended' | 'cut' | undefined
  let wake = (): void => {}
  let headers: Record<string, string> = {}
  call.on('metadata', (answered: Metadata) => {
    headers = Object.fromEntries(Object.entries(answered.getMap()).map(([name, value]) => [name, String(value)]))
  })
  call.on('data', (bytes: Buffer) => {
    const value = codec.decode('StreamResponse', bytes) as unknown as StreamResponse
    text += `${JSON.stringify(value)}\n`
    frames.push({ id: readEventNumber(bytes), value, error: undefined, requestId: undefined })
    wake()
  })
  call.on('error', (error: ServiceError) => {
    const cut = error.code === status.CANCELLED || (error.code === status.UNAVAILABLE && error.details.includes('drop'))
    const seen = seenError(error)
    text += JSON.stringify({ status: seen.status, reason: seen.reason, message: seen.message })
    if (!cut) frames.push({ id: undefined, value: undefined, error: seen, requestId: undefined })
    over = cut ? 'cut' : 'ended'
    wake()
  })
  call.on('end', () => {
    over ??= 'ended'
    wake()
  })
  await new Promise<void>((resolve) => {
    call.on('metadata', () => resolve())
    call.on('error', () => resolve())
  })
  const close = (): void => {
    call.cancel()
    client.close()
  }
  onCleanup(async () => close())
  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
    })
  return {
    status: 200,
    get headers() {
      return headers
    },
    comments: [],
    retry: undefined,
    get text() {
      return text
    },
    async next() {
      while (taken === frames.length && over === undefined) await change()
      return taken < frames.length ? frames[taken++] : undefined
    },
    async rest() {
      while (over === undefined) await change()
      const all = frames.slice(taken)
      taken = frames.length
      return all
    },
    async ended() {
      while (over === undefined) await change()
      return over
    },
    stall: () => void call.pause(),
    resume: () => void call.resume(),
    cut: close,
  }
}
