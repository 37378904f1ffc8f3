// Plays the conformance suites of test/conformance; `--help` says how. Node runs TypeScript by itself only from 22.18 on.
import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from './run.mjs'

const source = (path) => join(root, 'src', path)
const jiti = createJiti(import.meta.url, {
  fsCache: false,
  interopDefault: false,
  alias: { 'parlance/server': source('server/index.ts'), parlance: source('index.ts') },
})
try {
  const { main } = await jiti.import(join(root, 'test', 'conformance', 'main.ts'))
  process.exitCode = await main(process.argv.slice(2), (text) => console.log(text))
} catch (error) {
  console.error(`conformance: ${error.message}`)
  process.exitCode = 2
}
