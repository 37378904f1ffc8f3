import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallRates } from './rate-limit.ts'

const ada = { tenant: '', owner: 'ada' }

function counted(limit: ConstructorParameters<typeof CallRates>[0]) {
  const clock = { now: 0 }
  const rates = new CallRates(limit, () => clock.now)
  const taken = (who = ada): boolean => {
    try {
      rates.take(who)
      return true
    } catch {
      return false
    }
  }
  return { clock, rates, taken }
}

describe('call rates', () => {
  test('a caller has a burst, then what comes in with time, and is told how long to wait', () => {
    const { clock, rates, taken } = counted({ perSecond: 2, burst: 3 })
    expect([1, 2, 3, 4].map(() => taken())).toEqual([true, true, true, false])
    expect(() => rates.take(ada)).toThrow(expect.objectContaining({ code: 'ResourceExhausted', retryAfter: 1 }))
    clock.now += 500
    expect([taken(), taken()]).toEqual([true, false])
  })

  test('callers do not take from each other: neither other owners nor the same name in another tenant', () => {
    const { taken } = counted({ perSecond: 1 })
    expect(taken()).toBe(true)
    expect(taken()).toBe(false)
    expect(taken({ tenant: '', owner: 'bob' })).toBe(true)
    expect(taken({ tenant: 'a', owner: 'da' })).toBe(true)
    expect(taken({ tenant: 'ad', owner: 'a' })).toBe(true)
  })

  test('less than one call in a second is a limit too', () => {
    const { clock, rates, taken } = counted({ perSecond: 0.1 })
    expect([taken(), taken()]).toEqual([true, false])
    expect(() => rates.take(ada)).toThrow(expect.objectContaining({ retryAfter: 10 }))
    clock.now += 10_000
    expect(taken()).toBe(true)
  })

  test('who has been silent for long is forgotten', () => {
    const { clock, rates, taken } = counted({ perSecond: 1_000 })
    for (let number = 0; number < 5_000; number++) taken({ tenant: '', owner: `caller ${number}` })
    expect(rates.size).toBe(5_000)
    clock.now += 1_000
    for (let number = 0; number < 5_000; number++) taken()
    expect(rates.size).toBeLessThan(10)
  })

  test('whatever the times of the calls, no stretch has more than the burst and what came in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2_000), { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        (waits, burst) => {
          const { clock, taken } = counted({ perSecond: 5, burst })
          const times: number[] = []
          for (const wait of waits) {
            clock.now += wait
            if (taken()) times.push(clock.now)
          }
          for (const [from, start] of times.entries()) {
            for (let to = from; to < times.length; to++) {
              const seconds = ((times[to] as number) - start) / 1_000
              expect(to - from + 1).toBeLessThanOrEqual(burst + seconds * 5 + 1e-6)
            }
          }
        },
      ),
      { numRuns: 50 },
    )
  })

  test.each([{ perSecond: 0 }, { perSecond: Number.NaN }, { perSecond: 1, burst: 0 }])('refuses %o', (limit) => {
    expect(() => new CallRates(limit)).toThrow(TypeError)
  })
})
