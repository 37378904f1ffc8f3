import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'

/** How a call ended. */
export interface GrpcAnswer {
  /** Of HTTP; 0 when the server sent no headers. */
  readonly status: number
  /** `grpc-status`; undefined when none came. */
  readonly code: number | undefined
  readonly text: string
  /** `content-type` of the answer. */
  readonly type: string
  readonly body: Buffer
  /** The error code with which the stream was reset, if it was. */
  readonly reset: number
  readonly hung: boolean
  /** The caller left before the end. */
  readonly left: boolean
}

export interface GrpcClient {
  /** Undefined when the client itself refuses to send such headers. */
  call(
    headers: OutgoingHttpHeaders,
    body: Buffer,
    options?: { readonly end?: boolean },
  ): Promise<GrpcAnswer | undefined>
  close(): void
}

const patience = 25
const longest = 5_000

/** Calls over one HTTP/2 connection, which is made anew when the server has closed it. */
export function createGrpcClient(port: number): GrpcClient {
  let session: ClientHttp2Session | undefined

  function current(): ClientHttp2Session {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://127.0.0.1:${port}`)
      session.on('error', () => {})
    }
    return session
  }

  return {
    call(headers, body, { end = true } = {}) {
      return new Promise((resolve) => {
        const stream = open(current(), headers)
        if (stream === undefined) return resolve(undefined)
        let answer: IncomingHttpHeaders = {}
        let trailers: IncomingHttpHeaders = {}
        let hung = false
        let left = false
        const chunks: Buffer[] = []
        const leave = (): void => {
          left = true
          stream.close()
        }
        const limit = setTimeout(() => {
          hung = true
          leave()
        }, longest)
        const unfinished = end ? undefined : setTimeout(leave, patience)
        let reading: ReturnType<typeof setTimeout> | undefined
        stream.on('response', (received) => {
          answer = received
        })
        stream.on('trailers', (received) => {
          trailers = received
        })
        stream.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          reading ??= setTimeout(leave, patience)
        })
        stream.on('error', () => {})
        stream.on('close', () => {
          for (const timer of [limit, unfinished, reading]) clearTimeout(timer)
          const code = trailers['grpc-status'] ?? answer['grpc-status']
          const text = trailers['grpc-message'] ?? answer['grpc-message'] ?? ''
          resolve({
            status: Number(answer[':status'] ?? 0),
            code: code === undefined ? undefined : Number(code),
            text: String(text),
            type: answer['content-type'] ?? '',
            body: Buffer.concat(chunks),
            reset: stream.rstCode ?? 0,
            hung,
            left,
          })
        })
        if (end) stream.end(body)
        else stream.write(body)
      })
    },
    close: () => session?.destroy(),
  }
}

function open(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
): ReturnType<ClientHttp2Session['request']> | undefined {
  try {
    return session.request(headers, { endStream: false })
  } catch {
    return undefined
  }
}

/** A message with the prefix of gRPC. */
export function frame(
  message: Uint8Array,
  { flag = 0, length = message.length }: { readonly flag?: number; readonly length?: number } = {},
): Buffer {
  const prefix = Buffer.alloc(5)
  prefix[0] = flag
  prefix.writeUInt32BE(length >>> 0, 1)
  return Buffer.concat([prefix, message])
}

/** The bytes that an HTTP/2 client sends for a call, from its preface on. */
export async function recordCall(headers: OutgoingHttpHeaders, body: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const session = connect(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  const stream = session.request(headers)
  stream.on('error', () => {})
  stream.end(body)
  while (!Buffer.concat(chunks).includes(body)) await new Promise((resolve) => setTimeout(resolve, 5))
  session.destroy()
  await new Promise((resolve) => server.close(resolve))
  return Buffer.concat(chunks)
}
