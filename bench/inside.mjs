// One worker of several on a store: makes its requests itself, through the handler that answers those of the network, so that nothing else
// takes the cores. Told `go`, it works for a while and tells what it did.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chunk } from './agent-work.mjs'

const { dist, store, callers } = JSON.parse(process.argv[2])
const load = (file) => import(pathToFileURL(join(dist, file)).href)
const { agent, createHandler, working } = await load('server/index.js')

async function openShared() {
  if (!store.startsWith('sqlite:')) return (await load('stores/postgres.js')).openPostgresStore({ url: store })
  const { openSqliteStore } = await load('stores/sqlite.js')
  return openSqliteStore({ path: store.slice('sqlite:'.length), shared: true })
}

const worker = agent({
  name: 'Bench',
  description: 'Answers in a fixed number of events.',
  version: '1.0.0',
  async *run() {
    yield working()
    yield chunk(0)
  },
})
const opened = await openShared()
const handler = await createHandler(worker, { store: opened })
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', host: '127.0.0.1' }

async function send(id) {
  const params = { message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'answer' }] } }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'SendMessage', params })
  const response = await handler.fetch(new Request('http://127.0.0.1/invoke', { method: 'POST', headers, body }))
  const text = await response.text()
  if (!text.includes('TASK_STATE_COMPLETED')) throw new Error(`a request was answered with ${text.slice(0, 200)}`)
}

process.on('message', async ({ ms }) => {
  const before = process.cpuUsage()
  const began = performance.now()
  const until = began + ms
  let count = 0
  const caller = async () => {
    while (performance.now() < until) {
      await send(count)
      count += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  const { user, system } = process.cpuUsage(before)
  process.send({ count, elapsed: performance.now() - began, cpu: user + system })
})
process.on('disconnect', () => process.exit(0))
process.send({ ready: true })
