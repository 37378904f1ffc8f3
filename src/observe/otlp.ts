import type { Logger } from '../lib/log.ts'
import { readTraceParent, type SpanAttributes, type SpanKind } from '../lib/trace.ts'
import { backgroundTimer } from '../lib/turn.ts'
import type { EndedSpan } from './tracer.ts'

export interface OtlpOptions {
  /** Where the collector is: `http://host:4318`, to which `/v1/traces` is added, or a URL with a path of its own. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** What is said of this process: `service.name` and the like. */
  readonly resource: SpanAttributes
  readonly log: Logger
  /** Spans that may wait; more are dropped. Default 8,192. */
  readonly queue?: number
  /** Spans sent at once; default 512. */
  readonly batch?: number
  /** How long spans may wait for others, milliseconds; default 2,000. */
  readonly delay?: number
  /** The longest time for one request, milliseconds; default 10,000. */
  readonly timeLimit?: number
  readonly fetch?: typeof fetch
}

/** Sends spans to a collector, and never lets what they tell of wait for that. */
export interface Exporter {
  readonly add: (span: EndedSpan) => void
  /** How many spans came to what. */
  readonly counts: { readonly exported: number; readonly dropped: number; readonly failed: number }
  /** Sends what waits, as far as that is quick. */
  close(): Promise<void>
}

const attempts = 4
const longestWait = 30_000

/** Makes an exporter for OTLP over HTTP in its JSON form. A wrong URL is a `TypeError`. */
export function createOtlpExporter(options: OtlpOptions): Exporter {
  const { queue = 8_192, batch = 512, delay = 2_000, timeLimit = 10_000, log } = options
  const send = options.fetch ?? fetch
  const url = tracesUrl(options.url)
  const resource = { attributes: attributesOf(options.resource) }
  const headers = { ...options.headers, 'content-type': 'application/json' }
  const counts = { exported: 0, dropped: 0, failed: 0 }
  let waiting: EndedSpan[] = []
  let timer: { stop(): void } | undefined
  let sending: Promise<void> | undefined
  let trouble = false
  const closing = new AbortController()

  function add(span: EndedSpan): void {
    if (waiting.length >= queue) {
      counts.dropped += 1
      return
    }
    waiting.push(span)
    if (waiting.length >= batch) flush()
    else if (sending === undefined) timer ??= backgroundTimer(flush, delay)
  }

  function flush(): void {
    timer?.stop()
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
      if (waiting.length > 0 && !closing.signal.aborted) timer ??= backgroundTimer(flush, delay)
    })
  }

  async function sendAll(): Promise<void> {
    do {
      const spans = waiting.slice(0, batch)
      waiting = waiting.slice(batch)
      const problem = await sendBatch(spans)
      if (problem === undefined) counts.exported += spans.length
      else counts.failed += spans.length
      if (problem !== undefined && !trouble) log.warn('The collector of traces takes no spans', { reason: problem })
      else if (problem === undefined && trouble) log.info('The collector of traces takes spans again')
      trouble = problem !== undefined
    } while (waiting.length >= batch)
  }

  /** What went wrong, once it is certain. */
  async function sendBatch(spans: readonly EndedSpan[]): Promise<string | undefined> {
    const body = JSON.stringify({
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'parlance' }, spans: spans.map(spanJson) }] }],
    })
    for (let attempt = 1; ; attempt++) {
      const { problem, again } = await post(body)
      if (problem === undefined || again === undefined || attempt === attempts || closing.signal.aborted) return problem
      await pause(Math.min(longestWait, again || 1_000 * 2 ** attempt * (0.5 + Math.random() / 2)))
    }
  }

  async function post(body: string): Promise<{ readonly problem?: string; readonly again?: number }> {
    try {
      const signal = AbortSignal.timeout(timeLimit)
      const response = await send(url, { method: 'POST', headers, body, signal, redirect: 'error' })
      await response.arrayBuffer()
      if (response.ok) return {}
      const problem = `HTTP status ${response.status}`
      if (![429, 502, 503, 504].includes(response.status)) return { problem }
      return { problem, again: Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0 }
    } catch (error) {
      const { name, message, cause } = error as Error
      const { code, message: inner } = (cause ?? {}) as { readonly code?: string; readonly message?: string }
      return { problem: name === 'TimeoutError' ? 'no answer in time' : (code ?? inner ?? message), again: 0 }
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        pausing.stop()
        closing.signal.removeEventListener('abort', done)
        resolve()
      }
      const pausing = backgroundTimer(done, ms)
      closing.signal.addEventListener('abort', done)
    })
  }

  return {
    add,
    counts,
    async close() {
      closing.abort()
      timer?.stop()
      await sending
      while (waiting.length > 0 && !trouble) await sendAll()
      counts.failed += waiting.length
      waiting = []
      timer?.stop()
    },
  }
}

function tracesUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new TypeError('otlp: must be a URL of http or https, such as http://localhost:4318')
  }
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.href
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }

function spanJson(span: EndedSpan): object {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    ...(span.tracestate !== undefined && { traceState: span.tracestate }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: String(span.start),
    endTimeUnixNano: String(span.end),
    attributes: attributesOf(span.attributes),
    ...(span.links.length > 0 && { links: span.links.flatMap(linkJson) }),
    ...(span.failure && {
      status: { code: 2, ...(span.failure.text !== undefined && { message: span.failure.text }) },
    }),
  }
}

function linkJson({ traceparent, tracestate }: { traceparent: string; tracestate?: string }): readonly object[] {
  if (readTraceParent({ traceparent }) === undefined) return []
  const ids = { traceId: traceparent.slice(3, 35), spanId: traceparent.slice(36, 52) }
  return [{ ...ids, ...(tracestate && { traceState: tracestate }) }]
}

function attributesOf(attributes: SpanAttributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  )
}

function anyValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } }
}
