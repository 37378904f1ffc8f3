import type { CallContext } from '../protocol/endpoint.ts'
import { idempotencyKeyHeader, lastEventIdHeader } from '../protocol/extensions.ts'
import type { AgentInterface } from '../protocol/generated/v1/types.ts'
import { majorMinor } from '../protocol/version-text.ts'

/** What a call's context may carry to a peer. All else in it is between this process and its own caller. */
const passed = [lastEventIdHeader, idempotencyKeyHeader, 'traceparent', 'tracestate', 'baggage']

/** The service parameters of a call as HTTP headers (§3.2.6), with the version of the interface in use (§3.6.1). */
export function callHeaders(context: CallContext, { protocolVersion }: AgentInterface): Record<string, string> {
  const version = majorMinor(protocolVersion) ?? context.version
  const headers: Record<string, string> = { 'a2a-version': version }
  // Servers of 0.3 tell callers apart by it, as these write files in two ways. A page cannot set it.
  if (version === '0.3' && !('document' in globalThis)) headers['user-agent'] = 'parlance'
  const extensions = version === '0.3' ? 'x-a2a-extensions' : 'a2a-extensions'
  if (context.extensions.length > 0) headers[extensions] = context.extensions.join(',')
  for (const name of passed) {
    const value = context.headers[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

/** The tenant of a call: that of the interface, exactly as the card has it (§8.3.2). */
export function callTenant(context: CallContext, { tenant }: AgentInterface): string {
  return tenant ?? context.tenant
}
