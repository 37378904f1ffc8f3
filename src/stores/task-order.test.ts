import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TaskOrder } from './task-order.ts'

test('keeps items by time and id, whatever comes and goes', () => {
  const change = fc.record({ id: fc.nat(12), time: fc.nat(4), remove: fc.boolean() })
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const order = new TaskOrder<{ id: string; time: number }>()
      const present = new Map<string, { id: string; time: number }>()
      for (const { id: number, time, remove } of changes) {
        const id = String(number)
        const known = present.get(id)
        if (known !== undefined) order.remove(known)
        present.delete(id)
        if (remove) continue
        const item = { id, time }
        order.add(item)
        present.set(id, item)
      }
      const sorted = [...present.values()].sort((a, b) => a.time - b.time || (a.id < b.id ? -1 : 1))
      expect(order.items).toEqual(sorted)
      expect(order.before(2, '')).toBe(sorted.filter(({ time }) => time < 2).length)
    }),
  )
})

test('leaves the list alone when what is to go is not in it', () => {
  const order = new TaskOrder<{ id: string; time: number }>()
  order.add({ id: 'a', time: 1 })
  order.remove({ id: 'a', time: 1 })
  order.remove({ id: 'b', time: 9 })
  expect(order.items).toHaveLength(1)
})
