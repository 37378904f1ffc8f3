import type { HttpRequest } from '../lib/http.ts'
import { parseMediaType } from '../lib/media-type.ts'
import { A2AError } from '../protocol/errors.ts'

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/a2a+json'])
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Refuses a body that says beforehand that it is too large. */
export function checkLength(request: HttpRequest, limit: number): void {
  const length = request.headers['content-length']
  if (length !== undefined && Number(length) > limit) throw tooLarge(limit)
}

/** The error for a body of more than `limit` bytes. */
export function tooLarge(limit: number): A2AError {
  return new A2AError('PayloadTooLarge', `The request body is larger than ${limit} bytes, the limit of this server`)
}

/**
 * Refuses a body whose headers say that it is anything but plain UTF-8 JSON (§9.1, §11.1). A body without a media type
 * passes, except from a browser page, which could otherwise reach local servers without asking them first.
 */
export function checkContentType(request: HttpRequest): void {
  const { headers } = request
  const type = headers['content-type']
  if (type !== 'application/json' && type !== 'application/a2a+json') {
    if (type === undefined || type === '') {
      if (headers.origin !== undefined) throw mediaTypeError('There is no Content-Type')
    } else {
      const media = parseMediaType(type)
      if (!jsonTypes.has(media.type)) throw mediaTypeError(`Content-Type ${JSON.stringify(media.type)} is not JSON`)
      const charset = media.parameters.charset?.toLowerCase()
      if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
        throw mediaTypeError(`charset ${JSON.stringify(charset)} is not read; JSON is UTF-8`)
      }
    }
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity') {
    const text = `Content-Encoding ${JSON.stringify(encoding)} is not read; send the body uncompressed`
    throw new A2AError('UnsupportedMediaType', text, { headers: { 'accept-encoding': 'identity' } })
  }
}

function mediaTypeError(problem: string): A2AError {
  return new A2AError('UnsupportedMediaType', `${problem}; send application/json or application/a2a+json`)
}

/** The body as text. Throws ParseError for bytes that are not UTF-8, PayloadTooLarge for too many. */
export async function readText(request: HttpRequest, limit: number): Promise<string> {
  const body = await request.body(limit)
  if (typeof body === 'string') return body
  try {
    return decoder.decode(body)
  } catch {
    throw new A2AError('ParseError', 'The request body is not valid UTF-8')
  }
}

/** A text this long is looked at for its levels before it is parsed; a shorter one cannot do harm by them. */
const harmless = 65_536
const mostLevels = 10_000

/** Whether brackets stand in brackets so deep that parsing them would hold up everybody else for seconds. */
function isBottomless(text: string): boolean {
  let levels = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) {
      levels += 1
      if (levels > mostLevels) return true
    } else if (code === 0x5d || code === 0x7d) levels -= 1
    else if (code === 0x22) {
      at = endOfString(text, at)
      if (at < 0) return false
    }
  }
  return false
}

/** Where the string that begins at a quotation mark ends; -1 when it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === 0x5c) before -= 1
    if ((end - before) % 2 === 1) return end
  }
  return -1
}

/** Parses JSON text; throws ParseError that says where the text goes wrong, without repeating it. */
export function parseJson(text: string): unknown {
  if (text.length > harmless && isBottomless(text)) {
    throw new A2AError('ParseError', `Invalid JSON payload: it is nested more than ${mostLevels} levels deep`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    if (text.trim() === '') throw new A2AError('ParseError', 'Invalid JSON payload: the body is empty')
    if (text.charCodeAt(0) === 0xfeff)
      throw new A2AError('ParseError', 'Invalid JSON payload: it begins with a byte-order mark')
    const position = /position (\d+)/.exec(error instanceof Error ? error.message : '')?.[1]
    throw new A2AError(
      'ParseError',
      position === undefined ? undefined : `Invalid JSON payload at position ${position}`,
    )
  }
}
