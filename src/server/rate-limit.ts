import type { CallContext, Endpoint } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'

/** How many calls one caller may make. */
export interface RateLimit {
  /** Calls in each second, on average. */
  readonly perSecond: number
  /** Calls at once after a while of silence; default: those of one second, at least one. */
  readonly burst?: number
}

interface Bucket {
  tokens: number
  /** When `tokens` was true, milliseconds. */
  at: number
}

/** Buckets are looked through for full ones, which say nothing, each time so many calls were counted. */
const sweepEvery = 10_000

/** Counts the calls of each caller, that is of each owner in a tenant: a bucket of tokens that fills up steadily, of which each call takes one. */
export class CallRates {
  readonly #perMs: number
  readonly #burst: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()
  #calls = 0

  /** `now` tells milliseconds of a clock that never goes back. Wrong settings are a `TypeError`. */
  constructor({ perSecond, burst = Math.max(1, perSecond) }: RateLimit, now: () => number = () => performance.now()) {
    if (!(perSecond > 0) || !(burst >= 1)) {
      throw new TypeError('rate: perSecond must be more than 0, and burst at least 1')
    }
    this.#perMs = perSecond / 1_000
    this.#burst = burst
    this.#now = now
  }

  /** Callers of whom something is remembered. */
  get size(): number {
    return this.#buckets.size
  }

  /** Counts one call; throws ResourceExhausted with the time to wait when the caller has made too many. */
  take({ tenant, owner }: Pick<CallContext, 'tenant' | 'owner'>): void {
    const now = this.#now()
    if (++this.#calls % sweepEvery === 0) this.#sweep(now)
    const key = `${tenant.length}:${tenant}${owner}`
    let bucket = this.#buckets.get(key)
    if (bucket === undefined) {
      bucket = { tokens: this.#burst, at: now }
      this.#buckets.set(key, bucket)
    }
    bucket.tokens = this.#filled(bucket, now)
    bucket.at = now
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return
    }
    const seconds = Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perMs / 1_000))
    const text = `You call more often than ${this.#perMs * 1_000} times a second; wait ${seconds} s`
    throw new A2AError('ResourceExhausted', text, { retryAfter: seconds })
  }

  #filled({ tokens, at }: Bucket, now: number): number {
    return Math.min(this.#burst, tokens + (now - at) * this.#perMs)
  }

  #sweep(now: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#filled(bucket, now) >= this.#burst) this.#buckets.delete(key)
    }
  }
}

/** An endpoint that refuses callers who call too often, in every binding alike (§3.3.2). A stream counts as one call. */
export function limitRate(endpoint: Endpoint, rates: CallRates): Endpoint {
  return {
    async unary(call) {
      rates.take(call.context)
      return endpoint.unary(call)
    },
    async stream(call) {
      rates.take(call.context)
      return endpoint.stream(call)
    },
  }
}
