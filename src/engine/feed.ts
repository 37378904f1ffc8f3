import type { StreamEvent } from '../protocol/endpoint.ts'
import type { A2AError } from '../protocol/errors.ts'
import type { StreamResponse } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import type { ChunkEntry, Entry, StatusEntry } from './store.ts'
import { frameText } from './text.ts'

/** One committed event, made into text when somebody reads it, once for all who do. */
export class Frame implements StreamEvent {
  readonly entry: StatusEntry | ChunkEntry
  readonly #ids: string
  readonly #head: string | undefined
  #text: string | undefined

  constructor(ids: string, entry: StatusEntry | ChunkEntry, head?: string) {
    this.#ids = ids
    this.entry = entry
    this.#head = head
  }

  get id(): number {
    return this.entry.seq
  }

  get text(): string {
    this.#text ??= frameText(this.#ids, this.entry, this.#head) as string
    return this.#text
  }

  get value(): StreamResponse {
    return JSON.parse(this.text) as StreamResponse
  }

  get last(): boolean {
    return this.entry.kind === 'status' && isTerminal(this.entry.state)
  }
}

/** Turns entries into frames, remembering the artifact heads that later chunks rely on. */
export function createFramer(ids: string): (entries: readonly Entry[]) => Frame[] {
  const heads: (string | undefined)[] = []
  return (entries) => {
    const frames: Frame[] = []
    for (const entry of entries) {
      if (entry.kind === 'message') continue
      if (entry.kind === 'chunk' && entry.head !== undefined) heads[entry.artifact] = entry.head
      frames.push(entry.kind === 'chunk' ? new Frame(ids, entry, heads[entry.artifact]) : new Frame(ids, entry))
    }
    return frames
  }
}

/** A reader that waits for what comes next. */
export interface Waiter {
  wake(): void
}

/** Frames that are kept for readers; whoever is further behind reads the store. */
const tailLength = 1024

/**
 * The committed frames of one task, for any number of readers. A reader costs its position and, while it waits, one
 * callback; it never slows the writer or another reader.
 */
export class Feed {
  readonly taskId: string
  readonly ids: string
  /** Number of the last entry that readers may see. */
  committed = 0
  /** Set while no run works on the task and none will start by itself; then the number of the last frame. */
  idleAt: number | undefined
  /** Set when frames will never come again: after the terminal one, or when the process stops. */
  closed = false
  failure: A2AError | undefined
  /** Readers that hold this feed. */
  readers = 0
  /** Counts what happened here, so that a reader notices what came while it looked. */
  changes = 0
  #frames: Frame[] = []
  #dropped = 0
  #waiting = new Set<Waiter>()

  constructor(taskId: string, ids: string) {
    this.taskId = taskId
    this.ids = ids
  }

  publish(frames: readonly Frame[], committed: number): void {
    this.committed = committed
    if (frames.length > 0) {
      this.#frames.push(...frames)
      if (frames.at(-1)?.last) this.closed = true
      if (this.#frames.length > 2 * tailLength) {
        const excess = this.#frames.length - tailLength
        this.#frames = this.#frames.slice(excess)
        this.#dropped += excess
      }
    }
    this.wake()
  }

  /** Entries up to `committed` were written elsewhere; readers get them from the store. */
  skip(committed: number): void {
    // One more than was dropped, so that a reader who had seen everything here does not believe it still has.
    this.#dropped += this.#frames.length + 1
    this.#frames = []
    this.committed = committed
    this.wake()
  }

  close(): void {
    this.closed = true
    this.wake()
  }

  /** Ends every reader with an error: what was to come could not be stored. */
  fail(error: A2AError): void {
    this.failure = error
    this.close()
  }

  wake(): void {
    this.changes += 1
    if (this.#waiting.size === 0) return
    const waiting = this.#waiting
    this.#waiting = new Set()
    for (const reader of waiting) reader.wake()
  }

  /** Wakes a reader at the next change. */
  await(reader: Waiter): void {
    this.#waiting.add(reader)
  }

  /** Forgets a reader that waits no longer. */
  leave(reader: Waiter): void {
    this.#waiting.delete(reader)
  }

  /** Where a reader that has seen entry `seq` stands; undefined when frames after it are no longer kept here. */
  position(seq: number): number | undefined {
    const first = this.#frames[0]
    if (first === undefined) return this.committed <= seq ? this.#dropped : undefined
    let low = 0
    let high = this.#frames.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#frames[middle] as Frame).id <= seq) low = middle + 1
      else high = middle
    }
    // Entries without frames may lie between `seq` and the first kept frame, so only a kept frame proves there is no gap.
    if (low === 0 && (this.#dropped > 0 || first.id > seq + 1) && seq < this.committed) return undefined
    return this.#dropped + low
  }

  /** At most `limit` frames from a position; undefined when they are no longer kept here. */
  take(position: number, limit: number): readonly Frame[] | undefined {
    const start = position - this.#dropped
    if (start < 0) return undefined
    return this.#frames.slice(start, start + limit)
  }
}
