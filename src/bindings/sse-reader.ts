import { A2AError } from '../protocol/errors.ts'

/** One message of an event stream. */
export interface SseMessage {
  readonly data: string
  /** `''` when the frame names none. */
  readonly event: string
  /** The `id:` of this very frame. */
  readonly id: string | undefined
  /** False for what stood at the end of the stream without the blank line that ends a frame. */
  readonly complete: boolean
}

/** An event stream, parsed piece by piece. */
export interface SseReader {
  /** The messages that this piece completes. */
  push(text: string): SseMessage[]
  /** What is left at the end of the stream. */
  end(): SseMessage[]
  /** The newest `retry:` value, milliseconds. */
  readonly retry: number | undefined
}

/**
 * A parser by the rules of the WHATWG event stream format: lines end with LF, CR or CRLF, also split between pieces; several
 * `data:` lines are joined by LF; comments and unknown fields are ignored. A frame that the stream's end cuts short is
 * given too, marked as incomplete. Throws InvalidAgentResponse for a frame longer than `limit` characters.
 */
export function createSseReader({ limit }: { readonly limit: number }): SseReader {
  let unfinished: string[] = []
  let unfinishedSize = 0
  let afterReturn = false
  let data: string[] = []
  let size = 0
  let event = ''
  let id: string | undefined
  let retry: number | undefined

  function field(line: string): void {
    if (line.charCodeAt(0) === 58) return
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
    if (name === 'data') {
      size += value.length + 1
      data.push(value)
    } else if (name === 'event') event = value
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) retry = Number(value)
  }

  function dispatch(out: SseMessage[], complete: boolean): void {
    const text = data.length === 1 ? (data[0] as string) : data.join('\n')
    if (text !== '') out.push({ data: text, event, id, complete })
    data = []
    size = 0
    event = ''
    id = undefined
  }

  function takeUnfinished(tail: string): string {
    unfinished.push(tail)
    const text = unfinished.join('')
    unfinished = []
    unfinishedSize = 0
    return text
  }

  function line(text: string, out: SseMessage[]): void {
    if (text === '') dispatch(out, true)
    else field(text)
  }

  function push(piece: string): SseMessage[] {
    const out: SseMessage[] = []
    let start = 0
    if (afterReturn && piece !== '') {
      afterReturn = false
      if (piece.charCodeAt(0) === 10) start = 1
    }
    let lf = piece.indexOf('\n', start)
    let cr = piece.indexOf('\r', start)
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
      line(unfinished.length === 0 ? piece.slice(start, end) : takeUnfinished(piece.slice(start, end)), out)
      start = end + 1
      if (end === cr) {
        if (start === piece.length) afterReturn = true
        else if (lf === start) start++
        cr = piece.indexOf('\r', start)
      }
      if (lf !== -1 && lf < start) lf = piece.indexOf('\n', start)
    }
    if (start < piece.length) {
      unfinished.push(piece.slice(start))
      unfinishedSize += piece.length - start
    }
    if (unfinishedSize + size > limit) {
      throw new A2AError(
        'InvalidAgentResponse',
        `A frame of the event stream is longer than ${limit} characters, the limit set here`,
      )
    }
    return out
  }

  return {
    push,
    end() {
      const out: SseMessage[] = []
      const text = takeUnfinished('')
      if (text !== '') line(text, out)
      dispatch(out, false)
      return out
    },
    get retry() {
      return retry
    },
  }
}
