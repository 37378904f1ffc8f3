// Parlance beside its rivals: ratios, each with the goal that it is held against. Exits with 1 when one is missed.
//   npm run bench [-- --short] [--only send,stream,grpc,chunks,list] [--dist FOLDER]
//     [--rounds N] [--ms N] [--large N] [--keep FOLDER]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../scripts/prepare.mjs'
import { measureChunks } from './chunks.mjs'
import { measureLists } from './list.mjs'
import { measureInTurn, ratio, typical } from './measure.mjs'
import { startLoad, startServer } from './processes.mjs'

const { values: options } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string', default: 'send,stream,grpc,chunks,list' },
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

try {
  for (const name of options.only.split(',')) await measures[name]?.()
} finally {
  load.stop()
  rmSync(folder, { recursive: true, force: true })
}
const width = Math.max(...goals.map(({ name }) => name.length))
console.log(`\n${'measure'.padEnd(width)}    ratio  goal`)
for (const { name, value, goal, held } of goals) {
  console.log(`${name.padEnd(width)} ${value.toPrecision(3).padStart(8)}  ${goal}${held ? '' : '  MISSED'}`)
}
process.exitCode = goals.every(({ held }) => held) ? 0 : 1
