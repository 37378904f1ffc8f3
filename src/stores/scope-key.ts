import type { Scope } from '../engine/store.ts'

/** One string for a scope, different for different scopes. */
export function scopeKey({ agent, tenant, owner }: Scope): string {
  return `${agent.length}:${agent}${tenant.length}:${tenant}${owner}`
}
