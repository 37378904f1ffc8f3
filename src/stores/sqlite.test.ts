import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts'
import { type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { clusterContract, storeContract } from './testing.ts'
import { hintBus, sqliteDatabase } from './testing-databases.ts'

async function has(name: SqliteDriverName): Promise<boolean> {
  try {
    await sqliteDriver(name)
    return true
  } catch {
    return false
  }
}

const drivers = await Promise.all(
  (['node', 'photostructure'] as const).map(async (name) => ((await has(name)) ? [name] : [])),
)

for (const [index, driver] of drivers.flat().entries()) {
  for (const options of [{ thread: 'main' }, { thread: 'worker' }, { thread: 'main', cacheBytes: 0 }] as const) {
    const given = { driver, ...options }
    storeContract(`sqlite, ${JSON.stringify(given)}`, () => openFile(given), { describe, test })
    // A thread is the same over every driver, and takes its time to start.
    if (options.thread === 'worker' && index > 0) continue
    const database = () => sqliteDatabase({ ...given, hints: hintBus() })
    clusterContract(`sqlite, ${JSON.stringify(given)}`, database, { describe, test })
  }
}

async function openFile(options: SqliteStoreOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  const open = () => openSqliteStore({ ...options, path: join(folder, 'tasks.db') })
  return { store: await open(), reopen: open, dispose: async () => rmSync(folder, { recursive: true }) }
}
