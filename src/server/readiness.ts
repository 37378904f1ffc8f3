import type { Store } from '../engine/store.ts'
import type { HttpResponse } from '../lib/http.ts'
import { A2AError } from '../protocol/errors.ts'

/** How something that the server depends on is. */
export interface DependencyState {
  readonly status: 'up' | 'down'
  /** What it is: `memory`, `sqlite`, `postgres`. */
  readonly kind?: string
  /** Milliseconds that a trivial question took. */
  readonly latency?: number
  readonly error?: string
}

/** Whether calls may be sent here. */
export interface Readiness {
  readonly status: 'ready' | 'draining' | 'unavailable'
  readonly checks: Readonly<Record<string, DependencyState>>
  /** When to ask again, seconds, unless it is ready. */
  readonly retryAfter?: number
}

export interface ReadinessOptions {
  readonly store: Pick<Store, 'check'>
  /** The longest time that the store may take to answer, milliseconds; 2,000. */
  readonly timeLimit?: number
  /** How long an answer holds, so that many who ask cost one question; milliseconds; 1,000. */
  readonly keep?: number
}

/** Makes the function that tells whether a server is ready; it is told whether it takes no new work any more. */
export function createReadiness(options: ReadinessOptions): (draining: boolean) => Promise<Readiness> {
  const { store, timeLimit = 2_000, keep = 1_000 } = options
  let known: { readonly state: Promise<DependencyState>; readonly until: number } | undefined

  async function look(): Promise<DependencyState> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<never>((_, reject) => {
      const text = `gave no answer within ${timeLimit} ms`
      timer = setTimeout(() => reject(new A2AError('Unavailable', text)), timeLimit)
    })
    try {
      const { kind, latency } = await Promise.race([store.check(), late])
      return { status: 'up', kind, latency: Math.round(latency * 100) / 100 }
    } catch (error) {
      return { status: 'down', error: A2AError.from(error).message }
    } finally {
      clearTimeout(timer)
    }
  }

  return async (draining) => {
    const now = performance.now()
    if (known === undefined || now >= known.until) known = { state: look(), until: now + keep }
    const state = await known.state
    const checks = { store: state }
    if (draining) return { status: 'draining', checks, retryAfter: 5 }
    if (state.status === 'down') return { status: 'unavailable', checks, retryAfter: 5 }
    return { status: 'ready', checks }
  }
}

/** The answer at `/readyz`: 200 when calls may come, else 503. */
export function readinessAnswer({ status, checks, retryAfter }: Readiness): HttpResponse {
  return {
    status: status === 'ready' ? 200 : 503,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    },
    body: JSON.stringify({ status, checks }),
  }
}
