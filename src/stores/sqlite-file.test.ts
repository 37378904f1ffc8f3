import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteStore } from './sqlite.ts'
import { type SqliteDriver, type SqliteDriverName, sqliteDriver } from './sqlite-driver.ts'
import { defaultDatabasePath, openForReading, openForWriting, prepareFile } from './sqlite-file.ts'
import { applicationId, migrations } from './sqlite-schema.ts'

let folder: string
let path: string
const driver = await sqliteDriver()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  path = join(folder, 'tasks.db')
})

afterEach(() => rmSync(folder, { recursive: true }))

function execute(sql: string, at = path): void {
  const database = driver.open(at)
  database.exec(sql)
  database.close()
}

function openFails(at = path) {
  return expect(openSqliteStore({ path: at, thread: 'main' })).rejects
}

describe('the file of a SQLite store', () => {
  test('is made with its folder, for its owner alone', async () => {
    const deep = join(folder, 'new', 'folder', 'tasks.db')
    const store = await openSqliteStore({ path: deep, thread: 'main' })
    await store
      .create({ scope: { agent: 'a', tenant: '', owner: '' }, id: 't', contextId: 'c' })
      .append([{ kind: 'message', seq: 1, text: '{}' }])
    for (const name of ['', '-wal', '-shm']) expect(statSync(deep + name).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700)
    await store.close()
  })

  test('carries our mark and its version, and is migrated once', async () => {
    for (const _ of [1, 2]) openForWriting(driver, prepareFile(path)).close()
    const database = driver.open(path)
    expect(database.prepare('pragma application_id').get()).toEqual({ application_id: applicationId })
    expect(database.prepare('pragma user_version').get()).toEqual({ user_version: migrations.length })
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
    database.close()
  })

  test('syncs each commit to the disk', () => {
    const connection = openForWriting(driver, prepareFile(path))
    expect(connection.database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 })
    connection.close()
  })

  test('cannot be written by the reading connection', () => {
    openForWriting(driver, prepareFile(path)).close()
    const connection = openForReading(driver, path)
    expect(() => connection.database.exec('delete from task')).toThrow(/readonly/)
    connection.close()
  })

  test('is refused when it is no database', async () => {
    writeFileSync(path, 'dear diary, this is not a database at all')
    await openFails().toThrow(`Task database ${path}: this file is not a SQLite database`)
    await expect(openSqliteStore({ path })).rejects.toThrow(`Task database ${path}: this file is not a SQLite database`)
  })

  test('is refused when it belongs to another program, and stays as it was', async () => {
    execute('create table diary (text); pragma user_version = 7')
    await openFails().toThrow(`Task database ${path}: this SQLite database belongs to another program`)
    execute('drop table diary; pragma application_id = 5')
    await openFails().toThrow('belongs to another program')
    const database = driver.open(path)
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'delete' })
    expect(database.prepare('pragma user_version').get()).toEqual({ user_version: 7 })
    database.close()
  })

  test('is refused by its version when a newer program wrote it, also on the thread', async () => {
    openForWriting(driver, prepareFile(path)).close()
    execute('pragma user_version = 99')
    const text = `schema has version 99, this program knows versions up to ${migrations.length}`
    await openFails().toThrow(text)
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: 'Unavailable', retryable: false })
    await expect(openSqliteStore({ path })).rejects.toThrow(text)
  })

  test('is refused with the path when it cannot be opened', async () => {
    mkdirSync(path)
    await openFails().toThrow(`Task database ${path}: cannot be opened for writing (EISDIR)`)
    writeFileSync(join(folder, 'file'), '')
    await openFails(join(folder, 'file', 'tasks.db')).toThrow(/cannot be opened for writing \((EEXIST|ENOTDIR)\)/)
  })

  test('a migration that fails leaves the file as it was', () => {
    const broken: SqliteDriver = {
      name: 'broken',
      open: (at) => {
        const database = driver.open(at)
        const exec = (sql: string) => database.exec(sql.replace('create table process', 'create table task'))
        return { exec, prepare: (sql) => database.prepare(sql), close: () => database.close() }
      },
    }
    expect(() => openForWriting(broken, prepareFile(path))).toThrow('already exists')
    const database = driver.open(path)
    expect(database.prepare('select count(*) as number from sqlite_schema').get()).toEqual({ number: 0 })
    database.close()
    openForWriting(driver, path).close()
  })

  test('may be no file at all', async () => {
    const store = await openSqliteStore({ path: ':memory:' })
    const scope = { agent: 'a', tenant: '', owner: '' }
    await store.create({ scope, id: 't', contextId: 'c' }).append([{ kind: 'message', seq: 1, text: '{}' }])
    expect((await store.list(scope, { pageSize: 1, view: { artifacts: false } })).total).toBe(1)
    await store.close()
  })
})

describe('the default path', () => {
  const rows = [
    ['linux', { XDG_DATA_HOME: '/data' }, '/data/parlance/parlance.db'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/parlance/parlance.db'],
    ['linux', {}, '/home/ada/.local/share/parlance/parlance.db'],
    ['darwin', {}, '/home/ada/Library/Application Support/parlance/parlance.db'],
    ['win32', { LOCALAPPDATA: '/local' }, '/local/parlance/parlance.db'],
    ['win32', {}, '/home/ada/AppData/Local/parlance/parlance.db'],
  ] as const
  for (const [platform, environment, expected] of rows) {
    test(`on ${platform} with ${JSON.stringify(environment)}`, () => {
      expect(defaultDatabasePath(environment, { platform, home: '/home/ada' })).toBe(expected)
    })
  }
})

describe('drivers', () => {
  test('say what to install when they are not there', async () => {
    const found: string[] = []
    for (const name of ['node', 'photostructure'] as SqliteDriverName[]) {
      await sqliteDriver(name).then(
        (given) => found.push(given.name),
        (error: unknown) =>
          expect(error).toMatchObject({
            code: 'Unavailable',
            message: expect.stringContaining('@photostructure/sqlite'),
          }),
      )
    }
    expect(found).toContain(driver.name)
  })

  test('load without a warning', async () => {
    const warnings: string[] = []
    const listen = (warning: Error) => warnings.push(warning.message)
    process.on('warning', listen)
    await sqliteDriver()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', listen)
    expect(warnings).toEqual([])
  })
})
