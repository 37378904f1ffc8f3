import { normalizeTimestamp } from '../../protocol/scalars.ts'
import { Fault } from './fault.ts'

/** Seconds of the first and the last instant that a Timestamp may hold: the years 1 to 9999. */
const firstSecond = -62_135_596_800
const lastSecond = 253_402_300_799

const description = 'must be a time such as 2025-01-31T12:00:00.000Z, between the years 1 and 9999'

/** The second that was met last, and its text up to the point before the fraction: times come in crowds. */
let knownSecond = 0
let knownText = '1970-01-01T00:00:00.'

/** RFC 3339 text in UTC with three digits of a second, or six or nine where they say more. Throws a Fault. */
export function timestampText(seconds: number, nanos: number): string {
  if (seconds !== knownSecond) {
    if (!(seconds >= firstSecond && seconds <= lastSecond)) throw new Fault(description)
    knownText = new Date(seconds * 1_000).toISOString().slice(0, 20)
    knownSecond = seconds
  }
  if (!(nanos >= 0 && nanos <= 999_999_999)) throw new Fault(description)
  const digits = String(nanos).padStart(9, '0')
  const count = nanos % 1_000_000 === 0 ? 3 : nanos % 1_000 === 0 ? 6 : 9
  return `${knownText}${digits.slice(0, count)}Z`
}

const usualEnd = /^\d{3}Z$/

/** Seconds since 1970 and nanoseconds beyond them of RFC 3339 text. Throws a Fault for what is none. */
export function readTimestamp(value: unknown): readonly [seconds: number, nanos: number] {
  if (typeof value !== 'string') throw new Fault(description)
  const start = value.slice(0, 20)
  const usual = value.length === 24 && usualEnd.test(value.slice(20))
  if (usual && start === knownText) return [knownSecond, Number(value.slice(20, 23)) * 1_000_000]
  const text = normalizeTimestamp(value)
  if (text === undefined) throw new Fault(description)
  const seconds = Math.floor(Date.parse(text) / 1_000)
  knownSecond = seconds
  knownText = text.slice(0, 20)
  const [, fraction = ''] = /\.(\d+)/.exec(value) ?? []
  return [seconds, Number(fraction.padEnd(9, '0'))]
}
