import { constants, type ServerHttp2Stream } from 'node:http2'

/** Bytes a second that a reader has to take at least; how much of one long write has left cannot be seen. */
const slowest = 65_536

interface Waiting {
  readonly pending: number
  readonly since: number
}

/**
 * Cuts HTTP/2 streams whose reader takes nothing of what waits for it. The time limit of `node:http2` begins anew with whatever the
 * connection carries, so that one who keeps that busy could leave a thousand answers unread for ever.
 */
export class StallWatch {
  readonly #limit: number
  readonly #streams = new Set<ServerHttp2Stream>()
  readonly #waiting = new Map<ServerHttp2Stream, Waiting>()
  readonly #step: number
  #timer: ReturnType<typeof setInterval> | undefined

  /** `limit` in milliseconds. */
  constructor(limit: number) {
    this.#limit = limit
    this.#step = Math.max(20, Math.min(limit / 4, 10_000))
  }

  add(stream: ServerHttp2Stream): void {
    this.#streams.add(stream)
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#look(performance.now()), this.#step)
    this.#timer.unref()
  }

  delete(stream: ServerHttp2Stream): void {
    this.#streams.delete(stream)
    this.#waiting.delete(stream)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(now: number): void {
    if (this.#streams.size === 0) this.close()
    for (const stream of this.#streams) {
      const waits = stream.writableNeedDrain || (stream.writableEnded && !stream.writableFinished)
      if (!waits) {
        this.#waiting.delete(stream)
        continue
      }
      const pending = stream.bufferSize
      const waiting = this.#waiting.get(stream)
      if (waiting?.pending !== pending) {
        this.#waiting.set(stream, { pending, since: now })
        // Another write of the same length may be waiting when this one has long left.
        if (waiting === undefined) stream.once('drain', () => this.#waiting.delete(stream))
      } else if (now - waiting.since >= this.#limit + (pending / slowest) * 1_000) {
        stream.close(constants.NGHTTP2_CANCEL)
      }
    }
  }
}
