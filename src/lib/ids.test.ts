import { describe, expect, it } from 'vitest'
import { newId } from './ids.ts'

describe('newId', () => {
  it('gives UUIDs of version 7 that rise and never repeat, also when the clock stands or goes back', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => newId(1_790_000_000_000 + (index % 3)))
    expect(new Set(ids).size).toBe(ids.length)
    expect([...ids].sort()).toEqual(ids)
    for (const id of ids.slice(0, 100))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('carries the time', () => {
    const now = Date.now() + 100_000
    expect(Number.parseInt(newId(now).replaceAll('-', '').slice(0, 12), 16)).toBe(now)
  })
})
