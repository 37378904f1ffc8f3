// `npm test`: types, then every test; the last line printed is `N passed, N failed`.
// What follows on the command line is handed to vitest, for instance a folder or `-t name`.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { findPostgres, startPostgres } from './postgres.mjs'
import { ensureBuilt, ensureInstalled } from './prepare.mjs'
import { root, run } from './run.mjs'

try {
  ensureInstalled()
  await ensureBuilt()
} catch (error) {
  process.stderr.write(`parlance: ${error.message}\n`)
  process.stdout.write('0 passed, 1 failed\n')
  process.exit(1)
}

const modules = join(root, 'node_modules')
const typed = run(process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), '--noEmit', '-p', '.']) === 0
if (!typed) process.stderr.write('parlance: the type check failed; it counts as one failed test\n')

// A database for the tests that need one, where the programs are there; without them these tests are reported as skipped.
let database
if (process.env.PARLANCE_TEST_POSTGRES === undefined && findPostgres() !== undefined) {
  try {
    database = await startPostgres()
  } catch (error) {
    process.stderr.write(`parlance: no PostgreSQL for the tests: ${error.message}\n`)
  }
}

const vitest = [join(modules, 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)]
const env = {
  ...process.env,
  PARLANCE_FAILED_BEFORE: typed ? '0' : '1',
  ...(database && { PARLANCE_TEST_POSTGRES: database.url }),
}
const child = spawn(process.execPath, vitest, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env })
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// A terminal sends this one to vitest as well; we only have to stay until it has ended.
process.on('SIGINT', () => {})
child.on('exit', (code) => {
  database?.stop()
  process.exit(typed ? (code ?? 1) : 1)
})
