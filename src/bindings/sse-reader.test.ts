import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseReader } from './sse-reader.ts'

const limit = 1 << 20

/** Data of all messages when the bytes come in these pieces. */
function read(pieces: readonly Uint8Array[]): string[] {
  const reader = createSseReader({ limit })
  const decoder = new TextDecoder()
  const messages = pieces.flatMap((piece) => reader.push(decoder.decode(piece, { stream: true })))
  messages.push(...reader.push(decoder.decode()), ...reader.end())
  return messages.map(({ data }) => data)
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const rows: readonly { name: string; text: string; data: readonly string[] }[] = [
  { name: 'LF', text: 'data: a\n\ndata: b\n\n', data: ['a', 'b'] },
  { name: 'CRLF', text: 'data: a\r\n\r\ndata: b\r\n\r\n', data: ['a', 'b'] },
  { name: 'lone CR', text: 'data: a\r\rdata: b\r\r', data: ['a', 'b'] },
  { name: 'mixed line ends', text: 'data: a\r\n\ndata: b\r\n\rdata: c\n\r\ndata: d\r\r\n', data: ['a', 'b', 'c', 'd'] },
  { name: 'a byte-order mark', text: '\ufeffdata: a\n\n', data: ['a'] },
  { name: 'several data lines', text: 'data: a\ndata: b\ndata:\ndata: c\n\n', data: ['a\nb\n\nc'] },
  { name: 'no space after the colon, one of two kept', text: 'data:a\ndata:  b\n\n', data: ['a\n b'] },
  { name: 'a field without a colon', text: 'data\ndata\n\n', data: ['\n'] },
  { name: 'comments', text: ': ping\n\n:\n\ndata: a\n: between\ndata: b\n\n', data: ['a\nb'] },
  { name: 'unknown fields', text: 'foo: bar\ndata: a\nDATA: b\n data: c\n\n', data: ['a'] },
  { name: 'event, id and retry', text: 'event: x\nid: 1\nretry: 10\ndata: a\n\n', data: ['a'] },
  { name: 'no data', text: 'event: x\n\ndata:\n\ndata: a\n\n', data: ['a'] },
  { name: 'a last frame without its blank line', text: 'data: a\n\ndata: b\n', data: ['a', 'b'] },
  { name: 'a last line without its end', text: 'data: a\n\ndata: b', data: ['a', 'b'] },
  { name: 'characters of several bytes', text: 'data: é€😀\r\n\r\n', data: ['é€😀'] },
]

describe('SSE-03 frames', () => {
  for (const { name, text, data } of rows) {
    test(`${name}, in one piece and split at every byte`, () => {
      const all = bytes(text)
      expect(read([all])).toEqual(data)
      for (let at = 0; at <= all.length; at++) expect(read([all.subarray(0, at), all.subarray(at)])).toEqual(data)
      expect(read(Array.from(all, (_, at) => all.subarray(at, at + 1)))).toEqual(data)
    })
  }

  test('a frame that ends with a lone CR is given out at once', () => {
    const reader = createSseReader({ limit })
    expect(reader.push('data: a\r\r')).toMatchObject([{ data: 'a', complete: true }])
    expect(reader.push('\ndata: b\n\n')).toMatchObject([{ data: 'b' }])
  })

  test('id and event belong to their own frame, retry to the stream', () => {
    const reader = createSseReader({ limit })
    const [first, second] = reader.push('event: error\nid: 7\nretry: 1500\ndata: a\n\ndata: b\n\n')
    expect(first).toEqual({ data: 'a', event: 'error', id: '7', complete: true })
    expect(second).toEqual({ data: 'b', event: '', id: undefined, complete: true })
    expect(reader.retry).toBe(1500)
    reader.push('retry: soon\nid: a\0b\n')
    expect(reader.retry).toBe(1500)
    expect(reader.push('data: c\n\n')).toMatchObject([{ id: undefined }])
  })

  test('what the end cuts short is marked', () => {
    const reader = createSseReader({ limit })
    expect(reader.push('data: {"a"')).toEqual([])
    expect(reader.end()).toMatchObject([{ data: '{"a"', complete: false }])
    expect(reader.end()).toEqual([])
  })

  test('a frame of 5 MB passes, one over the limit is refused in clear words', () => {
    const large = 'x'.repeat(5_000_000)
    const reader = createSseReader({ limit: 6_000_000 })
    let messages: ReturnType<typeof reader.push> = []
    for (let at = 0; at < large.length; at += 16_384) {
      messages = reader.push((at === 0 ? 'data: ' : '') + large.slice(at, at + 16_384))
      expect(messages).toEqual([])
    }
    expect(reader.push('\n\n')).toMatchObject([{ data: large }])
    expect(() => reader.push(`data: ${large}\ndata: ${large}`)).toThrow(/longer than 6000000 characters/)
  })

  test('reads what eventsource-parser reads', () => {
    const piece = fc.constantFrom(
      'data',
      'id',
      'event',
      'retry',
      'x',
      ':',
      ': ',
      '1',
      'é',
      '😀',
      ' ',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
    )
    const cuts = fc.array(fc.nat({ max: 60 }), { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), cuts, (pieces, at) => {
        // The other parser gives nothing for what the end cuts short, so the text ends with a blank line.
        const all = bytes(`${pieces.join('')}\n\n\n`)
        const expected: string[] = []
        const parser = createParser({ onEvent: ({ data }) => void (data !== '' && expected.push(data)) })
        parser.feed(new TextDecoder().decode(all))
        const edges = [0, ...at.filter((edge) => edge < all.length).sort((left, right) => left - right), all.length]
        expect(read(edges.slice(1).map((end, index) => all.subarray(edges[index], end)))).toEqual(expected)
      }),
    )
  })
})
