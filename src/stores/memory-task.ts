import { TaskRecord } from '../engine/record.ts'
import type { Claimed, Entry, Snapshot, TaskHead, View } from '../engine/store.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'
import { isTerminal } from '../protocol/task.ts'
import type { Hold } from './memory-data.ts'
import type { ScopeTasks } from './memory-scope.ts'
import { packLog, unpackLog } from './packed-log.ts'
import { fold, withHeads } from './replay.ts'

/** A longer log stays as it is: turning it into text and back would hold up others. */
const packedLength = 64

/**
 * A task in memory: its log, and the record that the log adds up to. The log of a task that has ended is kept as one
 * string, as hundreds of thousands of small objects cost more to keep than to make again.
 */
export class MemoryTask {
  readonly id: string
  readonly contextId: string
  readonly scope: ScopeTasks
  readonly metadata: string | undefined
  /** Rises with each new task. */
  readonly created: number
  /** Undefined while nobody writes to the task. */
  hold: Hold | undefined
  /** Whether its run has not begun. */
  waiting = false
  state: TaskState = 'TASK_STATE_SUBMITTED'
  time = 0
  seq = 0
  /** State and time under which the task is listed; undefined before the first listing. */
  listed:
    | { readonly id: string; readonly state: TaskState; readonly time: number; readonly task: MemoryTask }
    | undefined
  /** Whether the numbered events may still be read. */
  replayable = true
  #entries: Entry[] = []
  #record: TaskRecord | undefined
  #packed: string | undefined

  constructor(scope: ScopeTasks, task: { id: string; contextId: string; metadata?: string; created: number }) {
    this.scope = scope
    this.id = task.id
    this.contextId = task.contextId
    this.metadata = task.metadata
    this.created = task.created
  }

  get held(): boolean {
    return this.hold !== undefined
  }

  get ended(): boolean {
    return isTerminal(this.state)
  }

  head(): TaskHead {
    const { id, contextId, state, time, seq, held } = this
    return { id, contextId, state, time, seq, held }
  }

  /** Whether the state changed. */
  add(entries: readonly Entry[]): boolean {
    const record = this.#unpacked()
    let moved = false
    for (const entry of entries) {
      record.add(entry)
      this.#entries.push(entry)
      this.seq = entry.seq
      if (entry.kind !== 'status') continue
      this.state = entry.state
      this.time = entry.time
      moved = true
    }
    return moved
  }

  /** Keeps an ended task as text; it is made into objects again for whoever asks. */
  pack(): void {
    if (!this.ended || this.#packed !== undefined || this.#entries.length > packedLength) return
    this.#packed = packLog(this.#entries)
    this.#entries = []
    this.#record = undefined
  }

  #log(): readonly Entry[] {
    return this.#packed === undefined ? this.#entries : unpackLog(this.#packed)
  }

  #unpacked(): TaskRecord {
    if (this.#record !== undefined) return this.#record
    const record = new TaskRecord(this.id, this.contextId, this.metadata)
    for (const entry of this.#log()) record.add(entry)
    if (this.#packed === undefined) this.#record = record
    return record
  }

  text(view: View): string {
    return this.#unpacked().text(view)
  }

  read(view: View): Snapshot | undefined {
    const { at } = view
    if (at === undefined || at === this.seq) return { text: this.text(view), head: this.head() }
    if (!this.replayable || at < 1 || at > this.seq) return undefined
    return fold(this, this.#log().slice(0, at), { view, held: this.held })
  }

  artifacts(): Claimed['artifacts'] {
    return this.#unpacked().artifacts.map(({ head, closed }) => ({
      artifactId: (JSON.parse(head) as { artifactId: string }).artifactId,
      closed,
    }))
  }

  entries({ after, limit }: { readonly after: number; readonly limit: number }): readonly Entry[] | undefined {
    if (!this.replayable) return undefined
    const log = this.#log()
    return withHeads(log.slice(after, after + limit), (chunk) => {
      for (let index = chunk.seq - 2; index >= 0; index--) {
        const entry = log[index]!
        if (entry.kind === 'chunk' && entry.artifact === chunk.artifact && entry.head !== undefined) return entry.head
      }
      return undefined
    })
  }
}
