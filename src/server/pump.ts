import type { Writable } from 'node:stream'

export interface PumpOptions {
  /** Writes one piece; false asks for a pause until the target drains. Default: the target's own `write`. */
  readonly write?: (text: string) => boolean
  /** Where `drain` is told when `write` does not go through the target. */
  readonly drains?: Writable
  /** Called when the first piece is not there at once, so that the head can go ahead of it. */
  readonly silent?: () => void
  /** Told when a piece has to wait for the reader, and when it waits no longer. */
  readonly lagging?: (lags: boolean) => void
}

/**
 * Writes the pieces of a stream as they come, each in one write, and waits for the reader when it lags behind. Leaves
 * the source as soon as the reader is gone.
 */
export function pump(target: Writable, source: AsyncIterable<string>, options: PumpOptions = {}): Promise<void> {
  return new Pump(target, source[Symbol.asyncIterator](), options).done
}

/** Written by hand, as most streams are idle most of the time: an async function that waits costs several times as much. */
class Pump {
  readonly done: Promise<void>
  readonly #target: Writable
  readonly #drains: Writable
  readonly #iterator: AsyncIterator<string>
  readonly #options: PumpOptions
  #resolve!: () => void
  #reject!: (reason: unknown) => void
  #gone: boolean
  #lags = false
  #silence: ReturnType<typeof setImmediate> | undefined

  constructor(target: Writable, iterator: AsyncIterator<string>, options: PumpOptions) {
    this.#target = target
    this.#iterator = iterator
    this.#options = options
    this.#drains = options.drains ?? target
    this.#gone = target.destroyed
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    if (this.#gone) {
      this.#return()
      this.#resolve()
      return
    }
    target.on('close', this.#leave)
    target.on('error', this.#leave)
    this.#drains.on('drain', this.#drained)
    if (options.silent !== undefined) this.#silence = setImmediate(() => options.silent?.())
    this.#pull()
  }

  #pull(): void {
    this.#iterator.next().then(this.#take, this.#fail)
  }

  readonly #take = (result: IteratorResult<string>): void => {
    this.#speak()
    if (this.#gone) return
    if (result.done) {
      this.#stop()
      this.#resolve()
      return
    }
    let wrote: boolean
    try {
      wrote = this.#options.write === undefined ? this.#target.write(result.value) : this.#options.write(result.value)
    } catch (error) {
      this.#fail(error)
      return
    }
    if (wrote) this.#pull()
    else {
      this.#lags = true
      this.#options.lagging?.(true)
    }
  }

  readonly #fail = (error: unknown): void => {
    if (this.#gone) return
    this.#stop()
    this.#reject(error)
  }

  readonly #drained = (): void => {
    if (!this.#lags || this.#gone) return
    this.#lags = false
    this.#options.lagging?.(false)
    this.#pull()
  }

  readonly #leave = (): void => {
    if (this.#gone) return
    if (this.#lags) this.#options.lagging?.(false)
    this.#stop()
    this.#return()
    this.#resolve()
  }

  #return(): void {
    this.#iterator.return?.().then(undefined, () => {})
  }

  #speak(): void {
    if (this.#silence === undefined) return
    clearImmediate(this.#silence)
    this.#silence = undefined
  }

  #stop(): void {
    this.#gone = true
    this.#speak()
    this.#target.off('close', this.#leave)
    this.#target.off('error', this.#leave)
    this.#drains.off('drain', this.#drained)
  }
}
