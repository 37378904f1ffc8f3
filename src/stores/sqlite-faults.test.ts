import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite.ts'
import { type SqliteDatabase, type SqliteDriver, sqliteDriver } from './sqlite-driver.ts'
import {
  chunk,
  firstChunk,
  historyOf,
  message,
  refuses,
  scope,
  status,
  storeTask,
  taskOf,
  usual,
  whole,
} from './testing-entries.ts'

let folder: string
let path: string
const stores: Store[] = []
const logged: Record<string, unknown>[] = []
const driver = await sqliteDriver()
const log: Logger = { info: () => {}, warn: () => {}, error: (text, fields) => logged.push({ text, ...fields }) }

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  path = join(folder, 'tasks.db')
})

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  logged.length = 0
  rmSync(folder, { recursive: true })
})

async function open(options: SqliteStoreOptions = {}): Promise<Store> {
  const store = await openSqliteStore({ path, thread: 'main', cacheBytes: 0, log, ...options })
  stores.push(store)
  return store
}

/** Does something to the file, past the store. */
function tamper<T>(body: (database: SqliteDatabase) => T): T {
  const database = driver.open(path)
  try {
    return body(database)
  } finally {
    database.close()
  }
}

/** A driver that lets a test at the databases it opens. */
function watchedDriver() {
  const opened: SqliteDatabase[] = []
  const watched: SqliteDriver = {
    name: 'watched',
    open: (at) => {
      const database = driver.open(at)
      opened.push(database)
      return database
    },
  }
  return { watched, opened }
}

function rows(table: string): number {
  return tamper((database) => database.prepare(`select count(*) as number from ${table}`).get()?.number as number)
}

describe('a task that cannot be read', () => {
  const damages = [
    ['an unknown state', "update task set state = 77 where id = 'bad'"],
    ['a message that is no JSON', "update message set text = 'oops' where id > 2 * 4194304 and id < 3 * 4194304"],
    ['metadata that is no JSON', "update task set metadata = '[' where id = 'bad'"],
    ['a number out of bounds', "update task set time = 9223372036854775807 where id = 'bad'"],
  ] as const
  for (const [name, sql] of damages) {
    test(`${name}: the listing leaves it out and logs it, all others are there`, async () => {
      const store = await open()
      for (const [index, id] of ['one', 'bad', 'two', 'three'].entries())
        await storeTask(store, id, { entries: usual(1000 + index) })
      tamper((database) => database.exec(sql))
      const seen: string[] = []
      let cursor: readonly [number, number | string] | undefined
      do {
        const page = await store.list(scope, { pageSize: 1, view: whole, ...(cursor && { cursor }) })
        seen.push(...page.tasks.map(({ head }) => head.id))
        expect(page.total).toBe(4)
        cursor = page.next
      } while (cursor !== undefined)
      expect(seen).toEqual(['three', 'two', 'one'])
      expect(new Set(logged.map(({ task }) => task)).size).toBe(1)
      await expect(store.read(scope, 'bad', whole)).rejects.toMatchObject({ code: 'Internal' })
      expect(await historyOf(store, 'one')).toEqual(['hi'])
    })
  }

  test('a hole in its log is told as an error, not as an answer', async () => {
    const store = await open()
    await storeTask(store, 't', { entries: usual(1000) })
    tamper((database) => database.exec('delete from status where id % 4194304 = 2'))
    await expect(store.entries(scope, 't', { after: 0, limit: 9 })).rejects.toMatchObject({ code: 'Internal' })
    await expect(store.read(scope, 't', { ...whole, at: 3 })).rejects.toMatchObject({ code: 'Internal' })
    expect(logged).toHaveLength(2)
  })
})

describe('a database that cannot be written', () => {
  test('a full disk rejects the append, says so, and leaves all else as it was', async () => {
    const { watched, opened } = watchedDriver()
    const store = await open({ driver: watched, cacheBytes: 2 ** 20 })
    const log = await storeTask(store, 't', { entries: usual(5).slice(0, 3), release: false })
    const [database] = opened
    const pages = database!.prepare('pragma page_count').get()?.page_count as number
    database!.exec(`pragma max_page_count = ${pages + 2}`)
    const more = Array.from({ length: 50 }, (_, index) => message(index + 4, 'x'.repeat(1_000)))
    await refuses(log.append(more, { release: true }), /the disk is full\. Free some space/)
    await refuses(log.append([message(54, 'gap')]), /next entry of this task is 4/)
    expect(logged).toEqual([expect.objectContaining({ reason: expect.stringContaining('full') })])
    expect(await store.head(scope, 't')).toMatchObject({ seq: 3, held: true })
    expect(rows('message')).toBe(1)
    database!.exec(`pragma max_page_count = ${pages + 1_000}`)
    await log.append(more, { release: true })
    expect(await store.head(scope, 't')).toMatchObject({ seq: 53, held: false })
    expect(rows('message')).toBe(51)
  })

  test('a read-only file rejects the append and says so', async () => {
    const { watched, opened } = watchedDriver()
    const store = await open({ driver: watched })
    opened[0]!.exec('pragma query_only = on')
    await refuses(
      storeTask(store, 't', { entries: usual(5) }),
      /the database file is read-only\. Give this process write access/,
    )
    opened[0]!.exec('pragma query_only = off')
    await storeTask(store, 't', { entries: usual(5) })
  })
})

describe('rows on disk', () => {
  test('chunks of one commit that continue an artifact share a row; each byte is stored once', async () => {
    const store = await open()
    const log = store.create({ scope, id: 't', contextId: 'c' })
    void log.append([message(1, 'hi'), firstChunk(2, 'a\nb')])
    void log.append([chunk(3, ''), chunk(4, 'c')])
    await log.append([
      chunk(5, 'd', { artifact: 1, head: '{"artifactId":"b"}', append: false }),
      chunk(6, 'e', { lastChunk: true }),
    ])
    expect(rows('chunk')).toBe(3)
    await log.append(
      [
        chunk(7, 'f', { append: false }),
        chunk(8, 'g', { metadata: '{}' }),
        chunk(9, 'h'),
        status(10, 'TASK_STATE_COMPLETED', { time: 1, text: 'x' }),
      ],
      { release: true },
    )
    expect(rows('chunk')).toBe(5)
    expect(rows('message')).toBe(2)
    expect((await taskOf(store, 't')).artifacts).toEqual([
      { artifactId: 'artifact-0', parts: [{ text: 'fgh' }] },
      { artifactId: 'b', parts: [{ text: 'd' }] },
    ])
  })

  test('a long commit is cut into rows of bounded size', async () => {
    const store = await open()
    const entries = [firstChunk(1, 'x'), ...Array.from({ length: 999 }, (_, index) => chunk(index + 2, 'y'))]
    await storeTask(store, 'many', { entries })
    expect(rows('chunk')).toBe(8)
    await storeTask(store, 'large', { entries: [firstChunk(1, 'x'), chunk(2, 'y'.repeat(20_000)), chunk(3, 'z')] })
    expect(rows('chunk')).toBe(10)
    for (const id of ['many', 'large']) expect(await store.entries(scope, id, { after: 0, limit: 2 })).toHaveLength(2)
  })

  test('the counters tell what counting tells, and end with their tasks', async () => {
    const store = await open()
    for (let index = 0; index < 50; index++) {
      const log = await storeTask(store, `t${index}`, {
        scope: { ...scope, owner: `o${index % 3}` },
        entries: [message(1, 'x'), status(2, 'TASK_STATE_WORKING', { time: index * 1_234_567 })],
        release: false,
      })
      if (index % 2 === 0)
        await log.append([status(3, 'TASK_STATE_COMPLETED', { time: index * 2_345_678 })], { release: true })
    }
    const wrong = (span: number, width: number) =>
      tamper((database) =>
        database
          .prepare(
            `select * from (
               select scope, time / ${width} as bucket, state, count(*) as number from task group by 1, 2, 3
               except select scope, bucket, state, number from counter where span = ${span}
             ) union all select * from (
               select scope, bucket, state, number from counter where span = ${span}
               except select scope, time / ${width}, state, count(*) from task group by 1, 2, 3
             )`,
          )
          .all(),
      )
    const all = () => [wrong(0, Number.MAX_SAFE_INTEGER), wrong(1, 86_400_000), wrong(2, 3_600_000), wrong(3, 60_000)]
    expect(all()).toEqual([[], [], [], []])
    await store.purge({ tasks: { agent: scope.agent, before: Number.MAX_SAFE_INTEGER } })
    expect(all()).toEqual([[], [], [], []])
    expect(rows('task')).toBe(25)
    expect(rows('message')).toBe(25)
    expect(rows('status')).toBe(25)
  })

  test('a purge takes a long task away in steps', async () => {
    const store = await open()
    const entries = Array.from({ length: 1_800 }, (_, index) =>
      firstChunk(index + 1, 'x', { plain: false, parts: '{"text":"x"}' }),
    )
    await storeTask(store, 't', { entries: [...entries, status(1_801, 'TASK_STATE_COMPLETED', { time: 1 })] })
    const purged = store.purge({ tasks: { agent: scope.agent, before: 5 } })
    await storeTask(store, 'u', { entries: usual(9) })
    expect(await purged).toBe(1_802)
    expect([rows('chunk'), rows('status'), rows('message'), rows('task')]).toEqual([1, 2, 1, 1])
  })
})

describe('two stores on one file', () => {
  test('see each other without delay, also through their caches', async () => {
    const [a, b] = [await open({ cacheBytes: 2 ** 20 }), await open({ cacheBytes: 2 ** 20 })]
    await storeTask(a, 't', { entries: [message(1, 'one'), status(2, 'TASK_STATE_INPUT_REQUIRED', { time: 1 })] })
    expect(await historyOf(a, 't')).toEqual(['one'])
    const claimed = await b.claim(scope, 't')
    if (claimed === undefined || claimed === 'held') throw new Error('not given out')
    expect((await a.head(scope, 't'))?.held).toBe(true)
    expect(await a.claim(scope, 't')).toBe('held')
    await claimed.log.append([message(3, 'two')], { release: true })
    expect(await historyOf(a, 't')).toEqual(['one', 'two'])
    expect(await a.claim(scope, 't')).toMatchObject({ head: { seq: 3 } })
    expect(await b.abandoned(scope.agent, 5)).toEqual([])
    await a.close()
    expect(await b.abandoned(scope.agent, 5)).toEqual([{ scope, id: 't' }])
  })

  test('do not take a process for dead whose main thread is busy', async () => {
    const lease = { heartbeat: 30, expires: 400 }
    const other = await open({ lease })
    for (const [thread, expected] of [
      ['worker', []],
      ['main', [{ scope, id: 'main' }]],
    ] as const) {
      const store = await open({ thread, lease })
      await storeTask(store, thread, { entries: [message(1, 'x')], release: false })
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
      expect(await other.abandoned(scope.agent, 5)).toEqual(expected)
      await store.close()
      const freed = await other.claim(scope, thread)
      expect(freed).toMatchObject({ head: { seq: 1 } })
    }
  })

  test('make no second task for one idempotency key', async () => {
    const [a, b] = [await open(), await open()]
    const idempotency = { key: 'k', digest: 'd' }
    const both = await Promise.allSettled(
      [a, b].map((store, index) => storeTask(store, `t${index}`, { entries: usual(5), idempotency })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await a.list(scope, { pageSize: 5, view: whole })).total).toBe(1)
    await refuses(storeTask(a, 'other', { entries: usual(5), idempotency }), /idempotency key/)
  })
})
