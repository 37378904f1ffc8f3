import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { tooLarge } from '../bindings/json-body.ts'
import { ByteList } from '../lib/byte-list.ts'
import type { HttpHandler, HttpHeaders, HttpRequest, HttpResponse } from '../lib/http.ts'
import { endOfTurn } from '../lib/turn.ts'
import { A2AError } from '../protocol/errors.ts'
import { type PumpOptions, pump } from './pump.ts'

/** What the host program knows of a request that the request does not tell. */
export interface NodeRequestOptions {
  /** The URL without the part that the host program took off; default `request.url`. */
  readonly url?: string
  readonly mount?: string
  /** The body, where the host program has read it already. */
  readonly parsed?: unknown
  /** Writes `100 Continue` once the body is wanted. */
  readonly expectsContinue?: boolean
}

/** Reads a request of `node:http`. */
export function readNodeRequest(
  message: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions = {},
): HttpRequest {
  return new NodeRequest(message, response, options)
}

class NodeRequest implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly secure: boolean
  readonly #message: IncomingMessage
  readonly #response: ServerResponse
  readonly #options: NodeRequestOptions
  #signal: AbortSignal | undefined
  #body: Promise<string | Uint8Array> | undefined

  constructor(message: IncomingMessage, response: ServerResponse, options: NodeRequestOptions) {
    this.#message = message
    this.#response = response
    this.#options = options
    this.method = message.method ?? 'GET'
    const target = pathOf(options.url ?? message.url ?? '/')
    const query = target.indexOf('?')
    this.path = query < 0 ? target : target.slice(0, query) || '/'
    this.query = query < 0 ? '' : target.slice(query + 1)
    this.secure = (message.socket as { encrypted?: boolean } | null)?.encrypted === true
  }

  get headers(): HttpHeaders {
    return this.#message.headers as HttpHeaders
  }

  get remoteAddress(): string {
    return this.#message.socket?.remoteAddress ?? ''
  }

  get mount(): string {
    return this.#options.mount ?? ''
  }

  get signal(): AbortSignal {
    this.#signal ??= closeSignal(this.#response)
    return this.#signal
  }

  body(limit: number): Promise<string | Uint8Array> {
    this.#body ??= this.#read(limit)
    return this.#body
  }

  #read(limit: number): Promise<string | Uint8Array> {
    const { parsed } = this.#options
    if (parsed !== undefined) return Promise.resolve(parsedBody(parsed))
    if (this.#options.expectsContinue) this.#response.writeContinue()
    return readBody(this.#message, limit)
  }
}

/** A proxy may send the whole URL (RFC 9112 §3.2.2). */
function pathOf(target: string): string {
  if (target.startsWith('/') || !/^https?:\/\//i.test(target)) return target
  const slash = target.indexOf('/', target.indexOf('//') + 2)
  return slash < 0 ? '/' : target.slice(slash)
}

/** A signal that is aborted when the connection closes before the answer is complete. */
function closeSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = (): void => controller.abort(new A2AError('Cancelled'))
  if (response.destroyed || response.socket?.destroyed) abort()
  else {
    response.once('close', () => {
      if (!response.writableEnded) abort()
    })
  }
  return controller.signal
}

/** The bytes of a readable message, as text when they are UTF-8. */
export function readBody(message: IncomingMessage, limit: number): Promise<string | Uint8Array> {
  return new Promise((resolve, reject) => {
    if (message.readableEnded || message.destroyed) {
      const { 'content-length': length, 'transfer-encoding': encoding } = message.headers
      if (encoding === undefined && (length === undefined || length === '0')) return resolve('')
      reject(
        new A2AError(
          'InvalidRequest',
          'The request body was read before it came here; hand it on, or mount this handler first',
        ),
      )
      return
    }
    const chunks = new ByteList()
    let size = 0
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.add(chunk)
      else if (size - chunk.length <= limit) {
        chunks.clear()
        reject(tooLarge(limit))
      }
    }
    const onEnd = (): void => {
      message.off('data', onData)
      message.off('error', onClose)
      message.off('close', onClose)
      message.off('end', onEnd)
      resolve(toText(chunks.take()))
    }
    const onClose = (): void => {
      if (!message.complete) reject(new A2AError('Cancelled'))
    }
    message.on('data', onData)
    message.on('end', onEnd)
    message.on('error', onClose)
    message.on('close', onClose)
  })
}

/** Broken bytes become U+FFFD, so text without that character needs no second look. */
function toText(bytes: Uint8Array): string | Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return text.includes('\uFFFD') && !isUtf8(bytes) ? bytes : text
}

function parsedBody(parsed: unknown): string | Uint8Array {
  if (typeof parsed === 'string' || parsed instanceof Uint8Array) return parsed
  return JSON.stringify(parsed)
}

/** Unary answers wait here for the end of the turn: those that are ready together are written together. */
let queue: { readonly response: ServerResponse; readonly answer: HttpResponse; readonly stall: number }[] = []

function flush(): void {
  const batch = queue
  queue = []
  for (const { response, answer, stall } of batch) {
    try {
      writeUnary(response, answer)
      limitReader(response.socket, stall)
    } catch {
      // One answer that cannot be written must not cost the others.
      response.destroy()
    }
  }
}

const queuedOn = new WeakMap<Socket, Set<ServerResponse>>()

/**
 * A request that came while the one before it was being answered has a response without a socket. `node:http` does not
 * tell such a response that its connection is gone, so that whatever works for it would go on for ever.
 */
function watchQueued(response: ServerResponse): void {
  const { socket } = response.req
  let waiting = queuedOn.get(socket)
  if (waiting === undefined) {
    const responses = new Set<ServerResponse>()
    waiting = responses
    queuedOn.set(socket, responses)
    socket.once('close', () => {
      for (const each of responses) {
        if (each.socket !== null || each.writableFinished) continue
        each.destroyed = true
        each.emit('close')
      }
    })
  }
  const responses = waiting
  responses.add(response)
  response.once('close', () => responses.delete(response))
}

/** What is still to be read after this many bytes is watched. */
const watchedLength = 65_536

/** Cuts a connection whose reader takes nothing for a while; `node:http` sets its own limit once all is read. */
function limitReader(socket: Socket | null, stall: number): void {
  if (socket !== null && stall > 0 && socket.writableLength > watchedLength) socket.setTimeout(stall)
}

export interface ServeNodeOptions {
  readonly response: ServerResponse
  /** Writes the chunks of a stream past the response object, in one piece each; only for a listener of our own, where nothing else wraps it. */
  readonly direct?: boolean
  /** Milliseconds that a reader may take nothing of what waits for it before it is cut; 0 for no limit. */
  readonly stall?: number
}

/** Answers a request of `node:http` by a handler; settles once the answer is on its way. */
export function serveNodeRequest(
  handle: HttpHandler,
  request: HttpRequest,
  { response, direct = false, stall = 0 }: ServeNodeOptions,
): Promise<void> {
  if (response.socket === null) watchQueued(response)
  // Nothing of the request is kept while a stream goes on.
  return handle(request).then((answer) => respond(answer, { response, direct, stall }))
}

function respond(
  answer: HttpResponse,
  { response, direct, stall }: Required<ServeNodeOptions>,
): Promise<void> | undefined {
  const { body } = answer
  if (typeof body === 'string' || body instanceof Uint8Array) {
    if (queue.length === 0) setImmediate(flush)
    queue.push({ response, answer, stall })
    return undefined
  }
  if (!response.destroyed) response.writeHead(answer.status, answer.headers)
  const socket = direct ? response.socket : null
  if (socket === null) {
    return pump(response, body, { silent: () => response.flushHeaders() }).then(() => void response.end())
  }
  const writer = new ChunkWriter({ response, socket, stall })
  return pump(response, body, writer).then(() => writer.end())
}

/**
 * Writes what becomes ready in one turn as one chunk, and with the end of the stream where that comes in the same turn. A
 * chunked write of `node:http` is four writes of the socket; joined beforehand it is one.
 */
class ChunkWriter implements PumpOptions {
  readonly drains: Socket
  readonly #response: ServerResponse
  readonly #stall: number
  #begun = false
  #held = ''
  #scheduled = false

  constructor({ response, socket, stall }: { response: ServerResponse; socket: Socket; stall: number }) {
    this.#response = response
    this.drains = socket
    this.#stall = stall
  }

  silent(): void {
    this.#response.flushHeaders()
  }

  lagging(lags: boolean): void {
    if (this.#stall > 0) this.drains.setTimeout(lags ? this.#stall : 0)
  }

  /** False asks for a pause until the socket drains. */
  write(text: string): boolean {
    this.#held += text
    if (this.#held.length >= watchedLength) this.#send()
    else if (!this.#scheduled) {
      this.#scheduled = true
      endOfTurn(() => {
        this.#scheduled = false
        this.#send()
      })
    }
    return !this.drains.writableNeedDrain
  }

  end(): void {
    const { drains: socket } = this
    socket.cork()
    this.#send()
    this.#response.end()
    socket.uncork()
    limitReader(socket, this.#stall)
  }

  #send(): void {
    const text = this.#held
    this.#held = ''
    const [response, socket] = [this.#response, this.drains]
    if (text === '' || response.destroyed || socket.destroyed) return
    if (this.#begun && response.chunkedEncoding) {
      socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
    } else {
      // The response may hold back its head until the one before it is through; until then nothing may overtake it.
      response.write(text, () => {
        this.#begun = true
      })
    }
  }
}

function writeUnary(response: ServerResponse, answer: HttpResponse): void {
  if (response.destroyed) return
  const { status, headers } = answer
  const body = answer.body as string | Uint8Array
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  if (status === 204 || status === 304) response.writeHead(status, headers).end()
  else if (status === 413) writeLingering(response, answer)
  else response.writeHead(status, { ...headers, 'content-length': length }).end(body)
}

/** Milliseconds and bytes that a sender of too much may go on, so that it gets to read the answer before the connection goes. */
const lingerTime = 2_000
const lingerBytes = 64 * 1024 * 1024

function writeLingering(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const message = response.req
  const length = Buffer.byteLength(body as string)
  response.writeHead(status, { ...headers, 'content-length': length, connection: 'close' })
  if (message.readableEnded || message.complete) {
    response.end(body)
    return
  }
  response.write(body)
  let left = lingerBytes
  const timer = setTimeout(stop, lingerTime)
  message.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) stop()
  })
  message.once('end', stop)
  message.once('close', stop)
  function stop(): void {
    clearTimeout(timer)
    if (!response.writableEnded) response.end()
  }
}
