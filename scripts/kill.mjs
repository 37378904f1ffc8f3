// Kills servers with SIGKILL under load, starts them again on the same file, and looks for anything lost that was acknowledged.
// Exits with 1 when something is. A mutant that tells before it commits has to be caught, or the proof proves nothing. This is
// about processes that die; a machine that loses power is a matter of the disk's sync.
//   npm run kill [-- --rounds N] [--seed S] [--mutant] [--dist FOLDER]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runRounds } from './kill/rounds.mjs'
import { ensureBuilt } from './prepare.mjs'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seed: { type: 'string' },
    mutant: { type: 'boolean', default: false },
    dist: { type: 'string' },
  },
})
const rounds = Number(options.rounds)
if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds takes a number from 1')
if (options.dist === undefined) await ensureBuilt()
const dist = resolve(options.dist ?? join(import.meta.dirname, '..', 'dist'))
const seed = options.seed ?? String(Math.floor(Math.random() * 1e9))
const folder = mkdtempSync(join(tmpdir(), 'parlance-kill-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const started = performance.now()
console.log(`kill -9 under load: ${rounds} rounds, --seed ${seed}`)

function describe({ number, up, victims, tasks, counts }) {
  const { answers, frames, streams, resumed, takenOver, checked, cut } = counts
  console.log(
    `  ${String(number).padStart(3)}  up ${up.join(' ')}, killed ${victims.join(' ')}: ${tasks} tasks, ${answers} answers, ` +
      `${frames} frames of ${streams} streams acknowledged, ${cut} calls cut; ` +
      `${checked} tasks checked, ${resumed} resumes, ${takenOver} taken over`,
  )
}

function show(violations) {
  for (const violation of violations.slice(0, 20)) console.log(`  lost: ${violation.slice(0, 500)}`)
  if (violations.length > 20) console.log(`  and ${violations.length - 20} more`)
}

async function prove() {
  const { ledger, done } = await runRounds({ rounds, seed, dist, path: join(folder, 'tasks.db'), report: describe })
  const { answers, frames, resumed, takenOver, cut } = ledger.counts
  console.log(
    `${done} rounds: ${ledger.tasks.size} tasks, ${answers} answers and ${frames} frames acknowledged, ${cut} calls cut, ` +
      `${resumed} resumes, ${takenOver} tasks taken over, ${ledger.listed ?? 0} tasks in the lists at the end, ` +
      `${ledger.violations.length} violations`,
  )
  show(ledger.violations)
  return ledger.violations.length === 0
}

async function control(most) {
  const path = join(folder, 'mutant.db')
  const { ledger, done, early } = await runRounds({ rounds: most, seed, dist, path, mutant: true })
  if (early > 0) {
    console.log('control: the mutant shows itself without a kill, so that it proves nothing')
    show(ledger.violations)
    return false
  }
  const caught = ledger.violations.length > 0
  if (caught) console.log(`control: the mutant was caught after ${done} round${done === 1 ? '' : 's'}`)
  else console.log(`control: the mutant was NOT caught within ${done} rounds`)
  if (caught) show(ledger.violations.slice(0, 2))
  return caught
}

let held = options.mutant ? true : await prove()
held = (await control(options.mutant ? rounds : Math.min(rounds, 6))) && held
console.log(
  `${held ? 'holds' : 'DOES NOT HOLD'}, ${((performance.now() - started) / 1000).toFixed(1)} s, --seed ${seed}`,
)
process.exitCode = held ? 0 : 1
