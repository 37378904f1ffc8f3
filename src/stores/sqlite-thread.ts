import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { A2AError } from '../protocol/errors.ts'
import { Committer, type CommitterOptions, type CommitterReply, type CommitterRequest } from './sqlite-committer.ts'
import { packRequest } from './sqlite-crossing.ts'
import type { SqliteDriver } from './sqlite-driver.ts'
import { openGate, shutGate } from './sqlite-gate.ts'
import type { WorkerGreeting, WorkerNews } from './sqlite-worker.ts'

/** A committer as the store sees it. */
export interface CommitterPort {
  /** Whether reads go through the committer's own connection. */
  readonly shared: boolean
  /** Number of this process in the file. */
  process: number
  /** Set by whoever is to know that this process was taken for dead; then its number has changed. */
  onLost?: () => void
  /** Rejects with A2AError Unavailable when the committer has died. */
  ask(request: CommitterRequest): Promise<CommitterReply>
  /** Settles when the thread has ended, after it was asked to close; keeps the process alive until then. */
  end(): Promise<void>
}

/** A committer on this thread: every commit blocks it. */
export function committerHere(
  driver: SqliteDriver,
  options: Omit<CommitterOptions, 'driver'>,
): { readonly port: CommitterPort; readonly committer: Committer } {
  const onLost = (process: number): void => {
    port.process = process
    port.onLost?.()
  }
  const committer = new Committer(driver, { ...options, onLost })
  const port: CommitterPort = {
    shared: true,
    process: committer.process,
    ask: async (request) => committer.answer(request) ?? { results: null },
    end: () => Promise.resolve(),
  }
  return { port, committer }
}

/** Where the built thread lies: beside this file, or, seen from a bundle in a sibling folder, where the package has it. Undefined when it is in neither place. */
function builtEntry(): URL | undefined {
  const places = ['./sqlite-worker.js', '../stores/sqlite-worker.js']
  return places.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url))
}

// Run from TypeScript sources, a Node.js that cannot load them by itself gets them through jiti.
const fromSources = `
const { createRequire } = require('node:module')
const { workerData } = require('node:worker_threads')
const { createJiti } = createRequire(workerData.entry)('jiti')
createJiti(workerData.entry).import(workerData.entry)
`

function startWorker(options: CommitterOptions): Worker | undefined {
  // Flags of the process may be about its own program, such as --input-type, and stop a thread from starting.
  const common = { name: 'parlance-store', stdin: false, execArgv: [] }
  if (import.meta.url.endsWith('.ts')) {
    const entry = new URL('./sqlite-worker.ts', import.meta.url).href
    return new Worker(fromSources, { ...common, eval: true, workerData: { options, entry } })
  }
  const entry = builtEntry()
  return entry && new Worker(entry, { ...common, workerData: { options } })
}

interface Waiting {
  readonly resolve: (reply: CommitterReply) => void
  readonly reject: (error: A2AError) => void
}

/** A committer on a thread of its own; undefined when its file is not there, as in a foreign bundle. Rejects when it cannot open the database. */
export async function committerThread(options: CommitterOptions): Promise<CommitterPort | undefined> {
  const gate = openGate()
  const worker = startWorker({ ...options, gate })
  if (worker === undefined) return undefined
  const onExit = () => shutGate(gate, 2_000)
  process.once('exit', onExit)
  worker.once('exit', () => process.off('exit', onExit))
  const waiting: Waiting[] = []
  let dead: A2AError | undefined
  const die = (cause?: unknown) => {
    dead ??= new A2AError('Unavailable', 'The task store cannot write: its thread has stopped. Restart the process', {
      cause,
    })
    for (const { reject } of waiting.splice(0)) reject(dead)
  }
  const greeting = await greetingOf(worker)
  if ('refused' in greeting) throw new A2AError('Unavailable', greeting.refused, { retryable: false })
  worker.on('message', (reply: CommitterReply | WorkerNews) => {
    if ('told' in reply) {
      port.process = reply.lost
      port.onLost?.()
      return
    }
    waiting.shift()?.resolve(reply)
    if (waiting.length === 0) worker.unref()
  })
  worker.on('error', die)
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      die()
      resolve()
    })
  })
  worker.unref()
  const port: CommitterPort = {
    shared: false,
    process: greeting.process,
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (dead !== undefined) return reject(dead)
        if (waiting.push({ resolve, reject }) === 1) worker.ref()
        worker.postMessage(...packRequest(request))
      }),
    end: () => {
      if (dead === undefined) worker.ref()
      return ended
    },
  }
  return port
}

function greetingOf(worker: Worker): Promise<WorkerGreeting> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown) => {
      const why = cause instanceof Error ? `: ${cause.message}` : ''
      reject(new A2AError('Unavailable', `The thread of the task store did not start${why}`, { cause }))
    }
    worker.once('message', (greeting: WorkerGreeting) => {
      worker.off('error', fail)
      worker.off('exit', fail)
      resolve(greeting)
    })
    worker.once('error', fail)
    worker.once('exit', fail)
  })
}
