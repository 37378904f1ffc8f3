#!/usr/bin/env node
// Sends a served agent what it should refuse, over every binding and version: exits with 1 when it blames itself, dies,
// hangs, grows, or stores a task for a request that it refused. The same seed sends the same things.
//   node scripts/fuzz.mjs [--rounds 100000] [--seed 1] [--from ROUND] [--only LABEL_EXPRESSION] [--quiet]
// With --flaw throws, stores, hangs or keeps the server gets a flaw, which has to be found, or the proof proves nothing.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules', '.cache', `parlance-fuzz-${process.pid}`)
mkdirSync(folder, { recursive: true })
try {
  const outfile = join(folder, 'main.mjs')
  await build({
    entryPoints: [join(root, 'test', 'fuzz', 'main.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  const flags = ['--expose-gc', '--enable-source-maps', '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, outfile, ...process.argv.slice(2)], { stdio: 'inherit' })
  process.exitCode = await new Promise((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1))
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
