import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TurnoverMap } from './turnover-map.ts'

describe('TurnoverMap', () => {
  it('holds what a Map holds', () => {
    const change = fc.tuple(
      fc.constantFrom('set', 'delete', 'clear'),
      fc.constantFrom('a', 'b', 'c', 'd'),
      fc.integer(),
    )
    fc.assert(
      fc.property(fc.array(change), (changes) => {
        const map = new Map<string, number>()
        const tested = new TurnoverMap<string, number>()
        for (const [verb, key, value] of changes) {
          if (verb === 'clear' && value % 10 === 0) {
            map.clear()
            tested.clear()
          } else if (verb === 'delete') {
            map.delete(key)
            tested.delete(key)
          } else {
            map.set(key, value)
            tested.set(key, value)
          }
          expect(tested.size).toBe(map.size)
          expect([...tested.values()].sort()).toEqual([...map.values()].sort())
          for (const name of 'abcd')
            expect([tested.get(name), tested.has(name)]).toEqual([map.get(name), map.has(name)])
        }
      }),
    )
  })
})
