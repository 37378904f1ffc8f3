import { expect, test } from 'vitest'
import { deferred } from './deferred.ts'
import { oneAtATime } from './one-at-a-time.ts'

test('calls while work is under way have it done once more, and wait for that', async () => {
  const gates = [deferred<void>(), deferred<void>()]
  const done: number[] = []
  let begun = 0
  const call = oneAtATime(async () => {
    const gate = gates[begun++]
    await gate?.promise
  })
  const calls = [call(), call(), call()].map((promise, index) => promise.then(() => void done.push(index)))
  expect(begun).toBe(1)
  gates[0]?.resolve()
  await calls[0]
  await Promise.resolve()
  expect([begun, done]).toEqual([2, [0]])
  gates[1]?.resolve()
  await Promise.all(calls)
  expect([begun, done]).toEqual([2, [0, 1, 2]])
})

test('work that fails tells those who waited for it, and is begun again for others', async () => {
  let begun = 0
  const call = oneAtATime(async () => {
    begun += 1
    if (begun === 1) throw new Error('no')
  })
  const [first, second] = [call(), call()]
  await expect(first).rejects.toThrow('no')
  await second
  await call()
  expect(begun).toBe(3)
})
