import { describe, expect, it } from 'vitest'
import type { Store } from '../../src/engine/store.ts'
import type { ListTasksResponse, TaskState } from '../../src/protocol/generated/v1/types.ts'
import { fullMatrix, type Served, serve } from './served.ts'
import { type Caller, type CallOptions, callerOf, invalidParamsCode } from './wire.ts'

const start = Date.UTC(2026, 0, 1)

/** Puts a task into a store as a server would have left it. */
async function put(
  store: Store,
  id: string,
  { time, state, owner = '' }: { time: number; state: TaskState; owner?: string },
): Promise<void> {
  const log = store.create({ scope: { agent: 'scripted', tenant: '', owner }, id, contextId: `c-${id}` })
  const text = JSON.stringify({ messageId: id, role: 'ROLE_USER', parts: [{ text: 'x' }] })
  await log.append(
    [
      { kind: 'message', seq: 1, text },
      { kind: 'status', seq: 2, state, time: start + time },
    ],
    { release: true },
  )
}

/** Newest first, ties by id from the end of the alphabet; one time is shared by three, of which one has an odd id. */
const order = ['g', 'f', 'e', 'c|d', 'c', 'b', 'a']

async function fill({ store }: Served, ended: readonly string[] = []): Promise<void> {
  const times: Readonly<Record<string, number>> = { g: 6, f: 5, e: 2, 'c|d': 2, c: 2, b: 1, a: 0 }
  for (const id of [...order].sort()) {
    const state = ended.includes(id) ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED'
    await put(store, id, { time: times[id] ?? 0, state })
  }
}

function list(caller: Caller, request: Record<string, unknown>): Promise<ListTasksResponse> {
  return caller.ok('ListTasks', request)
}

const idsOf = ({ tasks }: ListTasksResponse): string[] => tasks.map(({ id }) => id)

/** All pages from a token on. */
async function walk(caller: Caller, request: Record<string, unknown>): Promise<string[]> {
  const ids: string[] = []
  for (
    let page = await list(caller, request);
    ;
    page = await list(caller, { ...request, pageToken: page.nextPageToken })
  ) {
    ids.push(...idsOf(page))
    if (page.nextPageToken === '') return ids
  }
}

describe.each(fullMatrix)('over $binding and $store', ({ store, binding }) => {
  const invalid = { code: invalidParamsCode[binding], fields: ['pageToken'] }

  it('Case 39: pages of every size meet each task once, newest first, ties by id, with all four members (LIST-02, LIST-03, LIST-04, LIST-08, LIST-16, LIST-17, LIST-18, LIST-21)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    await fill(served)
    for (const pageSize of [1, 2, 3, 6, 7, 8, 100]) {
      const first = await list(caller, { pageSize })
      expect(Object.keys(first).sort()).toEqual(['nextPageToken', 'pageSize', 'tasks', 'totalSize'])
      expect(first).toMatchObject({ pageSize, totalSize: 7 })
      expect(first.nextPageToken === '').toBe(pageSize >= 7)
      expect(await walk(caller, { pageSize })).toEqual(order)
    }
    expect(await list(caller, { contextId: 'none' })).toEqual({
      tasks: [],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 0,
    })
  })

  it.each([
    [2, 'f'],
    [3, 'e'],
    [4, 'c|d'],
  ])(
    'Case 39: the rest comes also when the task at the end of a page of %i is gone (LIST-23, TASK-13)',
    async (pageSize, cursor) => {
      const served = await serve({ store })
      const caller = callerOf(served, binding)
      const gone = ['f', 'e', 'c|d']
      await fill(served, gone)
      const page = await list(caller, { pageSize })
      expect(idsOf(page).at(-1)).toBe(cursor)
      await served.store.purge({ tasks: { agent: 'scripted', before: start + 6 } })
      const rest = await walk(caller, { pageSize, pageToken: page.nextPageToken })
      expect(rest).toEqual(order.slice(pageSize).filter((id) => !gone.includes(id)))
      expect(await list(caller, {})).toMatchObject({ totalSize: 4 })
      expect(await caller.fails('GetTask', { id: cursor })).toMatchObject({ reason: 'TASK_NOT_FOUND' })
    },
  )

  it('Case 39: or has moved to the top; whoever starts again meets every task at least once (LIST-23, LIST-08)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    await fill(served)
    const first = await list(caller, { pageSize: 2 })
    await caller.cancel('f')
    await caller.cancel('c')
    const rest = await walk(caller, { pageSize: 2, pageToken: first.nextPageToken })
    expect(rest).toEqual(['e', 'c|d', 'b', 'a'])
    const again = await walk(caller, { pageSize: 2 })
    expect(again.slice(0, 2).sort()).toEqual(['c', 'f'])
    expect([...again].sort()).toEqual([...order].sort())
  })

  it('Case 39: forged tokens, and those of other filters, are refused, never answered with page 1 (LIST-19)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    await fill(served)
    const { nextPageToken } = await list(caller, { pageSize: 2 })
    const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const forged = [
      'zzz',
      '0',
      '1',
      'null',
      '%00',
      '====',
      `${nextPageToken}x`,
      nextPageToken.slice(1),
      nextPageToken.slice(0, -2),
    ]
    const shaped = [
      [],
      {},
      null,
      [1],
      [1, 'f'],
      [1, 'f', 'x'],
      ['1', 'f', 'x'],
      [1.5, 'f', ''],
      [1, {}, ''],
      [1e300, 'f', ''],
    ].map(text)
    for (const pageToken of [...forged, ...shaped, 'x'.repeat(5_000)]) {
      expect(await caller.fails('ListTasks', { pageSize: 2, pageToken }), pageToken).toMatchObject(invalid)
    }
    const filters = [
      { status: 'TASK_STATE_COMPLETED' },
      { contextId: 'c-a' },
      { statusTimestampAfter: '2026-01-01T00:00:00Z' },
    ]
    for (const filter of filters) {
      expect(await caller.fails('ListTasks', { pageSize: 2, pageToken: nextPageToken, ...filter })).toMatchObject(
        invalid,
      )
    }
    expect(idsOf(await list(caller, { pageSize: 5, pageToken: nextPageToken }))).toEqual(order.slice(2))
    expect(idsOf(await list(caller, { pageSize: 2, pageToken: '' }))).toEqual(order.slice(0, 2))
  })

  it('Case 39: a token of somebody else shows nothing (LIST-01, LIST-19, LIST-24)', async () => {
    const tokens = ['ann', 'bob'].map((name) => ({ token: `secret-of-${name}-0123456789`, name }))
    const served = await serve({ store, tokens })
    const caller = callerOf(served, binding)
    for (const { name: owner } of tokens) {
      for (const number of [1, 2, 3]) {
        await put(served.store, `${owner}${number}`, { time: number, state: 'TASK_STATE_COMPLETED', owner })
      }
    }
    const as = (id: string): CallOptions => ({ headers: { authorization: `Bearer secret-of-${id}-0123456789` } })
    const page = await caller.ok<ListTasksResponse>('ListTasks', { pageSize: 1 }, as('ann'))
    expect([idsOf(page), page.totalSize]).toEqual([['ann3'], 3])
    const pageToken = page.nextPageToken
    expect(await caller.fails('ListTasks', { pageSize: 1, pageToken }, as('bob'))).toMatchObject(invalid)
    expect(idsOf(await caller.ok('ListTasks', { pageSize: 1, pageToken }, as('ann')))).toEqual(['ann2'])
  })

  // Over gRPC a 0 stands for nothing, as callers in Go cannot leave it out.
  it.each(binding === 'GRPC' ? [-1, 101, 1_000_000] : [0, -1, 101, 1_000_000])(
    'Case 39: a page of %i tasks is refused, not cut to size (LIST-06, AMB-34)',
    async (pageSize) => {
      const served = await serve({ store })
      const error = await callerOf(served, binding).fails('ListTasks', { pageSize })
      expect(error).toMatchObject({ ...invalid, fields: ['pageSize'] })
    },
  )

  it('Case 39: without a size a page has 50, and status times count from the given one on (LIST-05, LIST-11, LIST-12, AMB-35)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    for (let number = 0; number < 53; number++) {
      const state = number % 2 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED'
      await put(served.store, `t${String(number).padStart(2, '0')}`, { time: number, state })
    }
    const page = await list(caller, {})
    expect([page.tasks.length, page.pageSize, page.totalSize]).toEqual([50, 50, 53])
    expect(idsOf(await list(caller, { pageToken: page.nextPageToken }))).toEqual(['t02', 't01', 't00'])
    const statusTimestampAfter = new Date(start + 50).toISOString()
    expect(idsOf(await list(caller, { statusTimestampAfter }))).toEqual(['t52', 't51', 't50'])
    const both = await list(caller, { statusTimestampAfter, status: 'TASK_STATE_COMPLETED' })
    expect([idsOf(both), both.totalSize]).toEqual([['t51'], 1])
  })
})
