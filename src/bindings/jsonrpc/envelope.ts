import { A2AError, errorDetails } from '../../protocol/errors.ts'

/** The id of a JSON-RPC request; null where none could be told. */
export type RequestId = string | number | null

/** The id of something that may be a request; null when it has none that can be given back (§9.5). */
export function readId(value: unknown): RequestId {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : undefined
  return isId(id) ? id : null
}

/** Each frame of a stream repeats the id. */
const longestId = 1_000

function isId(id: unknown): id is RequestId {
  if (typeof id === 'string') return id.length <= longestId
  return id === null || (typeof id === 'number' && isExact(id))
}

/** Whole numbers that a double cannot hold would come back as another number. */
function isExact(id: number): boolean {
  return Number.isFinite(id) && (!Number.isInteger(id) || Number.isSafeInteger(id))
}

/** A request object that obeys JSON-RPC 2.0. */
export interface Envelope {
  readonly method: string
  /** An object, or undefined. */
  readonly params: unknown
}

/** Checks the parsed body of a request; throws InvalidRequest, or InvalidParams for positional parameters (§9.3, §9.5). */
export function readEnvelope(value: unknown): Envelope {
  if (Array.isArray(value)) throw invalid('batches are not part of A2A; send one request at a time')
  if (typeof value !== 'object' || value === null) throw invalid('the body must be a JSON object')
  const { jsonrpc, id, method, params } = value as Record<string, unknown>
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0"')
  if (id === undefined) throw invalid('id is missing; notifications are not part of A2A')
  if (!isId(id)) throw invalid(`id must be a string of at most ${longestId} characters, an exact number or null`)
  if (typeof method !== 'string') throw invalid('method must be a string')
  if (params === undefined || params === null) return { method, params: undefined }
  if (typeof params !== 'object') throw invalid('params must be an object')
  if (Array.isArray(params)) {
    throw new A2AError('InvalidParams', 'params must be an object with named members, not an array')
  }
  return { method, params }
}

function invalid(problem: string): A2AError {
  return new A2AError('InvalidRequest', `Request payload validation error: ${problem}`)
}

/** The text that precedes a result; the text of the result and `}` follow. */
export function resultPrefix(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
}

/** The whole error response (§9.5). */
export function errorText(id: RequestId, error: A2AError): string {
  const data = errorDetails(error)
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: error.row.jsonRpc, message: error.message, ...(data.length > 0 && { data }) },
  })
}
