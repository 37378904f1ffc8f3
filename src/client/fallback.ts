import type { Call, Endpoint } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { idempotencyKeyHeader } from '../protocol/extensions.ts'
import type { AgentInterface } from '../protocol/generated/v1/types.ts'
import type { OperationName } from '../protocol/operations.ts'

/** One way to reach an agent. */
export interface Route {
  readonly iface: AgentInterface
  readonly endpoint: Endpoint
}

/** An endpoint over several interfaces of one agent. */
export interface RoutedEndpoint extends Endpoint {
  /** The interface in use. */
  current(): AgentInterface
}

const harmless = /^(Get|List|Subscribe)/

/** Whether the next interface may be tried: the call surely arrived nowhere, or to repeat it does no harm. */
function mayMoveOn({ operation, context }: Call<OperationName>, error: A2AError): boolean {
  if (error.metadata.delivered === 'no') return true
  if (error.code !== 'Unavailable' || error.origin === 'remote') return false
  return harmless.test(operation) || context.headers[idempotencyKeyHeader] !== undefined
}

/**
 * Uses the first interface that can be reached and stays with it; when one cannot be reached the next is tried (§5.2).
 * Throws what the first one met, with a note of the others, when none can.
 */
export function withFallback(routes: readonly Route[], warn: (text: string) => void): RoutedEndpoint {
  let current = 0
  async function attempt<T>(call: Call<OperationName>, run: (endpoint: Endpoint) => Promise<T>): Promise<T> {
    const failures: A2AError[] = []
    const first = current
    for (let tried = 0; tried < routes.length; tried++) {
      const at = (first + tried) % routes.length
      const { endpoint, iface } = routes[at] as Route
      try {
        const result = await run(endpoint)
        if (tried > 0) {
          current = at
          warn(`interfaces: ${failures[0]?.message}; ${iface.protocolBinding} at ${iface.url} is used instead`)
        }
        return result
      } catch (thrown) {
        const error = A2AError.from(thrown)
        failures.push(error)
        if (!mayMoveOn(call, error)) {
          // Someone answered, if only with a refusal: this is the interface that works.
          if (error.origin === 'remote') current = at
          throw error
        }
      }
    }
    throw combined(failures)
  }
  return {
    current: () => (routes[current] as Route).iface,
    unary: (call) => attempt(call, (endpoint) => endpoint.unary(call)),
    stream: (call) => attempt(call, (endpoint) => endpoint.stream(call)),
  }
}

function combined(failures: readonly A2AError[]): A2AError {
  const [first, ...others] = failures
  if (first === undefined || others.length === 0) return first ?? new A2AError('Unavailable')
  const text = `No interface of the agent can be reached. ${failures.map(({ message }) => message).join('; ')}`
  return new A2AError(first.code, text, { cause: first, metadata: first.metadata, origin: first.origin })
}
