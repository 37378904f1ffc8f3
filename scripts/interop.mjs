// Plays every peer SDK against Parlance, both ways, and prints the table. `--write` keeps it in docs/interop.md,
// `--only python-1,go-2` plays some. Peers are installed under $PARLANCE_PEERS, by default ~/.cache/parlance-peers.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const root = dirname(import.meta.dirname)
const { values } = parseArgs({ options: { write: { type: 'boolean', default: false }, only: { type: 'string' } } })

// The bundle stands where it finds the packages of the repository.
const bundle = join(root, 'node_modules/.cache/parlance-interop/interop.mjs')
mkdirSync(dirname(bundle), { recursive: true })
await build({
  entryPoints: [join(root, 'test/interop/document.ts')],
  outfile: bundle,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
})
const { runMatrix, totals, failureLines, matrixTable, document } = await import(pathToFileURL(bundle).href)

// The SDKs write the errors of their clients to the console.
for (const level of ['error', 'warn']) console[level] = () => {}
const result = await runMatrix({
  root,
  only: values.only?.split(','),
  log: (text) => process.stderr.write(`${text}\n`),
})
console.log(matrixTable(result))
for (const { title, version, reason } of result.missing) console.log(`not here: ${title} ${version}: ${reason}`)
for (const line of failureLines(result)) console.log(`failed: ${line}`)
const { passed, failed, blamed, absent } = totals(result)
console.log(`${blamed} blamed on peers, ${absent} that an SDK has no call for`)
if (values.write) writeFileSync(join(root, 'docs/interop.md'), document(result))
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
