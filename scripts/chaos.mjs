// Several nodes on one database while everything breaks, and the proof that nothing was lost and nothing came twice. Exits with 1 when
// the history of what the clients were told shows a violation. The seed replays the schedule of faults.
//   npm run chaos [-- --minutes 10] [--seed S] [--store postgres|sqlite] [--nodes 3] [--clients 18] [--only kill,sleep] [--keep FOLDER] [--verbose]
//   npm run chaos -- --short         what the gate runs: PostgreSQL, SQLite, and a store that tells before it commits, which has to be caught
//   npm run chaos -- --check FOLDER  checks a history that was kept
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cutOffReason } from './chaos/behaviour.mjs'
import { checkFolder, runRound } from './chaos/round.mjs'
import { installPostgres } from './postgres.mjs'
import { ensureBuilt } from './prepare.mjs'

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string' },
    store: { type: 'string', default: 'postgres' },
    nodes: { type: 'string', default: '3' },
    clients: { type: 'string', default: '18' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
    kills: { type: 'boolean', default: false },
    mutant: { type: 'boolean', default: false },
    check: { type: 'string' },
    keep: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    dist: { type: 'string' },
  },
})
if (!['postgres', 'sqlite'].includes(options.store)) throw new TypeError('--store takes postgres or sqlite')
if (!(Number(options.minutes) > 0)) throw new TypeError('--minutes takes a number above 0')
if (!(Number(options.nodes) >= 1 && Number(options.nodes) <= 5))
  throw new TypeError('--nodes takes a number from 1 to 5')

const started = performance.now()
const seconds = () => ((performance.now() - started) / 1_000).toFixed(1)
const seed = options.seed ?? String(Math.floor(Math.random() * 1e9))
const list = (table) =>
  Object.entries(table)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

function show({ violations, counts, faults }) {
  if (faults !== undefined) console.log(`  faults: ${list(faults)}`)
  console.log(`  history: ${list(counts)}`)
  for (const { rule, taskId = '', detail } of violations.slice(0, 20))
    console.log(`  violation: ${rule} ${taskId} ${detail}`.slice(0, 600))
  if (violations.length > 20) console.log(`  and ${violations.length - 20} more`)
}

/** One chapter; tells whether it went as it should. */
async function chapter({
  kind,
  minutes,
  nodes,
  only,
  mutant = false,
  resumable = true,
  clients = Number(options.clients),
}) {
  const name = `${kind}${mutant ? ', told before it is committed' : ''}`
  console.log(`chaos over ${name}: ${nodes} node${nodes === 1 ? '' : 's'}, ${minutes} minutes, --seed ${seed}`)
  const base = options.keep === undefined ? mkdtempSync(join(tmpdir(), 'parlance-chaos-')) : resolve(options.keep)
  const folder = join(base, `${kind}${mutant ? '-mutant' : ''}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const report = (text) => options.verbose && console.log(`  ${seconds().padStart(6)} s  ${text}`)
  const settings = { seed, ms: minutes * 60_000, kind, nodes, clients, dist, mutant, resumable, only, report }
  const found = await runRound({ folder, ...settings, reasons: resumable ? [] : [cutOffReason] })
  const held = found.violations.length === 0
  if (!mutant || held) show(found)
  const good = held !== mutant
  if (mutant && good)
    console.log(
      `  caught by ${found.violations.length} violations: ${[...new Set(found.violations.map(({ rule }) => rule))].join(', ')}`,
    )
  if (good && options.keep === undefined) rmSync(base, { recursive: true, force: true })
  else console.log(`  the history is in ${folder}`)
  console.log(`  ${good ? 'holds' : 'DOES NOT HOLD'}, ${seconds()} s, --seed ${seed}`)
  return good
}

function chapters() {
  const only = options.only?.split(',')
  const nodes = Number(options.nodes)
  const control = { kind: 'sqlite', minutes: 0.15, nodes: 2, clients: 12, mutant: true, only: ['kill', 'killAll'] }
  if (options.kills) {
    const kills = { kind: 'sqlite', nodes: 2, only: control.only }
    return [{ ...kills, minutes: Number(options.minutes), resumable: false }, control]
  }
  if (!options.short)
    return [{ kind: options.store, minutes: Number(options.minutes), nodes, mutant: options.mutant, only }]
  return [
    { kind: 'postgres', minutes: 0.75, nodes: 3 },
    { kind: 'sqlite', minutes: 0.2, nodes: 2, clients: 12 },
    control,
  ]
}

if (options.check !== undefined) {
  const found = await checkFolder(resolve(options.check))
  show(found)
  process.exit(found.violations.length === 0 ? 0 : 1)
}
if (options.dist === undefined) await ensureBuilt()
const dist = resolve(options.dist ?? join(import.meta.dirname, '..', 'dist'))
const all = chapters()
if (all.some(({ kind }) => kind === 'postgres') && !installPostgres())
  throw new Error('no PostgreSQL is there, and none can be installed; see scripts/postgres.mjs')
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(1))
let passed = 0
for (const each of all) if (await chapter(each)) passed += 1
console.log(`${passed} passed, ${all.length - passed} failed`)
process.exit(passed === all.length ? 0 : 1)
