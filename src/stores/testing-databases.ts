import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../engine/store.ts'
import type { HintBus } from './hints.ts'
import { createMemoryDatabase } from './memory.ts'
import { openPostgresStore } from './postgres.ts'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts'
import { Connection, sqliteDriver } from './sqlite-driver.ts'
import type { SharedDatabase } from './testing-cluster.ts'
import { freshSchema, runSql } from './testing-postgres.ts'

/** A database of a test's own. */
export interface TestDatabase extends SharedDatabase {
  /** Takes away what is left of it once its stores are closed. */
  dispose(): Promise<void>
}

/** A database in memory. */
export function memoryDatabase(): TestDatabase {
  const { open, expire } = createMemoryDatabase()
  return { open: async () => open(), takeForDead: async (store) => expire(store), dispose: async () => {} }
}

/** A file of SQLite, whose processes sign often. They tell each other nothing unless they are given a way to. */
export function sqliteDatabase(options: SqliteStoreOptions = {}): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  const path = join(folder, 'tasks.db')
  const numbers = new Map<Store, number>()
  const ask = async <T>(work: (connection: Connection) => T): Promise<T> => {
    // The same library as the stores': two of them in one process undo each other's locks on a file.
    const { driver } = options
    const database = (typeof driver === 'object' ? driver : await sqliteDriver(driver)).open(path)
    try {
      database.exec('pragma busy_timeout = 5000')
      return work(new Connection(database))
    } finally {
      database.close()
    }
  }
  return {
    async open() {
      const lease = { heartbeat: 20, expires: 15_000 }
      const store = await openSqliteStore({ path, thread: 'main', shared: true, lease, ...options })
      numbers.set(store, await ask((db) => db.statement('select max(id) as id from process').get()?.id as number))
      return store
    },
    takeForDead: (store) =>
      ask((db) => void db.statement('delete from process where id = ?').run(numbers.get(store) ?? 0)),
    dispose: async () => rmSync(folder, { recursive: true }),
  }
}

/** A way for stores in one process to call out to each other, as if by messages of processes. */
export function hintBus(): HintBus {
  const calls = new EventEmitter().setMaxListeners(0)
  return {
    publish: (text) => void setImmediate(() => calls.emit('call', text)),
    onMessage(callback) {
      calls.on('call', callback)
      return () => calls.off('call', callback)
    },
  }
}

/** A schema of PostgreSQL, whose nodes sign often. */
export function postgresDatabase(): TestDatabase {
  const { url, schema, drop } = freshSchema()
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
    dispose: drop,
  }
}
