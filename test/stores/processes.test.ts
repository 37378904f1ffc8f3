import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Store } from '../../src/engine/store.ts'
import { openSqliteStore } from '../../src/stores/sqlite.ts'
import { sqliteDriver } from '../../src/stores/sqlite-driver.ts'

const scope = { agent: 'agent', tenant: '', owner: 'ada' }
const whole = { artifacts: true }
const driver = (await sqliteDriver()).name as 'node' | 'photostructure'

let folder: string
let path: string
const children: ChildProcess[] = []
const stores: Store[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parlance-'))
  path = join(folder, 'tasks.db')
})

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  for (const store of stores.splice(0)) await store.close()
  rmSync(folder, { recursive: true })
})

function start(...job: string[]): { child: ChildProcess; lines: AsyncIterator<string> } {
  const script = join(import.meta.dirname, 'child.mjs')
  const child = spawn(process.execPath, [script, path, driver, ...job], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  return { child, lines: createInterface({ input: child.stdout! })[Symbol.asyncIterator]() }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function open(options: Parameters<typeof openSqliteStore>[0] = {}): Promise<Store> {
  const store = await openSqliteStore({ path, driver, thread: 'main', ...options })
  stores.push(store)
  return store
}

describe('processes on one database', { timeout: 60_000 }, () => {
  test('a killed process loses nothing that it has told', async () => {
    for (const _ of [1, 2]) {
      const { child, lines } = start('write')
      const told: string[] = []
      while (told.length < 300) told.push((await lines.next()).value)
      await kill(child)
      for (let line = await lines.next(); !line.done; line = await lines.next()) told.push(line.value)
      const store = await open()
      for (const line of told) {
        const [word, id = ''] = line.split(' ')
        const snapshot = await store.read(scope, id, whole)
        expect(snapshot, line).toBeDefined()
        expect(JSON.parse(snapshot!.text).artifacts[0].parts).toEqual([{ text: id }])
        if (word === 'ended') expect(snapshot!.head.state).toBe('TASK_STATE_COMPLETED')
      }
      const page = await store.list(scope, { pageSize: 1, view: whole })
      const working = await store.list(scope, { pageSize: 1, view: whole, state: 'TASK_STATE_WORKING' })
      const since = await store.list(scope, { pageSize: 1, view: whole, since: 1 })
      expect(since.total).toBe(page.total)
      const abandoned = await store.abandoned('agent', 1000)
      expect(abandoned).toHaveLength(working.total)
      for (const { id } of abandoned) {
        const claimed = await store.claim(scope, id)
        if (claimed === undefined || claimed === 'held') throw new Error(`${id} was not given out`)
        await claimed.log.append([{ kind: 'status', seq: claimed.head.seq + 1, state: 'TASK_STATE_FAILED', time: 5 }], {
          release: true,
        })
      }
      expect(await store.abandoned('agent', 1000)).toEqual([])
    }
  })

  test('processes that write to one file at the same time all get their turn, and lose nothing', async () => {
    const store = await open()
    const writers = [1, 2, 3].map(() => start('write'))
    const told = await Promise.all(
      writers.map(async ({ child, lines }) => {
        const found: string[] = []
        while (found.length < 200) found.push((await lines.next()).value)
        expect(child.exitCode).toBeNull()
        await kill(child)
        return found
      }),
    )
    for (const line of told.flat()) {
      const [word, id = ''] = line.split(' ')
      const head = await store.head(scope, id)
      expect(head, line).toBeDefined()
      if (word === 'ended') expect(head!.state).toBe('TASK_STATE_COMPLETED')
    }
    const page = await store.list(scope, { pageSize: 1, view: whole })
    const ended = await store.list(scope, { pageSize: 1, view: whole, state: 'TASK_STATE_COMPLETED' })
    expect(page.total - ended.total).toBe((await store.abandoned('agent', 1000)).length)
  })

  test('a process that exits in the midst of commits exits as it wanted to', async () => {
    for (const _ of [1, 2, 3]) {
      const { child } = start('write', 'exit')
      child.stdout!.resume()
      expect(await once(child, 'exit')).toEqual([3, null])
    }
  })

  test('a living process keeps its tasks, a killed one loses them at once', async () => {
    const { child, lines } = start('hold')
    expect((await lines.next()).value).toBe('holding')
    const store = await open()
    expect(await store.abandoned('agent', 10)).toEqual([])
    expect(await store.claim(scope, 'hold')).toBe('held')
    expect((await store.head(scope, 'hold'))?.held).toBe(true)
    child.stdin!.write('go\n')
    expect((await lines.next()).value).toBe('written')
    expect((await store.head(scope, 'hold'))?.seq).toBe(4)
    await kill(child)
    expect(await store.abandoned('agent', 10)).toEqual([{ scope, id: 'hold' }])
    expect(await store.claim(scope, 'hold')).toMatchObject({ head: { seq: 4, held: true } })
    expect(await store.abandoned('agent', 10)).toEqual([])
  })

  test('a process that was silent too long cannot write to a task that another has taken', async () => {
    const { child, lines } = start('frozen')
    expect((await lines.next()).value).toBe('holding')
    const store = await open({ lease: { heartbeat: 60_000, expires: 400 } })
    let claimed = await store.claim(scope, 'frozen')
    while (claimed === 'held') {
      await new Promise((resolve) => setTimeout(resolve, 50))
      claimed = await store.claim(scope, 'frozen')
    }
    expect(claimed).toMatchObject({ head: { seq: 3 } })
    child.stdin!.write('go\n')
    expect((await lines.next()).value).toMatch(/^Unavailable: This process no longer holds the task/)
    await claimed!.log.append([{ kind: 'message', seq: 4, text: '{"ours":1}' }], { release: true })
    child.stdin!.write('go\n')
    expect((await lines.next()).value).toMatch(/^Unavailable/)
    const { text } = (await store.read(scope, 'frozen', whole))!
    expect(JSON.parse(text).history).toEqual([{ messageId: 'frozen' }, { ours: 1 }])
  })

  test('processes that start at once on a new file make it once', async () => {
    const starts = [1, 2, 3, 4].map(() => start('open'))
    for (const { lines } of starts) expect((await lines.next()).value).toBe('open')
    await open()
  })
})
