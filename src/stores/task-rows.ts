import type { ChunkEntry, Entry, Snapshot, TaskHead } from '../engine/store.ts'
import { ArtifactContent, statusText, taskText } from '../engine/text.ts'
import { stateName } from './states.ts'

/** A task's rows are numbered `key * entriesPerTask + seq`. */
export const entriesPerTask: number = 2 ** 22

/** The holder of a task that its last one handed over: no process has this number. */
export const handedOver = 0

/** Spans for which tasks are counted by the time of their status, widest first; milliseconds. The first holds all times. */
export const counterSpans: readonly number[] = [Number.POSITIVE_INFINITY, 86_400_000, 3_600_000, 60_000]

/** Bits of a chunk row. */
export const chunkFlags = { append: 1, lastChunk: 2, plain: 4 } as const

/** A row of `task`. */
export interface TaskRow {
  readonly key: number
  readonly id: string
  readonly context: string
  readonly state: number
  readonly time: number
  readonly seq: number
  readonly status: number
  readonly holder: number | null
  readonly dropped: number
  readonly metadata: string | null
}

/** The columns of a `TaskRow`. */
export const taskColumns = 'key, id, context, state, time, seq, status, holder, dropped, metadata'

/** A row of `message`. */
export interface MessageRow {
  readonly id: number
  readonly text: string
}

/** A row of `chunk`: one chunk, or several that say no more than their text. */
export interface ChunkRow {
  readonly id: number
  readonly artifact: number
  readonly flags: number
  readonly head: string | null
  readonly metadata: string | null
  readonly parts: string
}

export const chunkColumns = 'id, artifact, flags, head, metadata, parts'

/** The head of a stored task; throws when its row makes no sense. */
export function headOf(row: TaskRow): TaskHead {
  const state = stateName(row.state)
  if (state === undefined) throw new Error(`unknown state ${row.state}`)
  if (typeof row.id !== 'string' || typeof row.context !== 'string') throw new Error('ids are missing')
  if (typeof row.time !== 'number' || typeof row.seq !== 'number') throw new Error('numbers are missing')
  return { id: row.id, contextId: row.context, state, time: row.time, seq: row.seq, held: row.holder !== null }
}

function checkObject(text: unknown): string {
  if (typeof text === 'string' && text.startsWith('{') && text.endsWith('}')) return text
  throw new Error('a message, an artifact or metadata is not a JSON object')
}

/**
 * Puts a task together from its rows. Messages come in order, and may hold one more than `historyLength` asks for;
 * throws when a row makes no sense.
 */
export function snapshotOf(
  row: TaskRow,
  messages: readonly MessageRow[],
  { chunks, historyLength }: { readonly chunks: readonly ChunkRow[]; readonly historyLength: number | undefined },
): Snapshot {
  const head = headOf(row)
  const statusId = row.key * entriesPerTask + row.status
  const history: string[] = []
  let message: string | undefined
  for (const { id, text } of messages) {
    if (id === statusId && row.status > 0) message = checkObject(text)
    else history.push(checkObject(text))
  }
  const { state, time } = head
  const status = statusText({ state, time, ...(message !== undefined && { message }) })
  const text = taskText({
    id: head.id,
    contextId: head.contextId,
    status: row.status === 0 ? `{"state":"${state}"}` : status,
    history: historyLength === undefined ? history : history.slice(Math.max(0, history.length - historyLength)),
    artifacts: contents(chunks).map((content) => {
      checkObject(content.head)
      return content.text
    }),
    metadata: row.metadata === null ? undefined : checkObject(row.metadata),
  })
  return { text, head }
}

/** The artifacts that chunk rows make, by position; throws when a row makes no sense. */
export function contents(rows: readonly ChunkRow[]): ArtifactContent[] {
  const artifacts: ArtifactContent[] = []
  for (const row of rows) {
    if (artifacts[row.artifact] === undefined) {
      if (row.artifact !== artifacts.length) throw new Error(`artifact ${row.artifact} comes before its turn`)
      if (row.head === null) throw new Error(`artifact ${row.artifact} has no head`)
      artifacts.push(new ArtifactContent())
    }
    const plain = (row.flags & chunkFlags.plain) !== 0
    const [joined] = chunksOf(plain ? { ...row, parts: row.parts.replaceAll('\n', '') } : row)
    artifacts[row.artifact]!.add(joined!)
  }
  return artifacts
}

/** The entries that a chunk row stands for. */
export function chunksOf(row: ChunkRow): ChunkEntry[] {
  const { artifact, flags, head, metadata } = row
  const plain = (flags & chunkFlags.plain) !== 0
  const pieces = plain ? row.parts.split('\n') : [row.parts]
  const seq = row.id % entriesPerTask
  return pieces.map((parts, index) => ({
    kind: 'chunk',
    seq: seq + index,
    artifact,
    ...(index === 0 && head !== null && { head }),
    append: index > 0 || (flags & chunkFlags.append) !== 0,
    lastChunk: index === pieces.length - 1 && (flags & chunkFlags.lastChunk) !== 0,
    plain,
    parts,
    ...(index === 0 && metadata !== null && { metadata }),
  }))
}

/** What one row holds of the chunks from an index on: as many as may share it. `last` is the index of the last of them. */
export function chunkRow(
  entries: readonly Entry[],
  from: number,
): { readonly last: number; readonly flags: number; readonly parts: string } {
  const first = entries[from] as ChunkEntry
  let index = from
  let last = first
  let { parts } = first
  while (first.plain && index - from < 127 && parts.length < 16_384) {
    const next = entries[index + 1]
    if (next === undefined || !continues(last, next)) break
    last = next
    parts += `\n${next.parts}`
    index++
  }
  const flags =
    (first.append ? chunkFlags.append : 0) |
    (last.lastChunk ? chunkFlags.lastChunk : 0) |
    (first.plain ? chunkFlags.plain : 0)
  return { last: index, flags, parts }
}

/** Whether a chunk says no more than its text, so that it can share the row of the one before. A JSON string holds no raw line break: it separates them. */
function continues(before: ChunkEntry, entry: Entry): entry is ChunkEntry {
  return (
    entry.kind === 'chunk' &&
    entry.plain &&
    entry.append &&
    entry.head === undefined &&
    entry.metadata === undefined &&
    entry.artifact === before.artifact &&
    !before.lastChunk
  )
}
