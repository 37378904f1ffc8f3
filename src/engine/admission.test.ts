import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Admission, type AdmissionLimits, type Place } from './admission.ts'

const scopeOf = (who: string): { agent: string; tenant: string; owner: string } => {
  const [tenant = '', owner = ''] = who.split('/')
  return { agent: 'a', tenant, owner }
}

/** Runs that enter in this order, `tenant/owner` each, and what is at work in which order. */
function entered(limits: AdmissionLimits, who: readonly string[]) {
  const admission = new Admission(limits)
  const begun: string[] = []
  const places = who.map((each, index) => admission.enter(scopeOf(each), () => begun.push(`${each} ${index}`)))
  return { admission, begun, places }
}

describe('places among runs', () => {
  test('a run begins at once while there is room, and the next when one leaves', () => {
    const { begun, places } = entered({ runs: 2, waiting: 9 }, ['t/a', 't/a', 't/a'])
    expect(begun).toEqual(['t/a 0', 't/a 1'])
    expect(places.map(({ waiting }) => waiting)).toEqual([false, false, true])
    places[0]?.leave()
    places[0]?.leave()
    expect(begun).toEqual(['t/a 0', 't/a 1', 't/a 2'])
  })

  test('tenants take turns, owners within a tenant, and each owner goes in the order of arrival', () => {
    const who = ['x/x', 't/a', 't/a', 't/a', 't/b', 'u/c', 'u/c']
    const { begun, places } = entered({ runs: 1, waiting: 9 }, who)
    for (let index = 0; index < who.length; index++) {
      const current = begun.at(-1)?.split(' ')[1]
      places[Number(current)]?.leave()
    }
    expect(begun).toEqual(['x/x 0', 't/a 1', 'u/c 5', 't/b 4', 'u/c 6', 't/a 2', 't/a 3'])
  })

  test('who waits beyond the limit is refused, with the time to wait; what was acknowledged is not', () => {
    const { admission } = entered({ runs: 1, waiting: 1 }, ['t/a', 't/a'])
    const more = (): Place => admission.enter(scopeOf('t/b'), () => {})
    expect(more).toThrow(expect.objectContaining({ code: 'ResourceExhausted', retryAfter: 5 }))
    expect(admission.waiting).toBe(1)
    expect(admission.enter(scopeOf('t/b'), () => {}, { acknowledged: true }).waiting).toBe(true)
    expect(admission.waiting).toBe(2)
  })

  test('a limit of one tenant or owner holds its own runs back, and nobody else', () => {
    const limits = { runs: 9, runsPerTenant: 2, runsPerOwner: 1, waiting: 9 }
    const { begun, places } = entered(limits, ['t/a', 't/a', 't/b', 't/c', 'u/a'])
    expect(begun).toEqual(['t/a 0', 't/b 2', 'u/a 4'])
    places[2]?.leave()
    expect(begun.at(-1)).toBe('t/c 3')
    places[3]?.leave()
    expect(begun).toHaveLength(4)
    places[0]?.leave()
    expect(begun.at(-1)).toBe('t/a 1')
  })

  test('a run that leaves while it waits never begins', () => {
    const { admission, begun, places } = entered({ runs: 1, waiting: 9 }, ['t/a', 't/a', 't/a'])
    places[1]?.leave()
    places[0]?.leave()
    expect(begun).toEqual(['t/a 0', 't/a 2'])
    expect([admission.running, admission.waiting]).toEqual([1, 0])
  })

  const limits = fc.record({
    runs: fc.integer({ min: 1, max: 4 }),
    runsPerTenant: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    runsPerOwner: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
    waiting: fc.integer({ min: 0, max: 20 }),
  })
  const acts = fc.array(
    fc.oneof(
      fc.record({ enter: fc.constantFrom('t/a', 't/b', 'u/a', 'u/c', 'v/d') }),
      fc.record({ leave: fc.nat(30) }),
    ),
    { maxLength: 60 },
  )

  test('whatever comes and goes: no limit is passed, no place stays empty that somebody may have, nobody waits for ever', () => {
    fc.assert(
      fc.property(limits, acts, (given, steps) => {
        const { runsPerTenant, runsPerOwner, ...rest } = given
        const admission = new Admission({
          ...rest,
          ...(runsPerTenant !== undefined && { runsPerTenant }),
          ...(runsPerOwner !== undefined && { runsPerOwner }),
        })
        const open: { who: string; place: Place; begun: boolean }[] = []
        const of = (part: (who: string) => string, who: string): number =>
          open.filter((each) => each.begun && part(each.who) === part(who)).length
        const tenantOf = (who: string): string => who.split('/')[0] as string
        const check = (): void => {
          const running = open.filter(({ begun }) => begun)
          expect(admission.running).toBe(running.length)
          expect(running.length).toBeLessThanOrEqual(given.runs)
          for (const { who } of running) {
            if (runsPerTenant !== undefined) expect(of(tenantOf, who)).toBeLessThanOrEqual(runsPerTenant)
            if (runsPerOwner !== undefined) expect(of(String, who)).toBeLessThanOrEqual(runsPerOwner)
          }
          if (running.length === given.runs) return
          for (const { who } of open.filter(({ begun }) => !begun)) {
            const full = runsPerTenant !== undefined && of(tenantOf, who) >= runsPerTenant
            const ownFull = runsPerOwner !== undefined && of(String, who) >= runsPerOwner
            expect(full || ownFull).toBe(true)
          }
        }
        const leave = (index: number): void => {
          const [gone] = open.splice(index, 1)
          gone?.place.leave()
        }
        for (const step of steps) {
          if ('leave' in step) {
            if (open.length > 0) leave(step.leave % open.length)
          } else {
            const entry = { who: step.enter, begun: false }
            try {
              const place = admission.enter(scopeOf(step.enter), () => {
                entry.begun = true
              })
              open.push(Object.assign(entry, { place }))
            } catch {
              expect(admission.waiting).toBeGreaterThanOrEqual(given.waiting)
            }
          }
          check()
        }
        for (let left = open.length; left > 0; left--) {
          const index = open.findIndex(({ begun }) => begun)
          expect(index).toBeGreaterThanOrEqual(0)
          leave(index)
          check()
        }
        expect([admission.running, admission.waiting]).toEqual([0, 0])
      }),
      { numRuns: 300 },
    )
  })
})
