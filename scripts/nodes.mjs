// Other versions of Node, for tests only: taken from npm into a folder of the system's temporary folder and kept there.
//   node scripts/nodes.mjs 22      prints the path of a Node 22
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm } from './run.mjs'

/** The path of a `node` of that major version. Throws when npm has none for this platform. */
export function nodePath(major) {
  const cache = join(tmpdir(), 'parlance-nodes')
  const platform = `node-${process.platform}-${process.arch}`
  const folder = join(cache, String(major))
  const binary = join(folder, 'node_modules', platform, 'bin', 'node')
  if (existsSync(binary)) return binary
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, `${major}-`))
  writeFileSync(join(fresh, 'package.json'), '{"private":true}\n')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock']
  if (npm(['install', `${platform}@${major}`, ...flags], { cwd: fresh }) !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    throw new Error(`npm has no ${platform}@${major}`)
  }
  // Another process may have been quicker; one complete folder is as good as the other.
  if (existsSync(binary)) rmSync(fresh, { recursive: true, force: true })
  else {
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  }
  return binary
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(nodePath(process.argv[2]))
