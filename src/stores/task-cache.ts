import { TaskRecord } from '../engine/record.ts'
import type { Entry, NewTask } from '../engine/store.ts'
import { endOfTurn } from '../lib/turn.ts'

/** A task whose text is at hand. */
export interface CachedTask {
  readonly record: TaskRecord
  /** The scope's `scopeKey`. */
  readonly scope: string
  /** The hold of this process through which the task changes; undefined once released. */
  hold: number | undefined
  /** When it was released, by `performance.now()`. */
  releasedAt: number
  /** Rough size in memory. */
  bytes: number
}

const bytesPerTask = 1_000

/**
 * Tasks that this process works on or has just worked on, bounded by their size.
 * Two generations: what is used moves to the young one; when that has taken half of the room, the old one is forgotten and the young one grows old.
 */
export class TaskCache {
  readonly #room: number
  #young = new Map<string, CachedTask>()
  #old = new Map<string, CachedTask>()
  /** Size of the young generation. */
  #bytes = 0
  readonly #unpacked: CachedTask[] = []

  constructor(limit: number) {
    this.#room = limit / 2
  }

  get(scope: string, id: string): CachedTask | undefined {
    const young = this.#young.get(id)
    if (young !== undefined) return young.scope === scope ? young : undefined
    const old = this.#old.get(id)
    if (old?.scope !== scope) return undefined
    this.#young.set(id, old)
    this.#grow(old.bytes)
    return old
  }

  /** Takes up a task whose first entries are committed. */
  begin(scope: string, task: NewTask, hold: number): void {
    if (this.#room === 0) return
    const record = new TaskRecord(task.id, task.contextId, task.metadata)
    this.#young.set(task.id, { record, scope, hold, releasedAt: 0, bytes: bytesPerTask })
    this.#grow(bytesPerTask)
  }

  /** Adds entries that are committed. */
  add(task: CachedTask, entries: readonly Entry[]): void {
    let bytes = 0
    for (const entry of entries) {
      task.record.add(entry)
      // The entry, and its share of the task's text.
      bytes += 100 + 2 * lengthOf(entry)
    }
    task.bytes += bytes
    this.#grow(bytes)
  }

  delete(scope: string, id: string): void {
    for (const tasks of [this.#young, this.#old]) if (tasks.get(id)?.scope === scope) tasks.delete(id)
  }

  /** Notes that a task has ended; it is packed once this turn's readers have had it. */
  ended(task: CachedTask): void {
    if (this.#unpacked.length === 0) endOfTurn(() => this.#pack())
    this.#unpacked.push(task)
  }

  #pack(): void {
    for (const { record, hold } of this.#unpacked.splice(0)) if (hold === undefined) record.pack()
  }

  /** Lets go of the tasks that nobody here works on. */
  forgetReleased(): void {
    for (const tasks of [this.#young, this.#old]) {
      for (const [id, { hold }] of tasks) if (hold === undefined) tasks.delete(id)
    }
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#bytes = 0
  }

  #grow(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes <= this.#room) return
    this.#bytes = 0
    if (this.#young.size === 0) return
    this.#old = this.#young
    this.#young = new Map()
  }
}

function lengthOf(entry: Entry): number {
  if (entry.kind === 'message') return entry.text.length
  if (entry.kind === 'status') return entry.message?.length ?? 0
  return entry.parts.length + (entry.head?.length ?? 0)
}
