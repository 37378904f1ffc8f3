import { createServer, type Server, type Socket } from 'node:net'
import { startListening } from '../server/door.ts'
import type { WorkerMessage } from './worker.ts'

/** Connections that wait while there is no worker for them; more are cut. */
const mostWaiting = 1_000

/** Who takes connections. */
export interface Taker {
  /** Connections on their way to it, and the door at which each came in. */
  readonly incoming: Map<Socket, number>
  /** Hands a connection over and calls back when it is gone, or when that failed. */
  give(message: WorkerMessage, socket: Socket, gone: (error: Error | null) => void): void
}

interface Front {
  readonly door: number
  readonly server: Server
  readonly port: number
  /** Takes turns: whoever got a connection goes to the end. */
  takers: Taker[]
  readonly waiting: Socket[]
}

/** The addresses of all workers: takes the connections and gives each to one of those who asked for them. */
export class FrontDoors {
  readonly #fronts = new Map<number, Promise<Front>>()
  #closing = false

  /** Gives connections to one more taker; tells the port. Rejects with an error for people when the address cannot be had. */
  async open({ door, address }: NonNullable<WorkerMessage['parlanceOpen']>, taker: Taker): Promise<number> {
    let opening = this.#fronts.get(door)
    if (opening === undefined) {
      const server = createServer({ pauseOnConnect: true })
      opening = startListening(server, address).then(({ port }) => {
        const front: Front = { door, server, port, takers: [], waiting: [] }
        server.on('connection', (socket) => this.#pass(front, socket))
        return front
      })
      this.#fronts.set(door, opening)
      // Who tries again may have more luck.
      opening.catch(() => this.#fronts.delete(door))
    }
    const front = await opening
    front.takers.push(taker)
    for (const socket of front.waiting.splice(0)) this.#pass(front, socket)
    return front.port
  }

  /** Gives no more of one door's connections to a taker. */
  async shut(door: number, taker: Taker): Promise<void> {
    const front = (await this.#opened()).find((each) => each.door === door)
    if (front !== undefined) this.#leave(front, taker)
  }

  /** A taker is gone. What was on its way to it goes to others. */
  async gone(taker: Taker): Promise<void> {
    const fronts = await this.#opened()
    for (const front of fronts) this.#leave(front, taker)
    const left = [...taker.incoming]
    taker.incoming.clear()
    for (const [socket, door] of left) {
      const front = fronts.find((each) => each.door === door)
      if (front === undefined) socket.destroy()
      else this.#pass(front, socket)
    }
  }

  /** From now on a door that nobody wants open is closed. */
  async close(): Promise<void> {
    this.#closing = true
    for (const front of await this.#opened()) this.#end(front)
  }

  async #opened(): Promise<readonly Front[]> {
    const all = await Promise.allSettled(this.#fronts.values())
    return all.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  }

  #leave(front: Front, taker: Taker): void {
    front.takers = front.takers.filter((each) => each !== taker)
    this.#end(front)
  }

  #end({ server, takers, waiting }: Front): void {
    if (!this.#closing || takers.length > 0) return
    server.close()
    for (const socket of waiting.splice(0)) socket.destroy()
  }

  #pass(front: Front, socket: Socket): void {
    socket.on('error', () => {})
    // One that does not come round to taking what it has been given gets no more.
    const least = Math.min(...front.takers.map(({ incoming }) => incoming.size))
    const taker = front.takers.find(({ incoming }) => incoming.size === least)
    if (taker === undefined) {
      if (this.#closing || front.waiting.length >= mostWaiting) socket.destroy()
      else front.waiting.push(socket)
      return
    }
    front.takers = [...front.takers.filter((each) => each !== taker), taker]
    taker.incoming.set(socket, front.door)
    taker.give({ parlanceConnection: front.door }, socket, (error) => {
      if (!taker.incoming.delete(socket) || error === null) return
      this.#leave(front, taker)
      this.#pass(front, socket)
    })
  }
}
