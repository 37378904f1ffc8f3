import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Part } from '../protocol/generated/v1/types.ts'
import { parseJson } from './arguments.ts'
import { usageError } from './command-error.ts'
import { mediaTypeOf } from './media-types.ts'

/** What a message is made of on the command line. */
export interface InputFlags {
  readonly file?: readonly string[]
  readonly part?: readonly string[]
  readonly data?: readonly string[]
}

/** Standard input, as far as it matters here. */
export interface InputStream extends AsyncIterable<unknown> {
  readonly isTTY?: boolean
}

/**
 * The parts of a message: the words as one text, then files, JSON data and parts. `-` among the words stands for standard
 * input; so does a command line without any content when something is piped in.
 */
export async function readParts(
  words: readonly string[],
  flags: InputFlags,
  stdin: InputStream = process.stdin,
): Promise<Part[]> {
  const parts: Part[] = []
  const others = [...(flags.file ?? []), ...(flags.part ?? []), ...(flags.data ?? [])].length
  const piped = words.length === 0 && others === 0
  if (piped && stdin.isTTY === true) {
    throw usageError('there is nothing to send', 'give a text, pipe one in, or use --file, --data or --part')
  }
  const text = piped || words.includes('-') ? await joinWords(piped ? ['-'] : words, stdin) : words.join(' ')
  if (text !== '') parts.push({ text })
  else if (others === 0) {
    throw usageError('there is nothing to send: the text is empty', 'give a text, or use --file, --data or --part')
  }
  for (const path of flags.file ?? []) parts.push(await filePart(path))
  for (const json of flags.data ?? []) parts.push({ data: parseJson(json, '--data') } as Part)
  for (const json of flags.part ?? []) parts.push(partOf(json))
  return parts
}

async function joinWords(words: readonly string[], stdin: InputStream): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of stdin) {
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true })
  }
  text = (text + decoder.decode()).replace(/\r?\n$/, '')
  return words.map((word) => (word === '-' ? text : word)).join(' ')
}

async function filePart(path: string): Promise<Part> {
  try {
    const bytes = await readFile(path)
    const filename = basename(path)
    return { raw: bytes.toString('base64'), filename, mediaType: mediaTypeOf(filename) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EISDIR: 'is a folder; send its files one by one',
      EACCES: 'may not be read by this user',
    }
    throw usageError(`--file ${path}: ${reasons[code ?? ''] ?? message}`)
  }
}

function partOf(json: string): Part {
  const part = parseJson(json, '--part')
  if (typeof part !== 'object' || part === null || Array.isArray(part)) {
    throw usageError(
      '--part: must be a JSON object',
      `for instance --part '{"url": "https://…", "mediaType": "image/png"}'`,
    )
  }
  return part as Part
}
