import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEventNumber, withEventNumber } from './event-number.ts'
import { FrameReader, frameOf } from './frame.ts'
import { readTimeout } from './limits.ts'

function readAll(chunks: readonly Buffer[], limit = 100_000): { found: [string, boolean][]; isCut: boolean } {
  const found: [string, boolean][] = []
  const reader = new FrameReader(limit, (payload, compressed) => found.push([payload.toString('hex'), compressed]))
  for (const chunk of chunks) reader.push(chunk)
  return { found, isCut: reader.isCut }
}

test('GRPC-03 a frame is a flag, four bytes of length and the message', () => {
  expect(frameOf(Uint8Array.of(1, 2, 3)).toString('hex')).toBe('0000000003010203')
  expect(frameOf(new Uint8Array(), true).toString('hex')).toBe('0100000000')
})

test('frames come out as they went in, however the bytes are cut', () => {
  const messages = fc.array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.boolean()), { maxLength: 6 })
  fc.assert(
    fc.property(messages, fc.infiniteStream(fc.integer({ min: 1, max: 17 })), (given, lengths) => {
      const bytes = Buffer.concat(given.map(([message, compressed]) => frameOf(message, compressed)))
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length; ) {
        const { value: length } = lengths.next()
        chunks.push(bytes.subarray(at, at + length))
        at += length
      }
      const expected = given.map(([message, compressed]) => [Buffer.from(message).toString('hex'), compressed])
      expect(readAll(chunks)).toEqual({ found: expected, isCut: false })
    }),
  )
})

test('what has not ended is cut', () => {
  const bytes = frameOf(Uint8Array.of(1, 2, 3))
  for (let length = 1; length < bytes.length; length++) {
    expect(readAll([bytes.subarray(0, length)])).toEqual({ found: [], isCut: true })
  }
})

test('a long message in small chunks is put together once', () => {
  const message = Buffer.alloc(4_000_000, 'x')
  const bytes = frameOf(message)
  const chunks = Array.from({ length: Math.ceil(bytes.length / 100) }, (_, at) =>
    bytes.subarray(at * 100, at * 100 + 100),
  )
  const concat = Buffer.concat
  let copied = 0
  Buffer.concat = (list, length) => {
    copied += length ?? 0
    return concat(list, length)
  }
  try {
    expect(readAll(chunks, 4_000_000).found).toHaveLength(1)
  } finally {
    Buffer.concat = concat
  }
  expect(copied).toBeLessThan(bytes.length + 1_000)
})

test('a message that is too long is refused by its prefix', () => {
  expect(() => readAll([Buffer.from('00000003e9', 'hex')], 1_000)).toThrow(/larger than 1000 bytes/)
  expect(readAll([frameOf(Buffer.alloc(1_000))], 1_000).found).toHaveLength(1)
})

test('other flags than 0 and 1 are refused', () => {
  expect(() => readAll([Buffer.from('0200000000', 'hex')])).toThrow(/flag 2/)
})

for (const [text, ms] of [
  ['1H', 3_600_000],
  ['2M', 120_000],
  ['3S', 3_000],
  ['40m', 40],
  ['5000u', 5],
  ['1u', 1],
  ['6000000n', 6],
  ['0n', 0],
  ['99999999H', 2_147_483_647],
] as const) {
  test(`GRPC-13 grpc-timeout ${text} is ${ms} ms`, () => {
    expect(readTimeout(text)).toBe(ms)
  })
}

for (const text of ['', '5', 'm', '5s', '-1m', '1.5S', '123456789m', ' 5m', '5m ']) {
  test(`GRPC-13 grpc-timeout ${JSON.stringify(text)} is refused`, () => {
    expect(() => readTimeout(text)).toThrow(/grpc-timeout must be/)
  })
}

test('the number of an event stands behind the message, which stays as it is', () => {
  const frame = frameOf(Buffer.from('0a03666f6f', 'hex'))
  expect(withEventNumber(frame, undefined)).toBe(frame)
  expect(withEventNumber(frame, 300).toString('hex')).toBe('000000000a0a03666f6fa8bc18ac02')
  for (const id of [0, 1, 127, 128, 2 ** 31, 2 ** 32 - 1]) {
    expect(readEventNumber(withEventNumber(frame, id).subarray(5))).toBe(id)
  }
  expect(readEventNumber(frame.subarray(5))).toBeUndefined()
})

test('a frame that comes byte by byte is copied, and keeps none of the blocks that it came in', () => {
  const message = new Uint8Array(20_000).fill(7)
  const block = frameOf(message)
  const found: Buffer[] = []
  const reader = new FrameReader(100_000, (payload) => found.push(payload))
  for (let at = 0; at < block.length - 1; at++) reader.push(block.subarray(at, at + 1))
  const last = Buffer.from(block.subarray(-1))
  block.fill(0)
  reader.push(last)
  expect([found.length, Buffer.from(message).equals(found[0] as Buffer)]).toEqual([1, true])
})
