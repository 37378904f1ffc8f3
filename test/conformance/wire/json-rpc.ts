import { exchange, openEvents } from './http.ts'
import { type Answer, type CallOptions, type Frames, type Json, type Peer, readError } from './peer.ts'

/** How the suites write JSON-RPC. */
export interface JsonRpcStyle {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Names of fields as the `.proto` has them. */
  readonly snakeCase?: boolean
  /** A slash after the URL of the card. */
  readonly slash?: boolean
}

const free = new Set(['metadata', 'data'])

/** Field names as they stand in a `.proto`; what is the caller's own stays as it is. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      free.has(name) ? inner : toSnakeCase(inner),
    ]),
  )
}

/** JSON-RPC by hand (§9). */
export function jsonRpcPeer({ url, headers, snakeCase = false, slash = false }: JsonRpcStyle): Peer {
  let lastId = 0
  const streams: Frames[] = []
  const target = slash && !url.endsWith('/') ? `${url}/` : url
  const written = (method: string, params: Json, options: CallOptions = {}): Parameters<typeof exchange>[0] => ({
    url: target,
    headers: { 'content-type': 'application/json', ...headers, ...options.headers },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: String(++lastId),
      method,
      params: snakeCase ? toSnakeCase(params) : params,
    }),
  })
  return {
    binding: 'JSONRPC',
    url,
    async call(operation, request, options): Promise<Answer> {
      const http = await exchange(written(operation, request, options))
      const error = readError(http.body?.error)
      const value = http.body?.result as Json | undefined
      return { value, error: error ?? (value === undefined ? otherError(http) : undefined), http }
    },
    async open(operation, request, options) {
      const frames = await openEvents(written(operation, request, options), {
        event: ({ result, error }) => ({ value: result as Json, error: readError(error) }),
        refusal: ({ body }) => readError(body?.error),
      })
      streams.push(frames)
      return frames
    },
    close: () => {
      for (const frames of streams) frames.close()
    },
  }
}

function otherError({ status, text }: { readonly status: number; readonly text: string }): Answer['error'] {
  // A result may be null, as that of a deletion.
  if (status === 200 && text.includes('"result"')) return undefined
  return { code: status, message: text, reason: undefined, domain: undefined, details: [] }
}
