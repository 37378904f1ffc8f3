import { describe, expect, test } from 'vitest'
import { TaskCache } from './task-cache.ts'
import { message, scope, whole } from './testing-entries.ts'

function fill(cache: TaskCache, id: string, length: number): void {
  cache.begin('s', { scope, id, contextId: 'c' }, 1)
  cache.add(cache.get('s', id)!, [message(1, 'x'.repeat(length))])
}

describe('the task cache', () => {
  test('keeps what is used, and no more than its size', () => {
    const cache = new TaskCache(100_000)
    fill(cache, 'used', 100)
    for (let index = 0; index < 200; index++) {
      fill(cache, `t${index}`, 1_000)
      expect(cache.get('s', 'used')?.record.seq).toBe(1)
    }
    const kept = Array.from({ length: 200 }, (_, index) => cache.get('s', `t${index}`)).filter(Boolean)
    expect(kept.length).toBeGreaterThan(5)
    expect(kept.length).toBeLessThan(40)
    expect(cache.get('s', 't199')).toBeDefined()
    expect(cache.get('s', 't0')).toBeUndefined()
  })

  test('keeps a task that is larger than its room while it is used', () => {
    const cache = new TaskCache(10_000)
    fill(cache, 'large', 50_000)
    for (let seq = 2; seq < 10; seq++) cache.add(cache.get('s', 'large')!, [message(seq, 'x'.repeat(9_000))])
    expect(cache.get('s', 'large')?.record.text(whole).length).toBeGreaterThan(100_000)
  })

  test('knows the tasks of a scope from those of another', () => {
    const cache = new TaskCache(100_000)
    fill(cache, 't', 1)
    expect(cache.get('other', 't')).toBeUndefined()
    cache.delete('other', 't')
    expect(cache.get('s', 't')).toBeDefined()
    cache.delete('s', 't')
    expect(cache.get('s', 't')).toBeUndefined()
  })

  test('lets go of what nobody works on', () => {
    const cache = new TaskCache(100_000)
    fill(cache, 'held', 1)
    fill(cache, 'released', 1)
    cache.get('s', 'released')!.hold = undefined
    cache.forgetReleased()
    expect(cache.get('s', 'held')).toBeDefined()
    expect(cache.get('s', 'released')).toBeUndefined()
  })
})
