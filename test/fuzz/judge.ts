import type { GrpcAnswer } from './grpc-client.ts'
import type { Exchange, HttpAnswer } from './http-client.ts'

/** What became of a request. `unknown`: it was cut off, by either side, before that was clear. */
export interface Verdict {
  readonly outcome: 'accepted' | 'refused' | 'unknown'
  /** What a server must never do. */
  readonly fault?: string
}

/** Errors of JSON-RPC that blame the server. */
const serverErrors: ReadonlySet<unknown> = new Set([-32603, -32006, -31503, -31504])

export function judgeHttp({ answers, hung }: Exchange, complete: boolean): Verdict {
  if (hung) return { outcome: 'unknown', fault: 'neither an answer nor the end of the connection within 5 s' }
  if (answers.length === 0) {
    return { outcome: 'unknown', ...(complete && { fault: 'a complete request was not answered' }) }
  }
  const verdicts = answers.map(judgeAnswer)
  const fault = verdicts.find((verdict) => verdict.fault !== undefined)?.fault
  const outcomes = new Set(verdicts.map(({ outcome }) => outcome))
  const outcome = outcomes.has('accepted') ? 'accepted' : outcomes.has('unknown') ? 'unknown' : 'refused'
  return { outcome, ...(fault !== undefined && { fault }) }
}

function judgeAnswer({ status, type, body, whole }: HttpAnswer): Verdict {
  if (status >= 500) return { outcome: 'refused', fault: `status ${status}: ${body.slice(0, 300)}` }
  if (status >= 300 && status < 400 && status !== 304) return { outcome: 'unknown', fault: `status ${status}` }
  if (type === 'text/event-stream') return judgeEvents(body)
  if (!type.endsWith('json') || body === '') return { outcome: status < 300 ? 'accepted' : 'refused' }
  const value = readJson(body)
  if (value === undefined) {
    return { outcome: 'unknown', ...(whole && { fault: `the body is not JSON: ${body.slice(0, 300)}` }) }
  }
  return judgeValue(value, status)
}

function judgeValue(value: unknown, status: number): Verdict {
  const error = (value as { error?: { code?: unknown } } | null)?.error
  const fault = serverErrors.has(error?.code) ? `error ${JSON.stringify(error)}` : undefined
  return { outcome: status >= 300 || error !== undefined ? 'refused' : 'accepted', ...(fault && { fault }) }
}

function judgeEvents(body: string): Verdict {
  const events = [...body.matchAll(/^data: (.*)$/gm)].map(([, text = '']) => readJson(text))
  const verdicts = events.filter((event) => event !== undefined).map((event) => judgeValue(event, 200))
  const fault = verdicts.find((verdict) => verdict.fault !== undefined)
  return fault ?? verdicts[0] ?? { outcome: 'unknown' }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer to a request of HTTP that came over HTTP/2. */
export function judgeHttp2({ status, type, body, reset, hung, left }: GrpcAnswer): Verdict {
  if (status === 0 && !hung) return { outcome: 'unknown', ...(reset === 2 && { fault: 'reset with INTERNAL_ERROR' }) }
  const answer = { status, type: type.replace(/;.*/, ''), body: body.toString('utf8'), whole: !left }
  return judgeHttp({ answers: status === 0 ? [] : [answer], hung }, false)
}

/** Codes of gRPC that blame the server: UNKNOWN, INTERNAL, UNAVAILABLE, DATA_LOSS. */
const serverCodes: ReadonlySet<number> = new Set([2, 13, 14, 15])
/** The one case in which gRPC asks for INTERNAL when the caller is to blame. */
const compressedByNothing = 'A message says that it is compressed'
/** Codes after which work may go on: CANCELLED, DEADLINE_EXCEEDED. */
const cutCodes: ReadonlySet<number> = new Set([1, 4])

export function judgeGrpc(answer: GrpcAnswer): Verdict {
  const { status, code, text, body, reset, hung, left } = answer
  if (hung) return { outcome: 'unknown', fault: 'no end of the call within 5 s' }
  if (status >= 500) return { outcome: 'refused', fault: `status ${status} of HTTP` }
  if (code !== undefined) {
    if (serverCodes.has(code) && !text.includes(compressedByNothing))
      return { outcome: 'refused', fault: `grpc-status ${code}: ${text}` }
    return { outcome: code === 0 ? 'accepted' : cutCodes.has(code) ? 'unknown' : 'refused' }
  }
  if (left) return { outcome: body.length > 0 ? 'accepted' : 'unknown' }
  if (reset === 2) return { outcome: 'unknown', fault: 'the stream was reset with INTERNAL_ERROR' }
  if (status >= 400) return { outcome: 'refused' }
  if (status === 0) return { outcome: 'unknown' }
  return { outcome: 'unknown', fault: `an answer with status ${status} of HTTP and without grpc-status` }
}
