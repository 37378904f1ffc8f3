import type { Store } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import type { HintBus } from '../stores/hints.ts'

/** Where tasks are kept: `memory`, `sqlite:PATH`, the URL of a PostgreSQL database, or a store that was opened elsewhere. */
export type StoreChoice = 'memory' | `sqlite:${string}` | `postgres://${string}` | `postgresql://${string}` | Store

/** What else a store is opened with. */
export interface OpenStoreOptions {
  readonly log: Logger
  /** How the processes that share a SQLite file tell each other what they did; PostgreSQL has a way of its own. */
  readonly hints?: HintBus | undefined
}

/** Opens a store; each kind is loaded only when it is asked for. What is no store is a TypeError, which does not repeat a URL. */
export async function openStore(choice: StoreChoice, { log, hints }: OpenStoreOptions): Promise<Store> {
  if (typeof choice !== 'string') return choice
  if (choice === 'memory') {
    const { openMemoryStore } = await import('../stores/memory.ts')
    return openMemoryStore()
  }
  if (isDatabaseUrl(choice)) {
    const { openPostgresStore } = await import('../stores/postgres.ts')
    return await openPostgresStore({ url: choice, log })
  }
  const path = choice.startsWith('sqlite:') ? choice.slice('sqlite:'.length) : ''
  if (path === '') {
    const given = choice.includes('://') ? 'this' : JSON.stringify(choice)
    throw new TypeError(`store: ${given} is not a store; write memory, sqlite:PATH, or postgres://…`)
  }
  const { openSqliteStore } = await import('../stores/sqlite.ts')
  return await openSqliteStore({ path, log, ...(hints && { shared: true, hints }) })
}

/** Whether a text is the URL of a PostgreSQL database. */
export function isDatabaseUrl(text: string): text is `postgres://${string}` {
  return /^postgres(?:ql)?:\/\//.test(text)
}
