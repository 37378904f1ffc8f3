import { readTraceParent, type Span, type SpanOptions } from '../lib/trace.ts'
import { spanTable } from '../observe/span-table.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { Call, CallContext, Endpoint, StreamEvent } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message } from '../protocol/generated/v1/types.ts'
import type { StreamOperation, UnaryOperation } from '../protocol/operations.ts'

/** The calls of one binding, as they are told to whoever watches. */
export interface ObservedCalls {
  readonly endpoint: Endpoint
  /** Told of each error that is sent; those of the endpoint are known already. */
  readonly failed?: (error: A2AError) => void
}

/** Measures and traces the calls that come by one binding. */
export function observeCalls(endpoint: Endpoint, binding: string, { meter, tracer }: Telemetry): ObservedCalls {
  if (meter === undefined && tracer === undefined) return { endpoint }
  const counted = new WeakSet<A2AError>()

  const answered = new Map<string, (seconds: number) => void>()

  function answers(method: string): (seconds: number) => void {
    const count = meter?.counter('parlance_calls_total', method, binding, 'ok')
    const time = meter?.histogram('parlance_call_duration_seconds', method, binding)
    const known = (seconds: number): void => {
      count?.()
      time?.(seconds)
    }
    answered.set(method, known)
    return known
  }

  function ended(method: string, outcome: string, began: number): void {
    const seconds = (performance.now() - began) / 1_000
    if (outcome === 'ok') (answered.get(method) ?? answers(method))(seconds)
    else {
      meter?.add('parlance_calls_total', 1, method, binding, outcome)
      meter?.record('parlance_call_duration_seconds', seconds, method, binding)
    }
  }

  async function observe<T>(call: Call, work: (call: Call) => Promise<T>): Promise<[T, Span | undefined]> {
    const began = performance.now()
    const span = tracer?.start(call.operation, spanOptions(call, binding))
    try {
      const traced = span === undefined ? call : { ...call, context: new TracedContext(call.context, span) }
      const answer = await (span === undefined ? work(traced) : span.run(() => work(traced)))
      ended(call.operation, 'ok', began)
      return [answer, span]
    } catch (thrown) {
      const error = A2AError.from(thrown)
      counted.add(error)
      ended(call.operation, error.code, began)
      fail(span, error)
      span?.end()
      throw error
    }
  }

  return {
    endpoint: {
      async unary<O extends UnaryOperation>(call: Call<O>) {
        const [reply, span] = await observe(call, (traced) => endpoint.unary(traced as Call<O>))
        span?.end()
        return reply
      },
      async stream<O extends StreamOperation>(call: Call<O>) {
        const [reply, span] = await observe(call, (traced) => endpoint.stream(traced as Call<O>))
        return span?.recording === true ? { ...reply, events: spanned(reply.events, span) } : reply
      },
    },
    failed: (error) => {
      if (counted.has(error)) return
      // What was refused before it was understood has no operation that could be believed.
      meter?.add('parlance_calls_total', 1, 'unknown', binding, error.code)
    },
  }
}

function spanOptions({ operation, request, context }: Call, binding: string): SpanOptions {
  const { id, message } = request as { readonly id?: string; readonly message?: Partial<Message> }
  return {
    kind: spanTable.call.kind,
    parent: readTraceParent(context.headers) ?? 'none',
    attributes: {
      'a2a.method.name': operation,
      'a2a.protocol.binding': binding,
      'a2a.protocol.version': context.version,
      'a2a.task.id': message === undefined ? id : message.taskId,
      'a2a.context.id': message?.contextId,
      'a2a.message.id': message?.messageId,
    },
  }
}

function fail(span: Span | undefined, error: A2AError): void {
  // What the caller did wrong is no failure of this server.
  if (error.row.http >= 500) span?.fail(error.code, error.message)
  else span?.set({ 'error.type': error.code })
}

/** The context of a call whose headers name the span that answers it, so that all that follows belongs to that. */
class TracedContext implements CallContext {
  readonly version: string
  readonly tenant: string
  readonly owner: string
  readonly extensions: readonly string[]
  readonly headers: CallContext['headers']
  declare readonly signal: AbortSignal

  constructor(context: CallContext, { traceparent, tracestate }: Span) {
    this.version = context.version
    this.tenant = context.tenant
    this.owner = context.owner
    this.extensions = context.extensions
    this.headers = { ...context.headers, traceparent, tracestate }
    // Made only when it is asked for.
    Object.defineProperty(this, 'signal', { enumerable: true, get: () => context.signal })
  }
}

/** Ends the span with the stream. */
function spanned(events: AsyncIterable<readonly StreamEvent[]>, span: Span): AsyncIterable<readonly StreamEvent[]> {
  return {
    [Symbol.asyncIterator]() {
      const inner = events[Symbol.asyncIterator]()
      return {
        next: () =>
          inner.next().then(
            (result) => {
              if (result.done) span.end()
              return result
            },
            (error: unknown) => {
              fail(span, A2AError.from(error))
              span.end()
              throw error
            },
          ),
        return: async () => {
          span.end()
          return (await inner.return?.()) ?? { done: true, value: undefined }
        },
      }
    },
  }
}
