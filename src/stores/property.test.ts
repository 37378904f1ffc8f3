import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { TaskRecord } from '../engine/record.ts'
import type { Entry, Store } from '../engine/store.ts'
import { openMemoryStore } from './memory.ts'
import { openPostgresStore } from './postgres.ts'
import { openSqliteStore } from './sqlite.ts'
import { messageText, scope, whole } from './testing-entries.ts'
import { freshSchema, testDatabase } from './testing-postgres.ts'

type Draft =
  | { kind: 'message' }
  | { kind: 'status'; message: boolean; metadata: boolean; state: 2 | 3 | 6; step: number }
  | {
      kind: 'chunk'
      artifact: number
      head: number
      append: boolean
      lastChunk: boolean
      plain: boolean
      metadata: boolean
      text: string
    }

const draft: fc.Arbitrary<Draft> = fc.oneof(
  fc.record({ kind: fc.constant('message' as const) }),
  fc.record({
    kind: fc.constant('status' as const),
    message: fc.boolean(),
    metadata: fc.boolean(),
    state: fc.constantFrom(2 as const, 3 as const, 6 as const),
    step: fc.nat(100_000),
  }),
  fc.record({
    kind: fc.constant('chunk' as const),
    artifact: fc.nat(2),
    head: fc.nat(9),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
    plain: fc.boolean(),
    metadata: fc.boolean(),
    text: fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.constant('\n"\\')),
  }),
  {
    arbitrary: fc.constant({
      kind: 'chunk',
      artifact: 0,
      head: 9,
      append: true,
      lastChunk: false,
      plain: true,
      metadata: false,
      text: 'x',
    } as Draft),
    weight: 3,
  },
)

const states = { 2: 'TASK_STATE_WORKING', 3: 'TASK_STATE_COMPLETED', 6: 'TASK_STATE_INPUT_REQUIRED' } as const

/** Entries as an engine writes them: artifacts get their positions in order, and the first chunk of each has a head. */
function entriesOf(drafts: readonly Draft[]): Entry[] {
  const positions = new Map<number, number>()
  let time = 1_700_000_000_000
  return drafts.map((given, index): Entry => {
    const seq = index + 1
    if (given.kind === 'message') return { kind: 'message', seq, text: messageText(`u${seq}`) }
    if (given.kind === 'status') {
      time += given.step
      return {
        kind: 'status',
        seq,
        state: states[given.state],
        time,
        ...(given.message && { message: messageText(`s${seq}`, 'ROLE_AGENT') }),
        ...(given.metadata && { metadata: `{"at":${seq}}` }),
      }
    }
    const isNew = !positions.has(given.artifact)
    if (isNew) positions.set(given.artifact, positions.size)
    const parts = JSON.stringify(given.text).slice(1, -1)
    return {
      kind: 'chunk',
      seq,
      artifact: positions.get(given.artifact)!,
      ...((isNew || given.head < 3) && {
        head: `{"artifactId":"a${given.artifact}","metadata":{"k${given.head}":${seq}}}`,
      }),
      append: !isNew && given.append,
      lastChunk: given.lastChunk,
      plain: given.plain,
      parts: given.plain ? parts : `{"text":"${parts}"},{"data":${seq}}`,
      ...(given.metadata && { metadata: `{"at":${seq}}` }),
    }
  })
}

/** Stores a task in commits of these sizes, of which some are waited for. */
async function write(
  store: Store,
  id: string,
  { entries, sizes }: { entries: readonly Entry[]; sizes: readonly number[] },
): Promise<void> {
  const log = store.create({ scope, id, contextId: `c-${id}`, metadata: '{"m":1}' })
  for (let at = 0, turn = 0; at < entries.length; turn++) {
    const size = sizes[turn % sizes.length]!
    const written = log.append(entries.slice(at, at + size))
    if (size % 2 === 0) await written
    at += size
  }
  await log.append([], { release: true })
}

async function everything(store: Store, id: string, length: number): Promise<unknown[]> {
  const seen: unknown[] = []
  for (const historyLength of [undefined, 0, 1, 2]) {
    for (const artifacts of [true, false]) {
      seen.push(await store.read(scope, id, { artifacts, ...(historyLength !== undefined && { historyLength }) }))
    }
  }
  for (let at = 1; at <= length; at += 3) seen.push(await store.read(scope, id, { ...whole, at }))
  for (let after = 0; after < length; after += 4) seen.push(await store.entries(scope, id, { after, limit: 6 }))
  const { tasks } = await store.list(scope, { pageSize: 1, view: whole, contextId: `c-${id}` })
  return [...seen, ...tasks]
}

describe('any entries, in commits of any size', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  const path = join(folder, 'tasks.db')
  const stores: Store[] = []
  let count = 0

  afterAll(async () => {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true })
  })

  test.skipIf(testDatabase === undefined)(
    'memory and PostgreSQL tell the same task, also at another node',
    async () => {
      const { url, drop } = freshSchema()
      const memory = openMemoryStore()
      const [writing, reading] = [await openPostgresStore({ url }), await openPostgresStore({ url })]
      try {
        await fc.assert(
          fc.asyncProperty(
            fc.array(draft, { minLength: 1, maxLength: 40 }),
            fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
            async (drafts, sizes) => {
              const id = `p${++count}`
              const entries = entriesOf(drafts)
              for (const store of [memory, writing]) await write(store, id, { entries, sizes })
              const expected = await everything(memory, id, entries.length)
              expect(await everything(writing, id, entries.length)).toEqual(expected)
              expect(await everything(reading, id, entries.length)).toEqual(expected)
            },
          ),
          { numRuns: 25 },
        )
      } finally {
        for (const store of [memory, writing, reading]) await store.close()
        await drop()
      }
    },
  )

  test('memory, SQLite and the record tell the same task, also after the file is opened again', async () => {
    const memory = openMemoryStore()
    let cached = await openSqliteStore({ path, thread: 'main' })
    stores.push(memory)
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { minLength: 1, maxLength: 40 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (drafts, sizes) => {
          const id = `t${++count}`
          const entries = entriesOf(drafts)
          const record = new TaskRecord(id, `c-${id}`, '{"m":1}')
          for (const entry of entries) record.add(entry)
          for (const store of [memory, cached]) await write(store, id, { entries, sizes })
          expect((await cached.read(scope, id, whole))?.text).toBe(record.text(whole))
          const expected = await everything(memory, id, entries.length)
          expect(await everything(cached, id, entries.length)).toEqual(expected)
          await cached.close()
          cached = await openSqliteStore({ path, thread: 'main', cacheBytes: 0 })
          expect(await everything(cached, id, entries.length)).toEqual(expected)
        },
      ),
      { numRuns: 60 },
    )
    stores.push(cached)
  })
})
