// Serves every example with the built command, calls it as a user would, and compares what is printed. An example without a
// row here fails.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensureBuilt } from './prepare.mjs'
import { root } from './run.mjs'

const folder = join(root, 'examples')
const command = join(root, 'dist', 'cli', 'main.js')

/** Words of a `send`, and what it prints. A row with `code` ends with that code, and says the text on standard error. */
const examples = {
  'basic.yaml': [
    { send: ['the capital of Peru?'], prints: 'The capital of Peru is in every atlas.' },
    { send: ['the capital of Peru?', '--stream'], prints: 'The capital of Peru is in every atlas.' },
    { send: ['why?'], prints: 'I do not know.' },
  ],
  'booking.ts': [
    { send: ['a table'], prints: 'For how many people?' },
    {
      call: ['a table', 'some', '4'],
      prints: 'For how many people?\nA number, please: for how many people?\nBooked for 4.',
    },
  ],
  'call.ts': 'is run against booking.ts',
  'commands.yaml': [
    { send: ['/translate French Good morning'], prints: 'Bonjour' },
    { send: ['/shorten It is late and dark'], prints: 'In short: It is late and dark' },
    { send: ['/rhyme 3 night'], prints: '3 rhymes for night: bright, light, night' },
    { send: ['/hello'], prints: 'Hello!' },
    { send: ['write'], prints: 'Which text?' },
  ],
  conformance: 'is played by test/conformance',
  'custom-provider.yaml': [{ send: ['one two'], prints: 'You said: one two' }],
  'echo.ts': [
    { send: ['hello', 'there'], prints: 'hello there' },
    { send: ['--data', '{"a":[1]}'], prints: '{\n  "a": [\n    1\n  ]\n}' },
  ],
  'fallback.yaml': [{ send: ['flaky?'], prints: 'Here I am.' }],
  'pirate.yaml': [
    { send: ['who are you?', '--context', 'deck'], prints: 'An old sea dog, matey.' },
    { send: ['really?', '--context', 'deck'], prints: 'Aye, ye said that before: really?' },
    { send: ['hello'], prints: 'Arr!' },
  ],
  'pong.yaml': [
    { send: ['ping'], prints: 'pong' },
    { send: ['slowly', '--stream'], prints: 'pong' },
    { send: ['fail'], code: 1, says: 'the script was asked to fail' },
  ],
  'structured-output.yaml': [
    {
      send: ['/demo'],
      prints: JSON.stringify({ mood: 'negative', confidence: 0.9, words: ['cold', 'did not care'] }, null, 2),
    },
  ],
}

/** Runs a program to its end. */
async function run(args) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8')
    child[name].on('data', (text) => (output[name] += text))
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  return { code, ...output }
}

/** Serves an example; tells its address, and how to stop it, which must end with code 0. */
async function serve(name) {
  const script = join(folder, name.replace(/\.yaml$/, '.fake.yaml'))
  const fake = name.endsWith('.yaml') ? ['--fake', script] : []
  const args = [command, 'serve', join(folder, name), ...fake, '-l', '127.0.0.1:0', '-s', 'memory', '--json']
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (log += text))
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })
  const first = await Promise.race([once(lines, 'line'), closed.then(() => undefined)])
  if (first === undefined) throw new Error(`it is not served: ${log}`)
  return {
    url: JSON.parse(first[0]).url,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await closed
      if (code !== 0) throw new Error(`stopping it ended with ${code}: ${log}`)
    },
  }
}

/** What is wrong with one row; undefined when nothing is. */
async function checkRow(url, { send, call, prints = '', code = 0, says }) {
  const args = send ? [command, 'send', url, ...send] : [jiti, join(folder, 'call.ts'), url, ...call]
  const ended = await run(args)
  const words = (send ?? call).join(' ')
  if (ended.code !== code) return `${words}: ended with ${ended.code}, not ${code}: ${ended.stderr}`
  if (prints !== '' && ended.stdout !== `${prints}\n`) {
    return `${words}: printed ${JSON.stringify(ended.stdout)}, not ${JSON.stringify(prints)}`
  }
  if (says !== undefined && !ended.stderr.includes(says)) return `${words}: said ${ended.stderr}, nothing of ${says}`
  return undefined
}

async function checkExample(name, rows) {
  const server = await serve(name)
  const faults = []
  try {
    for (const row of rows) faults.push(await checkRow(server.url, row))
  } finally {
    await server.stop()
  }
  return faults.filter((fault) => fault !== undefined)
}

/** Files that no row stands for, rows that no file stands for, and scripts of no agent. */
function checkTable() {
  const files = readdirSync(folder)
  const scripts = files.filter((name) => name.endsWith('.fake.yaml'))
  const found = files.filter((name) => !scripts.includes(name))
  return [
    ...found.filter((name) => !(name in examples)).map((name) => `examples/${name} has no row in this script`),
    ...Object.keys(examples)
      .filter((name) => !found.includes(name))
      .map((name) => `examples/${name} is not there`),
    ...scripts
      .filter((name) => !existsSync(join(folder, name.replace('.fake.yaml', '.yaml'))))
      .map((name) => `examples/${name} is the script of no agent`),
  ]
}

// Node runs TypeScript by itself only from 22.18 on.
const jiti = join(root, 'node_modules', 'jiti', 'lib', 'jiti-cli.mjs')
await ensureBuilt()
const faults = checkTable()
const served = Object.entries(examples).filter(([, rows]) => Array.isArray(rows))
for (const [name, rows] of served) {
  try {
    faults.push(...(await checkExample(name, rows)).map((fault) => `examples/${name}: ${fault}`))
  } catch (error) {
    faults.push(`examples/${name}: ${error.message}`)
  }
}
for (const fault of faults) console.error(fault)
const sends = served.reduce((sum, [, rows]) => sum + rows.length, 0)
console.log(`${served.length} examples served, ${sends} calls, ${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1
