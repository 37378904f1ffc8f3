import type * as Api from '@opentelemetry/api'
import {
  readTraceParent,
  type Span,
  type SpanAttributes,
  type SpanOptions,
  type TraceParent,
  type Tracer,
} from '../lib/trace.ts'
import { keepActiveSpan, withinSpan } from './active-span.ts'

/** Where the API of OpenTelemetry keeps what a program has set up, whichever copy of it did so. */
const registered: symbol = Symbol.for('opentelemetry.js.api.1')

/**
 * A tracer that makes spans with the SDK of OpenTelemetry that the program has set up; undefined where it has set up none, or where
 * `@opentelemetry/api` is not installed.
 */
export async function openTelemetryTracer(options?: TracerOverOptions): Promise<Tracer | undefined> {
  const setUp = (globalThis as Record<symbol, { readonly trace?: unknown } | undefined>)[registered]
  if (setUp?.trace === undefined) return undefined
  let api: typeof Api
  try {
    api = await import('@opentelemetry/api')
  } catch {
    return undefined
  }
  return tracerOver(api, options)
}

export interface TracerOverOptions {
  /** Whether the texts of messages may be told; default false. */
  readonly content?: boolean
}

/** A tracer over the API of OpenTelemetry. */
export function tracerOver(api: typeof Api, { content = false }: TracerOverOptions = {}): Tracer {
  keepActiveSpan()
  const tracer = api.trace.getTracer('parlance')
  const kinds = { internal: api.SpanKind.INTERNAL, server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT }

  function contextOf(parent: SpanOptions['parent']): Api.Context {
    if (parent === undefined) return api.context.active()
    if (parent === 'none') return api.ROOT_CONTEXT
    if (parent instanceof ApiSpan) return api.trace.setSpan(api.ROOT_CONTEXT, parent.span)
    const context = spanContextOf(api, parent)
    return context === undefined ? api.ROOT_CONTEXT : api.trace.setSpanContext(api.ROOT_CONTEXT, context)
  }

  function start(
    name: string,
    { kind = 'internal', attributes = {}, parent, links = [], startTime }: SpanOptions = {},
  ): Span {
    const context = contextOf(parent)
    const linked = links.flatMap((link) => spanContextOf(api, link) ?? []).map((each) => ({ context: each }))
    const options: Api.SpanOptions = {
      kind: kinds[kind],
      attributes: plain(attributes),
      links: linked,
      ...(startTime !== undefined && { startTime }),
    }
    return new ApiSpan(tracer.startSpan(name, options, context), { api, context, start, content })
  }

  return { start }
}

function spanContextOf(api: typeof Api, parent: TraceParent): Api.SpanContext | undefined {
  const read = readTraceParent({ traceparent: parent.traceparent })
  if (read === undefined) return undefined
  return {
    traceId: read.traceparent.slice(3, 35),
    spanId: read.traceparent.slice(36, 52),
    traceFlags: Number.parseInt(read.traceparent.slice(53, 55), 16) & 1,
    isRemote: true,
    ...(parent.tracestate && { traceState: api.createTraceState(parent.tracestate) }),
  }
}

function plain(attributes: SpanAttributes): Api.Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Api.Attributes
}

interface Making {
  readonly api: typeof Api
  readonly context: Api.Context
  readonly start: Tracer['start']
  readonly content: boolean
}

class ApiSpan implements Span {
  readonly span: Api.Span
  readonly content: boolean
  readonly #making: Making

  constructor(span: Api.Span, making: Making) {
    this.span = span
    this.#making = making
    this.content = making.content
  }

  get recording(): boolean {
    return this.span.isRecording()
  }

  get traceId(): string {
    return this.span.spanContext().traceId
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext()
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
  }

  get tracestate(): string {
    return this.span.spanContext().traceState?.serialize() ?? ''
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(plain(attributes))
  }

  link(to: TraceParent): void {
    const context = spanContextOf(this.#making.api, to)
    if (context !== undefined) this.span.addLink({ context })
  }

  fail(type: string, text?: string): void {
    this.set({ 'error.type': type })
    const code = this.#making.api.SpanStatusCode.ERROR
    this.span.setStatus(text === undefined ? { code } : { code, message: text })
  }

  end(): void {
    this.span.end()
  }

  child(name: string, options?: Omit<SpanOptions, 'parent'>): Span {
    return this.#making.start(name, { ...options, parent: this })
  }

  run<T>(work: () => T): T {
    const { api, context } = this.#making
    return withinSpan(this, () => api.context.with(api.trace.setSpan(context, this.span), work))
  }
}
