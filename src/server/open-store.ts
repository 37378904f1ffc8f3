import type { Store } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'

/** Where tasks are kept: `memory`, `sqlite:PATH`, or a store that was opened elsewhere. */
export type StoreChoice = 'memory' | `sqlite:${string}` | Store

/** Opens a store; each kind is loaded only when it is asked for. */
export async function openStore(choice: StoreChoice, log: Logger): Promise<Store> {
  if (typeof choice !== 'string') return choice
  if (choice === 'memory') {
    const { openMemoryStore } = await import('../stores/memory.ts')
    return openMemoryStore()
  }
  const path = choice.startsWith('sqlite:') ? choice.slice('sqlite:'.length) : ''
  if (path === '') throw new TypeError(`store: ${JSON.stringify(choice)} is not a store; write memory or sqlite:PATH`)
  const { openSqliteStore } = await import('../stores/sqlite.ts')
  return await openSqliteStore({ path, log })
}
