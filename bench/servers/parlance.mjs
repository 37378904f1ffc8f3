import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
      const { text } = task.message.parts[0]
      if (text === 'hold') await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
      const [, calm, every] = /^calm (\d+) (\d+)$/.exec(text) ?? []
      // Time for those who are to see all of it to come.
      if (calm !== undefined) await sleep(5_000)
      for (let index = 0; index < Number(calm ?? 0); index++) {
        await sleep(Number(every))
        yield chunk(index)
      }
      const count = chunksAsked(text)
      for (let index = 0; index < count; index++) yield chunk(index)
    },
  })
  const limits = { streamsPerOwner: 100_000, sweepEvery: 500 }
  const server = await serve(worker, { listen: '127.0.0.1:0', store, limits })
  return { port: Number(new URL(server.url).port), path: '/invoke', close: () => server.close({ graceMs: 0 }) }
}
