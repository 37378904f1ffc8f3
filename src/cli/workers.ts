import cluster, { type Worker } from 'node:cluster'
import type { Socket } from 'node:net'
import { jitter, pause } from '../lib/backoff.ts'
import { exitCodes } from './exit-codes.ts'
import { FrontDoors, type Taker } from './front-doors.ts'
import { type EndSignal, listenForInterrupt } from './interrupt.ts'
import type { Output } from './output.ts'
import { numberVariable, quietVariable, type WorkerMessage } from './worker.ts'

/** A worker that ends within this time of its start has not come up, milliseconds. */
const comingUp = 3_000

/** So often in a row may a worker fail to come up while none is at work. */
const patience = 5

/** Milliseconds that a worker may take to end, beyond the time that it gives its runs. */
const lastMoments = 10_000

/** Messages that wait for a worker that does not read them; what others say beyond that is dropped. */
const mostWaiting = 1_000

export interface WorkersOptions {
  readonly count: number
  /** How long a worker may take to end what it has at work, milliseconds. */
  readonly graceMs: number
  readonly output: Output
}

/** A place among the workers, and the process that holds it now. */
interface Place extends Taker {
  readonly number: number
  readonly worker: Worker
  readonly startedAt: number
  /** How many in a row did not come up in this place before. */
  readonly failures: number
  /** Whether it takes calls. */
  ready: boolean
  /** Messages on their way to it. */
  waiting: number
}

/**
 * Runs this very command in several processes that listen on the same addresses, and starts each anew that dies. Settles with an exit code
 * when all have ended: after a signal, or because workers die as they start.
 */
export function superviseWorkers(options: WorkersOptions): Promise<number> {
  return new Workers(options).ended
}

class Workers {
  readonly ended: Promise<number>
  readonly #options: WorkersOptions
  readonly #places = new Map<number, Place>()
  readonly #doors = new FrontDoors()
  #code: number = exitCodes.ok
  #stopping = false
  /** Whether one has taken calls, so that what all have in common is in order. */
  #proven = false
  #end: (code: number) => void = () => {}

  constructor(options: WorkersOptions) {
    this.#options = options
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    listenForInterrupt((signal) => this.#stop(signal))
    // What keeps one from starting would keep all, and would be told by all.
    this.#start(1, 0)
  }

  #start(number: number, failures: number): void {
    const quiet = this.#proven ? { [quietVariable]: '1' } : {}
    const worker = cluster.fork({ [numberVariable]: String(number), ...quiet })
    const place: Place = {
      number,
      worker,
      startedAt: performance.now(),
      failures,
      ready: false,
      waiting: 0,
      incoming: new Map(),
      give: (message: WorkerMessage, socket: Socket, gone) => void worker.send(message, socket, undefined, gone),
    }
    this.#places.set(number, place)
    worker.on('error', () => {})
    worker.on('message', (message: WorkerMessage) => {
      const { parlanceOpen, parlanceShut, parlanceReady } = message
      if (parlanceOpen !== undefined) void this.#open(place, parlanceOpen)
      else if (parlanceShut !== undefined) void this.#doors.shut(parlanceShut, place)
      else if (parlanceReady) this.#ready(place)
      else this.#relay(place, message)
    })
    worker.on('exit', (code, signal) => void this.#ended(place, signal ?? code))
  }

  async #open(place: Place, wish: NonNullable<WorkerMessage['parlanceOpen']>): Promise<void> {
    const { door } = wish
    try {
      this.#send(place, { parlanceOpened: { door, port: await this.#doors.open(wish, place) } })
    } catch (error) {
      this.#send(place, { parlanceOpened: { door, error: (error as Error).message } })
    }
  }

  #ready(place: Place): void {
    place.ready = true
    if (this.#proven) return
    this.#proven = true
    if (this.#stopping) return
    for (let number = 2; number <= this.#options.count; number++) this.#start(number, 0)
  }

  /** What one says is for all others: hints, and questions for metrics with their answers. */
  #relay(from: Place, message: WorkerMessage): void {
    for (const place of this.#places.values()) {
      if (place !== from && place.waiting < mostWaiting) this.#send(place, message)
    }
  }

  #send(place: Place, message: WorkerMessage): void {
    if (!place.worker.isConnected()) return
    place.waiting += 1
    // What went wrong is told here alone: a worker that dies just now must not take this process with it.
    place.worker.send(message, undefined, undefined, () => {
      place.waiting -= 1
    })
  }

  async #ended(place: Place, how: number | string): Promise<void> {
    const { number } = place
    this.#places.delete(number)
    await this.#doors.gone(place)
    if (this.#stopping) return this.#finish()
    const failures = performance.now() - place.startedAt >= comingUp ? 0 : place.failures + 1
    const said = typeof how === 'number' ? `with the exit code ${how}` : `by ${how}`
    const { output } = this.#options
    if (![...this.#places.values()].some(({ ready }) => ready)) {
      // What keeps a worker from starting keeps all, and it has said what that is.
      if (!place.ready && how === exitCodes.usage) return this.#giveUp(how)
      if (failures >= patience) {
        output.warn(`worker ${number} ended ${said}, like ${patience - 1} before it as they started; this gives up`)
        return this.#giveUp(typeof how === 'number' && how > 0 ? how : exitCodes.internal)
      }
    }
    output.warn(`worker ${number} ended ${said}; another takes its place`)
    await pause(failures === 0 ? 0 : 100 + jitter(failures, { base: 200, cap: 10_000 }))
    if (this.#stopping) this.#finish()
    else this.#start(number, failures)
  }

  #giveUp(code: number): void {
    this.#code = code
    this.#stop('SIGTERM')
    this.#finish()
  }

  #stop(signal: EndSignal): void {
    if (this.#stopping) return
    this.#stopping = true
    void this.#doors.close()
    for (const place of this.#places.values()) {
      this.#send(place, { parlanceStop: signal })
      // One that is still starting does not listen to messages yet.
      if (!place.ready) place.worker.process.kill(signal)
    }
    const late = setTimeout(() => {
      for (const { number, worker } of this.#places.values()) {
        this.#options.output.warn(`worker ${number} does not end; it is killed`)
        worker.process.kill('SIGKILL')
      }
    }, this.#options.graceMs + lastMoments)
    late.unref()
    this.#finish()
  }

  #finish(): void {
    if (this.#places.size === 0) this.#end(this.#code)
  }
}
