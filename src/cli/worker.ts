import cluster from 'node:cluster'
import { Socket } from 'node:net'
import type { ListenAddress } from '../server/address.ts'
import type { Door } from '../server/door.ts'
import type { HintBus } from '../stores/hints.ts'
import { type EndSignal, signalExitCode } from './interrupt.ts'

/** What goes between a worker and the process that started it; everything else that a worker says goes to all other workers. */
export interface WorkerMessage {
  /** To other workers: a hint. */
  readonly parlanceHint?: string
  /** To the starter: calls are taken. */
  readonly parlanceReady?: true
  /** From the starter: the wish that the worker ends, as the signal that came. */
  readonly parlanceStop?: EndSignal
  /** To the starter: the wish for connections to an address; each worker counts its doors alike. */
  readonly parlanceOpen?: { readonly door: number; readonly address: ListenAddress }
  /** From the starter: what came of that wish. */
  readonly parlanceOpened?:
    | { readonly door: number; readonly port: number }
    | { readonly door: number; readonly error: string }
  /** From the starter, with a connection: where it came in. */
  readonly parlanceConnection?: number
  /** To the starter: the wish for no more connections. */
  readonly parlanceShut?: number
}

/** The variable with the number of a worker. */
export const numberVariable = 'PARLANCE_WORKER'

/** Says to a worker that another one has told people already where the agent is. */
export const quietVariable = 'PARLANCE_WORKER_QUIET'

/** Number of this process among the workers of one command, from 1; undefined when it is none of them. */
export function workerNumber(): number | undefined {
  const number = process.env[numberVariable]
  return cluster.isWorker && number !== undefined ? Number(number) : undefined
}

/** Whether this process tells people where the agent is. */
export function announces(): boolean {
  return workerNumber() === undefined || process.env[quietVariable] === undefined
}

/** Number of the process that ends all when it is told to end. */
export function supervisor(): number {
  return workerNumber() === undefined ? process.pid : process.ppid
}

/** Messages that wait for a busy process; hints beyond that are dropped, as they can be found out by asking. */
const mostWaiting = 100

/** Tells the process that started this worker that it takes calls. */
export function tellReady(): void {
  tell({ parlanceReady: true })
}

function tell(message: WorkerMessage): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {})
}

/** Connections that the process that started this worker takes for all of them. */
export function createWorkerDoor(): Door {
  let doors = 0
  return {
    open(address, take) {
      doors += 1
      const door = doors
      return new Promise((resolve, reject) => {
        // What was on its way when the door was shut is taken, too.
        process.on('message', ({ parlanceConnection, parlanceOpened }: WorkerMessage, socket: unknown) => {
          if (parlanceConnection === door && socket instanceof Socket) take(socket)
          if (parlanceOpened?.door !== door) return
          if ('error' in parlanceOpened) reject(new Error(parlanceOpened.error))
          else resolve({ port: parlanceOpened.port, close: () => tell({ parlanceShut: door }) })
        })
        tell({ parlanceOpen: { door, address } })
      })
    },
  }
}

/** Hints to the other workers, by way of the process that started them. */
export function createWorkerHints(): HintBus {
  let waiting = 0
  return {
    publish(text) {
      if (!process.connected || waiting >= mostWaiting) return
      waiting += 1
      process.send?.({ parlanceHint: text } satisfies WorkerMessage, undefined, undefined, () => {
        waiting -= 1
      })
    },
    onMessage(callback) {
      const listen = (message: unknown): void => {
        const hint = (message as WorkerMessage | null)?.parlanceHint
        if (typeof hint === 'string') callback(hint)
      }
      process.on('message', listen)
      return () => process.off('message', listen)
    },
  }
}

/**
 * Calls back once when this worker is to end: its starter says so, or somebody sent it SIGTERM. A terminal sends its signals to workers
 * as well as to their starter, so that they count for nothing here; a second SIGTERM ends the process at once.
 */
export function listenForStop(onStop: (signal: EndSignal) => void): void {
  let told = false
  const stop = (signal: EndSignal): void => {
    if (!told) onStop(signal)
    told = true
  }
  let terminations = 0
  process.on('message', (message: unknown) => {
    const signal = (message as WorkerMessage | null)?.parlanceStop
    if (signal !== undefined) stop(signal)
  })
  process.on('SIGTERM', () => {
    terminations += 1
    if (terminations > 1) process.exit(signalExitCode('SIGTERM'))
    stop('SIGTERM')
  })
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
}
