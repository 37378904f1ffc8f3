import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { A2AError } from '../protocol/errors.ts'
import { busyTimeout, Connection, type SqliteDatabase, type SqliteDriver, sleep } from './sqlite-driver.ts'
import { applicationId, migrations } from './sqlite-schema.ts'

/** The name of a database that lives in memory and ends with its store. */
export const inMemory = ':memory:'

/** `parlance.db` in the folder where this platform keeps a user's data. */
export function defaultDatabasePath(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  { platform, home }: { readonly platform: NodeJS.Platform; readonly home: string } = {
    platform: process.platform,
    home: homedir(),
  },
): string {
  return join(dataFolder(environment, platform, home), 'parlance', 'parlance.db')
}

function dataFolder(environment: Readonly<Record<string, string | undefined>>, platform: string, home: string): string {
  if (platform === 'win32') return environment.LOCALAPPDATA || join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  const { XDG_DATA_HOME: folder } = environment
  return folder?.startsWith('/') ? folder : join(home, '.local', 'share')
}

/** What stands between a path and a usable database, told to whoever chose the path. */
function unusable(path: string, text: string, cause?: unknown): A2AError {
  return new A2AError('Unavailable', `Task database ${path}: ${text}`, { cause, retryable: false })
}

/** Makes the file (0600) and its folder (0700) unless they are there, and refuses what is no SQLite file. Tells the absolute path. */
export function prepareFile(given: string): string {
  if (given === inMemory) return given
  const path = resolve(given)
  try {
    makeFolder(dirname(path))
    closeSync(openSync(path, 'a', 0o600))
    const { size } = statSync(path)
    if (size > 0) checkMagic(path)
  } catch (error) {
    if (A2AError.is(error)) throw error
    throw unusable(path, `cannot be opened for writing (${reason(error)}). Check the path and its permissions`, error)
  }
  return path
}

// Node's own recursive way never comes back where a file system accepts no folders, such as /proc.
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
}

function checkMagic(path: string): void {
  const bytes = Buffer.alloc(16)
  const file = openSync(path, 'r')
  try {
    readSync(file, bytes, 0, bytes.length, 0)
  } finally {
    closeSync(file)
  }
  if (bytes.toString('latin1') !== 'SQLite format 3\0') {
    throw unusable(path, 'this file is not a SQLite database. Name another path, or move the file away')
  }
}

function reason(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return code ?? message ?? String(error)
}

/** Opens a prepared file for writing; brings its schema to this version, also when several processes start at once. */
export function openForWriting(driver: SqliteDriver, path: string): Connection {
  return guard(driver, path, (database) => {
    refuseForeign(database, path)
    if (path !== inMemory) enterWal(database)
    database.exec('pragma synchronous = full')
    // Where a plain sync leaves data in the cache of the disk (macOS), ask for the whole way.
    database.exec('pragma fullfsync = on')
    database.exec('pragma checkpoint_fullfsync = on')
    database.exec('pragma wal_autocheckpoint = 2000')
    database.exec('pragma journal_size_limit = 67108864')
    database.exec('pragma cache_size = -16000')
    const connection = new Connection(database)
    migrate(connection, path)
    return connection
  })
}

/** Opens a file that `openForWriting` has seen, for reading only. */
export function openForReading(driver: SqliteDriver, path: string): Connection {
  return guard(driver, path, (database) => {
    database.exec('pragma cache_size = -16000')
    database.exec('pragma query_only = on')
    return new Connection(database)
  })
}

function guard(driver: SqliteDriver, path: string, body: (database: SqliteDatabase) => Connection): Connection {
  let database: SqliteDatabase | undefined
  try {
    database = driver.open(path)
    database.exec(`pragma busy_timeout = ${busyTimeout}`)
    database.exec('pragma temp_store = memory')
    return body(database)
  } catch (error) {
    database?.close()
    if (A2AError.is(error)) throw error
    throw unusable(path, `cannot be opened (${(error as Error).message})`, error)
  }
}

function pragma(database: SqliteDatabase, name: string): number {
  return Number(Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0])
}

function refuseForeign(database: SqliteDatabase, path: string): void {
  const id = pragma(database, 'application_id')
  if (id !== applicationId) {
    const tables = database.prepare('select count(*) as number from sqlite_schema').get()?.number
    if (id !== 0 || tables !== 0) {
      throw unusable(path, 'this SQLite database belongs to another program. Name another path')
    }
  }
  const version = pragma(database, 'user_version')
  if (version > migrations.length) {
    throw unusable(
      path,
      `its schema has version ${version}, this program knows versions up to ${migrations.length}. Use the newer program that wrote it, or another path`,
    )
  }
}

/** Two processes that change the mode at once lock each other out for an instant, which SQLite does not wait for. */
function enterWal(database: SqliteDatabase): void {
  for (let attempt = 1; ; attempt++) {
    try {
      const mode = database.prepare('pragma journal_mode = wal').get()?.journal_mode
      if (mode === 'wal') return
      throw new Error(`the file system does not allow write-ahead logging, the mode stays ${String(mode)}`)
    } catch (error) {
      if (attempt === 100 || !/locked|busy/i.test((error as Error).message)) throw error
      sleep(20)
    }
  }
}

function migrate(connection: Connection, path: string): void {
  const { database } = connection
  if (pragma(database, 'user_version') === migrations.length) return
  connection.transaction('immediate', () => {
    refuseForeign(database, path)
    for (let version = pragma(database, 'user_version'); version < migrations.length; version++) {
      database.exec(migrations[version]!)
      database.exec(`pragma user_version = ${version + 1}`)
    }
    database.exec(`pragma application_id = ${applicationId}`)
  })
}
