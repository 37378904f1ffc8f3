import { TaskRecord } from '../engine/record.ts'
import type { ChunkEntry, Entry, Snapshot, View } from '../engine/store.ts'
import { A2AError } from '../protocol/errors.ts'

/** What a task needs besides its entries to be told as text. */
export interface TaskIds {
  readonly id: string
  readonly contextId: string
  readonly metadata?: string | undefined
}

/** The task as it stood after the last of these entries, which start with the first of its log. */
export function fold(ids: TaskIds, entries: Iterable<Entry>, options: { view: View; held: boolean }): Snapshot {
  const record = new TaskRecord(ids.id, ids.contextId, ids.metadata)
  for (const entry of entries) record.add(entry)
  return { text: record.text(options.view), head: record.head(options.held) }
}

/** Gives the first chunk of each artifact in a stretch of a log the head that holds for it. */
export function withHeads(
  entries: readonly Entry[],
  headBefore: (chunk: ChunkEntry) => string | undefined,
): readonly Entry[] {
  const met = new Set<number>()
  let answer: Entry[] | undefined
  entries.forEach((entry, index) => {
    if (entry.kind !== 'chunk' || met.has(entry.artifact)) return
    met.add(entry.artifact)
    if (entry.head !== undefined) return
    const head = headBefore(entry)
    if (head === undefined) return
    answer ??= [...entries]
    answer[index] = { ...entry, head }
  })
  return answer ?? entries
}

/** Refuses entries that do not follow entry `last`: a gap means that an earlier append was not written. */
export function checkNumbers(entries: readonly Entry[], last: number): void {
  let seq = last
  for (const entry of entries) {
    if (entry.seq !== ++seq) {
      throw new A2AError('Unavailable', `Entry ${entry.seq} cannot be written: the next entry of this task is ${seq}`)
    }
  }
}
