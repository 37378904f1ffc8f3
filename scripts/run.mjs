import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Runs a program in the repository and returns its exit code; its output goes to our standard error. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options })
  if (result.error) throw new Error(`could not run ${command}: ${result.error.message}`)
  return result.status ?? 1
}

/** Runs npm: the one that started us, or else the one on the path. */
export function npm(args, options = {}) {
  const script = process.env.npm_execpath
  if (script?.endsWith('npm-cli.js') && existsSync(script)) return run(process.execPath, [script, ...args], options)
  return run('npm', args, { shell: process.platform === 'win32', ...options })
}
