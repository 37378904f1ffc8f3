import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { tooLarge } from '../bindings/json-body.ts'
import { ByteList } from '../lib/byte-list.ts'
import type { HttpHandler, HttpHeaders, HttpRequest, HttpResponse } from '../lib/http.ts'
import { A2AError } from '../protocol/errors.ts'
import { pump } from './pump.ts'

class Http2Request implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly secure: boolean
  readonly headers: HttpHeaders
  readonly remoteAddress: string
  /** Set once the whole answer was handed over; a stream that is reset looks ended by itself. */
  answered = false
  readonly #stream: ServerHttp2Stream
  readonly #time: number
  #signal: AbortSignal | undefined
  #body: Promise<Uint8Array> | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, time: number) {
    this.#stream = stream
    this.#time = time
    const target = headers[':path'] ?? '/'
    const query = target.indexOf('?')
    this.method = headers[':method'] ?? 'GET'
    this.path = query < 0 ? target : target.slice(0, query) || '/'
    this.query = query < 0 ? '' : target.slice(query + 1)
    const { socket } = stream.session ?? {}
    this.secure = (socket as { encrypted?: boolean } | undefined)?.encrypted === true
    this.remoteAddress = socket?.remoteAddress ?? ''
    this.headers = { host: headers[':authority'], ...headers } as HttpHeaders
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const controller = new AbortController()
      const stream = this.#stream
      const abort = (): void => controller.abort(new A2AError('Cancelled'))
      if (stream.destroyed) abort()
      else stream.once('close', () => !this.answered && abort())
      this.#signal = controller.signal
    }
    return this.#signal
  }

  body(limit: number): Promise<Uint8Array> {
    this.#body ??= new Promise((resolve, reject) => {
      const stream = this.#stream
      const late = (): void => reject(new A2AError('DeadlineExceeded', 'The request did not arrive in time'))
      if (stream.destroyed) {
        reject(new A2AError('Cancelled'))
        return
      }
      const timer = setTimeout(late, this.#time)
      const chunks = new ByteList()
      let size = 0
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= limit) chunks.add(chunk)
        else {
          chunks.clear()
          reject(tooLarge(limit))
        }
      })
      stream.once('end', () => {
        clearTimeout(timer)
        resolve(chunks.take())
      })
      stream.once('close', () => {
        clearTimeout(timer)
        if (!stream.readableEnded) reject(new A2AError('Cancelled'))
      })
    })
    return this.#body
  }
}

export interface ServeHttp2Options {
  readonly stream: ServerHttp2Stream
  readonly headers: IncomingHttpHeaders
  /** Milliseconds for a request with its body. */
  readonly request: number
  /** Milliseconds that a reader may take nothing of what waits for it before its stream is cut. */
  readonly stall: number
}

/** Answers a stream of `node:http2` by the same handler as HTTP/1. */
export async function serveHttp2Stream(handle: HttpHandler, options: ServeHttp2Options): Promise<void> {
  const { stream, headers, stall } = options
  stream.on('error', () => {})
  stream.on('timeout', () => stream.close(constants.NGHTTP2_CANCEL))
  const request = new Http2Request(stream, headers, options.request)
  const answer = await handle(request)
  const { body } = answer
  if (typeof body === 'string' || body instanceof Uint8Array) {
    if (queue.length === 0) setImmediate(flush)
    request.answered = true
    queue.push({ stream, answer, head: request.method === 'HEAD', stall })
    return
  }
  if (!stream.destroyed) stream.respond({ ':status': answer.status, ...answer.headers })
  await pump(stream, body, { lagging: (lags) => void stream.setTimeout(lags ? stall : 0) })
  request.answered = !stream.destroyed
  stream.end()
  if (!stream.destroyed) stream.setTimeout(stall)
}

interface Queued {
  readonly stream: ServerHttp2Stream
  readonly answer: HttpResponse
  readonly head: boolean
  readonly stall: number
}

let queue: Queued[] = []

function flush(): void {
  const batch = queue
  queue = []
  for (const queued of batch) {
    const { stream } = queued
    try {
      if (!stream.destroyed && !stream.closed) writeUnary(queued)
    } catch {
      // One answer that cannot be written must not cost the others.
      stream.destroy()
    }
  }
}

function writeUnary({ stream, answer, head, stall }: Queued): void {
  const { status, headers } = answer
  const body = answer.body as string | Uint8Array
  const bare = status === 204 || status === 304
  const length = bare ? {} : { 'content-length': Buffer.byteLength(body) }
  stream.respond({ ':status': status, ...headers, ...length }, { endStream: bare || head })
  if (!bare && !head) stream.end(body)
  stream.setTimeout(stall)
  if (!stream.readableEnded && !stream.endAfterHeaders) stopSender(stream)
}

/** An answer may come while the body is still on its way: the sender is told to stop, without an error (RFC 9113 §8.1). */
function stopSender(stream: ServerHttp2Stream): void {
  stream.resume()
  if (stream.writableFinished) stream.close(constants.NGHTTP2_NO_ERROR)
  else stream.once('finish', () => !stream.readableEnded && stream.close(constants.NGHTTP2_NO_ERROR))
}
