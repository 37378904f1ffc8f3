import { expect, test } from 'vitest'
import type { Frame } from '../../protocol/versions/dialect.ts'
import { FrameCache } from './frame-cache.ts'

function fill(cache: FrameCache, count: number, size: number): Frame[] {
  return Array.from({ length: count }, (_, at) => {
    const frame: Frame = { text: `${at}`, value: at }
    cache.set(frame, Buffer.alloc(size))
    return frame
  })
}

test('the newest frames are remembered, older ones are not', () => {
  const cache = new FrameCache()
  const frames = fill(cache, 2_000, 10)
  expect(frames.slice(-512).every((frame) => cache.get(frame) !== undefined)).toBe(true)
  expect(frames.filter((frame) => cache.get(frame) !== undefined).length).toBeLessThanOrEqual(1_024)
})

test('long frames are remembered, but few', () => {
  const cache = new FrameCache()
  const frames = fill(cache, 20, 3 * 1024 * 1024)
  expect(cache.get(frames[19] as Frame)?.length).toBe(3 * 1024 * 1024)
  expect(frames.filter((frame) => cache.get(frame) !== undefined).length).toBeLessThanOrEqual(4)
})
