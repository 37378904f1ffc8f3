// Parlance beside its rivals: ratios, each with the goal that it is held against. Exits with 1 when one is missed.
//   npm run bench [-- --short] [--only send,stream,grpc,chunks,list,idle,flat,fan,once,reads,postgres,workers,start,recovery] [--dist FOLDER]
//     [--rounds N] [--ms N] [--large N] [--keep FOLDER]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '../scripts/postgres.mjs'
import { ensureBuilt } from '../scripts/prepare.mjs'
import { measureChunks } from './chunks.mjs'
import { measureLists } from './list.mjs'
import { measureInTurn, ratio, typical } from './measure.mjs'
import { startLoad, startServer } from './processes.mjs'
import {
  measureAtOnce,
  measureFanOut,
  measureFlat,
  measureIdle,
  measureReads,
  measureRecovery,
  measureStart,
} from './scale.mjs'
import { measureWorkers } from './workers.mjs'

const names = [
  ...['send', 'stream', 'grpc', 'chunks', 'list', 'idle', 'flat', 'fan', 'once', 'reads', 'postgres', 'workers'],
  ...['start', 'recovery'],
]
const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: names.join(',') },
    dist: { type: 'string' },
    rounds: { type: 'string' },
    ms: { type: 'string' },
    large: { type: 'string' },
    keep: { type: 'string' },
  },
})
if (options.dist === undefined) await ensureBuilt()
const dist = resolve(options.dist ?? join(import.meta.dirname, '..', 'dist'))
const rounds = Number(options.rounds ?? (options.short ? 3 : 7))
const ms = Number(options.ms ?? (options.short ? 700 : 2_000))
const folder = mkdtempSync(join(tmpdir(), 'parlance-bench-'))
const load = startLoad()
const goals = []
let files = 0

/** Notes a ratio and its goal: `>=` or `<=` a number. */
function note(name, value, goal) {
  const [, sign, bound] = /^(>=|<=) (.+)$/.exec(goal)
  goals.push({ name, value, goal, held: sign === '>=' ? value >= Number(bound) : value <= Number(bound) })
}

function parlance(name, store) {
  return startServer('parlance', { dist, store: store ?? `sqlite:${join(folder, `${name}-${++files}.db`)}` })
}

async function withServers(names, use) {
  const kinds = {
    memory: () => parlance('memory', 'memory'),
    sqlite: () => parlance('sqlite'),
    sdk: () => startServer('sdk'),
    bare: () => startServer('bare'),
    'grpc-memory': async () => ({ ...(await parlance('memory', 'memory')), path: '/lf.a2a.v1.A2AService' }),
    'grpc-sdk': () => startServer('grpc-sdk'),
    'grpc-bare': () => startServer('grpc-bare'),
  }
  const servers = new Map()
  try {
    for (const name of names) servers.set(name, await kinds[name]())
    return await use(servers)
  } finally {
    for (const server of servers.values()) await server.stop()
  }
}

function show(title, rows) {
  console.log(`\n${title}`)
  for (const name of rows.keys()) {
    const [rate, cpu, p50, p99] = ['rate', 'cpu', 'p50', 'p99'].map((value) => typical(rows, name, value))
    console.log(
      `  ${name.padEnd(11)} ${rate.toFixed(0).padStart(7)} a second  ${cpu.toFixed(0).padStart(6)} µs CPU  p50 ${p50.toFixed(1)} ms  p99 ${p99.toFixed(1)} ms`,
    )
  }
}

const measures = {
  async send() {
    await withServers(['bare', 'memory', 'sqlite', 'sdk'], async (servers) => {
      const rows = await measureInTurn(servers, load, { rounds, ms, method: 'SendMessage', message: 'answer' })
      show('SendMessage over JSON-RPC, four events a task, 32 connections', rows)
      note('SendMessage, memory: rate by that of the SDK', ratio(rows, ['memory', 'sdk'], 'rate'), '>= 6')
      note('SendMessage, memory: rate by that of a bare handler', ratio(rows, ['memory', 'bare'], 'rate'), '>= 0.85')
      note('SendMessage, memory: CPU by that of a bare handler', ratio(rows, ['memory', 'bare'], 'cpu'), '<= 1.4')
      note('SendMessage, SQLite: rate by that of the SDK in memory', ratio(rows, ['sqlite', 'sdk'], 'rate'), '>= 4')
      note('SendMessage, SQLite: rate by that of a bare handler', ratio(rows, ['sqlite', 'bare'], 'rate'), '>= 0.5')
    })
  },
  async stream() {
    await withServers(['memory', 'sqlite', 'sdk'], async (servers) => {
      const load22 = { rounds, ms, method: 'SendStreamingMessage', message: 'stream 19', events: 22 }
      const rows = await measureInTurn(servers, load, load22)
      show('SendStreamingMessage, 22 events a stream, 32 connections', rows)
      note('22-event stream, SQLite: CPU of the SDK by ours', 1 / ratio(rows, ['sqlite', 'sdk'], 'cpu'), '>= 9')
    })
  },
  async grpc() {
    const names = ['grpc-bare', 'grpc-memory', 'grpc-sdk']
    await withServers(names, async (servers) => {
      const rows = await measureInTurn(servers, load, {
        rounds,
        ms,
        method: 'SendMessage',
        message: 'answer',
        grpc: true,
      })
      show('SendMessage over gRPC, four events a task, 32 calls at once', rows)
      note('gRPC SendMessage: CPU by that of grpc-js, bare', ratio(rows, ['grpc-memory', 'grpc-bare'], 'cpu'), '<= 1')
      note('gRPC SendMessage: rate by that of the SDK', ratio(rows, ['grpc-memory', 'grpc-sdk'], 'rate'), '>= 2')
    })
    await withServers(names, async (servers) => {
      const load22 = { rounds, ms, method: 'SendStreamingMessage', message: 'stream 19', events: 22, grpc: true }
      const rows = await measureInTurn(servers, load, load22)
      show('SendStreamingMessage over gRPC, 22 events a stream, 32 calls at once', rows)
      note(
        'gRPC 22-event stream: CPU by that of grpc-js, bare',
        ratio(rows, ['grpc-memory', 'grpc-bare'], 'cpu'),
        '<= 1',
      )
      note('gRPC 22-event stream: rate by that of the SDK', ratio(rows, ['grpc-memory', 'grpc-sdk'], 'rate'), '>= 2')
    })
  },
  async chunks() {
    await withServers(options.short ? ['sqlite'] : ['sqlite', 'sdk'], async (servers) => {
      const { sqlite, sdk } = await measureChunks(servers, load, { rounds: options.short ? 3 : 7 })
      const text = ({ ms, first }) => `${ms.toFixed(0)} ms, first event after ${first.toFixed(1)} ms`
      console.log(`\nOne streamed task in chunks of 20 bytes, SQLite`)
      console.log(`  4,000 chunks: ${text(sqlite.few)}\n  40,000 chunks: ${text(sqlite.many)}`)
      if (sdk !== undefined) {
        console.log(`  4,000 chunks, SDK in memory: ${text(sdk)}`)
        note('4,000 chunks, SQLite: time by that of the SDK in memory', sqlite.few.ms / sdk.ms, '<= 0.00333')
      }
      note('4,000 chunks: first event by the whole', sqlite.few.share, '<= 0.1')
      note('time a chunk: of 40,000 by that of 4,000', sqlite.growth, '<= 1.1')
    })
  },
  async list() {
    const large = Number(options.large ?? (options.short ? 50_000 : 1_000_000))
    const rows = await measureLists({ dist, folder: options.keep ?? folder, small: 1_000, large })
    console.log(`\nListTasks, a page of 50 of 1,000 and of ${large} tasks, SQLite, CPU milliseconds`)
    for (const { name, before, after, total } of rows) {
      console.log(`  ${name.padEnd(34)} ${before.toFixed(2)} → ${after.toFixed(2)}  finds ${total}`)
    }
    const growth = ({ before, after }) => after / before
    const worst = rows.reduce((most, row) => (growth(row) > growth(most) ? row : most))
    note('ListTasks: a page of the large by one of the small database', growth(rows[0]), '<= 1.3')
    note(`the same, for the filter that grows most (${worst.name})`, growth(worst), '<= 2')
  },
}

/** A database of the benchmark's own; undefined where there is no PostgreSQL, which is told. */
let database
async function postgres() {
  if (findPostgres() === undefined) {
    console.log('\nno PostgreSQL is there: its measures are left out (node scripts/postgres.mjs install)')
    return undefined
  }
  database ??= await startPostgres({ sync: true })
  return `${database.url}?schema=bench_${++files}`
}

function bytes(value) {
  return `${(value / 1024).toFixed(1)} KiB`
}

Object.assign(measures, {
  async idle() {
    const { bare, ours } = await measureIdle({ dist, count: options.short ? 3_000 : 10_000 })
    console.log('\nAn idle subscriber, in memory')
    for (const [name, { heap, resident }] of Object.entries({ 'node:http': bare, parlance: ours })) {
      console.log(`  ${name.padEnd(10)} ${bytes(resident)} resident, ${bytes(heap)} of heap and buffers`)
    }
    note('idle subscriber: resident memory by that of a bare SSE stream', ours.resident / bare.resident, '<= 1.5')
  },
  async flat() {
    const store = `sqlite:${join(folder, `flat-${++files}.db`)}`
    const { first, last, growth } = await measureFlat({ dist, store, load, tasks: options.short ? 20_000 : 100_000 })
    console.log(
      `\nHeap after tasks have ended, SQLite: ${bytes(first)} after the first tenth, ${bytes(last)} after all`,
    )
    note('heap after all tasks by that after a tenth of them', growth, '<= 1.5')
  },
  async fan() {
    const { each } = await measureFanOut({ dist, subscribers: 1_000, events: options.short ? 50 : 100 })
    console.log(`\nOne task with 1,000 subscribers: ${each.toFixed(1)} µs CPU for each event of each`)
    note('an event of one of 1,000 subscribers: µs CPU', each, '<= 25')
  },
  async once() {
    const { few, many } = await measureAtOnce({ dist, store: 'memory', load, streams: 1_000 })
    console.log(
      `\nStreams of 22 events: ${few.toFixed(1)} µs CPU an event with 8 at once, ${many.toFixed(1)} with 1,000`,
    )
    note('1,000 streams at once: CPU an event by that of 8', many / few, '<= 3')
  },
  async reads() {
    const store = `sqlite:${join(folder, `reads-${++files}.db`)}`
    const { alone, beside } = await measureReads({ dist, store, chunks: 40_000 })
    console.log(
      `\nGetTask, SQLite: p99 ${alone.p99.toFixed(2)} ms alone, ${beside.p99.toFixed(2)} ms while a task gives 40,000 chunks (${beside.count} reads)`,
    )
    note('GetTask beside a stream of 40,000 chunks: p99 by that alone', beside.p99 / alone.p99, '<= 30')
  },
  async postgres() {
    const store = await postgres()
    if (store === undefined) return
    const servers = new Map([
      ['postgres', await startServer('parlance', { dist, store })],
      ['sdk', await startServer('sdk')],
    ])
    try {
      const rows = await measureInTurn(servers, load, { rounds, ms, method: 'SendMessage', message: 'answer' })
      show('SendMessage over JSON-RPC, four events a task, 32 connections; PostgreSQL on the same machine', rows)
      note(
        'SendMessage, PostgreSQL: rate by that of the SDK in memory',
        ratio(rows, ['postgres', 'sdk'], 'rate'),
        '>= 1.5',
      )
    } finally {
      for (const server of servers.values()) await server.stop()
    }
  },
  async workers() {
    const stores = { SQLite: `sqlite:${join(folder, `workers-${++files}.db`)}`, PostgreSQL: await postgres() }
    for (const [name, store] of Object.entries(stores)) {
      if (store === undefined) continue
      const { growth, one, two } = await measureWorkers({ dist, store, rounds: options.short ? 2 : 5, ms })
      console.log(`\nSendMessage made inside the workers, ${name}`)
      console.log(
        `  1 worker  ${one.rate.toFixed(0)} a second, ${one.cpu.toFixed(0)} µs CPU each\n  2 workers ${two.rate.toFixed(0)} a second, ${two.cpu.toFixed(0)} µs CPU each`,
      )
      // PostgreSQL itself works on the same two cores, so that only what a worker spends can be told there.
      if (name === 'SQLite') note('2 workers, SQLite: rate by that of one', growth, '>= 1.6')
      else note('2 workers, PostgreSQL: CPU of a send by that of one', two.cpu / one.cpu, '<= 1.25')
    }
  },
  async start() {
    const { node, memory, sqlite } = await measureStart({ dist, folder })
    console.log(
      `\nFrom the command to the first answer: ${memory.toFixed(0)} ms with memory, ${sqlite.toFixed(0)} ms with SQLite; node alone ${node.toFixed(0)} ms`,
    )
    note('start: time to the first answer by that of node alone', sqlite / node, '<= 20')
  },
  async recovery() {
    const stores = { SQLite: `sqlite:${join(folder, `recovery-${++files}.db`)}`, PostgreSQL: await postgres() }
    for (const [name, store] of Object.entries(stores)) {
      if (store === undefined) continue
      const ms = await measureRecovery({ dist, store, rounds: options.short ? 1 : 3 })
      console.log(
        `\nFrom the kill of a process to the end of its task at another, ${name}: ${(ms / 1_000).toFixed(1)} s`,
      )
      if (name === 'PostgreSQL') note('recovery, PostgreSQL: time by the lease of 15 s', ms / 15_000, '<= 1.4')
    }
  },
})

try {
  for (const name of options.only.split(',')) await measures[name]?.()
} finally {
  load.stop()
  database?.stop()
  rmSync(folder, { recursive: true, force: true })
}
const width = Math.max(...goals.map(({ name }) => name.length))
console.log(`\n${'measure'.padEnd(width)}    ratio  goal`)
for (const { name, value, goal, held } of goals) {
  console.log(`${name.padEnd(width)} ${value.toPrecision(3).padStart(8)}  ${goal}${held ? '' : '  MISSED'}`)
}
process.exitCode = goals.every(({ held }) => held) ? 0 : 1
