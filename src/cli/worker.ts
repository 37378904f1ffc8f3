import cluster from 'node:cluster'
import type { HintBus } from '../stores/hints.ts'

/** What workers send each other, by way of the process that started them. */
export interface WorkerMessage {
  readonly parlanceHint: string
}

/** Says to a worker that the first of its place is at work already, so that it does not tell people where the agent is once more. */
export const quietVariable = 'PARLANCE_WORKER_QUIET'

/** Whether this process is the one that a person started, rather than a worker of it. */
export function isFirstProcess(): boolean {
  return cluster.isPrimary
}

/** Whether this process tells people where the agent is. */
export function announces(): boolean {
  return process.env[quietVariable] === undefined
}

/** Number of the process that ends all when it is told to end. */
export function supervisor(): number {
  return cluster.isWorker ? process.ppid : process.pid
}

/** Hints to the other workers. */
export function createWorkerHints(): HintBus {
  return {
    publish(text) {
      if (process.connected) process.send?.({ parlanceHint: text } satisfies WorkerMessage)
    },
    onMessage(callback) {
      const listen = (message: unknown): void => {
        const hint = (message as Partial<WorkerMessage> | null)?.parlanceHint
        if (typeof hint === 'string') callback(hint)
      }
      process.on('message', listen)
      return () => process.off('message', listen)
    },
  }
}
