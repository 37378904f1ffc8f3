// Measures the stores alone: µs for a task with four events by number of callers, and long streamed artifacts.
//   node bench/store.mjs [--dist FOLDER] [--thread main|worker] [--driver node|photostructure] [--store memory]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
  options: {
    dist: { type: 'string', default: join(import.meta.dirname, '..', 'dist') },
    thread: { type: 'string', default: 'worker' },
    driver: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
  },
})
const load = (name) => import(pathToFileURL(join(resolve(options.dist), 'stores', name)).href)

const folder = mkdtempSync(join(tmpdir(), 'parlance-bench-'))
const store =
  options.store === 'memory'
    ? (await load('memory.js')).openMemoryStore()
    : await (await load('sqlite.js')).openSqliteStore({
        path: join(folder, 'tasks.db'),
        thread: options.thread,
        ...(options.driver && { driver: options.driver }),
      })

const scope = { agent: 'bench', tenant: '', owner: 'owner' }
const view = { artifacts: true }
let count = 0

function id() {
  const time = Date.now().toString(16).padStart(12, '0')
  const random = Math.random().toString(16).slice(2).padEnd(16, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${(count++).toString(16).padStart(12, '0')}`
}

async function task() {
  const log = store.create({ scope, id: id(), contextId: id() })
  const time = Date.now()
  const message = `{"messageId":"${id()}","role":"ROLE_USER","parts":[{"text":"What is the weather in Lisbon?"}],"contextId":"${id()}","taskId":"${id()}"}`
  log.append([
    { kind: 'message', seq: 1, text: message },
    { kind: 'status', seq: 2, state: 'TASK_STATE_SUBMITTED', time },
  ])
  log.append([{ kind: 'status', seq: 3, state: 'TASK_STATE_WORKING', time }])
  log.append([
    {
      kind: 'chunk',
      seq: 4,
      artifact: 0,
      head: `{"artifactId":"${id()}"}`,
      append: false,
      lastChunk: false,
      plain: true,
      parts: 'It is sunny.',
    },
  ])
  await log.append([{ kind: 'status', seq: 5, state: 'TASK_STATE_COMPLETED', time }], { release: true })
}

async function tasks(callers, total) {
  let left = total
  const begin = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) await task()
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  return { us: ((performance.now() - begin) * 1000) / total, cpu: (user + system) / total }
}

async function stream(chunks) {
  const log = store.create({ scope, id: id(), contextId: id() })
  const name = id()
  const begin = performance.now()
  log.append([{ kind: 'message', seq: 1, text: '{"messageId":"m","role":"ROLE_USER","parts":[]}' }])
  let last
  for (let index = 0; index < chunks; index++) {
    last = log.append([
      {
        kind: 'chunk',
        seq: index + 2,
        artifact: 0,
        ...(index === 0 && { head: `{"artifactId":"${name}"}` }),
        append: index > 0,
        lastChunk: false,
        plain: true,
        parts: `twenty bytes of ${index % 10_000}`,
      },
    ])
    if (index % 128 === 127) await new Promise((resolve) => setImmediate(resolve))
    if (index % 1024 === 1023) await last
  }
  await last
  return performance.now() - begin
}

console.log(`${options.store} ${options.thread} on Node ${process.version}`)
await tasks(32, 5_000)
for (const callers of [1, 4, 16, 32, 64, 128]) {
  const { us, cpu } = await tasks(callers, callers === 1 ? 2_000 : 20_000)
  console.log(`${String(callers).padStart(4)} callers: ${us.toFixed(0)} µs a task, CPU ${cpu.toFixed(0)} µs`)
}
for (const chunks of [400, 4_000, 40_000]) {
  const times = []
  for (let round = 0; round < 5; round++) times.push(await stream(chunks))
  const median = times.sort((a, b) => a - b)[2]
  console.log(`${chunks} chunks: ${median.toFixed(1)} ms, ${((median * 1000) / chunks).toFixed(1)} µs a chunk`)
}
const last = id()
const log = store.create({ scope, id: last, contextId: 'c' })
await log.append([{ kind: 'status', seq: 1, state: 'TASK_STATE_COMPLETED', time: 1 }], { release: true })
const begin = performance.now()
for (let round = 0; round < 100_000; round++) await store.read(scope, last, view)
console.log(`read of a recent task: ${((performance.now() - begin) / 100).toFixed(2)} µs`)
await store.close()
rmSync(folder, { recursive: true })
