import { cancelled } from '../bindings/fetch-call.ts'
import { jitter, pause } from '../lib/backoff.ts'
import type { Call, Endpoint, Middleware } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { idempotencyKeyHeader } from '../protocol/extensions.ts'
import type { OperationName } from '../protocol/operations.ts'
import type { RetryOptions } from './options.ts'

/** Operations that may be repeated without a second effect (§3.3.1). Subscribing is repeated by whoever follows the task. */
const reads: ReadonlySet<OperationName> = new Set([
  'GetTask',
  'ListTasks',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'GetExtendedAgentCard',
])

/** Milliseconds to wait before a call that failed is repeated; undefined when it must not be. */
export function retryDelay(error: A2AError, attempt: number, options: RetryOptions): number | undefined {
  if (!error.retryable) return undefined
  if (error.retryAfter === undefined) return jitter(attempt, options)
  const asked = error.retryAfter * 1000
  return asked > options.cap ? undefined : asked
}

/** Whether this call may be repeated after this failure. */
function mayRepeat({ operation, context }: Call<OperationName>, error: A2AError): boolean {
  if (reads.has(operation)) return true
  if (context.headers[idempotencyKeyHeader] === undefined) return false
  // A refusal that does not say when to come back may be a lasting one; a call that got lost has met no refusal.
  return error.origin === 'local' || error.code === 'ResourceExhausted' || error.retryAfter !== undefined
}

/**
 * Repeats calls that failed for a passing reason: reads, and sends that carry an idempotency key. Nothing else is ever
 * sent twice.
 */
export function withRetry(options: RetryOptions): Middleware {
  async function repeat<T>(call: Call<OperationName>, attempt: () => Promise<T>): Promise<T> {
    const { signal } = call.context
    for (let failures = 0; ; failures++) {
      try {
        return await attempt()
      } catch (thrown) {
        const error = A2AError.from(thrown)
        const delay = mayRepeat(call, error) ? retryDelay(error, failures, options) : undefined
        if (delay === undefined || failures >= options.calls) throw error
        await pause(delay, signal)
        if (signal?.aborted) throw cancelled(signal)
      }
    }
  }
  return (next: Endpoint): Endpoint => ({
    unary: (call) => repeat(call, () => next.unary(call)),
    stream: (call) => repeat(call, () => next.stream(call)),
  })
}
