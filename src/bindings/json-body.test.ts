import { expect, test } from 'vitest'
import { parseJson } from './json-body.ts'

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

test('SEC-51 levels that would take seconds to parse are refused before that', () => {
  for (const text of [nested(40_000), `{"a":${'{"b":'.repeat(40_000)}1`, ' '.repeat(70_000) + nested(10_001)]) {
    expect(() => parseJson(text)).toThrow(/nested more than 10000 levels/)
  }
  expect(parseJson(nested(10_000) + ' '.repeat(70_000))).toEqual(expect.any(Array))
})

test('brackets within strings are no levels, whatever is escaped before their end', () => {
  const brackets = '['.repeat(30_000)
  for (const value of [
    brackets,
    `\\${brackets}`,
    `${brackets}\\`,
    `"${brackets}"`,
    `\\"${brackets}\\\\`,
    `${brackets}\\\\"`,
  ]) {
    const object = { [value]: [value, value, { deep: [value] }], end: nested(3) }
    expect(parseJson(JSON.stringify(object))).toEqual(object)
  }
})

test('a long text that never ends is told as what it is', () => {
  for (const text of [`"${'x'.repeat(70_000)}`, `["${'\\"'.repeat(40_000)}`, `{"a":"${'x'.repeat(70_000)}\\"`]) {
    expect(() => parseJson(text)).toThrow(/^Invalid JSON payload/)
  }
})
