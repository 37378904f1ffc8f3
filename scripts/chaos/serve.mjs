// One node: serves the agent on the store that it is given, and tells where it listens.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAgent } from './behaviour.mjs'
import { tellEarly } from './mutant.mjs'

const {
  dist,
  store: choice,
  lease,
  node,
  journal,
  port,
  publicUrl,
  mutant,
  resumable,
  ending,
} = JSON.parse(process.argv[2])
const load = (file) => import(pathToFileURL(join(dist, file)).href)
const library = await load('server/index.js')

const tell = (level) => (text, fields) =>
  process.connected && process.send({ log: `${level} ${text} ${JSON.stringify(fields ?? {})}` })
const log = { debug() {}, info: tell('info'), warn: tell('warn'), error: tell('error') }

async function openStore() {
  if (choice.startsWith('postgres://')) {
    const { openPostgresStore } = await load('stores/postgres.js')
    return openPostgresStore({ url: choice, log, lease, patience: 2_000 })
  }
  const { openSqliteStore } = await load('stores/sqlite.js')
  return openSqliteStore({ path: choice, log, lease, shared: true })
}

process.on('disconnect', () => process.exit(0))
// Not to be there while the database is away is what the harness expects; it starts the node again.
const opened = await openStore().catch((error) => {
  tell('error')(`cannot start: ${error.message}`)
  process.exit(75)
})
const store = mutant ? tellEarly(opened) : opened
const server = await library.serve(createAgent(library, { node, journal, resumable }), {
  listen: `127.0.0.1:${port}`,
  publicUrl,
  store,
  log,
  limits: { sweepEvery: 500, pollEvery: 100 },
})
process.on('SIGTERM', async () => {
  await server.close({ graceMs: 300, ...ending })
  await store.close()
  process.exit(0)
})
process.send({ listening: true })
