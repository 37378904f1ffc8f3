import { parseArgs } from 'node:util'
import { fuzz } from './run.ts'
import { flaws } from './target.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    flaw: { type: 'string' },
    quiet: { type: 'boolean', default: false },
  },
})

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

const numbers = { rounds: Number(values.rounds), seed: Number(values.seed), from: Number(values.from) }
for (const [name, value] of Object.entries(numbers)) {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError(`--${name} must be a whole number from 0 on`)
}

const flaw = flaws.find((name) => name === values.flaw)
if (flaw !== values.flaw) throw new TypeError(`--flaw must be one of ${flaws.join(', ')}`)

const report = await fuzz({
  ...numbers,
  ...(flaw !== undefined && { flaw }),
  ...(values.only !== undefined && { only: new RegExp(values.only) }),
  ...(global.gc !== undefined && { gc: global.gc as () => void }),
  ...(!values.quiet && { progress: (text: string) => process.stderr.write(`${text}\r`) }),
})

for (const { round, label, what, sent } of report.faults) say(`round ${round}, ${label}: ${what}\n  sent: ${sent}`)
const { accepted, refused, unknown } = report.outcomes
say(
  `seed ${numbers.seed}: ${report.rounds} rounds in ${report.seconds.toFixed(1)} s; ${accepted} accepted, ${refused} refused, ${unknown} cut off`,
)
if (report.heap !== undefined)
  say(
    `heap: ${report.heap.map((bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`).join(' after the warm-up, ')} at the end`,
  )
say(`valid calls that were refused: ${report.refusedSeeds.join(', ') || 'none'}`)
say(report.faults.length === 0 ? 'no faults' : `${report.faults.length} faults`)
process.exitCode = report.faults.length === 0 ? 0 : 1
