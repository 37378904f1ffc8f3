import type { JsonObject } from '../../src/lib/json.ts'
import type { Artifact, Part } from '../../src/protocol/generated/v1/types.ts'
import samples from './parts.json' with { type: 'json' }

/** A part in the form of the matrix: `text`, `bytes` in base64, `url` or `data`, with `mediaType` and `name`. */
export type NeutralPart = JsonObject

/** The sample parts, by the word that asks for them. */
export function sampleParts(word: 'parts' | 'value'): NeutralPart[] {
  return (samples as Record<string, NeutralPart[]>)[word] ?? []
}

/** A part as 1.0 ProtoJSON has it. */
export function toPart({ bytes, name, ...rest }: NeutralPart): Part {
  return { ...rest, ...(bytes !== undefined && { raw: bytes }), ...(name !== undefined && { filename: name }) } as Part
}

/** A part of 1.0 ProtoJSON in the form of the matrix. */
export function fromPart({ raw, filename, metadata: _, ...rest }: Part): NeutralPart {
  const neutral = {
    ...rest,
    ...(raw !== undefined && { bytes: raw }),
    ...(filename !== undefined && { name: filename }),
  }
  return neutral as NeutralPart
}

/** The text of parts, joined. */
export function textOf(parts: readonly Part[] | undefined): string {
  return (parts ?? []).map((part) => part.text ?? '').join('')
}

/** The text of all artifacts, joined. */
export function artifactText(artifacts: readonly Artifact[] | undefined): string {
  return (artifacts ?? []).map(({ parts }) => textOf(parts)).join('')
}

/** `TASK_STATE_INPUT_REQUIRED` as `input-required`. */
export function stateWord(state: string): string {
  return state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')
}
