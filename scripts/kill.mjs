// Kills servers with SIGKILL under load, one or all of them, and starts them again on the same SQLite file; then looks for anything
// lost that was acknowledged, and for tasks that are neither at an end nor waiting. A store that tells before it commits has to be caught, or
// the proof proves nothing. This is about processes that die; a machine that loses power is a matter of the disk's sync.
//   npm run kill [-- --rounds N] [--seed S] [--keep FOLDER] [--dist FOLDER] [--verbose]
import { parseArgs } from 'node:util'

/** How long one round takes, minutes. */
const round = 0.04

const { values, tokens } = parseArgs({
  options: {
    rounds: { type: 'string', default: '6' },
    seed: { type: 'string' },
    keep: { type: 'string' },
    dist: { type: 'string' },
    verbose: { type: 'boolean' },
  },
  tokens: true,
})
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) throw new TypeError('--rounds takes a number from 1')
const others = tokens.filter(({ name }) => name !== 'rounds')
process.argv.splice(2, process.argv.length, '--kills', '--minutes', String(rounds * round))
for (const { rawName, value } of others) process.argv.push(rawName, ...(value === undefined ? [] : [value]))
await import('./chaos.mjs')
