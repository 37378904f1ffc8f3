import { AsyncLocalStorage } from 'node:async_hooks'
import { findActiveSpanBy, type Span } from '../lib/trace.ts'

const active = new AsyncLocalStorage<Span>()

/** Does some work as part of a span. */
export function withinSpan<T>(span: Span, work: () => T): T {
  return active.run(span, work)
}

/** Lets the rest of the package find the span at work; costs nothing before. */
export function keepActiveSpan(): void {
  findActiveSpanBy(() => active.getStore())
}

/** The span that a new one belongs to, where nobody says. */
export function spanAtWork(): Span | undefined {
  return active.getStore()
}
