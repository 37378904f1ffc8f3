import { A2AError } from '../protocol/errors.ts'
import type { Artifact, Part } from '../protocol/generated/v1/types.ts'
import { joinParts } from '../protocol/task.ts'
import { validate } from '../protocol/validate.ts'
import type { AgentEvent, ArtifactEvent, Yielded } from './executor.ts'
import type { ArtifactState, Live } from './live.ts'
import type { ChunkEntry } from './store.ts'

/** What the protocol does not allow an agent to say; the text says what was wrong with it. */
export class IllegalYield extends Error {}

const kinds: ReadonlySet<unknown> = new Set(['status', 'artifact', 'message', 'leaveOpen'])

/** Tells events from parts. Anything else is an IllegalYield that says what may be yielded. */
export function readYield(
  value: Exclude<Yielded, string>,
): AgentEvent | { readonly kind: 'part'; readonly part: Part } {
  if (typeof value === 'object' && value !== null) {
    if ('kind' in value && kinds.has(value.kind)) return value as AgentEvent
    if (!('kind' in value)) return { kind: 'part', part: checked('Part', value) as Part }
  }
  throw new IllegalYield(
    `an executor yields a string, a part or an event such as working() or artifact(), not ${describe(value)}`,
  )
}

function describe(value: unknown): string {
  if (value === null || typeof value !== 'object') return String(value)
  const names = Object.keys(value).slice(0, 5).join(', ')
  return `an object with ${names === '' ? 'nothing in it' : names}`
}

function checked(type: 'Part' | 'Artifact', value: unknown): unknown {
  try {
    return validate(type, value)
  } catch (error) {
    throw new IllegalYield(A2AError.from(error).message)
  }
}

/** Parts of a status or message, checked. */
export function checkParts(parts: readonly Part[] | undefined): readonly Part[] | undefined {
  if (parts === undefined) return undefined
  if (!Array.isArray(parts) || parts.length === 0) throw new IllegalYield('a message needs at least one part')
  return parts.map((part) => checked('Part', part) as Part)
}

function isPlain(parts: readonly Part[]): boolean {
  const [part] = parts
  return parts.length === 1 && part?.text !== undefined && Object.keys(part).length === 1
}

/** The text of a chunk's content: the inside of one string where that is all, else the inside of the array. */
export function content(parts: readonly Part[]): Pick<ChunkEntry, 'plain' | 'parts'> {
  if (isPlain(parts)) return { plain: true, parts: JSON.stringify(parts[0]?.text).slice(1, -1) }
  return { plain: false, parts: JSON.stringify(parts).slice(1, -1) }
}

/** The next entry for an artifact, and what is known of the artifact from then on. */
export function chunkOf(live: Live, event: ArtifactEvent): ChunkEntry {
  const { artifactId, parts, ...rest } = checked('Artifact', event.artifact) as Artifact
  const known = live.artifacts.get(artifactId)
  const append = event.append === true && known !== undefined
  if (append && known.closed) {
    throw new IllegalYield(`artifact ${JSON.stringify(artifactId)} got more after its lastChunk`)
  }
  const state: ArtifactState = known ?? { index: live.artifacts.size, closed: false, head: undefined }
  live.artifacts.set(artifactId, state)
  const head = JSON.stringify({ artifactId, ...rest })
  const sameHead = append && state.head === head
  state.head = head
  state.closed = event.lastChunk === true
  return {
    kind: 'chunk',
    seq: live.seq + 1,
    artifact: state.index,
    ...(!sameHead && { head }),
    append,
    lastChunk: state.closed,
    ...content(parts.length > 1 ? joinParts([], parts) : parts),
    ...(event.metadata && { metadata: JSON.stringify(event.metadata) }),
  }
}

/** The next entry for an artifact that grows by plain text; what makes it is our own, so there is nothing to check. */
export function textChunk(
  live: Live,
  artifactId: string,
  { text, lastChunk }: { text: string; lastChunk: boolean },
): ChunkEntry {
  const known = live.artifacts.get(artifactId)
  const parts = JSON.stringify(text).slice(1, -1)
  const seq = live.seq + 1
  if (known !== undefined) {
    known.closed = lastChunk
    return { kind: 'chunk', seq, artifact: known.index, append: true, lastChunk, plain: true, parts }
  }
  const head = JSON.stringify({ artifactId })
  const artifact = live.artifacts.size
  live.artifacts.set(artifactId, { index: artifact, closed: lastChunk, head })
  return { kind: 'chunk', seq, artifact, head, append: false, lastChunk, plain: true, parts }
}

/** Text that arrives in pieces, put on the wire without ever splitting a character in two. */
export class TextPieces {
  #carry = ''

  /** The part of the text that can be sent now. */
  add(text: string): string {
    let whole = this.#carry + text
    this.#carry = ''
    const last = whole.charCodeAt(whole.length - 1)
    if (last >= 0xd800 && last <= 0xdbff) {
      this.#carry = whole.slice(-1)
      whole = whole.slice(0, -1)
    }
    return wellFormed(whole)
  }

  /** What is left when no more comes. */
  end(): string {
    const rest = this.#carry
    this.#carry = ''
    return wellFormed(rest)
  }
}

interface UnicodeString {
  isWellFormed(): boolean
  toWellFormed(): string
}

function wellFormed(text: string): string {
  const string = text as unknown as UnicodeString
  return string.isWellFormed() ? text : string.toWellFormed()
}
