import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts'
import { type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { storeContract } from './testing.ts'

async function has(name: SqliteDriverName): Promise<boolean> {
  try {
    await sqliteDriver(name)
    return true
  } catch {
    return false
  }
}

for (const driver of ['node', 'photostructure'] as const) {
  if (!(await has(driver))) continue
  for (const options of [{ thread: 'main' }, { thread: 'worker' }, { thread: 'main', cacheBytes: 0 }] as const) {
    storeContract(`sqlite, ${JSON.stringify({ driver, ...options })}`, () => openFile({ driver, ...options }), {
      describe,
      test,
    })
  }
}

async function openFile(options: SqliteStoreOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  const open = () => openSqliteStore({ ...options, path: join(folder, 'tasks.db') })
  return { store: await open(), reopen: open, dispose: async () => rmSync(folder, { recursive: true }) }
}
