import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

const longestWork = 5 * 60_000

/**
 * Does `work` while no other process does work of that name: a server and the tests, started at once in a fresh clone, must not
 * install or build over each other. Returns what `work` returns.
 */
export function withLock(name, work) {
  const file = join(root, `.${name}.lock`)
  while (!tryLock(file)) {
    if (isLeftOver(file)) rmSync(file, { force: true })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  }
  const unlock = () => rmSync(file, { force: true })
  process.once('exit', unlock)
  const release = () => {
    process.removeListener('exit', unlock)
    unlock()
  }
  let result
  try {
    result = work()
  } catch (error) {
    release()
    throw error
  }
  if (typeof result?.then === 'function') return result.finally(release)
  release()
  return result
}

function tryLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

// Process ids come back after a restart, so an old lock counts as left over whoever has its id now.
function isLeftOver(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > longestWork) return true
    const holder = Number(readFileSync(file, 'utf8'))
    return holder > 0 && !isAlive(holder)
  } catch {
    return false
  }
}
