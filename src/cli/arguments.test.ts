import { describe, expect, test } from 'vitest'
import {
  parseCount,
  parseDuration,
  parseHeaders,
  parseJson,
  parseList,
  parseState,
  parseTime,
  shortState,
} from './arguments.ts'

/** What a reader gives for a text, or the message of what it throws. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return (error as Error).message
  }
}

const durations: readonly (readonly [string, unknown])[] = [
  ['30', 30_000],
  ['30s', 30_000],
  ['500ms', 500],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['', '--x: "" is not a duration'],
  ['-1s', '--x: "-1s" is not a duration'],
  ['5 days', '--x: "5 days" is not a duration'],
  ['1000h', '--x: "1000h" is not a duration'],
]
describe('parseDuration', () => {
  for (const [text, expected] of durations) {
    test(`of "${text}"`, () => {
      expect(outcome(() => parseDuration(text, '--x'))).toBe(expected)
    })
  }
})

const counts: readonly (readonly [string, unknown])[] = [
  ['0', '--n: "0" is not a whole number of at least 1'],
  ['1', 1],
  ['100', 100],
  ['1.5', '--n: "1.5" is not a whole number of at least 1'],
  ['1e3', '--n: "1e3" is not a whole number of at least 1'],
  ['99999999999999999999', '--n: "99999999999999999999" is not a whole number of at least 1'],
]
describe('parseCount', () => {
  for (const [text, expected] of counts) {
    test(`of "${text}"`, () => {
      expect(outcome(() => parseCount(text, '--n', 1))).toBe(expected)
    })
  }
})

const states: readonly (readonly [string, unknown])[] = [
  ['working', 'TASK_STATE_WORKING'],
  ['input-required', 'TASK_STATE_INPUT_REQUIRED'],
  ['TASK_STATE_FAILED', 'TASK_STATE_FAILED'],
  ['Completed', 'TASK_STATE_COMPLETED'],
  ['done', '--state: "done" is not a task state'],
  ['unspecified', '--state: "unspecified" is not a task state'],
]
describe('parseState', () => {
  for (const [text, expected] of states) {
    test(`of "${text}"`, () => {
      expect(outcome(() => parseState(text, '--state'))).toBe(expected)
    })
  }
  test('shortState is its inverse', () => {
    expect(parseState(shortState('TASK_STATE_AUTH_REQUIRED'), '--state')).toBe('TASK_STATE_AUTH_REQUIRED')
  })
})

const now = Date.UTC(2026, 10, 30, 12)
const times: readonly (readonly [string, unknown])[] = [
  ['1h', '2026-11-30T11:00:00.000Z'],
  ['2026-11-30T12:00:00+02:00', '2026-11-30T10:00:00.000Z'],
  ['2026-11-30', '2026-11-30T00:00:00.000Z'],
  ['yesterday', '--since: "yesterday" is not a time'],
  ['2026-99-99', '--since: "2026-99-99" is not a time'],
  ['7', '--since: "7" is not a time'],
]
describe('parseTime', () => {
  for (const [text, expected] of times) {
    test(`of "${text}"`, () => {
      expect(outcome(() => parseTime(text, '--since', now))).toBe(expected)
    })
  }
})

describe('parseHeaders', () => {
  test('reads names and values, and joins repeated ones', () => {
    expect(parseHeaders(['X-Key: a:b ', 'accept: x', 'Accept:y'])).toEqual({ 'x-key': 'a:b', accept: 'x, y' })
  })
  for (const line of ['secret', ': secret', 'na me: secret', 'name: secret\r\nother: 1', 'name: secret\u4f60']) {
    test(`refuses ${JSON.stringify(line)} without repeating it`, () => {
      expect(outcome(() => parseHeaders([line]))).toBe('--header: must read "Name: value", in printable characters')
    })
  }
})

test('parseList takes items between commas', () => {
  expect(parseList(' a, b ,,c')).toEqual(['a', 'b', 'c'])
})

test('parseJson names the flag', () => {
  expect(parseJson('{"a":1}', '--data')).toEqual({ a: 1 })
  expect(outcome(() => parseJson('{a:1}', '--data'))).toMatch(/^--data: is not JSON: /)
})
