// Measures of many: subscribers, streams, tasks, workers, nodes. Each has its rival or its floor beside it, or a smaller one of itself.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { median, startServer } from './processes.mjs'
import { beginTasks, call, memoryOfStreams, openStreams } from './subscribers.mjs'

const gc = ['--expose-gc']

async function within(server, work) {
  try {
    return await work(server)
  } finally {
    await server.stop()
  }
}

/** What an idle stream costs beside one of `node:http` alone. */
export async function measureIdle({ dist, count }) {
  const bare = await within(await startServer('bare-sse', { execArgv: gc }), (server) =>
    memoryOfStreams(server, count, []),
  )
  const ours = await within(await startServer('parlance', { dist, store: 'memory', execArgv: gc }), async (server) =>
    memoryOfStreams(server, count, await beginTasks(server, 100)),
  )
  return { bare, ours }
}

/** Memory after more and more tasks have ended, in a store on disk; and what readers that read nothing cost beside as many that do. */
export async function measureFlat({ dist, store, load, tasks, steps = 4 }) {
  return within(await startServer('parlance', { dist, store, execArgv: gc }), async (server) => {
    const marks = []
    for (let step = 0; step <= steps; step++) {
      const count = step === 0 ? tasks / 10 : tasks / steps
      const { port, path } = server
      for (let done = 0; done < count; ) {
        done += (await load.ask({ port, path, method: 'SendMessage', message: 'answer', connections: 32, ms: 1_000 }))
          .count
      }
      await sleep(500)
      marks.push((await server.usage()).heap)
    }
    return { first: marks[0], last: marks.at(-1), growth: marks.at(-1) / marks[0] }
  })
}

/** One task with many subscribers: CPU microseconds for each event of each, beside as many streams of one subscriber. */
export async function measureFanOut({ dist, subscribers, events }) {
  const run = async (readers) =>
    within(await startServer('parlance', { dist, store: 'memory' }), async (server) => {
      const [id] = await beginTasks(server, 1, `calm ${events} 20`)
      const streams = await openStreams(server, readers, [id])
      const before = await server.usage()
      // The first event of each is the task; some of the others had come before all were open.
      await sleep(events * 22 + 6_000)
      const after = await server.usage()
      await streams.close()
      return after.cpu - before.cpu
    })
  const [one, all] = [await run(1), await run(subscribers)]
  return { each: (all - one) / (subscribers - 1) / events }
}

/** Many tasks streaming at once: CPU microseconds an event beside that of one task at a time. */
export async function measureAtOnce({ dist, store, load, streams, rounds = 3 }) {
  const rows = { few: [], many: [] }
  await within(await startServer('parlance', { dist, store }), async (server) => {
    const { port, path } = server
    for (let round = 0; round <= rounds; round++) {
      for (const [name, connections] of [
        ['few', 8],
        ['many', streams],
      ]) {
        const before = await server.usage()
        const asked = {
          port,
          path,
          method: 'SendStreamingMessage',
          message: 'stream 19',
          events: 22,
          connections,
          ms: 2_000,
        }
        const { count } = await load.ask(asked)
        const after = await server.usage()
        if (round > 0) rows[name].push((after.cpu - before.cpu) / count / 22)
      }
    }
  })
  return { few: median(rows.few), many: median(rows.many) }
}

/** The time of GetTask for a small task, alone and while a long stream runs: milliseconds at the 99th percentile. */
export async function measureReads({ dist, store, chunks }) {
  return within(await startServer('parlance', { dist, store }), async (server) => {
    const [id] = await beginTasks(server, 1, 'answer')
    const read = async (until) => {
      const times = []
      while (!until(times.length)) {
        const began = performance.now()
        await call(server, 'GetTask', { id })
        times.push(performance.now() - began)
      }
      times.sort((one, other) => one - other)
      return {
        p50: times[Math.floor(times.length * 0.5)],
        p99: times[Math.floor(times.length * 0.99)],
        count: times.length,
      }
    }
    await read((count) => count === 500)
    const alone = await read((count) => count === 2_000)
    const [long] = await beginTasks(server, 1, `stream ${chunks}`)
    const streams = openStreams(server, 1, [long])
    let over = false
    const watch = (async () => {
      for (;;) {
        const { status } = await call(server, 'GetTask', { id: long, historyLength: 0 }).catch(() => ({ status: {} }))
        if (status.state === 'TASK_STATE_COMPLETED') break
        await sleep(100)
      }
      over = true
    })()
    const beside = await read(() => over)
    await watch
    await streams.then((opened) => opened.close()).catch(() => {})
    return { alone, beside }
  })
}

/** Milliseconds from the start of the command to its first answer, beside `node` doing nothing. */
export async function measureStart({ dist, folder, rounds = 5 }) {
  const rows = { node: [], memory: [], sqlite: [] }
  const agent = join(import.meta.dirname, '..', 'examples', 'pong.yaml')
  for (let round = 0; round < rounds; round++) {
    let began = performance.now()
    await once(spawn(process.execPath, ['-e', '0']), 'exit')
    rows.node.push(performance.now() - began)
    for (const [name, store] of [
      ['memory', 'memory'],
      ['sqlite', join(folder, `start-${round}.db`)],
    ]) {
      began = performance.now()
      const args = [join(dist, 'cli', 'main.js'), 'serve', agent, '--listen', '127.0.0.1:0', '--store', store, '--json']
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
      const [line] = await once(child.stdout, 'data')
      const { url } = JSON.parse(String(line))
      await (await fetch(`${url}/healthz`)).text()
      rows[name].push(performance.now() - began)
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
  return { node: median(rows.node), memory: median(rows.memory), sqlite: median(rows.sqlite) }
}

/** Milliseconds from the kill of a process to the end of the task that it had at work, seen at another process on the same store. */
export async function measureRecovery({ dist, store, rounds = 2 }) {
  const times = []
  for (let round = 0; round < rounds; round++) {
    const [one, other] = [
      await startServer('parlance', { dist, store }),
      await startServer('parlance', { dist, store }),
    ]
    try {
      const [id] = await beginTasks(one, 1)
      await call(other, 'GetTask', { id })
      await one.kill()
      const began = performance.now()
      for (;;) {
        const { status } = await call(other, 'GetTask', { id })
        if (status.state === 'TASK_STATE_FAILED') break
        await sleep(50)
      }
      times.push(performance.now() - began)
    } finally {
      await one.stop()
      await other.stop()
    }
  }
  return Math.max(...times)
}
