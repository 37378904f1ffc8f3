// The server under load, with `--expose-gc`: tells what it holds when asked.
import { subscribe } from 'node:diagnostics_channel'
import { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { queryObjects } from 'node:v8'

const { dist, path, leaks } = JSON.parse(process.argv[2])
const load = (file) => import(pathToFileURL(join(dist, file)).href)
const { agent, serve, working } = await load('server/index.js')
const { openSqliteStore } = await load('stores/sqlite.js')
const { Feed } = await load('engine/feed.js')
const { Live } = await load('engine/live.js')
const { Run } = await load('engine/run.js')

const worker = agent({
  name: 'soak',
  description: 'Answers at once, or in pieces.',
  version: '1.0.0',
  async *run(task) {
    yield working()
    const [kind, count = '1'] = task.message.parts[0].text.split(' ')
    for (let index = 0; index < Number(count); index++) {
      if (kind === 'drip') await sleep(5)
      yield `piece ${index} `
    }
  },
})

let http
const kept = []
subscribe('http.server.request.start', (message) => {
  http = message.server
  if (leaks) kept.push(message)
})

/** How many listeners an emitter has for each of its events. */
function listeners(emitter) {
  return Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]))
}

async function measure() {
  for (let time = 0; time < 3; time++) {
    globalThis.gc()
    await sleep(20)
  }
  const resources = {}
  for (const name of process.getActiveResourcesInfo().sort()) resources[name] = (resources[name] ?? 0) + 1
  const { heapUsed, rss } = process.memoryUsage()
  const count = (type) => queryObjects(type, { format: 'count' })
  return {
    heap: heapUsed,
    rss,
    left: {
      resources,
      'listeners of the HTTP server': listeners(http),
      'listeners of the process': listeners(process),
      requests: count(IncomingMessage),
      responses: count(ServerResponse),
      feeds: count(Feed),
      'tasks at work': count(Live),
      runs: count(Run),
    },
  }
}

process.on('disconnect', () => process.exit(0))
process.on('message', async () => process.send(await measure()))
// Tasks that have ended stay in memory up to this bound; a small one is full after the warm-up.
const store = await openSqliteStore({ path, cacheBytes: 512 * 1024 })
// Fewer streams than are opened in all, so that a place which is not given back is missed.
const server = await serve(worker, { listen: '127.0.0.1:0', store, limits: { streamsPerOwner: 64 } })
process.send({ url: server.url })
