import type { ChunkEntry, Entry, StatusEntry } from '../engine/store.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'

// JSON text holds no raw line break, so one can stand between the texts of a log without any of them being looked at.
const separator = '\n'
const appended = 1
const last = 2
const plain = 4

/** A log as one string: the texts as they are, with a line of numbers before those of each entry. */
export function packLog(entries: readonly Entry[]): string {
  const lines: string[] = []
  for (const entry of entries) {
    if (entry.kind === 'message') lines.push(`m ${entry.seq}`, entry.text)
    else if (entry.kind === 'status') {
      lines.push(`s ${entry.seq} ${entry.time} ${entry.state}`, entry.message ?? '', entry.metadata ?? '')
    } else {
      const flags = (entry.append ? appended : 0) | (entry.lastChunk ? last : 0) | (entry.plain ? plain : 0)
      lines.push(`c ${entry.seq} ${entry.artifact} ${flags}`, entry.head ?? '', entry.metadata ?? '', entry.parts)
    }
  }
  return lines.join(separator)
}

/** The log that was packed. */
export function unpackLog(packed: string): Entry[] {
  const lines = packed === '' ? [] : packed.split(separator)
  const entries: Entry[] = []
  for (let at = 0; at < lines.length; ) {
    const [kind, seq, second, third] = (lines[at] as string).split(' ') as [string, string, string, string]
    const [, text = '', more = '', parts = ''] = lines.slice(at, at + 4)
    if (kind === 'm') {
      entries.push({ kind: 'message', seq: Number(seq), text })
      at += 2
    } else if (kind === 's') {
      const entry: StatusEntry = { kind: 'status', seq: Number(seq), state: third as TaskState, time: Number(second) }
      entries.push({ ...entry, ...(text !== '' && { message: text }), ...(more !== '' && { metadata: more }) })
      at += 3
    } else {
      entries.push({
        ...chunkOf(Number(seq), Number(second), Number(third)),
        ...(text !== '' && { head: text }),
        ...(more !== '' && { metadata: more }),
        parts,
      })
      at += 4
    }
  }
  return entries
}

function chunkOf(seq: number, artifact: number, flags: number): Omit<ChunkEntry, 'parts'> {
  return {
    kind: 'chunk',
    seq,
    artifact,
    append: (flags & appended) !== 0,
    lastChunk: (flags & last) !== 0,
    plain: (flags & plain) !== 0,
  }
}
