import { isDatabaseUrl, type StoreChoice } from '../server/open-store.ts'
import { usageError } from './command-error.ts'

/** A store as flags name it. */
export type NamedStore = Exclude<StoreChoice, object>

/** The store that a flag names; without one, the database in the data folder of this user. */
export async function readStore(given: string | undefined): Promise<NamedStore> {
  if (given === undefined) {
    const { defaultDatabasePath } = await import('../stores/sqlite-file.ts')
    return `sqlite:${defaultDatabasePath()}`
  }
  if (given === 'memory' || isDatabaseUrl(given)) return given
  const path = given.startsWith('sqlite:') ? given.slice('sqlite:'.length) : given
  if (path === '' || /^[a-z]+:\/\//i.test(path)) {
    // An address of a database may hold a password, so that it is not repeated.
    throw usageError(
      '--store: is not a store that is known here',
      'write memory, sqlite:PATH, the path of a SQLite file, or postgres://USER@HOST/DATABASE',
    )
  }
  return `sqlite:${path}`
}

/** What people and programs are told of a store: never a password, nor what else stands behind the name of a database. */
export function storeLabel(store: NamedStore): string {
  if (!isDatabaseUrl(store)) return store
  const { hostname, port, pathname } = new URL(store)
  return `postgres://${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}
