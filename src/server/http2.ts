import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { tooLarge } from '../bindings/json-body.ts'
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
  #signal: AbortSignal | undefined
  #body: Promise<Uint8Array> | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream
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
      const chunks: Buffer[] = []
      let size = 0
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size <= limit) chunks.push(chunk)
        else {
          chunks.length = 0
          reject(tooLarge(limit))
        }
      })
      stream.once('end', () => resolve(Buffer.concat(chunks)))
      stream.once('close', () => {
        if (!stream.readableEnded) reject(new A2AError('Cancelled'))
      })
    })
    return this.#body
  }
}

/** Answers a stream of `node:http2` by the same handler as HTTP/1. */
export async function serveHttp2Stream(
  handle: HttpHandler,
  { stream, headers }: { readonly stream: ServerHttp2Stream; readonly headers: IncomingHttpHeaders },
): Promise<void> {
  stream.on('error', () => {})
  const request = new Http2Request(stream, headers)
  const answer = await handle(request)
  const { body } = answer
  if (typeof body === 'string' || body instanceof Uint8Array) {
    if (queue.length === 0) setImmediate(flush)
    request.answered = true
    queue.push({ stream, answer, head: request.method === 'HEAD' })
    return
  }
  if (!stream.destroyed) stream.respond({ ':status': answer.status, ...answer.headers })
  await pump(stream, body)
  request.answered = !stream.destroyed
  stream.end()
}

let queue: { readonly stream: ServerHttp2Stream; readonly answer: HttpResponse; readonly head: boolean }[] = []

function flush(): void {
  const batch = queue
  queue = []
  for (const { stream, answer, head } of batch) {
    try {
      if (!stream.destroyed && !stream.closed) writeUnary(stream, answer, head)
    } catch {
      // One answer that cannot be written must not cost the others.
      stream.destroy()
    }
  }
}

function writeUnary(stream: ServerHttp2Stream, { status, headers, body: given }: HttpResponse, head: boolean): void {
  const body = given as string | Uint8Array
  const bare = status === 204 || status === 304
  const length = bare ? {} : { 'content-length': Buffer.byteLength(body) }
  stream.respond({ ':status': status, ...headers, ...length }, { endStream: bare || head })
  if (!bare && !head) stream.end(body)
  if (!stream.readableEnded && status >= 400) stopSender(stream)
}

/** An error may come while the body is still on its way: the sender is told to stop, without an error (RFC 9113 §8.1). */
function stopSender(stream: ServerHttp2Stream): void {
  stream.resume()
  if (stream.writableFinished) stream.close(constants.NGHTTP2_NO_ERROR)
  else stream.once('finish', () => !stream.readableEnded && stream.close(constants.NGHTTP2_NO_ERROR))
}
