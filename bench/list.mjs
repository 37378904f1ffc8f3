import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { median } from './processes.mjs'

const scope = { agent: 'bench', tenant: '', owner: 'owner' }
const start = Date.UTC(2026, 0, 1, 0, 0, 17)
const span = 30 * 86_400_000
const states = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'CANCELED', 'INPUT_REQUIRED']

const uuid = (kind, index) => `0195${kind}000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`

async function filled(openSqliteStore, folder, size) {
  const path = join(folder, `tasks-${size}.db`)
  const ready = existsSync(path)
  const store = await openSqliteStore({ path, cacheBytes: 0 })
  if (ready) return store
  let next = 0
  const begin = performance.now()
  const fill = async () => {
    while (next < size) {
      const index = next++
      const time = start + Math.floor((index * span) / size)
      const log = store.create({ scope, id: uuid('a', index), contextId: uuid('c', Math.floor(index / 5)) })
      const message = `{"messageId":"${uuid('b', index)}","role":"ROLE_USER","parts":[{"text":"What is the weather in Lisbon?"}]}`
      await log.append(
        [
          { kind: 'message', seq: 1, text: message },
          { kind: 'status', seq: 2, state: 'TASK_STATE_SUBMITTED', time },
          {
            kind: 'chunk',
            seq: 3,
            artifact: 0,
            head: '{"artifactId":"answer"}',
            append: false,
            lastChunk: true,
            plain: true,
            parts: 'It is sunny, with some wind from the north.',
          },
          { kind: 'status', seq: 4, state: `TASK_STATE_${states[index % states.length]}`, time },
        ],
        { release: true },
      )
    }
  }
  await Promise.all(Array.from({ length: 500 }, fill))
  console.log(`${size} tasks written in ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  return store
}

const view = { artifacts: false }
const middle = [start + span / 2 + 12_345, 'f']
const queries = {
  'no filter': {},
  'middle cursor': { cursor: middle },
  'state, frequent': { state: 'TASK_STATE_COMPLETED' },
  'state, rare': { state: 'TASK_STATE_INPUT_REQUIRED' },
  'state, absent': { state: 'TASK_STATE_REJECTED' },
  context: { contextId: uuid('c', 3) },
  'context and state': { contextId: uuid('c', 3), state: 'TASK_STATE_COMPLETED' },
  'context, by creation': { contextId: uuid('c', 3), order: 'created' },
  'after half': { since: start + span / 2 + 12_345 },
  'after all': { since: start + 1 },
  'after all, and state': { since: start + 1, state: 'TASK_STATE_COMPLETED' },
  'after the last day': { since: start + span - 86_400_000 },
  'after half, middle cursor, state': { since: start + span / 4, cursor: middle, state: 'TASK_STATE_COMPLETED' },
  'with artifacts': { view: { artifacts: true } },
  'historyLength 0': { view: { artifacts: false, historyLength: 0 } },
  'historyLength 2': { view: { artifacts: false, historyLength: 2 } },
}

async function cost(store, query) {
  const rounds = 40
  const begin = process.cpuUsage()
  for (let round = 0; round < rounds; round++) await store.list(scope, { pageSize: 50, view, ...query })
  const { user, system } = process.cpuUsage(begin)
  return (user + system) / rounds / 1000
}

/**
 * Measures a page of 50 in a small and in a large database, filter by filter, in turn: CPU milliseconds of both, and how
 * many tasks the filter finds. Databases that lie in the folder already are used again.
 */
export async function measureLists({ dist, folder, small: few, large: many }) {
  const { openSqliteStore } = await import(pathToFileURL(join(dist, 'stores', 'sqlite.js')).href)
  mkdirSync(folder, { recursive: true })
  const small = await filled(openSqliteStore, folder, few)
  const large = await filled(openSqliteStore, folder, many)
  const rows = []
  for (const [name, query] of Object.entries(queries)) {
    const times = [[], []]
    for (let round = 0; round < 9; round++) {
      times[0].push(await cost(small, query))
      times[1].push(await cost(large, query))
    }
    const [before, after] = times.map((values) => median(values.slice(2)))
    const { total } = await large.list(scope, { pageSize: 1, view, ...query })
    rows.push({ name, before, after, total })
  }
  await small.close()
  await large.close()
  return rows
}
