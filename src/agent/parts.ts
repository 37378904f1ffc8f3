import type { FilePart, TextPart } from 'ai'
import { parseMediaType } from '../lib/media-type.ts'
import type { Part } from '../protocol/generated/v1/types.ts'

/** One piece of a user message as a model takes it. */
export type Content = TextPart | FilePart

/** What a model takes besides text. */
export interface ModelModes {
  readonly image: boolean
  readonly pdf: boolean
  /** Whether the provider itself fetches a file of this type from this address. */
  fetches(mediaType: string, url: string): boolean
}

/** A part for the model, or the reason why it cannot have it. */
export type Converted = { readonly content: Content } | { readonly refused: string }

const textTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|sql|x-ndjson)$)|\+(json|xml|yaml)$/

/** Media types that any agent from a file takes. */
export const textInputModes: readonly string[] = [
  'text/plain',
  'text/markdown',
  'text/csv',
  'text/html',
  'application/json',
  'application/xml',
  'application/yaml',
]

/** Media types that models with image or PDF input take in addition. */
export const imageInputModes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Turns a part of a message into content for a model (§4.1.6): text files are put into the text, data becomes JSON text. */
export function convertPart(part: Part, modes: ModelModes): Converted {
  if (part.text !== undefined) return { content: { type: 'text', text: named(part, part.text) } }
  if (part.data !== undefined) return { content: { type: 'text', text: named(part, JSON.stringify(part.data)) } }
  const mediaType = parseMediaType(part.mediaType ?? 'application/octet-stream').type
  const capable = mediaType.startsWith('image/') ? modes.image : mediaType === 'application/pdf' && modes.pdf
  const filename = part.filename === undefined ? {} : { filename: part.filename }
  if (part.raw !== undefined) {
    if (textTypes.test(mediaType)) {
      return { content: { type: 'text', text: named(part, Buffer.from(part.raw, 'base64').toString('utf8')) } }
    }
    if (!capable) return { refused: `This agent cannot read ${mediaType}${part.filename ? ` (${part.filename})` : ''}` }
    return { content: { type: 'file', data: part.raw, mediaType, ...filename } }
  }
  if (mediaType.startsWith('image/') || mediaType === 'application/pdf') {
    if (!capable) return { refused: `This agent cannot read ${mediaType}${part.filename ? ` (${part.filename})` : ''}` }
    if (!modes.fetches(mediaType, part.url)) {
      return { refused: `This agent does not fetch files: send the bytes of the ${mediaType} instead of its URL` }
    }
    return { content: { type: 'file', data: new URL(part.url), mediaType, ...filename } }
  }
  return { content: { type: 'text', text: named(part, part.url) } }
}

/** The text of parts that an agent gave, as it is shown to the model later. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map(
      (part) =>
        part.text ??
        (part.data !== undefined ? JSON.stringify(part.data) : `[${part.filename ?? part.mediaType ?? 'file'}]`),
    )
    .join('')
}

function named(part: Part, text: string): string {
  return part.filename === undefined ? text : `File ${part.filename}:\n${text}`
}
