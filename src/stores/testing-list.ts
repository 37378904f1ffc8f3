import assert from 'node:assert/strict'
import type { Cursor, ListQuery, Store } from '../engine/store.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'
import { message, type StoreCase, scope, status, storeTask, usual } from './testing-entries.ts'

const view = { artifacts: false }

type Filter = Omit<ListQuery, 'pageSize' | 'view' | 'cursor'>

async function walk(
  store: Store,
  options: Filter & { pageSize: number; between?: (page: string[]) => Promise<void> },
): Promise<string[]> {
  const { pageSize, between, ...filter } = options
  const ids: string[] = []
  let cursor: Cursor | undefined
  do {
    const page = await store.list(scope, { ...filter, pageSize, view, ...(cursor && { cursor }) })
    const found = page.tasks.map(({ head }) => head.id)
    assert.ok(found.length <= pageSize)
    assert.ok(found.length > 0 || page.total === 0)
    ids.push(...found)
    assert.ok(ids.length < 1000, 'the list comes to an end')
    cursor = page.next
    await between?.(found)
  } while (cursor !== undefined)
  return ids
}

const states: readonly TaskState[] = [
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_FAILED',
]

interface Row {
  readonly id: string
  readonly contextId: string
  readonly state: TaskState
  readonly time: number
}

const start = Date.UTC(2026, 0, 30, 23, 58, 30)

/** Tasks over some days, hours, minutes and one single instant. */
async function many(store: Store): Promise<Row[]> {
  const rows: Row[] = []
  const steps = [0, 1, 7, 1000, 59_999, 60_000, 61_000, 3_600_000, 86_400_000, 90_000_000]
  for (let index = 0; index < 60; index++) {
    const id = `${(index * 7919) % 60}|${index}`
    const time = start + steps[index % steps.length]! * (1 + (index % 3))
    const row = { id, contextId: `c${index % 3}`, state: states[index % states.length]!, time }
    rows.push(row)
    await storeTask(store, id, { contextId: row.contextId, entries: [message(1, id), status(2, row.state, { time })] })
  }
  return rows
}

function expected(rows: readonly Row[], filter: Filter): string[] {
  const found = rows.filter(
    (row) =>
      (filter.contextId === undefined || row.contextId === filter.contextId) &&
      (filter.state === undefined || row.state === filter.state) &&
      (filter.since === undefined || row.time >= filter.since),
  )
  if (filter.order === 'created') found.reverse()
  else found.sort((a, b) => b.time - a.time || (a.id < b.id ? 1 : -1))
  return found.map(({ id }) => id)
}

function filters(rows: readonly Row[]): Filter[] {
  const all: Filter[] = []
  const times = [undefined, 0, start, start + 30_000, start + 3_600_000, rows[17]!.time, rows[17]!.time + 1, start * 2]
  for (const contextId of [undefined, 'c1', 'unknown']) {
    for (const state of [undefined, ...states.slice(0, 2), 'TASK_STATE_REJECTED' as const]) {
      for (const since of times) {
        all.push({
          ...(contextId !== undefined && { contextId }),
          ...(state !== undefined && { state }),
          ...(since !== undefined && { since }),
        })
      }
    }
  }
  return all
}

/** Lists: order, filters, totals and pages (§3.1.4). */
export const listCases: readonly StoreCase[] = [
  {
    name: 'LIST-08 LIST-09 LIST-10 LIST-11 LIST-12 LIST-16: lists what matches, newest first, with its total',
    run: async ({ store }) => {
      const rows = await many(store)
      for (const filter of filters(rows)) {
        for (const order of ['status', 'created'] as const) {
          const page = await store.list(scope, { ...filter, order, pageSize: 100, view })
          const ids = page.tasks.map(({ head }) => head.id)
          assert.deepEqual(ids, expected(rows, { ...filter, order }), JSON.stringify({ filter, order }))
          assert.equal(page.total, ids.length, JSON.stringify(filter))
          assert.equal(page.next, undefined)
        }
      }
    },
  },
  {
    name: 'LIST-02 LIST-18: pages meet every task once, also at equal times',
    run: async ({ store }) => {
      const rows = await many(store)
      for (const pageSize of [1, 2, 7, 30, 59, 60, 61]) {
        for (const order of ['status', 'created'] as const) {
          assert.deepEqual(await walk(store, { pageSize, order }), expected(rows, { order }))
        }
        const filter = { state: 'TASK_STATE_COMPLETED', contextId: 'c1', since: start + 1 } as const
        assert.deepEqual(await walk(store, { pageSize, ...filter }), expected(rows, filter))
      }
    },
  },
  {
    name: 'keeps totals right while tasks change their state, hour and day',
    run: async ({ store }) => {
      const log = await storeTask(store, 'a', {
        entries: [message(1, 'a'), status(2, 'TASK_STATE_WORKING', { time: start })],
        release: false,
      })
      const totals = async () => {
        const found: number[] = []
        for (const filter of [
          {},
          { state: 'TASK_STATE_WORKING' },
          { state: 'TASK_STATE_COMPLETED' },
          { since: start + 1 },
          { since: start + 1, state: 'TASK_STATE_WORKING' },
          { since: start + 3_600_000, state: 'TASK_STATE_COMPLETED' },
          { since: start + 86_400_000 },
        ] as const) {
          found.push((await store.list(scope, { pageSize: 5, view, ...filter })).total)
        }
        return found
      }
      assert.deepEqual(await totals(), [1, 1, 0, 0, 0, 0, 0])
      await log.append([status(3, 'TASK_STATE_WORKING', { time: start + 61_000 })])
      assert.deepEqual(await totals(), [1, 1, 0, 1, 1, 0, 0])
      await log.append([
        status(4, 'TASK_STATE_INPUT_REQUIRED', { time: start + 62_000 }),
        status(5, 'TASK_STATE_COMPLETED', { time: start + 86_400_000 }),
      ])
      assert.deepEqual(await totals(), [1, 0, 1, 1, 0, 1, 1])
    },
  },
  {
    name: 'LIST-23: goes on after a cursor task that is gone or has changed',
    run: async ({ store }) => {
      const ids = ['a', 'b', 'c|d', 'c', 'e', 'f', 'g']
      for (const [index, id] of ids.entries()) {
        const time = index >= 2 && index <= 4 ? 1002 : 1000 + index
        await storeTask(store, id, { entries: usual(time) })
      }
      const order = ['g', 'f', 'e', 'c|d', 'c', 'b', 'a']
      assert.deepEqual(await walk(store, { pageSize: 2 }), order)
      const log = await storeTask(store, 'h', {
        entries: [message(1, 'h'), status(2, 'TASK_STATE_WORKING', { time: 1003 })],
        release: false,
      })
      const seen = await walk(store, {
        pageSize: 3,
        between: async (page) => {
          if (page.at(-1) === 'c|d') await store.purge({ tasks: { agent: scope.agent, before: 5000 } })
        },
      })
      assert.deepEqual(seen.slice(0, 3), ['g', 'f', 'e'])
      await log.append([status(3, 'TASK_STATE_COMPLETED', { time: 1004 })], { release: true })
      for (const id of ids)
        if ((await store.head(scope, id)) === undefined) await storeTask(store, id, { entries: usual(1000) })
      let purged = false
      const rest = await walk(store, {
        pageSize: 2,
        between: async (page) => {
          if (purged) return
          purged = true
          const last = await store.claim(scope, page.at(-1)!)
          assert.ok(last !== undefined && last !== 'held')
          await last.log.append([status(last.head.seq + 1, 'TASK_STATE_COMPLETED', { time: 9000 })], { release: true })
        },
      })
      assert.equal(new Set(rest).size, rest.length)
      assert.equal(rest.length, (await store.list(scope, { pageSize: 50, view })).total)
    },
  },
  {
    name: 'goes on after the last task of a page is deleted',
    run: async ({ store }) => {
      for (const id of ['a', 'b', 'c', 'd', 'e']) await storeTask(store, id, { entries: usual(1000) })
      await storeTask(store, 'older', { entries: usual(500).slice(0, 3) })
      const first = await store.list(scope, { pageSize: 2, view })
      assert.deepEqual(
        first.tasks.map(({ head }) => head.id),
        ['e', 'd'],
      )
      await store.purge({ tasks: { agent: scope.agent, before: 5000 } })
      const second = await store.list(scope, { pageSize: 2, view, cursor: first.next! })
      assert.deepEqual(
        second.tasks.map(({ head }) => head.id),
        ['older'],
      )
      assert.equal(second.next, undefined)
    },
  },
  {
    name: 'moves a task to the top when its status changes',
    run: async ({ store }) => {
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        await storeTask(store, id, {
          entries: [message(1, id), status(2, 'TASK_STATE_INPUT_REQUIRED', { time: index })],
        })
      }
      const claimed = await store.claim(scope, 'a')
      assert.ok(claimed !== undefined && claimed !== 'held')
      await claimed.log.append([message(3, 'x'), status(4, 'TASK_STATE_WORKING', { time: 10 })])
      assert.deepEqual(await walk(store, { pageSize: 5 }), ['a', 'c', 'b'])
      assert.deepEqual(await walk(store, { pageSize: 5, order: 'created' }), ['c', 'b', 'a'])
      const held = (await store.list(scope, { pageSize: 5, view })).tasks.map(({ head }) => head.held)
      assert.deepEqual(held, [true, false, false])
    },
  },
]
