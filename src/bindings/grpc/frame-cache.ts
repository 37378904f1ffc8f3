import type { Frame } from '../../protocol/versions/dialect.ts'

/** How many frames, and bytes, are remembered at least; at most twice as many. */
const most = { frames: 512, bytes: 4 * 1024 * 1024 }

/**
 * What the newest frames were encoded to: those who follow a task read its events at about the same time. A WeakMap
 * would cost more than it saves, as most frames are read once.
 */
export class FrameCache {
  #young = new Map<Frame, Buffer>()
  #old: ReadonlyMap<Frame, Buffer> = new Map()
  #bytes = 0

  get(frame: Frame): Buffer | undefined {
    return this.#young.get(frame) ?? this.#old.get(frame)
  }

  set(frame: Frame, bytes: Buffer): void {
    if (this.#young.size >= most.frames || this.#bytes >= most.bytes) {
      this.#old = this.#young
      this.#young = new Map()
      this.#bytes = 0
    }
    this.#young.set(frame, bytes)
    this.#bytes += bytes.length
  }
}
