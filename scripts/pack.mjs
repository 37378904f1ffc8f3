import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm, root } from './run.mjs'

/**
 * Packs the package as it would be published and installs it in an empty folder, without running any script. Returns
 * `{ tarball, folder, installed }`, where `installed` is the `packages` part of the lock npm made there.
 */
export function packAndInstall() {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-pack-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  if (npm(['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]) !== 0)
    throw new Error('npm pack failed')
  const tarball = join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  )
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}\n')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund']
  if (npm(['install', tarball, ...flags], { cwd: folder }) !== 0) throw new Error('npm install of the package failed')
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  return { tarball, folder, installed: packages }
}

/** The names that `node` sees when it imports `specifier` from the folder. Throws with Node's own message if it cannot. */
export function importedNames(node, folder, specifier) {
  const code = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(specifier)})).sort()))`
  const options = { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  try {
    return JSON.parse(execFileSync(node, ['--input-type=module', '-e', code], options))
  } catch (error) {
    throw new Error(`import '${specifier}' failed with ${node}: ${error.stderr || error.message}`)
  }
}

/** The subpaths that package.json publishes, as `{ subpath, specifier, file }`. */
export function publishedModules() {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object')
    .map(([subpath, { default: file }]) => ({ subpath, specifier: name + subpath.slice(1), file }))
}
