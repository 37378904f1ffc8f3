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
export async function pump(target: Writable, source: AsyncIterable<string>, options: PumpOptions = {}): Promise<void> {
  const iterator = source[Symbol.asyncIterator]()
  const drains = options.drains ?? target
  const write = options.write ?? ((text) => target.write(text))
  let gone = target.destroyed
  let wake: (() => void) | undefined

  function leave(): void {
    gone = true
    wake?.()
    iterator.return?.().then(undefined, () => {})
  }
  function onDrain(): void {
    wake?.()
  }
  if (gone) leave()
  target.once('close', leave)
  target.once('error', leave)
  drains.on('drain', onDrain)
  const silence = options.silent && setImmediate(options.silent)
  try {
    while (!gone) {
      const result = await iterator.next()
      clearImmediate(silence)
      if (gone || result.done) break
      if (write(result.value)) continue
      options.lagging?.(true)
      await new Promise<void>((resolve) => {
        wake = resolve
        if (gone || target.destroyed) resolve()
      })
      wake = undefined
      options.lagging?.(false)
    }
  } finally {
    clearImmediate(silence)
    target.off('close', leave)
    drains.off('drain', onDrain)
  }
}
