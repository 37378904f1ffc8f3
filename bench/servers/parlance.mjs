import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chunk, chunksAsked } from '../agent-work.mjs'

/** Serves the benchmark's agent with Parlance; `store` is `memory` or `sqlite:PATH`. */
export async function start({ dist, store }) {
  const { agent, serve, working } = await import(pathToFileURL(join(dist, 'server', 'index.js')).href)
  const worker = agent({
    name: 'Bench',
    description: 'Answers in a fixed number of events.',
    version: '1.0.0',
    async *run(task) {
      yield working()
      const count = chunksAsked(task.message.parts[0].text)
      for (let index = 0; index < count; index++) yield chunk(index)
    },
  })
  const server = await serve(worker, { listen: '127.0.0.1:0', store })
  return { port: Number(new URL(server.url).port), path: '/invoke', close: () => server.close({ graceMs: 0 }) }
}
