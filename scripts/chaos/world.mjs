// All that a chaos is made of: nodes, the router before them, the database behind them, and the clients.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '../postgres.mjs'
import { createShared, runClient } from './client.mjs'
import { causeTrouble } from './faults.mjs'
import { runLibraryClient } from './library-client.mjs'
import { startNode } from './nodes.mjs'
import { startProxy } from './proxy.mjs'
import { createRandom, oneOf } from './random.mjs'
import { takeStock } from './stock.mjs'

/** A lease that is short enough for a chaos to see many of them run out. */
export const lease = { heartbeat: 1_000, expires: 3_000 }

/** Lets everything break for so many milliseconds and records what the clients were told; all is well again when it resolves. */
export async function runChaos({
  seed,
  ms,
  kind,
  nodes: count,
  clients,
  folder,
  history,
  report,
  onLog,
  dist,
  only,
  mutant,
  resumable,
}) {
  const database = kind === 'postgres' ? await startPostgres() : undefined
  const world = { nodes: [], database, router: undefined }
  const stop = async () => {
    await Promise.all(world.nodes.map((node) => node.close()))
    world.router?.close()
    database?.stop()
  }
  const stopNow = () => {
    for (const node of world.nodes) node.killNow()
    database?.stop()
  }
  process.on('exit', stopNow)
  try {
    const choose = createRandom(seed, 'router')
    world.router = await startProxy(() => {
      const up = world.nodes.filter(({ address }) => address !== undefined)
      return up.length === 0 ? undefined : oneOf(choose, up).address
    })
    const url = `http://127.0.0.1:${world.router.port}`
    const store = database === undefined ? join(folder, 'tasks.db') : database.url
    const settings = { dist, store, lease, journal: join(folder, 'runs.jsonl'), publicUrl: url, mutant, resumable }
    for (const name of ['a', 'b', 'c', 'd', 'e'].slice(0, count)) {
      world.nodes.push(await startNode(name, settings, { database: database?.port, history, onLog }))
    }
    await Promise.all(world.nodes.map((node) => node.start()))

    const shared = createShared()
    let stopping = false
    const stopped = () => stopping
    const library = await import(join(dist, 'index.js'))
    const running = Array.from({ length: clients }, (_, index) => {
      const given = { url, history, random: createRandom(seed, 'client', index), name: `m${index}`, shared, stopped }
      return index % 6 === 5 ? runLibraryClient({ ...given, library }) : runClient(given)
    })
    const counts = {}
    await causeTrouble(world, { seed, until: Date.now() + ms, lease: lease.expires, report, only, counts })
    report('all is well again')
    await Promise.all(world.nodes.map((node) => node.startIfDown()))
    // Long enough that streams which wait for a lease to run out see what comes after it.
    await sleep(1_000)
    stopping = true
    const ended = Promise.all(running)
    await Promise.race([ended, sleep(60_000, undefined, { ref: false })])
    await takeStock({ url, history, shared, report, random: createRandom(seed, 'stock') })
    return { faults: counts }
  } finally {
    await stop()
    process.off('exit', stopNow)
  }
}
