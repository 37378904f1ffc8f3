import { randomFillSync } from 'node:crypto'
import {
  readTraceParent,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanOptions,
  type TraceParent,
  type Tracer,
} from '../lib/trace.ts'
import { keepActiveSpan, spanAtWork, withinSpan } from './active-span.ts'

/** A span that has ended. */
export interface EndedSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly tracestate: string | undefined
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly end: bigint
  readonly attributes: SpanAttributes
  readonly links: readonly TraceParent[]
  readonly failure: { readonly text: string | undefined } | undefined
}

export interface TracerOptions {
  /** Takes spans as they end. */
  readonly export: (span: EndedSpan) => void
  /** The share of new traces that is kept, 0 to 1; traces that came from elsewhere are kept as their beginning was. Default 1. */
  readonly ratio?: number
  /** Whether the texts of messages may be told; default false. */
  readonly content?: boolean
}

/** A tracer without anything else, for servers that send their spans themselves. */
export function createTracer({ export: give, ratio = 1, content = false }: TracerOptions): Tracer {
  keepActiveSpan()

  function start(name: string, options: SpanOptions = {}): Span {
    const given = options.parent ?? spanAtWork()
    const parent = given === 'none' || given === undefined ? undefined : readTraceParent({ ...headersOf(given) })
    const recording =
      parent === undefined
        ? ratio >= 1 || Math.random() < ratio
        : (Number.parseInt(parent.traceparent.slice(-2), 16) & 1) === 1
    return new OwnSpan(name, { options, parent, recording, content, give, start })
  }

  return { start }
}

function headersOf({ traceparent, tracestate }: TraceParent): Record<string, string | undefined> {
  return { traceparent, tracestate }
}

interface Making {
  readonly options: SpanOptions
  readonly parent: TraceParent | undefined
  readonly recording: boolean
  readonly content: boolean
  readonly give: TracerOptions['export']
  readonly start: Tracer['start']
}

/** Monotonic, so that no span is shorter than nothing when the clock is set back. */
function nanoseconds(): bigint {
  return origin + process.hrtime.bigint()
}

const origin = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint()

class OwnSpan implements Span {
  readonly recording: boolean
  readonly content: boolean
  readonly traceId: string
  readonly #spanId: string = randomHex(8)
  readonly #name: string
  readonly #making: Making
  readonly #begun: bigint
  #attributes: SpanAttributes
  #links: readonly TraceParent[]
  #failure: EndedSpan['failure']
  #ended = false

  constructor(name: string, making: Making) {
    const { options, parent, recording } = making
    this.#name = name
    this.#making = making
    this.recording = recording
    this.content = recording && making.content
    this.traceId = parent?.traceparent.slice(3, 35) ?? randomHex(16)
    this.#begun = options.startTime === undefined ? nanoseconds() : BigInt(Math.round(options.startTime)) * 1_000_000n
    this.#attributes = options.attributes ?? {}
    this.#links = options.links ?? []
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.#spanId}-${this.recording ? '01' : '00'}`
  }

  get tracestate(): string {
    return this.#making.parent?.tracestate ?? ''
  }

  set(attributes: SpanAttributes): void {
    if (this.recording) this.#attributes = { ...this.#attributes, ...attributes }
  }

  link(to: TraceParent): void {
    if (this.recording && this.#links.length < 100) this.#links = [...this.#links, to]
  }

  fail(type: string, text?: string): void {
    this.set({ 'error.type': type })
    this.#failure = { text }
  }

  end(): void {
    if (this.#ended || !this.recording) return
    this.#ended = true
    const { options, parent, give } = this.#making
    let end = nanoseconds()
    if (end < this.#begun) end = this.#begun
    give({
      name: this.#name,
      kind: options.kind ?? 'internal',
      traceId: this.traceId,
      spanId: this.#spanId,
      parentId: parent?.traceparent.slice(36, 52),
      tracestate: parent?.tracestate,
      start: this.#begun,
      end,
      attributes: this.#attributes,
      links: this.#links,
      failure: this.#failure,
    })
  }

  child(name: string, options?: Omit<SpanOptions, 'parent'>): Span {
    return this.#making.start(name, { ...options, parent: this })
  }

  run<T>(work: () => T): T {
    return withinSpan(this, work)
  }
}

/** Made in advance, as asking for few random bytes costs as much as asking for many. */
const pool = Buffer.alloc(4_096)
let used = pool.length

function randomHex(bytes: 8 | 16): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  const hex = pool.toString('hex', used - bytes, used)
  // Ids of zeros are not valid.
  return /^0+$/.test(hex) ? randomHex(bytes) : hex
}
