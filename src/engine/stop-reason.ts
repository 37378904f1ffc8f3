import { A2AError } from '../protocol/errors.ts'

/** Why a run is told to stop; the reason of its signal. */
export interface StopReason extends Error {
  readonly kind: 'cancel' | 'limit' | 'shutdown' | 'failure'
  /** `metadata` of the CancelTask request (§3.1.5). */
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** The reason for which a signal is aborted. */
export function stopReason(kind: StopReason['kind'], text: string, metadata?: StopReason['metadata']): StopReason {
  return Object.assign(new Error(text), { name: 'AbortError', kind, ...(metadata && { metadata }) })
}

/** What a send is told whose task goes on elsewhere, or which was not begun. */
export function shuttingDown(): A2AError {
  return new A2AError('Unavailable', 'The server is shutting down; send again', { retryAfter: 1 })
}
