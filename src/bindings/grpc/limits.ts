import { A2AError } from '../../protocol/errors.ts'

/** Time limits of a call, milliseconds. */
export interface CallLimits {
  /** For the whole request to arrive. */
  readonly request: number
  /** How long a reader may take nothing of what waits for it. */
  readonly stall: number
}

export const usualLimits: CallLimits = { request: 300_000, stall: 120_000 }

/** The error for a message of more than `limit` bytes. */
export function messageTooLarge(limit: number): A2AError {
  return new A2AError('PayloadTooLarge', `The request message is larger than ${limit} bytes, the limit of this server`)
}

/** Milliseconds of each unit of `grpc-timeout`. */
const units: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 }
const longest = 2_147_483_647

/** Milliseconds that a `grpc-timeout` gives, at most what a timer can wait. Throws InvalidRequest for anything else. */
export function readTimeout(text: string): number {
  const [, count, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) {
    throw new A2AError('InvalidRequest', 'grpc-timeout must be up to eight digits and one of H, M, S, m, u, n')
  }
  return Math.min(longest, Math.ceil(Number(count) * (units[unit] as number)))
}
