/**
 * A map for entries that come and go all the time. A `Map` leaves what it holds in the tables it outgrows, and each such
 * table keeps the next one alive until a full garbage collection, so that short-lived entries grow old. Here no more than
 * an empty holder stays behind.
 */
export class TurnoverMap<K, V> {
  readonly #holders = new Map<K, { value: V | undefined }>()

  get size(): number {
    return this.#holders.size
  }

  get(key: K): V | undefined {
    return this.#holders.get(key)?.value
  }

  has(key: K): boolean {
    return this.#holders.has(key)
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#holders.set(key, { value })
  }

  delete(key: K): void {
    const holder = this.#holders.get(key)
    if (holder === undefined) return
    holder.value = undefined
    this.#holders.delete(key)
  }

  /** The values at this moment. */
  values(): V[] {
    return Array.from(this.#holders.values(), ({ value }) => value as V)
  }

  clear(): void {
    for (const key of [...this.#holders.keys()]) this.delete(key)
  }
}
