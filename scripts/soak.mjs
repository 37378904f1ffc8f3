// Many tasks and many readers that leave, against one server: its memory stays flat, and nothing is left when all are gone.
// Exits with 1 otherwise. A mutant that keeps every request has to be caught, or the proof proves nothing.
//   npm run soak [-- --short] [--mutant] [--dist FOLDER]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { ensureBuilt } from './prepare.mjs'
import { leaveStreams, sendTasks } from './soak/load.mjs'

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    mutant: { type: 'boolean', default: false },
    dist: { type: 'string' },
  },
})
if (options.dist === undefined) await ensureBuilt()
const dist = resolve(options.dist ?? join(import.meta.dirname, '..', 'dist'))
const folder = mkdtempSync(join(tmpdir(), 'parlance-soak-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
/** How much the heap may grow from the end of the warm-up to the end. */
const mostGrowth = 1.1
const started = performance.now()

async function startServer(settings) {
  const child = fork(join(import.meta.dirname, 'soak', 'serve.mjs'), [JSON.stringify({ dist, ...settings })], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`the server ended with ${code}`)
  })
  const [{ url }] = await once(child, 'message')
  return {
    url,
    async measure() {
      child.send('measure')
      return (await once(child, 'message'))[0]
    },
    async stop() {
      const gone = once(child, 'exit')
      child.disconnect()
      await gone
    },
  }
}

/** Names of what is not as it was before. */
function differences(before, after) {
  return Object.keys(before).filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** Measures until nothing differs from before, as connections and the last tasks take a moment to end. */
async function measureAtRest(server, before) {
  for (let patience = 40; ; patience--) {
    const measured = await server.measure()
    if (patience === 0 || differences(before.left, measured.left).length === 0) return measured
    await sleep(100)
  }
}

/** Puts load on a server; tells how it grew, and what is left. */
async function soak({ tasks, streams, leaks = false }) {
  const server = await startServer({ path: join(folder, `${leaks}.db`), leaks })
  // In turns, so that either kind is warm before the first measure.
  const load = async (share) => {
    for (let turn = 0; turn < 4; turn++) {
      await sendTasks(server.url, Math.round((tasks * share) / 4))
      await leaveStreams(server.url, Math.round((streams * share) / 4))
    }
  }
  try {
    await sendTasks(server.url, 1)
    await leaveStreams(server.url, 1)
    await sleep(200)
    const before = await server.measure()
    await load(0.4)
    const warm = leaks ? await server.measure() : await measureAtRest(server, before)
    await load(0.6)
    const after = leaks ? await server.measure() : await measureAtRest(server, before)
    const left = differences(before.left, after.left)
    return { growth: after.heap / warm.heap, rss: after.rss / warm.rss, before, warm, after, left }
  } finally {
    await server.stop()
  }
}

const mega = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`

async function prove(size) {
  const { growth, rss, before, warm, after, left } = await soak(size)
  console.log(`soak: ${size.tasks} tasks, ${size.streams} streams left in the middle`)
  console.log(
    `  heap ${mega(warm.heap)} after the warm-up, ${mega(after.heap)} at the end: ${growth.toFixed(3)} (at most ${mostGrowth})`,
  )
  console.log(`  resident memory by that after the warm-up: ${rss.toFixed(3)}`)
  for (const [name, value] of Object.entries(after.left)) {
    const differs = left.includes(name)
    console.log(
      `  ${name}: ${JSON.stringify(value)}${differs ? `, before ${JSON.stringify(before.left[name])}` : ', as before'}`,
    )
  }
  return growth <= mostGrowth && left.length === 0
}

async function control(size) {
  const { growth, left } = await soak({ ...size, leaks: true })
  const caught = growth > mostGrowth && left.includes('requests')
  console.log(
    `control: the mutant ${caught ? 'was caught' : 'was NOT caught'}: heap ${growth.toFixed(3)}, left: ${left.join(', ')}`,
  )
  return caught
}

const size = options.short ? { tasks: 3_000, streams: 300 } : { tasks: 20_000, streams: 2_000 }
let held = options.mutant ? true : await prove(size)
held = (await control({ tasks: 1_000, streams: 60 })) && held
console.log(`${held ? 'holds' : 'DOES NOT HOLD'}, ${((performance.now() - started) / 1000).toFixed(1)} s`)
process.exitCode = held ? 0 : 1
