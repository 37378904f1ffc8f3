import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWellFormed, normalizeBase64, normalizeInt32, normalizeTimestamp } from './scalars.ts'

describe('PJ-05 base64', () => {
  const rows: [text: string, standard: string | undefined][] = [
    ['', ''],
    ['aGk=', 'aGk='],
    ['aGk', 'aGk='],
    ['aGkh', 'aGkh'],
    ['YQ', 'YQ=='],
    ['YQ==', 'YQ=='],
    ['YQ=', undefined],
    ['YR==', 'YQ=='],
    ['aGl=', 'aGk='],
    ['-_-_', '+/+/'],
    ['-_8', '+/8='],
    ['+/-_', '+/+/'],
    ['a', undefined],
    ['aGkha', undefined],
    ['aG k', undefined],
    ['aGk\n', undefined],
    ['aG==k', undefined],
    ['aGkh=', undefined],
    ['====', undefined],
    ['é===', undefined],
  ]
  for (const [text, standard] of rows) {
    test(`${JSON.stringify(text)} gives ${standard}`, () => {
      expect(normalizeBase64(text)).toBe(standard)
    })
  }

  test('any bytes, in any spelling, give the standard spelling', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const buffer = Buffer.from(bytes)
        const standard = buffer.toString('base64')
        expect(normalizeBase64(standard)).toBe(standard)
        expect(normalizeBase64(standard.replace(/=+$/, ''))).toBe(standard)
        expect(normalizeBase64(buffer.toString('base64url'))).toBe(standard)
      }),
    )
  })

  test('a large text is read without recursion', () => {
    const text = 'QUJD'.repeat(2_000_000)
    expect(normalizeBase64(text)).toBe(text)
  })
})

describe('PJ-06 to PJ-10 timestamps', () => {
  const rows: [text: string, canonical: string | undefined][] = [
    ['2025-01-31T12:00:00.000Z', '2025-01-31T12:00:00.000Z'],
    ['2025-01-31T12:00:00Z', '2025-01-31T12:00:00.000Z'],
    ['2025-01-31T12:00:00.1Z', '2025-01-31T12:00:00.100Z'],
    ['2025-01-31T12:00:00.123456Z', '2025-01-31T12:00:00.123Z'],
    ['2025-01-31T12:00:00.123456789Z', '2025-01-31T12:00:00.123Z'],
    ['2025-01-31T12:00:00.1234567890Z', undefined],
    ['2025-01-31T12:00:00.Z', undefined],
    ['2025-01-31T12:00:00+02:00', '2025-01-31T10:00:00.000Z'],
    ['2025-01-01T00:30:00.5-01:30', '2025-01-01T02:00:00.500Z'],
    ['2025-01-31T12:00:00-00:00', '2025-01-31T12:00:00.000Z'],
    ['2025-01-31t12:00:00z', '2025-01-31T12:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['1900-02-29T00:00:00Z', undefined],
    ['2025-02-29T00:00:00Z', undefined],
    ['2025-04-31T00:00:00Z', undefined],
    ['2025-13-01T00:00:00Z', undefined],
    ['2025-00-01T00:00:00Z', undefined],
    ['2025-01-00T00:00:00Z', undefined],
    ['2025-01-01T24:00:00Z', undefined],
    ['2025-01-01T00:60:00Z', undefined],
    ['2025-01-01T00:00:60Z', undefined],
    ['2025-01-01T00:00:00', undefined],
    ['2025-01-01T00:00:00+24:00', undefined],
    ['2025-01-01T00:00:00+0200', undefined],
    ['2025-01-01', undefined],
    ['2025-1-1T00:00:00Z', undefined],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:59:59Z', undefined],
    ['0001-01-01T00:00:00+01:00', undefined],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59-01:00', undefined],
    ['10000-01-01T00:00:00Z', undefined],
    ['', undefined],
    ['now', undefined],
  ]
  for (const [text, canonical] of rows) {
    test(`${JSON.stringify(text)} gives ${canonical}`, () => {
      expect(normalizeTimestamp(text)).toBe(canonical)
    })
  }

  test('agrees with Date for every instant that has a name', () => {
    const range = { min: new Date('0001-01-01T00:00:00.000Z'), max: new Date('9999-12-31T23:59:59.999Z') }
    fc.assert(
      fc.property(fc.date({ ...range, noInvalidDate: true }), (date) => {
        expect(normalizeTimestamp(date.toISOString())).toBe(date.toISOString())
      }),
    )
  })
})

describe('PJ-15 int32', () => {
  const rows: [value: unknown, number: number | undefined][] = [
    [0, 0],
    [-0, 0],
    [10, 10],
    [1e1, 10],
    ['2', 2],
    ['-5', -5],
    ['1.0', 1],
    ['1e1', 10],
    [2147483647, 2147483647],
    [-2147483648, -2147483648],
    [2147483648, undefined],
    ['2147483648', undefined],
    [1.5, undefined],
    ['1.5', undefined],
    ['', undefined],
    [' 1', undefined],
    ['0x10', undefined],
    ['+1', undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [true, undefined],
    [null, undefined],
    [[1], undefined],
  ]
  for (const [value, number] of rows) {
    test(`${JSON.stringify(value)} (${typeof value}) gives ${number}`, () => {
      expect(normalizeInt32(value)).toBe(number)
    })
  }
})

test('PJ-23 lone surrogates are not well-formed', () => {
  expect(isWellFormed('plain')).toBe(true)
  expect(isWellFormed('pair \u{1f600}')).toBe(true)
  expect(isWellFormed('\ud800')).toBe(false)
  expect(isWellFormed('a\udc00b')).toBe(false)
})
