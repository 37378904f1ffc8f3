import { tooLarge } from '../bindings/json-body.ts'
import { ByteList } from '../lib/byte-list.ts'
import type { HttpHandler, HttpHeaders, HttpRequest } from '../lib/http.ts'

export interface FetchOptions {
  /** The part of the path that stands before the paths of the agent, such as `/agents/echo`. */
  readonly mount?: string
}

/** Serves web-standard requests by a handler, in any runtime. */
export function createFetch(handle: HttpHandler, options: FetchOptions = {}): (request: Request) => Promise<Response> {
  const mount = options.mount?.replace(/\/+$/, '') ?? ''
  return async (request) => {
    const answer = await handle(readFetchRequest(request, mount))
    const { status, headers, body } = answer
    const bare = request.method === 'HEAD' || status === 204 || status === 304
    if (typeof body === 'string' || body instanceof Uint8Array) {
      return new Response(bare ? null : (body as string), { status, headers })
    }
    return new Response(toStream(body), { status, headers })
  }
}

function readFetchRequest(request: Request, mount: string): HttpRequest {
  const url = new URL(request.url)
  const mounted = mount !== '' && (url.pathname === mount || url.pathname.startsWith(`${mount}/`))
  const headers: Record<string, string> = { host: url.host }
  for (const [name, value] of request.headers) headers[name] = value
  let body: Promise<Uint8Array> | undefined
  return {
    method: request.method,
    path: (mounted ? url.pathname.slice(mount.length) : url.pathname) || '/',
    query: url.search.slice(1),
    headers: headers as HttpHeaders,
    secure: url.protocol === 'https:',
    ...(mounted && { mount }),
    get signal() {
      return request.signal
    },
    body(limit) {
      body ??= readBody(request, limit)
      return body
    },
  }
}

async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const chunks = new ByteList()
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    chunks.add(chunk)
    if (chunks.length > limit) throw tooLarge(limit)
  }
  return chunks.take()
}

function toStream(source: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = source[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}
