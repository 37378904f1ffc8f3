import { describe, expect, test } from 'vitest'
import { readLimits, readRate } from './limit-flags.ts'

describe('limits on the command line', () => {
  test('each flag sets its limit', () => {
    const flags = {
      maxRuns: '8',
      maxRunsPerTenant: '4',
      maxRunsPerOwner: '2',
      maxWaiting: '0',
      runTime: '1h',
      idleTime: '90s',
      retain: '30d',
    }
    expect(readLimits(flags)).toEqual({
      runs: 8,
      runsPerTenant: 4,
      runsPerOwner: 2,
      waiting: 0,
      runTime: 3_600_000,
      idleTime: 90_000,
      retain: 30 * 86_400_000,
    })
    expect(readLimits({})).toEqual({})
  })

  test.each([
    [{ maxRuns: '0' }, /^--max-runs: "0"/],
    [{ maxRunsPerOwner: 'many' }, /^--max-runs-per-owner: "many"/],
    [{ runTime: '1 week' }, /^--run-time: "1 week"/],
    [{ retain: 'for ever' }, /^--retain: "for ever"/],
  ])('%o is refused by the name of its flag', (flags, text) => {
    expect(() => readLimits(flags)).toThrow(text)
  })

  test.each([
    ['10/s', { perSecond: 10 }],
    ['600/m', { perSecond: 10 }],
    ['0.5/s:5', { perSecond: 0.5, burst: 5 }],
    ['36/h', { perSecond: 0.01 }],
  ])('--rate %s', (text, rate) => expect(readRate(text)).toEqual(rate))

  test.each(['10', '0/s', '10/d', '10/s:0', '-1/s', ''])('--rate %j is refused', (text) => {
    expect(() => readRate(text)).toThrow(/^--rate: /)
  })
})
