// What `npm start` and `npm test` need before they can work: dependencies as the lock says, and a build of these sources.
// Only modules of Node itself may be imported here, because nothing is installed yet when this runs.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { npm, root } from './run.mjs'

const stateFolder = join(root, 'node_modules', '.cache', 'parlance')
const buildInputs = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'scripts/compile.mjs',
]

/** Installs what the lock lists unless it is there already. */
export function ensureInstalled() {
  if (isInstalled()) return
  withLock('install', () => {
    if (isInstalled()) return
    note('installing dependencies')
    const flags = ['--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund']
    if (npm(['ci', ...flags]) !== 0) throw new Error('npm ci failed; its output is above')
  })
}

/** Builds `dist/` unless it was built from exactly these sources; `force` builds in any case. */
export async function ensureBuilt({ force = false } = {}) {
  if (!force && isBuilt(hashSources())) return
  await withLock('build', async () => {
    const hash = hashSources()
    if (!force && isBuilt(hash)) return
    note('building')
    const { compile } = await import('./compile.mjs')
    await compile()
    mkdirSync(stateFolder, { recursive: true })
    writeFileSync(join(stateFolder, 'built'), hash)
  })
}

// npm leaves a list of what it put into node_modules; a package that the lock calls optional may be missing from it.
function isInstalled() {
  const wanted = readJson(join(root, 'package-lock.json'))?.packages
  const present = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages
  if (!wanted) throw new Error('package-lock.json is missing; restore it from version control')
  if (!present) return false
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true
    const found = present[path]
    if (!found) return Boolean(entry.optional || entry.devOptional || entry.peer)
    return found.version === entry.version && found.integrity === entry.integrity && existsSync(join(root, path))
  })
}

function isBuilt(hash) {
  if (!existsSync(join(root, 'dist', 'cli', 'main.js'))) return false
  try {
    return readFileSync(join(stateFolder, 'built'), 'utf8') === hash
  } catch {
    return false
  }
}

function hashSources() {
  const hash = createHash('sha256')
  for (const input of buildInputs) {
    for (const file of listFiles(input))
      hash
        .update(file)
        .update('\0')
        .update(readFileSync(join(root, file)))
        .update('\0')
  }
  return hash.digest('hex')
}

function listFiles(path) {
  if (!existsSync(join(root, path))) return []
  if (/\.\w+$/.test(path)) return [path]
  return readdirSync(join(root, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1))
    .sort()
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function note(text) {
  process.stderr.write(`parlance: ${text} …\n`)
}
