const surrogate = /\p{Surrogate}/u
const native = (String.prototype as { isWellFormed?: () => boolean }).isWellFormed

/** Whether a string holds no lone surrogate, so that it has a UTF-8 form. */
export const isWellFormed: (text: string) => boolean = native
  ? (text) => native.call(text)
  : (text) => !surrogate.test(text)

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const notBase64 = /[^A-Za-z0-9+/]/

/**
 * The standard, padded form of base64 text in either alphabet, padded or not; the same string when it is in that form
 * already, `undefined` when it is not base64.
 */
export function normalizeBase64(text: string): string | undefined {
  const standard = text.includes('-') || text.includes('_') ? text.replaceAll('-', '+').replaceAll('_', '/') : text
  const stop = standard.search(notBase64)
  const length = stop === -1 ? standard.length : stop
  const digits = length % 4
  const padding = standard.slice(length)
  if (digits === 1) return undefined
  const full = digits === 0 ? '' : '='.repeat(4 - digits)
  if (padding !== '' && padding !== full) return undefined
  if (digits === 0) return standard
  // The bits of the last digit that belong to no byte: a decoder ignores them, the standard form has zeros there.
  const last = alphabet.indexOf(standard[length - 1] as string)
  const spare = digits === 2 ? last & 15 : last & 3
  if (spare !== 0) return standard.slice(0, length - 1) + alphabet[last - spare] + full
  return padding === full ? standard : standard + full
}

const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|[+-]([01]\d|2[0-3]):([0-5]\d))$/
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const firstInstant = Date.parse('0001-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

function daysIn(month: number, year: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return leap ? 29 : (monthDays[month - 1] ?? 0)
}

/**
 * The form `YYYY-MM-DDTHH:mm:ss.sssZ` of an RFC 3339 time with 0 to 9 fraction digits and any offset (§5.6.1); digits
 * beyond the millisecond are cut. The same string when it has that form already, `undefined` when it is not a time
 * between the years 1 and 9999.
 */
export function normalizeTimestamp(text: string): string | undefined {
  const match = timestampPattern.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', offsetHour] = match as unknown as [
    string,
    ...string[],
  ]
  const dayNumber = Number(day)
  if (dayNumber < 1 || dayNumber > daysIn(Number(month), Number(year))) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}`
  if (offsetHour === undefined) {
    if (year === '0000') return undefined
    return text.length === 24 && text === `${local}Z` ? text : `${local}Z`
  }
  const instant = Date.parse(local + text.slice(-6))
  return instant >= firstInstant && instant <= lastInstant ? new Date(instant).toISOString() : undefined
}

const decimal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The number that an int32 field holds, given as a number or decimal text; `undefined` when it is not whole or out of range. */
export function normalizeInt32(value: unknown): number | undefined {
  const number = typeof value === 'string' && decimal.test(value) ? Number(value) : value
  return typeof number === 'number' && (number | 0) === number ? number | 0 : undefined
}
