import type { StreamEvent } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { createFramer, type Feed, type Frame } from './feed.ts'
import type { Scope, Store } from './store.ts'

/** Frames that a reader is given at once. */
const batchLength = 256

export interface FollowOptions {
  readonly store: Store
  readonly scope: Scope
  /** The reader has seen everything up to this entry. */
  readonly after: number
  /** Given first. */
  readonly first?: StreamEvent
  /** Whether the stream ends after this frame, though the task may go on. */
  readonly endsAt?: (frame: Frame) => boolean
  /** Whether the stream ends once no run works on the task and all has been read. */
  readonly endsWhenIdle?: () => boolean
  /** Whose signal ends the stream; it is asked for once the reader has to wait. */
  readonly caller?: { readonly signal?: AbortSignal }
  /** Those that read now, where anybody wants to know. */
  readonly readers?: Set<Reader> | undefined
  /** Called once, when the reader is through or has left. */
  readonly onEnd: () => void
}

/** Somebody who reads a task. */
export interface Reader {
  /** How many entries it is behind. */
  readonly behind: number
}

/**
 * Reads a task's frames from one entry on, in order, each once: from the feed's tail where it reaches, else from the store.
 * The reader holds nothing but its place.
 */
export function follow(feed: Feed, options: FollowOptions): AsyncIterableIterator<readonly StreamEvent[]> {
  return new Follower(feed, options)
}

class Follower implements AsyncIterableIterator<readonly StreamEvent[]>, Reader {
  readonly #feed: Feed
  /** Without the first frame, which would be kept as long as the stream. */
  readonly #options: Omit<FollowOptions, 'first' | 'after'>
  #onAbort: (() => void) | undefined
  #seen: number
  #position: number | undefined
  #first: StreamEvent | undefined
  #framer: ReturnType<typeof createFramer> | undefined
  #over = false
  #ended = false
  #signal: AbortSignal | undefined
  #wake: (() => void) | undefined

  constructor(feed: Feed, options: FollowOptions) {
    this.#feed = feed
    const { after, first, ...rest } = options
    this.#options = rest
    this.#seen = after
    this.#first = first
    this.#position = feed.position(after)
    options.readers?.add(this)
  }

  get behind(): number {
    return Math.max(0, this.#feed.committed - this.#seen)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<readonly StreamEvent[]>> {
    if (this.#first !== undefined && !this.#over) {
      const value = [this.#first]
      this.#first = undefined
      return { value, done: false }
    }
    while (!this.#over && !this.#ended) {
      const { changes } = this.#feed
      const value = await this.#read()
      if (this.#over) break
      if (value.length > 0) return { value: this.#upToEnd(value), done: false }
      if (this.#feed.changes !== changes) continue
      if (this.#feed.closed || this.#idle()) break
      this.#watchCaller()
      if (!this.#over) await this.#change()
    }
    const failure = this.#over || this.#ended ? undefined : this.#feed.failure
    this.#finish()
    if (failure !== undefined) throw failure
    return { value: undefined, done: true }
  }

  async return(): Promise<IteratorResult<readonly StreamEvent[]>> {
    this.#finish()
    return { value: undefined, done: true }
  }

  async #read(): Promise<readonly Frame[]> {
    for (;;) {
      this.#position ??= this.#feed.position(this.#seen)
      const kept = this.#position === undefined ? undefined : this.#feed.take(this.#position, batchLength)
      if (kept === undefined) break
      this.#framer = undefined
      this.#position = (this.#position as number) + kept.length
      const fresh = this.#unseen(kept)
      if (fresh.length > 0 || kept.length === 0) return fresh
    }
    this.#position = undefined
    return this.#readStore()
  }

  async #readStore(): Promise<readonly Frame[]> {
    const { store, scope } = this.#options
    const range = { after: this.#seen, limit: batchLength }
    const entries = await store.entries(scope, this.#feed.taskId, range)
    if (entries === undefined) {
      this.#finish()
      throw new A2AError('Unavailable', 'Events that this stream has not sent yet are no longer kept; subscribe again')
    }
    this.#framer ??= createFramer(this.#feed.ids)
    this.#seen = entries.at(-1)?.seq ?? this.#seen
    return this.#framer(entries)
  }

  /** The store shows an entry a moment before the feed does, so a frame may come that was already read there. */
  #unseen(frames: readonly Frame[]): readonly Frame[] {
    const [first] = frames
    if (first === undefined || first.id > this.#seen) return frames
    return frames.filter((frame) => frame.id > this.#seen)
  }

  #upToEnd(frames: readonly Frame[]): readonly StreamEvent[] {
    const endsAt = this.#options.endsAt
    const end = frames.findIndex((frame) => frame.last || endsAt?.(frame))
    this.#seen = Math.max(this.#seen, (frames.at(-1) as Frame).id)
    if (end < 0) return frames
    this.#ended = true
    return frames.slice(0, end + 1)
  }

  #idle(): boolean {
    const { idleAt } = this.#feed
    return idleAt !== undefined && this.#seen >= idleAt && (this.#options.endsWhenIdle?.() ?? false)
  }

  #watchCaller(): void {
    if (this.#signal !== undefined) return
    this.#signal = this.#options.caller?.signal
    if (this.#signal?.aborted) this.#finish()
    else if (this.#signal !== undefined) {
      this.#onAbort = () => this.#finish()
      this.#signal.addEventListener('abort', this.#onAbort, { once: true })
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
      this.#feed.await(this)
    })
  }

  /** Called by the feed at its next change. */
  wake(): void {
    this.#wake?.()
    this.#wake = undefined
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#first = undefined
    if (this.#onAbort !== undefined) this.#signal?.removeEventListener('abort', this.#onAbort)
    if (this.#wake !== undefined) {
      this.#feed.leave(this)
      this.wake()
    }
    this.#options.readers?.delete(this)
    this.#options.onEnd()
  }
}
