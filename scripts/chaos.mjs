// Three nodes on one database while everything breaks, and proof that nothing was lost and nothing came twice.
// Exits with 1 when the history shows a violation. The seed replays the schedule of faults.
//   npm run chaos [-- --minutes 10] [--seed S] [--store postgres|sqlite] [--nodes 3] [--clients 12] [--only kill,sleep] [--keep FOLDER] [--dist FOLDER]
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fullText } from './chaos/behaviour.mjs'
import { createChecker } from './chaos/check.mjs'
import { createHistory, readLines } from './chaos/history.mjs'
import { runChaos } from './chaos/world.mjs'
import { ensureBuilt } from './prepare.mjs'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    store: { type: 'string', default: 'postgres' },
    nodes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '12' },
    only: { type: 'string' },
    keep: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    dist: { type: 'string' },
  },
})
if (options.store !== 'postgres' && options.store !== 'sqlite') throw new TypeError('--store takes postgres or sqlite')
if (options.dist === undefined) await ensureBuilt()
const dist = resolve(options.dist ?? join(import.meta.dirname, '..', 'dist'))
const seed = options.seed ?? String(Math.floor(Math.random() * 1e9))
const folder = options.keep === undefined ? mkdtempSync(join(tmpdir(), 'parlance-chaos-')) : resolve(options.keep)
mkdirSync(folder, { recursive: true })
const started = performance.now()
const seconds = () => ((performance.now() - started) / 1_000).toFixed(1)
console.log(`chaos over ${options.store}: ${options.nodes} nodes, ${options.minutes} minutes, --seed ${seed}`)

const history = createHistory(join(folder, 'history.jsonl'))
const logs = createHistory(join(folder, 'logs.jsonl'))
const { faults } = await runChaos({
  seed,
  ms: Number(options.minutes) * 60_000,
  kind: options.store,
  nodes: Number(options.nodes),
  clients: Number(options.clients),
  folder,
  history,
  dist,
  ...(options.only && { only: options.only.split(',') }),
  report: (text) => options.verbose && console.log(`  ${seconds().padStart(6)} s  ${text}`),
  onLog: (text) => logs.record({ text }),
})
history.close()
logs.close()

const checker = createChecker({ fullText })
for await (const entry of readLines(history.path)) checker.take(entry)
for await (const entry of readLines(join(folder, 'runs.jsonl'))) checker.take({ kind: 'step', ...entry })
const { violations, counts } = checker.finish()
const list = (table) =>
  Object.entries(table)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
console.log(`faults: ${list(faults)}`)
console.log(`history: ${list(counts)}`)
for (const { rule, taskId = '', detail } of violations.slice(0, 20)) console.log(`  violation: ${rule} ${taskId} ${detail}`.slice(0, 600))
if (violations.length > 20) console.log(`  and ${violations.length - 20} more`)
const held = violations.length === 0
if (held && options.keep === undefined) rmSync(folder, { recursive: true, force: true })
else console.log(`the history is in ${folder}`)
console.log(`${held ? 'holds' : 'DOES NOT HOLD'}: ${violations.length} violations, ${seconds()} s, --seed ${seed}`)
process.exit(held ? 0 : 1)
