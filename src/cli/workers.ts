import cluster, { type Worker } from 'node:cluster'
import { jitter, pause } from '../lib/backoff.ts'
import { exitCodes } from './exit-codes.ts'
import { type EndSignal, listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { quietVariable } from './worker.ts'

/** A worker that ends within this time of its start has not come up, milliseconds. */
const comingUp = 3_000

/** So often in a row may workers fail to come up. */
const patience = 5

/**
 * Runs this very command in several processes that listen on the same addresses, and starts each anew that dies. Ends when all have ended
 * after a signal; fails when workers die as they start.
 */
export async function superviseWorkers(count: number, output: Output): Promise<number> {
  let stopping = false
  let failures = 0
  let code: number = exitCodes.ok
  const living = new Set<Worker>()
  let allEnded: () => void = () => {}
  const ended = new Promise<void>((resolve) => {
    allEnded = resolve
  })

  function start(quiet: boolean): Worker {
    const worker = cluster.fork(quiet ? { [quietVariable]: '1' } : {})
    const startedAt = Date.now()
    living.add(worker)
    worker.on('message', (message: unknown) => {
      for (const other of living) if (other !== worker && other.isConnected()) other.send(message as object)
    })
    worker.on('exit', (exitCode, signal) => {
      living.delete(worker)
      void replace({ exitCode, signal, up: Date.now() - startedAt >= comingUp })
    })
    return worker
  }

  async function replace({ exitCode, signal, up }: { exitCode: number; signal: string; up: boolean }): Promise<void> {
    failures = up ? 0 : failures + 1
    if (!stopping && failures >= patience) {
      code = exitCode || exitCodes.internal
      stop('SIGTERM')
    }
    if (stopping) {
      if (living.size === 0) allEnded()
      return
    }
    // What keeps the first worker from starting keeps all: it has said so.
    if (!up && exitCode === exitCodes.usage) {
      code = exitCode
      stop('SIGTERM')
      if (living.size === 0) allEnded()
      return
    }
    output.warn(`a worker ended (${signal ?? `exit code ${exitCode}`}); another takes its place`)
    await pause(failures === 0 ? 0 : jitter(failures, { base: 200, cap: 5_000 }))
    if (!stopping) start(true)
    else if (living.size === 0) allEnded()
  }

  function stop(signal: EndSignal): void {
    stopping = true
    for (const worker of living) worker.process.kill(signal)
  }

  // A terminal sends its signal to the workers as well, who would take a second one as the wish to stop at once.
  const onTerminal = process.stdin.isTTY === true
  listenForInterrupt((signal) => {
    if (signal === 'SIGINT' && onTerminal) stopping = true
    else stop(signal)
    if (living.size === 0) allEnded()
  })
  // What keeps one from starting would keep all, and would be told by all.
  start(false).once('listening', () => {
    for (let number = 1; number < count && !stopping; number++) start(true)
  })
  await ended
  return code
}
