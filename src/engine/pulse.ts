import type { Store } from './store.ts'

/** Waits for what another process does to a task: until the store hints at something, or for a while that grows. */
export class Pulse {
  readonly #stop: () => void
  readonly #longest: number
  #hinted = false
  #wake: (() => void) | undefined
  #wait: number

  constructor(store: Store, id: string, { shortest, longest }: { shortest: number; longest: number }) {
    this.#wait = shortest
    this.#longest = longest
    this.#stop = store.watch(id, () => {
      this.#hinted = true
      this.#wake?.()
    })
  }

  async next(): Promise<void> {
    if (!this.#hinted) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#wait)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = undefined
      if (!this.#hinted) this.#wait = Math.min(this.#wait * 2, this.#longest)
    }
    this.#hinted = false
  }

  stop(): void {
    this.#stop()
    this.#wake?.()
  }
}
