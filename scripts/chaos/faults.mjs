// What goes wrong, when, and for how long. Each fault ends with everything as it was.
import { setTimeout as sleep } from 'node:timers/promises'
import { between, createRandom, oneOf, weighed } from './random.mjs'

/** Faults by name. `node` is the one that is treated badly, where it is one; `lease` is in milliseconds. */
const faults = {
  async kill({ random, node }) {
    await node.kill()
    await sleep(between(random, 50, 2_500))
  },
  restart: ({ node }) => node.kill('SIGTERM'),
  /** Longer than the lease: others take over while it sleeps, and it wakes as a zombie. */
  sleep: ({ random, node, lease }) => node.sleep(lease + between(random, 500, 2_000)),
  nap: ({ random, node, lease }) => node.sleep(between(random, 100, lease / 2)),
  /** The node lives, but not for the database. */
  async cutOff({ random, node, lease }) {
    node.line.down()
    await sleep(between(random, 100, lease * 2))
    node.line.up()
  },
  async freezeLine({ random, node, lease }) {
    node.line.freeze()
    await sleep(between(random, 100, lease * 2))
    node.line.thaw()
  },
  /** What was on its way when the line went dead is lost, and the database is told of the end later than the node. */
  async halfOpen({ random, node, lease }) {
    node.line.freeze()
    await sleep(between(random, 100, lease))
    node.line.cut()
    node.line.thaw()
  },
  async slowLine({ random, node }) {
    node.line.slow(between(random, 5, 80))
    await sleep(between(random, 500, 3_000))
    node.line.slow(0)
  },
  cutLine: ({ node }) => node.line.cut(),
  async killAll({ world, random }) {
    await Promise.all(world.nodes.map((node) => node.kill()))
    await sleep(between(random, 0, 1_000))
    await Promise.all(world.nodes.map((node) => node.startIfDown()))
  },
  cutCalls: ({ world }) => world.router.cut(),
  async pauseDatabase({ world, random, lease }) {
    world.database.pause()
    await sleep(between(random, 100, lease * 1.5))
    world.database.resume()
  },
  async crashDatabase({ world, random }) {
    await world.database.halt()
    await sleep(between(random, 100, 1_500))
    await world.database.start()
  },
}

const ofNodes = { kill: 6, restart: 4, sleep: 4, nap: 3 }
const ofLines = { cutOff: 3, freezeLine: 3, halfOpen: 2, slowLine: 3, cutLine: 3 }
const ofAll = { cutCalls: 5, killAll: 2 }
const ofDatabases = { pauseDatabase: 2, crashDatabase: 1 }
const general = new Set([...Object.keys(ofAll), ...Object.keys(ofDatabases)])

/** Everything that is to go wrong, drawn from the seed: the same seed, the same schedule. */
export function* schedule(seed, { nodes, database, only }) {
  const random = createRandom(seed, 'faults')
  let weights = { ...ofNodes, ...ofAll, ...(database && { ...ofLines, ...ofDatabases }) }
  if (only !== undefined) weights = Object.fromEntries(only.map((name) => [name, weights[name] ?? 1]))
  for (let number = 1; ; number++) {
    const name = weighed(random, weights)
    const node = oneOf(random, nodes)
    yield { number, after: between(random, 200, 2_400), name, ...(!general.has(name) && { node }) }
  }
}

/** Lets one fault after another happen until the time is over; several nodes may be in trouble at once. */
export async function causeTrouble(world, { seed, until, lease, report, only, counts }) {
  const busy = new Set()
  const running = new Set()
  const names = world.nodes.map(({ name }) => name)
  for (const fault of schedule(seed, { nodes: names, database: world.database !== undefined, only })) {
    await sleep(Math.min(fault.after, Math.max(0, until - Date.now())))
    if (Date.now() >= until) break
    const node = world.nodes.find(({ name }) => name === fault.node)
    const place = node ?? world
    // One node stays well, so that somebody can take over.
    const well = world.nodes.filter((each) => !busy.has(each)).length
    if (busy.has(place) || (node !== undefined && world.nodes.length > 1 && well < 2)) continue
    const hit = fault.name === 'killAll' ? [world, ...world.nodes] : [place]
    if (hit.some((each) => busy.has(each))) continue
    for (const each of hit) busy.add(each)
    counts[fault.name] = (counts[fault.name] ?? 0) + 1
    report(`${String(fault.number).padStart(4)} ${fault.name} ${fault.node ?? ''}`)
    const random = createRandom(seed, 'fault', fault.number)
    const done = Promise.resolve(faults[fault.name]({ world, node, lease, random }))
      .then(() => node?.startIfDown())
      .finally(() => {
        for (const each of hit) busy.delete(each)
        running.delete(done)
      })
    running.add(done)
  }
  await Promise.all(running)
}
