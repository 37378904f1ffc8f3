// Starts the agent for the integration test kit: node scripts/itk-agent.mjs --httpPort 8080 --grpcPort 8081
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled } from './prepare.mjs'
import { root } from './run.mjs'

try {
  ensureInstalled()
  await ensureBuilt()
  // Node runs TypeScript by itself only from 22.18 on.
  const { createJiti } = await import('jiti')
  const jiti = createJiti(import.meta.url, { fsCache: false, interopDefault: false })
  const { main } = await jiti.import(join(root, 'examples', 'conformance', 'itk-agent.ts'))
  await main(process.argv.slice(2))
} catch (error) {
  console.error(`itk-agent: ${error.message}`)
  process.exitCode = 1
}
