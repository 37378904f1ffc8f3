/** A promise and the two functions that settle it. */
export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

/** A promise to be settled from outside. A rejection that nobody waits for is not reported. */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  promise.catch(() => {})
  return { promise, resolve, reject }
}

/** A value or an error to come, settled once. A promise is made only when somebody waits, as most of these nobody waits for. */
export class Outcome<T> {
  #settled: { readonly value: T } | { readonly reason: unknown } | undefined
  #waiting: Deferred<T> | undefined

  get settled(): boolean {
    return this.#settled !== undefined
  }

  resolve(value: T): void {
    if (this.#settled !== undefined) return
    this.#settled = { value }
    this.#waiting?.resolve(value)
  }

  reject(reason: unknown): void {
    if (this.#settled !== undefined) return
    this.#settled = { reason }
    this.#waiting?.reject(reason)
  }

  wait(): Promise<T> {
    const settled = this.#settled
    if (settled !== undefined)
      return 'value' in settled ? Promise.resolve(settled.value) : Promise.reject(settled.reason)
    this.#waiting ??= deferred()
    return this.#waiting.promise
  }
}
