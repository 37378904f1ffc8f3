import type { Core } from './core.ts'

/** Drops what is older than the limits allow, in small steps. */
export async function purgeOld({ store, limits, agent, now }: Core): Promise<void> {
  const time = now()
  await store.purge({ events: time - limits.replayWindow, answers: time - limits.idempotencyWindow })
  if (limits.retain === undefined) return
  await store.purge({ tasks: { agent: agent.name, before: time - limits.retain, unfinished: true } })
}
