import { A2AError } from '../protocol/errors.ts'

/** How a client transport reaches its peer. */
export interface TransportOptions {
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** Headers for a request to this address, such as credentials; asked for each time. */
  readonly headers?: (url: URL) => Promise<Readonly<Record<string, string>>>
  readonly limits?: Partial<TransportLimits>
  /** Whether JSON-RPC of 0.3 is spoken with the names of the drafts after it, as some cards show. */
  readonly draft?: boolean
  /** Whether the peer has base64 text where the protobuf of 0.3 has the bytes of a file. */
  readonly filesAsText?: boolean
  /** Receives what was read in spite of a flaw. */
  readonly warn?: (text: string) => void
  /** For gRPC only: whom to trust, and the client's own certificate. `fetch` has its own ways. */
  readonly tls?: TlsOptions
  /** For gRPC only: whether an address without a scheme is reached over TLS. */
  readonly secure?: boolean
}

/** Certificates and keys in PEM. */
export interface TlsOptions {
  /** Authorities to trust in place of the usual ones. */
  readonly ca?: string | Uint8Array
  /** The client's certificate, with its chain. */
  readonly cert?: string | Uint8Array
  /** The key of that certificate. */
  readonly key?: string | Uint8Array
}

/** What one call may take; there is no limit for the length of a stream. */
export interface TransportLimits {
  /** Milliseconds until the head of an answer, and from there to the first byte of its body. */
  readonly firstByte: number
  /** The same for calls that start work; a peer may answer these late. */
  readonly firstByteOfSend: number
  /** Milliseconds of silence within an answer; every byte counts, also that of a comment. */
  readonly idle: number
  /** Bytes of one answer, and of one frame of a stream. */
  readonly bytes: number
}

/** Limits of whoever names none. */
export const transportLimits: TransportLimits = {
  firstByte: 60_000,
  firstByteOfSend: 280_000,
  idle: 60_000,
  bytes: 16 * 1024 * 1024,
}

export interface FetchRequest {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the head of the answer. */
  readonly firstByte?: number
}

/** An answer whose body is still to be read, or to be closed. */
export interface FetchAnswer {
  readonly status: number
  readonly headers: Headers
  /** Where the answer came from, after redirects. */
  readonly url: string
  /** Media type in lower case, without parameters; `''` when there is none. */
  readonly mediaType: string
  /** The body piece by piece. Leaving the loop closes the connection. */
  chunks(): AsyncGenerator<Uint8Array>
  text(): Promise<string>
  /** Closes the connection, also while a piece is waited for; the body then ends as if it were complete. */
  close(): void
}

/** An address as it may be shown: without user, password, query and fragment. */
export function shownUrl(url: string): string {
  try {
    const { protocol, host, pathname } = new URL(url)
    return `${protocol}//${host}${pathname}`
  } catch {
    return 'an address that is no URL'
  }
}

/**
 * One HTTP exchange. Follows redirects itself, so that `options.headers` decides what another origin gets to see.
 * Throws Unavailable when nothing answers, DeadlineExceeded when a limit passes, Cancelled when the signal is aborted.
 * `metadata.delivered` is `no` when the request surely never arrived.
 */
export async function fetchCall(request: FetchRequest, options: TransportOptions): Promise<FetchAnswer> {
  const limits = { ...transportLimits, ...options.limits }
  const shown = shownUrl(request.url)
  const watch = new Watch(request.signal)
  try {
    const milliseconds = request.firstByte ?? limits.firstByte
    watch.limit(milliseconds, `${shown} did not begin to answer within ${milliseconds} ms`)
    const { response, url } = await exchange(request, { options, watch })
    watch.stop()
    return answerOf(response, { url, watch, limits: { ...limits, firstByte: milliseconds } })
  } catch (cause) {
    watch.close()
    throw watch.failure ?? unreachable(shown, cause)
  }
}

interface Reached {
  readonly response: Response
  readonly url: string
}

async function exchange(
  request: FetchRequest,
  { options, watch }: { options: TransportOptions; watch: Watch },
): Promise<Reached> {
  let { url, method, body } = request
  for (let hops = 0; ; hops++) {
    const secrets = await watch.race(options.headers?.(new URL(url)) ?? Promise.resolve({}))
    const send = options.fetch ?? globalThis.fetch
    const init: RequestInit = {
      method,
      headers: { ...request.headers, ...secrets },
      redirect: 'manual',
      signal: watch.signal,
      ...(body !== undefined && { body }),
    }
    const response = await watch.race(send(url, init))
    if (response.type === 'opaqueredirect')
      throw new Error('it redirects, which a browser does not show; use the final address')
    const location = response.headers.get('location')
    if (response.status < 301 || response.status > 308 || location === null || response.status === 304)
      return { response, url }
    if (hops === 5) throw new Error('it redirects too often')
    await response.body?.cancel()
    const kept = response.status === 307 || response.status === 308
    if (!kept && method !== 'GET') {
      throw new Error(
        `it redirects a ${method} with status ${response.status} to ${shownUrl(new URL(location, url).href)}; use that address`,
      )
    }
    url = new URL(location, url).href
  }
}

function answerOf(
  response: Response,
  { url, watch, limits }: { url: string; watch: Watch; limits: TransportLimits },
): FetchAnswer {
  const shown = shownUrl(url)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const close = (): void => {
    watch.close()
    reader?.cancel().catch(() => {})
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    reader = response.body?.getReader()
    try {
      // A peer may send its head at once and begin to work only then.
      let patience = Math.max(limits.idle, limits.firstByte)
      while (reader !== undefined) {
        watch.limit(patience, `${shown} was silent for ${patience} ms within its answer`)
        patience = limits.idle
        const { done, value } = await watch.race(reader.read())
        watch.stop()
        if (done) return
        yield value
      }
    } catch (cause) {
      throw watch.failure ?? dropped(shown, cause)
    } finally {
      close()
    }
  }
  return {
    close,
    status: response.status,
    headers: response.headers,
    url,
    mediaType: (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    chunks,
    async text() {
      const decoder = new TextDecoder()
      let text = ''
      let bytes = 0
      for await (const chunk of chunks()) {
        bytes += chunk.byteLength
        if (bytes > limits.bytes) {
          throw new A2AError(
            'InvalidAgentResponse',
            `${shown} answered with more than ${limits.bytes} bytes, the limit set here`,
          )
        }
        text += decoder.decode(chunk, { stream: true })
      }
      return text + decoder.decode()
    },
  }
}

/** The limits of one exchange: whichever ends it first says why. */
export class Watch {
  readonly #controller = new AbortController()
  readonly #outer: AbortSignal | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #reject: ((error: A2AError) => void) | undefined
  failure: A2AError | undefined

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted) this.#cancel()
    else outer?.addEventListener('abort', this.#cancel)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  limit(milliseconds: number, message: string): void {
    this.stop()
    this.#timer = setTimeout(() => this.#fail(new A2AError('DeadlineExceeded', message)), milliseconds)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** The promise, or the failure of this exchange, also where what it waits for ignores the signal. One at a time. */
  race<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      promise.then(resolve, reject)
      if (this.failure !== undefined) reject(this.failure)
    })
  }

  close(): void {
    this.stop()
    this.#outer?.removeEventListener('abort', this.#cancel)
  }

  #fail(error: A2AError): void {
    if (this.failure !== undefined) return
    this.failure = error
    this.#controller.abort(error)
    this.#reject?.(error)
  }

  readonly #cancel = (): void => this.#fail(cancelled(this.#outer))
}

/** The error of a call that its own caller gave up. */
export function cancelled(signal: AbortSignal | undefined): A2AError {
  return new A2AError('Cancelled', 'The call was given up by its caller', { cause: signal?.reason })
}

/** Failures that come before a byte of the request is sent. */
const undelivered = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
])

function unreachable(url: string, cause: unknown): A2AError {
  if (A2AError.is(cause)) return cause
  const { text, code } = reasonOf(cause)
  const lost = code !== undefined && undelivered.has(code)
  const metadata = lost ? { url, delivered: 'no' } : { url }
  return new A2AError('Unavailable', `Cannot reach ${url}: ${text}`, { cause, metadata })
}

function dropped(url: string, cause: unknown): A2AError {
  if (A2AError.is(cause)) return cause
  return new A2AError('Unavailable', `${url} broke off its answer: ${reasonOf(cause).text}`, {
    cause,
    metadata: { url },
  })
}

/** What `fetch` hides: the innermost cause, and its code where the platform gives one. */
function reasonOf(value: unknown): { text: string; code: string | undefined } {
  let error = value as { message?: string; code?: unknown; cause?: unknown; errors?: unknown[] } | undefined
  let code: string | undefined
  let text = ''
  for (let depth = 0; typeof error === 'object' && error !== null && depth < 5; depth++) {
    if (typeof error.code === 'string') code = error.code
    if (error.message) text = error.message
    error = (error.cause ?? error.errors?.[0]) as typeof error
  }
  return { text: text || code || String(value), code }
}
