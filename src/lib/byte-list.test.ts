import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteList } from './byte-list.ts'

test('joins chunks of any length in their order, and begins anew after that', () => {
  const list = new ByteList()
  const sizes = fc.oneof(fc.nat(10), fc.nat(5_000), fc.constantFrom(4_095, 4_096, 65_536, 70_000))
  fc.assert(
    fc.property(fc.array(sizes, { maxLength: 40 }), (lengths) => {
      const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1))
      for (const chunk of chunks) list.add(chunk)
      const whole = Buffer.concat(chunks)
      expect(list.length).toBe(whole.length)
      expect(whole.equals(list.take())).toBe(true)
      expect(list.length).toBe(0)
    }),
  )
})

test('hands out a single chunk as it is', () => {
  const list = new ByteList()
  const chunk = new Uint8Array([1, 2, 3])
  list.add(chunk)
  expect(list.take()).toBe(chunk)
  expect(list.take()).toHaveLength(0)
})

test('copies small chunks, so that a byte does not keep the block that it came in', () => {
  const list = new ByteList()
  const block = new Uint8Array(100_000).fill(7)
  for (let at = 0; at < 100_000; at++) list.add(block.subarray(at, at + 1))
  block.fill(0, 1)
  const bytes = list.take()
  expect([bytes.length, bytes.every((byte) => byte === 7)]).toEqual([100_000, true])
})
