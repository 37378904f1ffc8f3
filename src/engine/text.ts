import type { JsonObject } from '../lib/json.ts'
import type { Part } from '../protocol/generated/v1/types.ts'
import { isPlainText } from '../protocol/task.ts'
import type { ChunkEntry, Entry, StatusEntry } from './store.ts'

let lastTime = -1
let lastTimeText = ''

/** A time in milliseconds as the protocol writes it, `YYYY-MM-DDTHH:mm:ss.sssZ` (§5.6.1). */
export function timestamp(time: number): string {
  if (time !== lastTime) {
    lastTime = time
    lastTimeText = new Date(time).toISOString()
  }
  return lastTimeText
}

/** JSON text of a `TaskStatus`. */
export function statusText(entry: Pick<StatusEntry, 'state' | 'time' | 'message'>): string {
  const message = entry.message === undefined ? '' : `,"message":${entry.message}`
  return `{"state":"${entry.state}"${message},"timestamp":"${timestamp(entry.time)}"}`
}

/** `{"artifactId":"a"}` and parts → the text of the whole `Artifact`. */
export function artifactText(head: string, parts: string): string {
  return `${head.slice(0, -1)},"parts":[${parts}]}`
}

/** The ids that every frame of a task carries, as text that ends in a comma. */
export function frameIds(taskId: string, contextId: string): string {
  return `"taskId":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},`
}

let lastIds = ''
let lastHead = ''
let lastOpening = ''

/** What the frames of an artifact's chunks begin with. One chunk mostly follows another of the same artifact. */
function chunkOpening(ids: string, head: string): string {
  if (ids !== lastIds || head !== lastHead) {
    lastIds = ids
    lastHead = head
    lastOpening = `{"artifactUpdate":{${ids}"artifact":${head.slice(0, -1)},"parts":[`
  }
  return lastOpening
}

/**
 * JSON text of the `StreamResponse` for an entry; undefined for an entry without a frame.
 * `head` is the artifact head that holds for a chunk that brings none.
 */
export function frameText(ids: string, entry: Entry, head?: string): string | undefined {
  if (entry.kind === 'message') return undefined
  if (entry.kind === 'status') {
    return `{"statusUpdate":{${ids}"status":${statusText(entry)}${metadataText(entry.metadata)}}}`
  }
  const own = entry.head ?? head
  if (own === undefined) throw new TypeError('a chunk without a head needs the head of the chunk before it')
  const closing = chunkClosings[(entry.append ? 2 : 0) + (entry.lastChunk ? 1 : 0)] as string
  const opening = chunkOpening(ids, own)
  const end = entry.metadata === undefined ? closing : `${closing.slice(0, -2)},"metadata":${entry.metadata}}}`
  return entry.plain ? `${opening}{"text":"${entry.parts}"}${end}` : opening + entry.parts + end
}

const chunkClosings = [']}}}', ']},"lastChunk":true}}', ']},"append":true}}', ']},"append":true,"lastChunk":true}}']

function metadataText(metadata: string | undefined): string {
  return metadata === undefined ? '' : `,"metadata":${metadata}`
}

/** Joins what a later chunk says of its artifact to what was known: members replace members, `metadata` merges by key, `extensions` unite. */
export function mergeHeads(known: string, given: string): string {
  if (known === given) return known
  const before = JSON.parse(known) as JsonObject
  const after = JSON.parse(given) as JsonObject
  const merged: Record<string, unknown> = { ...before, ...after }
  if (before.metadata !== undefined || after.metadata !== undefined) {
    merged.metadata = { ...(before.metadata as JsonObject), ...(after.metadata as JsonObject) }
  }
  if (before.extensions !== undefined || after.extensions !== undefined) {
    const lists = [before.extensions, after.extensions] as (readonly string[] | undefined)[]
    merged.extensions = [...new Set(lists.flatMap((list) => list ?? []))]
  }
  return JSON.stringify(merged)
}

/** What `taskText` puts together; every member is JSON text. */
export interface TaskPieces {
  readonly id: string
  readonly contextId: string
  readonly status: string
  readonly history: readonly string[]
  readonly artifacts: readonly string[]
  readonly metadata?: string | undefined
}

/** JSON text of a `Task`; empty lists are left out (PJ-13). */
export function taskText(pieces: TaskPieces): string {
  const artifacts = pieces.artifacts.length === 0 ? '' : `,"artifacts":[${pieces.artifacts.join(',')}]`
  const history = pieces.history.length === 0 ? '' : `,"history":[${pieces.history.join(',')}]`
  const metadata = pieces.metadata === undefined ? '' : `,"metadata":${pieces.metadata}`
  return `{"id":${JSON.stringify(pieces.id)},"contextId":${JSON.stringify(pieces.contextId)},"status":${pieces.status}${artifacts}${history}${metadata}}`
}

/**
 * Collects the chunks of one artifact into its content: adjacent text of one media type becomes one part.
 * Cost is constant per chunk, as strings are joined without being copied.
 */
export class ArtifactContent {
  head: string = '{}'
  closed: boolean = false
  #given = '{}'
  #done = ''
  /** The text part at the end, which may still grow: the inside of its string, and the members after it. */
  #open: string | undefined
  #openRest = ''

  add(entry: ChunkEntry): void {
    if (entry.head !== undefined) this.#given = entry.head
    if (!entry.append) {
      this.#done = ''
      this.#open = undefined
      this.head = this.#given
    } else if (entry.head !== undefined) {
      this.head = this.head === '{}' ? entry.head : mergeHeads(this.head, entry.head)
    }
    this.closed = entry.lastChunk
    if (entry.plain) this.#addText(entry.parts, '')
    else if (!entry.parts.includes('"text":')) this.#addParts(entry.parts)
    else for (const part of JSON.parse(`[${entry.parts}]`) as Part[]) this.#addPart(part)
  }

  get text(): string {
    return artifactText(this.head, this.#parts())
  }

  #addPart(part: Part): void {
    if (!isPlainText(part)) this.#addParts(JSON.stringify(part))
    else {
      const rest = part.mediaType === undefined ? '' : `,"mediaType":${JSON.stringify(part.mediaType)}`
      this.#addText(JSON.stringify(part.text).slice(1, -1), rest)
    }
  }

  #addText(text: string, rest: string): void {
    if (this.#open !== undefined && this.#openRest === rest) this.#open += text
    else {
      this.#done = this.#parts()
      this.#open = text
      this.#openRest = rest
    }
  }

  #addParts(parts: string): void {
    const done = this.#parts()
    this.#done = done === '' ? parts : `${done},${parts}`
    this.#open = undefined
  }

  #parts(): string {
    if (this.#open === undefined) return this.#done
    const open = `{"text":"${this.#open}"${this.#openRest}}`
    return this.#done === '' ? open : `${this.#done},${open}`
  }
}
