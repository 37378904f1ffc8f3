import type { HttpRequest } from '../lib/http.ts'
import { A2AError } from '../protocol/errors.ts'
import type { SecurityRequirement, SecurityScheme } from '../protocol/generated/v1/types.ts'

/** An authenticated caller. */
export interface Principal {
  /** Stands for the caller in stores and logs; never a secret, never empty. */
  readonly id: string
}

/**
 * Tells who sends a request. Throws or rejects with `A2AError`: Unauthenticated with a `WWW-Authenticate` header, or
 * PermissionDenied (§7.4).
 */
export type Authenticate = (request: HttpRequest) => Principal | Promise<Principal>

/** A way to authenticate, together with what the card says about it (§7.3). */
export interface Authenticator {
  readonly authenticate: Authenticate
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  /** Any one of these suffices. */
  readonly securityRequirements: readonly SecurityRequirement[]
}

/** An Unauthenticated error with its challenge, such as `Bearer realm="a2a"`. */
export function unauthenticated(message: string, challenge: string): A2AError {
  return new A2AError('Unauthenticated', message, { headers: { 'www-authenticate': challenge } })
}
