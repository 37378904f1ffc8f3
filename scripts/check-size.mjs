// Holds the package to its budgets: what a browser loads, what an install puts on the disk, and what runs during an install.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { packAndInstall } from './pack.mjs'
import { ensureBuilt } from './prepare.mjs'
import { root } from './run.mjs'

const clientLimit = 20_000
const installLimit = 120_000_000
// What `parlance --help` reads before it prints: more than this, and some command is loaded that should wait.
const commandLimit = 150_000
// Packages whose install script nobody needs, and what shows that: the first looks for a compiler where no prebuilt file fits,
// and has one for every usual platform; the second prints a hint about version numbers.
const withoutScript = {
  '@photostructure/sqlite': `const { DatabaseSync } = require('@photostructure/sqlite'); new DatabaseSync(':memory:').exec('select 1')`,
  protobufjs: `require('@grpc/grpc-js').loadPackageDefinition({}); require('protobufjs').parse('syntax = "proto3";')`,
}

const problems = []
await ensureBuilt()
await checkClient()
checkCommand()
checkInstall()
for (const problem of problems) console.error(problem)
console.log(`check-size: ${problems.length === 0 ? 'ok' : `${problems.length} problems`}`)
process.exitCode = problems.length === 0 ? 0 : 1

async function checkClient() {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src', 'index.ts')],
    outdir: root,
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2023',
    logLevel: 'error',
    // Reached only by `await import(…)` once the client knows that it runs in Node.
    external: ['node:*', 'undici', 'ipaddr.js', '@grpc/grpc-js'],
  })
  const entry = outputFiles.find(({ path }) => path === join(root, 'index.js'))
  const loaded = loadedChunks(entry, outputFiles)
  const size = loaded.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0)
  const all = outputFiles.reduce((sum, file) => sum + gzipSync(file.contents, { level: 9 }).length, 0)
  console.log(`client: ${size} bytes gzip at start, ${all} with everything it may load later (limit ${clientLimit})`)
  if (size > clientLimit) problems.push(`the client bundle has ${size} bytes gzip; the limit is ${clientLimit}`)
}

function checkCommand() {
  const folder = join(root, 'dist', 'cli')
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => ({ path: join(root, name), text: readFileSync(join(folder, name), 'utf8') }))
  const entry = files.find(({ path }) => path === join(root, 'main.js'))
  const size = loadedChunks(entry, files).reduce((sum, { text }) => sum + text.length, 0)
  console.log(`parlance --help: reads ${size} bytes (limit ${commandLimit})`)
  if (size > commandLimit)
    problems.push(`the command reads ${size} bytes before it starts; the limit is ${commandLimit}`)
}

// What one file of a bundle loads at once: the imports that are not `import(…)`.
function loadedChunks(entry, files) {
  const loaded = new Set([entry])
  for (const file of loaded) {
    for (const [, name] of file.text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) {
      const chunk = files.find(({ path }) => path === join(root, name))
      if (chunk) loaded.add(chunk)
    }
  }
  return [...loaded]
}

function checkInstall() {
  const { folder, installed } = packAndInstall()
  const modules = join(folder, 'node_modules')
  const size = folderSize(modules)
  console.log(
    `install: ${(size / 1e6).toFixed(1)} MB in ${Object.keys(installed).length - 1} packages (limit ${installLimit / 1e6} MB)`,
  )
  if (size > installLimit) problems.push(`an install takes ${size} bytes; the limit is ${installLimit}`)
  for (const [path, { hasInstallScript }] of Object.entries(installed)) {
    const name = path.replace(/^.*node_modules\//, '')
    if (!hasInstallScript) continue
    if (Object.hasOwn(withoutScript, name)) checkWithoutScript(folder, name)
    else problems.push(`${name} has an install script; no dependency may need one`)
  }
}

function checkWithoutScript(folder, name) {
  const code = `${withoutScript[name]}; console.log('works')`
  const printed = execFileSync(process.execPath, ['-e', code], { cwd: folder, encoding: 'utf8' }).trim()
  console.log(`${name}: its install script was not run, and it ${printed}`)
}

function folderSize(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0)
}
