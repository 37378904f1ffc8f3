/** Where a span belongs, as the headers of W3C Trace Context say it. */
export interface TraceParent {
  readonly traceparent: string
  readonly tracestate?: string
}

/** What a span is to those around it. */
export type SpanKind = 'internal' | 'server' | 'client'

/** What is said of a span. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>

export interface SpanOptions {
  readonly kind?: SpanKind
  readonly attributes?: SpanAttributes
  /** Without it the span is a child of the one at work; `none`: the first of its trace. */
  readonly parent?: TraceParent | 'none' | undefined
  /** Others that it follows from. */
  readonly links?: readonly TraceParent[]
  /** When it began, milliseconds since 1970; else now. */
  readonly startTime?: number
}

/** A piece of work that is being traced. */
export interface Span extends TraceParent {
  /** Whether anybody will see it; when not, nothing need be said of it. */
  readonly recording: boolean
  /** Whether the texts of messages may be told. */
  readonly content: boolean
  readonly traceId: string
  set(attributes: SpanAttributes): void
  /** Adds what it follows from. */
  link(to: TraceParent): void
  /** Marks it as failed; `type` is one of few: a code, or the name of a class. */
  fail(type: string, text?: string): void
  end(): void
  /** A span within this one. */
  child(name: string, options?: Omit<SpanOptions, 'parent'>): Span
  /** Does some work, with all that it leads to, as part of this span. */
  run<T>(work: () => T): T
}

/** Makes spans. */
export interface Tracer {
  start(name: string, options?: SpanOptions): Span
}

type Find = () => Span | undefined

/** One place for a process, also where it has two copies of this package. */
const place: unique symbol = Symbol.for('parlance.active-span') as never
const shared = globalThis as { [place]?: Find }

/** The span that the caller is at work in. */
export function activeSpan(): Span | undefined {
  return shared[place]?.()
}

/** Tells how the active span is found; done by whatever keeps spans. */
export function findActiveSpanBy(find: Find): void {
  shared[place] = find
}

/** A span of the work at hand; undefined when that is not traced. */
export function childSpan(name: string, options?: () => Omit<SpanOptions, 'parent'>): Span | undefined {
  const active = activeSpan()
  return active?.recording === true ? active.child(name, options?.()) : undefined
}

const form = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-|$)/
const longestState = 512

/** Reads the headers of W3C Trace Context; undefined where they are absent or not as the standard wants them. */
export function readTraceParent(headers: Readonly<Record<string, string | undefined>>): TraceParent | undefined {
  const { traceparent, tracestate } = headers
  if (traceparent === undefined || !form.test(traceparent)) return undefined
  // Version ff, and ids of zeros, are not valid.
  if (traceparent.startsWith('ff') || /^..-0{32}-|^.{36}0{16}/.test(traceparent)) return undefined
  return {
    traceparent: traceparent.slice(0, 55),
    ...(tracestate !== undefined && tracestate !== '' && tracestate.length <= longestState && { tracestate }),
  }
}
