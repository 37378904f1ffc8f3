import type { Core } from './core.ts'

/**
 * Drops what is older than the limits allow: events that readers could resume from, answers to keys, and, of each tenant as long as it keeps
 * them, tasks and with them conversations that were left.
 */
export async function purgeOld({ store, limits, retain, agent, now }: Core): Promise<void> {
  const time = now()
  await store.purge({ events: time - limits.replayWindow, answers: time - limits.idempotencyWindow })
  for (const tenant of await store.tenants(agent.name)) {
    const kept = retain(tenant) ?? limits.retain
    if (kept === undefined || kept === Number.POSITIVE_INFINITY) continue
    await store.purge({ tasks: { agent: agent.name, tenant, before: time - kept, unfinished: true } })
  }
}
