// The process that is killed: serves the agent on a file, and tells where.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAgent } from './behaviour.mjs'
import { tellEarly } from './mutant.mjs'

const { dist, path, agent, mutant } = JSON.parse(process.argv[2])
const load = (file) => import(pathToFileURL(join(dist, file)).href)
const library = await load('server/index.js')
const { openSqliteStore } = await load('stores/sqlite.js')

const complain = (text, fields) => process.send?.({ complaint: `${text} ${JSON.stringify(fields ?? {})}` })
const quiet = () => {}
const log = { debug: quiet, info: quiet, warn: quiet, error: complain }

process.on('disconnect', () => process.exit(0))
const store = await openSqliteStore({ path, log })
const server = await library.serve(createAgent(library, agent), {
  listen: '127.0.0.1:0',
  store: mutant ? tellEarly(store) : store,
  log,
  limits: { sweepEvery: 300, pollEvery: 50 },
})
process.send({ url: server.url })
