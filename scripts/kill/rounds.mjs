// Rounds of killing on one file: load, kill, start again, look for what is missing.
import { setTimeout as sleep } from 'node:timers/promises'
import { checkAll, checkHidden, checkKeys, checkSettled, checkTask, forEach } from './check.mjs'
import { runClient } from './client.mjs'
import { createLedger } from './ledger.mjs'
import { startServer } from './process.mjs'
import { between, createRandom, oneOf } from './random.mjs'

/** Servers that may be up at once: two of one agent, and one of another, all on one file. */
const slots = { main: 'killed', twin: 'killed', other: 'other' }

/** Runs rounds until there are enough, or one has found something. Tells what was found, and what was done. */
export async function runRounds({ rounds, seed, dist, path, mutant = false, report }) {
  const ledger = createLedger()
  const running = new Map()
  const decide = createRandom(seed, 'rounds')
  const past = []
  let wanted = ['main']

  const start = (slot) => startServer(slot, { dist, path, agent: slots[slot], mutant }, ledger.complaints)

  async function startMissing(names) {
    const missing = names.filter((slot) => !running.has(slot))
    const servers = await Promise.all(missing.map(start))
    for (const server of servers) running.set(server.slot, server)
    return servers
  }

  async function kill(servers) {
    for (const server of servers) running.delete(server.slot)
    await Promise.all(servers.map((server) => server.kill()))
  }

  /** Clients at every server; resolves with a function that stops them. */
  function startLoad(round) {
    let stopping = false
    const servers = [...running.values()]
    const clients = servers.flatMap((server) => {
      const peers = servers.filter(({ agent }) => agent === server.agent)
      return Array.from({ length: server.slot === 'main' ? 12 : 6 }, (_, index) => {
        const name = `${round}.${server.slot}.${index}`
        const stopped = () => stopping
        return runClient({ ledger, server, peers, random: createRandom(seed, name), name, round, stopped })
      })
    })
    return async () => {
      stopping = true
      await Promise.all(clients)
    }
  }

  async function check(records, random) {
    const servers = [...running.values()]
    await checkKeys(ledger, { servers, random })
    await forEach(records, async (record) => {
      const own = servers.filter(({ agent }) => agent === record.agent)
      if (own.length > 0) await checkTask(ledger, record, { server: oneOf(random, own), random })
    })
    for (const record of records.slice(0, 5)) {
      const server = servers.find(({ agent }) => agent !== record.agent)
      if (server !== undefined) await checkHidden(ledger, record, { server, random })
    }
  }

  /** What is needed of a task in later rounds; streams are kept of a few only. */
  function archive(records, random) {
    for (const record of records) {
      past.push(record)
      if (random() < 0.9) for (const kept of [record.frames, record.snapshots, record.cuts]) kept.clear()
    }
  }

  /** Some of the servers, one at least. */
  function chooseVictims(servers) {
    const first = oneOf(decide, servers)
    return servers.filter((server) => server === first || decide() < 0.5)
  }

  async function round(number) {
    const random = createRandom(seed, number)
    const before = { ...ledger.counts }
    const told = ledger.tasks.size
    ledger.recent = new Set()
    const stop = startLoad(number)
    await sleep(between(decide, 40, 1_000))
    const early = ledger.violations.length
    const up = [...running.keys()]
    const victims = chooseVictims([...running.values()])
    await kill(victims)
    await stop()

    const survivor = [...running.values()].find(({ agent }) => agent === slots.main)
    // The one that lives takes over by itself, unless the killed one comes back before.
    if (decide() < 0.5 && survivor !== undefined) await checkSettled(ledger, survivor, { patience: 8_000 })
    wanted = ['main', ...(decide() < 0.4 ? ['twin'] : []), ...(decide() < 0.4 ? ['other'] : [])]
    await startMissing([...new Set([...wanted, ...up.filter((slot) => slot === 'other')])])
    for (const server of running.values()) {
      const lived = up.some((slot) => slots[slot] === server.agent && !victims.some((victim) => victim.slot === slot))
      await checkSettled(ledger, server, { patience: lived ? 8_000 : 0 })
    }
    const recent = [...ledger.recent]
    const sample = Array.from({ length: Math.min(past.length, 25) }, () => oneOf(random, past))
    await check([...new Set([...recent, ...sample])], random)
    archive(recent, random)
    await kill([...running.values()].filter(({ slot }) => !wanted.includes(slot)))
    for (const complaint of ledger.complaints.splice(0)) ledger.violate('a server complained', complaint)
    const counts = Object.fromEntries(
      Object.entries(ledger.counts).map(([name, value]) => [name, value - before[name]]),
    )
    report?.({ number, up, victims: victims.map(({ slot }) => slot), tasks: ledger.tasks.size - told, counts })
    return early
  }

  let done = 0
  let early = 0
  try {
    await startMissing(wanted)
    while (done < rounds && ledger.violations.length === 0) early = await round(++done)
    if (ledger.violations.length === 0) {
      await startMissing(['main', 'other'])
      for (const slot of ['main', 'other'])
        ledger.listed = (ledger.listed ?? 0) + (await checkAll(ledger, running.get(slot)))
    }
  } finally {
    await kill([...running.values()])
  }
  return { ledger, done, early }
}
