import { describe, expect, test } from 'vitest'
import { ageText, type ListFlags, listFilter } from './list.ts'

const filters: readonly (readonly [ListFlags, object])[] = [
  [{}, {}],
  [
    { context: 'c', state: 'working', artifacts: true },
    { contextId: 'c', status: 'TASK_STATE_WORKING', includeArtifacts: true },
  ],
  [
    { pageSize: '5', pageToken: 't', history: '0' },
    { pageSize: 5, pageToken: 't', historyLength: 0 },
  ],
  [{ all: true }, { pageSize: 100 }],
  [{ since: '2026-11-30T00:00:00Z' }, { statusTimestampAfter: '2026-11-30T00:00:00.000Z' }],
]
describe('listFilter', () => {
  for (const [flags, filter] of filters) {
    test(`of ${JSON.stringify(flags)}`, () => {
      expect(listFilter(flags)).toEqual(filter)
    })
  }
  for (const flags of [{ pageSize: '0' }, { pageSize: '101' }, { all: true, pageToken: 't' }, { state: 'done' }]) {
    test(`refuses ${JSON.stringify(flags)}`, () => {
      expect(() => listFilter(flags)).toThrow(expect.objectContaining({ exitCode: 2 }))
    })
  }
})

test('ageText gives the largest unit', () => {
  const now = Date.UTC(2026, 10, 30)
  const ago = (seconds: number): string => ageText(new Date(now - seconds * 1000).toISOString(), now)
  expect([ago(-5), ago(59), ago(60), ago(7_200), ago(172_800), ageText(undefined, now)]).toEqual([
    '0s',
    '59s',
    '1m',
    '2h',
    '2d',
    '',
  ])
})
