import { childSpan, type Span } from '../lib/trace.ts'
import type { Call, CallContext, Middleware, StreamEvent } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'

/** Makes each call a span of the work that it belongs to, if that is traced, and lets the called agent go on with the trace. */
export function traceCalls(binding: () => string): Middleware {
  function begin(call: Call): Span | undefined {
    // Whoever names a trace knows better.
    if (call.context.headers.traceparent !== undefined) return undefined
    return childSpan(call.operation, () => {
      const { id, message } = call.request as { id?: string; message?: { taskId?: string; contextId?: string } }
      return {
        kind: 'client',
        attributes: {
          'a2a.method.name': call.operation,
          'a2a.protocol.binding': binding(),
          'a2a.task.id': message === undefined ? id : message.taskId,
          'a2a.context.id': message?.contextId,
        },
      }
    })
  }

  return (next) => ({
    async unary(call) {
      const span = begin(call)
      if (span === undefined) return next.unary(call)
      try {
        return await next.unary({ ...call, context: within(call.context, span) })
      } catch (error) {
        fail(span, error)
        throw error
      } finally {
        span.end()
      }
    },
    async stream(call) {
      const span = begin(call)
      if (span === undefined) return next.stream(call)
      try {
        const reply = await next.stream({ ...call, context: within(call.context, span) })
        return { ...reply, events: spanned(reply.events, span) }
      } catch (error) {
        fail(span, error)
        span.end()
        throw error
      }
    },
  })
}

function within(context: CallContext, { traceparent, tracestate }: Span): CallContext {
  return { ...context, headers: { ...context.headers, traceparent, ...(tracestate && { tracestate }) } }
}

function fail(span: Span, thrown: unknown): void {
  const error = A2AError.from(thrown)
  span.fail(error.code, error.message)
}

async function* spanned(
  events: AsyncIterable<readonly StreamEvent[]>,
  span: Span,
): AsyncIterable<readonly StreamEvent[]> {
  try {
    yield* events
  } catch (error) {
    fail(span, error)
    throw error
  } finally {
    span.end()
  }
}
