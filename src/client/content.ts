import type { JsonValue } from '../lib/json.ts'
import type { Artifact, Message, Part, Task } from '../protocol/generated/v1/types.ts'
import { isInterrupted } from '../protocol/task.ts'

/** A file of an answer: by its bytes, or by the address where it can be fetched. */
export interface ResultFile {
  readonly filename?: string
  readonly mediaType?: string
  /** Where the file is; check an address that you do not know before you fetch it. */
  readonly url?: string
  /** Standard base64. */
  readonly raw?: string
  /** The bytes of `raw`; undefined for a file that has only an address. */
  bytes(): Uint8Array | undefined
}

/** What an answer says. */
export interface Content {
  readonly text: string
  readonly statusText: string
  readonly data: readonly JsonValue[]
  readonly files: readonly ResultFile[]
}

function textOf(parts: readonly Part[] | undefined): string {
  return (parts ?? []).map(({ text }) => text ?? '').join('')
}

function isEmptyData({ data }: Part): boolean {
  return typeof data === 'object' && data !== null && !Array.isArray(data) && Object.keys(data).length === 0
}

/** Whether an artifact only shows what another one will say in full, as agents built on ADK mark it; or says nothing. */
function isPassing({ metadata, parts }: Artifact, alone: boolean): boolean {
  return metadata?.adk_partial === true || parts.length === 0 || (!alone && parts.every(isEmptyData))
}

/** Pieces joined by a line end, each once. */
function lines(pieces: readonly string[]): string {
  return [...new Set(pieces.map((piece) => piece).filter((piece) => piece.trim() !== ''))].join('\n')
}

function toFile({ filename, mediaType, url, raw }: Part): ResultFile {
  return {
    ...(filename !== undefined && { filename }),
    ...(mediaType !== undefined && { mediaType }),
    ...(url !== undefined && { url }),
    ...(raw !== undefined && { raw }),
    bytes: () => (raw === undefined ? undefined : Uint8Array.from(atob(raw), (char) => char.charCodeAt(0))),
  }
}

/**
 * What a task or a message says: its artifacts first; where these hold none of a kind, the status message; then the last
 * message of the agent. A text is never given twice. When the task did not complete, the status message, which then says
 * why or asks for something, follows the artifacts' text.
 */
export function contentOf({ task, message }: { task?: Task | undefined; message?: Message | undefined }): Content {
  const all = task?.artifacts ?? []
  const artifacts = all.filter((artifact) => !isPassing(artifact, all.length === 1))
  const status = task?.status.message
  const last = message ?? task?.history?.findLast(({ role }) => role === 'ROLE_AGENT')
  const sources = [artifacts.flatMap(({ parts }) => parts), status?.parts ?? [], last?.parts ?? []]
  const pick = <T>(read: (part: Part) => readonly T[]): readonly T[] => {
    for (const parts of sources) {
      const found = parts.flatMap(read)
      if (found.length > 0) return found
    }
    return []
  }
  const statusText = textOf(status?.parts)
  const artifactText = lines(artifacts.map(({ parts }) => textOf(parts)))
  return {
    text: combine(artifactText, { statusText, lastText: textOf(last?.parts), task }),
    statusText,
    data: pick((part) => (part.data === undefined ? [] : [part.data])),
    files: pick((part) => (part.raw === undefined && part.url === undefined ? [] : [toFile(part)])),
  }
}

function combine(
  artifactText: string,
  { statusText, lastText, task }: { statusText: string; lastText: string; task: Task | undefined },
): string {
  if (artifactText === '') return statusText || lastText
  const state = task?.status.state
  const telling = state !== undefined && state !== 'TASK_STATE_COMPLETED' && state !== 'TASK_STATE_WORKING'
  const prompt = statusText || (state !== undefined && isInterrupted(state) ? lastText : '')
  if (!telling || prompt.trim() === '' || artifactText.endsWith(prompt)) return artifactText
  return `${artifactText}\n${prompt}`
}
