import { join } from 'node:path'
import type { Store } from '../src/engine/store.ts'
import { A2AError } from '../src/protocol/errors.ts'
import { createMemoryDatabase } from '../src/stores/memory.ts'
import { openPostgresStore } from '../src/stores/postgres.ts'
import { openSqliteStore } from '../src/stores/sqlite.ts'
import { Connection, sqliteDriver } from '../src/stores/sqlite-driver.ts'
import { freshSchema, runSql } from '../src/stores/testing-postgres.ts'
import { onCleanup, type StoreKind, storeKinds, temporaryFolder, until } from './harness.ts'

/** Several processes on one database. */
export interface Cluster {
  readonly kind: StoreKind
  /** The store of one more process. */
  open(): Promise<Store>
  /** Ends a store as if its process had died: nothing works with it any more. */
  kill(store: Store): Promise<void>
  /** Lets a store be silent for so long that others take it for dead; resolves when it has noticed. */
  expire(store: Store): Promise<void>
}

/** The databases that tests with several processes run over. */
export const clusterKinds: readonly StoreKind[] = storeKinds

/** What makes processes of one kind of database, and takes them for dead. */
interface Database {
  open(): Promise<Store>
  takeForDead(store: Store): Promise<void>
}

const databases: { readonly [kind in StoreKind]: () => Promise<Database> } = {
  async memory() {
    const database = createMemoryDatabase()
    return { open: async () => database.open(), takeForDead: async (store) => database.expire(store) }
  },
  async sqlite() {
    const path = join(await temporaryFolder(), 'cluster.db')
    const numbers = new Map<Store, number>()
    const ask = async <T>(work: (connection: Connection) => T): Promise<T> => {
      const database = (await sqliteDriver()).open(path)
      try {
        return work(new Connection(database))
      } finally {
        database.close()
      }
    }
    return {
      async open() {
        const lease = { heartbeat: 20, expires: 15_000 }
        const store = await openSqliteStore({ path, thread: 'main', shared: true, lease })
        numbers.set(store, await ask((db) => db.statement('select max(id) as id from process').get()?.id as number))
        return store
      },
      takeForDead: (store) =>
        ask((db) => void db.statement('delete from process where id = ?').run(numbers.get(store) ?? 0)),
    }
  },
  async postgres() {
    const { url, schema, drop } = freshSchema()
    onCleanup(drop)
    const numbers = new Map<Store, unknown>()
    return {
      async open() {
        const store = await openPostgresStore({ url, lease: { heartbeat: 50, expires: 15_000 } })
        numbers.set(store, (await runSql(`select max(number) as number from ${schema}.node`))[0]?.number)
        return store
      },
      async takeForDead(store) {
        await runSql(`delete from ${schema}.node where number = ${numbers.get(store)}`)
      },
    }
  },
}

/** An empty database of one kind; its stores are closed after the test. */
export async function openCluster(kind: StoreKind): Promise<Cluster> {
  const { open, takeForDead } = await databases[kind]()
  const inner = new Map<Store, { readonly store: Store; dead: boolean }>()
  const found = (store: Store): { readonly store: Store; dead: boolean } => {
    const entry = inner.get(store)
    if (entry === undefined) throw new Error('not a store of this cluster')
    return entry
  }
  return {
    kind,
    async open() {
      const entry = { store: await open(), dead: false }
      onCleanup(() => entry.store.close())
      const mortal = new Proxy(entry.store, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name, target)
          if (typeof member !== 'function') return member
          if (!entry.dead || name === 'watch' || name === 'listen') return member.bind(target)
          return () => Promise.reject(new A2AError('Unavailable', 'This process is dead'))
        },
      })
      inner.set(mortal, entry)
      return mortal
    },
    async kill(store) {
      const entry = found(store)
      entry.dead = true
      await takeForDead(entry.store)
    },
    async expire(store) {
      let lost = false
      const stop = store.listen({ mail() {}, abandoned() {}, lost: () => (lost = true) })
      await takeForDead(found(store).store)
      await until(() => lost)
      stop()
    },
  }
}
