import type { ErrorCode } from './errors.ts'

/** Where peers and suites disagree about the HTTP bindings: what this side does. */
export interface WirePolicy {
  /** HTTP status codes as specification 1.0.1 (§5.4) or 1.0.0 has them. */
  readonly errorMap: '1.0.1' | '1.0.0'
  /** Media type of HTTP+JSON answers: `negotiate` gives `application/a2a+json` to those whose `Accept` names it (AMB-10). */
  readonly restMediaType: 'negotiate' | 'json' | 'a2a+json'
  /** HTTP status for a request body that is not JSON by its media type (AMB-11); 200 is meant for JSON-RPC. */
  readonly mediaTypeStatus: 415 | 400 | 200
  /** The version of a request that names none (§3.6.2, AMB-52). */
  readonly assumedVersion: '0.3' | '1.0'
}

/** Specification 1.0.1 to the letter. */
export const strictPolicy: WirePolicy = {
  errorMap: '1.0.1',
  restMediaType: 'negotiate',
  mediaTypeStatus: 415,
  assumedVersion: '0.3',
}

const firstRelease: Readonly<Partial<Record<ErrorCode, number>>> = {
  TaskNotCancelable: 409,
  ContentTypeNotSupported: 415,
  InvalidAgentResponse: 502,
}

/** HTTP statuses that differ from the error table under a policy. */
export function statusOverrides(policy: WirePolicy): Readonly<Partial<Record<ErrorCode, number>>> {
  return {
    ...(policy.errorMap === '1.0.0' && firstRelease),
    UnsupportedMediaType: policy.mediaTypeStatus === 200 ? 415 : policy.mediaTypeStatus,
  }
}
