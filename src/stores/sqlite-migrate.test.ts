import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../engine/store.ts'
import { openSqliteStore } from './sqlite.ts'
import { sqliteDriver } from './sqlite-driver.ts'
import { openForWriting, prepareFile } from './sqlite-file.ts'
import { applicationId, migrations } from './sqlite-schema.ts'
import { entriesPerTask } from './task-rows.ts'
import { message, messageText, scope, status, storeTask, usual, whole } from './testing-entries.ts'

const driver = await sqliteDriver()
let folder: string
let path: string
let store: Store

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  path = join(folder, 'tasks.db')
})

afterEach(async () => {
  await store?.close()
  rmSync(folder, { recursive: true })
})

/** A file as version 1 left it, with a task that ended, one at work in a process that died, one that asks, and two answers. */
function writeVersion1(): void {
  const database = driver.open(prepareFile(path))
  database.exec('pragma journal_mode = wal')
  database.exec(migrations[0] ?? '')
  database.exec(`pragma user_version = 1; pragma application_id = ${applicationId}`)
  const id = (key: number, seq: number) => key * entriesPerTask + seq
  const run = (sql: string, ...values: (string | number | null)[]) => database.prepare(sql).run(...values)
  run("insert into scope values (1, 'agent', '', 'ada')")
  run("insert into process values (7, 4194305, 'gone', '', '', 5)")
  const task = `insert into task (key, scope, id, context, state, time, seq, status, holder, metadata)
    values (?, 1, ?, 'c', ?, ?, ?, ?, ?, ?)`
  run(task, 1, 'done', 3, 1002, 4, 4, null, '{"m":1}')
  run(task, 2, 'work', 2, 1003, 3, 2, 7, null)
  run(task, 3, 'asks', 6, 1004, 2, 2, null, null)
  for (const key of [1, 2, 3]) run('insert into message values (?, ?)', id(key, 1), messageText('hi'))
  run('insert into message values (?, ?)', id(3, 2), messageText('which?', 'ROLE_AGENT'))
  for (const [key, seq, state, time] of [
    [1, 2, 1, 1000],
    [1, 4, 3, 1002],
    [2, 2, 2, 1003],
    [3, 2, 6, 1004],
  ] as const) {
    run('insert into status values (?, ?, ?, null)', id(key, seq), state, time)
  }
  for (const key of [1, 2]) {
    run('insert into chunk values (?, 0, 4, ?, null, ?)', id(key, 3), '{"artifactId":"artifact-0"}', 'hello')
  }
  for (const [state, number] of [
    [3, 1],
    [2, 1],
    [6, 1],
  ] as const)
    run('insert into counter values (1, 0, 0, ?, ?)', state, number)
  run("insert into answer (scope, name, digest, time, task, text) values (1, 'made', 'd', 5, 1, null)")
  run("insert into answer (scope, name, digest, time, task, text) values (1, 'said', 'd', 5, null, '{}')")
  database.close()
}

async function openUpgraded(): Promise<Store> {
  writeVersion1()
  store = await openSqliteStore({ path, thread: 'main', shared: true })
  return store
}

describe('a file of version 1', () => {
  test('is brought to this version in place, with all that it holds', async () => {
    await openUpgraded()
    const { text, head } = (await store.read(scope, 'done', whole))!
    expect(JSON.parse(text)).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '1970-01-01T00:00:01.002Z' },
      artifacts: [{ artifactId: 'artifact-0', parts: [{ text: 'hello' }] }],
      history: [{ messageId: 'm-hi' }],
      metadata: { m: 1 },
    })
    expect(head).toMatchObject({ seq: 4, held: false })
    expect(await store.entries(scope, 'done', { after: 0, limit: 9 })).toHaveLength(4)
    expect((await store.list(scope, { pageSize: 9, view: whole })).total).toBe(3)
    expect(await store.answer(scope, 'made')).toEqual({ digest: 'd', taskId: 'done' })
    expect(await store.reserve?.(scope, { key: 'said', digest: 'd' })).toEqual({ digest: 'd', text: '{}' })
    const database = driver.open(path)
    expect(database.prepare('pragma user_version').get()).toEqual({ user_version: migrations.length })
    database.close()
  })

  test('gives out its tasks: what was at work as begun, the others as they were', async () => {
    await openUpgraded()
    expect(await store.abandoned(scope.agent, 9)).toEqual([{ scope, id: 'work' }])
    const work = await store.claim(scope, 'work')
    expect(work).toMatchObject({ left: 'begun', head: { seq: 3 } })
    const asks = await store.claim(scope, 'asks')
    if (asks === undefined || asks === 'held') throw new Error('asks is free')
    expect(asks.left).toBeUndefined()
    await asks.log.append([message(3, 'this'), status(4, 'TASK_STATE_COMPLETED', { time: 2000 })], { release: true })
    expect((await store.list(scope, { pageSize: 9, view: whole, state: 'TASK_STATE_COMPLETED' })).total).toBe(2)
  })

  test('takes everything that is new in this version', async () => {
    await openUpgraded()
    const other = await openSqliteStore({ path, thread: 'main', shared: true })
    try {
      await storeTask(other, 'new', { entries: usual(5).slice(0, 2), release: false })
      const mail = await store.post(scope, 'new', { kind: 'cancel', text: '{}' })
      expect(await other.mail()).toEqual([{ id: mail, kind: 'cancel', text: '{}', taskId: 'new' }])
      expect(await store.reserve?.(scope, { key: 'new', digest: 'd' })).toBeUndefined()
      expect(await other.answer(scope, 'new')).toEqual({ digest: 'd', pending: true })
      expect(await store.erase({ agent: scope.agent, owner: scope.owner })).toBe(4)
    } finally {
      await other.close()
    }
  })

  test('is as good as one that began with this version', () => {
    writeVersion1()
    openForWriting(driver, path).close()
    const schemaOf = (file: string): unknown[] => {
      const database = driver.open(file)
      const rows = database.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').all()
      database.close()
      return rows.map((row) => ({ ...row }))
    }
    const fresh = join(folder, 'fresh.db')
    openForWriting(driver, prepareFile(fresh)).close()
    expect(schemaOf(path)).toEqual(schemaOf(fresh))
  })
})
