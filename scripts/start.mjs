// `npm start`: the example agent on a scripted model, so that there is something to call without any key.
// What follows on the command line is handed to `parlance serve`.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt, ensureInstalled } from './prepare.mjs'
import { root } from './run.mjs'

try {
  ensureInstalled()
  await ensureBuilt()
} catch (error) {
  process.stderr.write(`parlance: ${error.message}\n`)
  process.exit(1)
}

// The command runs in this very process: signals, the terminal and the exit code are its own.
const main = join(root, 'dist', 'cli', 'main.js')
const agent = join(root, 'examples', 'pong.yaml')
const replies = join(root, 'examples', 'pong.fake.yaml')
process.argv = [process.execPath, main, 'serve', agent, '--fake', replies, ...process.argv.slice(2)]
await import(pathToFileURL(main).href)
