import type { HttpRequest } from '../lib/http.ts'
import { newId } from '../lib/ids.ts'
import type { Logger } from '../lib/log.ts'
import type { SseStreams } from '../lib/sse.ts'
import type { CallContext, Endpoint } from '../protocol/endpoint.ts'
import { type A2AError, invalidParams } from '../protocol/errors.ts'
import type { Gate } from '../protocol/gate.ts'
import type { Operation } from '../protocol/operations.ts'
import type { Profile } from '../protocol/profiles.ts'

/** What the server side of an HTTP binding needs. */
export interface ServingOptions {
  readonly endpoint: Endpoint
  /** Told of each error that is sent before an answer has begun. */
  readonly failed?: ((error: A2AError) => void) | undefined
  /** Who calls; `''` for anonymous. Throws or rejects with Unauthenticated or PermissionDenied. */
  readonly identify: (request: HttpRequest) => string | Promise<string>
  readonly gate: Gate
  readonly streams: SseStreams
  readonly profile: Profile
  /** Declared tenants. When there are none, a tenant in a request is a name space of its own. */
  readonly tenants: ReadonlySet<string>
  /** Bytes of a request body. */
  readonly bodyLimit: number
  readonly log: Logger
}

/** What is read from a request before its content. */
export interface CallFacts {
  readonly version: string
  readonly tenant: string
  readonly owner: string
  readonly extensions: readonly string[]
}

/** The context of a call; its signal is made only when it is asked for. */
export function createContext(request: HttpRequest, facts: CallFacts): CallContext {
  return new ServedContext(request, facts)
}

/**
 * The context of a call that is answered by a stream. It has no signal: whoever writes the stream leaves it when the reader goes, and an idle
 * stream shall not keep what is known of its request.
 */
export function createStreamContext({ headers }: Pick<HttpRequest, 'headers'>, facts: CallFacts): CallContext {
  const { version, tenant, owner, extensions } = facts
  return { version, tenant, owner, extensions, headers }
}

class ServedContext implements CallContext {
  readonly version: string
  readonly tenant: string
  readonly owner: string
  readonly extensions: readonly string[]
  readonly headers: CallContext['headers']
  declare readonly signal: AbortSignal
  readonly #request: HttpRequest

  constructor(request: HttpRequest, { version, tenant, owner, extensions }: CallFacts) {
    this.version = version
    this.tenant = tenant
    this.owner = owner
    this.extensions = extensions
    this.headers = request.headers
    this.#request = request
    Object.defineProperty(this, 'signal', ServedContext.#signal)
  }

  // A property of each object, so that a copy of a context has a signal too. One getter for all, as an object literal
  // with a getter of its own gets a shape of its own, which the garbage collector is slow to find.
  static readonly #signal: PropertyDescriptor & ThisType<ServedContext> = {
    enumerable: true,
    get() {
      return this.#request.signal
    },
  }
}

/** Refuses a tenant that is not declared, where any are. */
export function checkTenant(tenant: string, tenants: ReadonlySet<string>): void {
  if (tenant !== '' && tenants.size > 0 && !tenants.has(tenant)) {
    throw invalidParams([{ field: 'tenant', description: `${JSON.stringify(tenant)} is not a tenant of this agent` }])
  }
}

/** The value of a request, with an id for its message where it brings none; for profiles that let messages go without. */
export function withMessageId({ request }: Pick<Operation, 'request'>, input: unknown): unknown {
  if (request !== 'SendMessageRequest' || typeof input !== 'object' || input === null) return input
  const message = (input as { readonly message?: unknown }).message
  if (typeof message !== 'object' || message === null || Array.isArray(message)) return input
  const named = message as { readonly messageId?: unknown; readonly message_id?: unknown }
  if (named.messageId || named.message_id) return input
  return { ...input, message: { ...message, messageId: newId() } }
}
