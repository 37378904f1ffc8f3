import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { median } from './processes.mjs'

async function startWorker(settings) {
  const child = fork(join(import.meta.dirname, 'inside.mjs'), [JSON.stringify(settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  await once(child, 'message')
  return child
}

/** What some workers do together in a while: sends a second, and CPU microseconds of each. */
async function together(workers, ms) {
  const answers = workers.map((worker) => once(worker, 'message'))
  for (const worker of workers) worker.send({ ms })
  const done = (await Promise.all(answers)).map(([answer]) => answer)
  const count = done.reduce((sum, { count }) => sum + count, 0)
  const elapsed = Math.max(...done.map(({ elapsed }) => elapsed))
  return { rate: (count * 1_000) / elapsed, cpu: done.reduce((sum, { cpu }) => sum + cpu, 0) / count }
}

/**
 * One worker beside two on the same store. Each makes its own requests through the real handler: a process that makes load would take the
 * cores that the second worker is to show.
 */
export async function measureWorkers({ dist, store, rounds, ms, callers = 64 }) {
  const workers = [await startWorker({ dist, store, callers }), await startWorker({ dist, store, callers })]
  const rows = []
  try {
    for (let round = 0; round <= rounds; round++) {
      const one = await together([workers[round % 2]], ms)
      const two = await together(workers, ms)
      if (round > 0) rows.push({ one, two })
    }
  } finally {
    for (const worker of workers) {
      const gone = once(worker, 'exit')
      worker.disconnect()
      await gone
    }
  }
  const typical = (pick) => median(rows.map(pick))
  return {
    growth: typical(({ one, two }) => two.rate / one.rate),
    one: { rate: typical(({ one }) => one.rate), cpu: typical(({ one }) => one.cpu) },
    two: { rate: typical(({ two }) => two.rate), cpu: typical(({ two }) => two.cpu) },
  }
}
