/** Chunks shorter than this are copied together, as keeping one costs more than its bytes. */
const worthKeeping = 4_096

/** Chunks of bytes that are joined later. However small they come, they take about the memory of their bytes. */
export class ByteList {
  #kept: Uint8Array[] = []
  /** What small chunks are copied to, as far as it is filled. */
  #open: Uint8Array | undefined
  #filled = 0
  #length = 0

  /** Bytes that were added. */
  get length(): number {
    return this.#length
  }

  add(chunk: Uint8Array): void {
    this.#length += chunk.length
    // The first chunk is mostly the last one, too.
    if (chunk.length >= worthKeeping || (this.#kept.length === 0 && this.#open === undefined)) {
      this.#seal()
      this.#kept.push(chunk)
      return
    }
    if (this.#open !== undefined && this.#filled + chunk.length > this.#open.length) this.#seal()
    this.#open ??= new Uint8Array(Math.min(65_536, Math.max(worthKeeping, this.#length)))
    this.#open.set(chunk, this.#filled)
    this.#filled += chunk.length
  }

  /** All bytes in one piece, which is not copied where one chunk was all; the list is empty afterwards. */
  take(): Uint8Array {
    this.#seal()
    const kept = this.#kept
    let [bytes = new Uint8Array(0)] = kept
    if (kept.length > 1) {
      bytes = new Uint8Array(this.#length)
      let at = 0
      for (const chunk of kept) {
        bytes.set(chunk, at)
        at += chunk.length
      }
    }
    this.clear()
    return bytes
  }

  clear(): void {
    this.#kept = []
    this.#open = undefined
    this.#filled = 0
    this.#length = 0
  }

  #seal(): void {
    if (this.#open === undefined) return
    this.#kept.push(this.#open.subarray(0, this.#filled))
    this.#open = undefined
    this.#filled = 0
  }
}
