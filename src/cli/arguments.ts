import type { TaskState } from '../protocol/generated/v1/types.ts'
import { taskStates } from '../protocol/task.ts'
import { usageError } from './command-error.ts'

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `500ms`, `30s`, `2m`, `1h`; a bare number is seconds. Anything else is a usage error that names the flag. */
export function parseDuration(text: string, flag: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim())
  const milliseconds = Number(match?.[1]) * (units[match?.[2] ?? 's'] as number)
  // A timer of Node cannot wait longer.
  if (match === null || milliseconds > 2_147_483_647) {
    throw usageError(`${flag}: ${JSON.stringify(text)} is not a duration`, 'write 500ms, 30s, 2m or 1h')
  }
  return milliseconds
}

/** Milliseconds of `30d`, `12h` or any duration, however long. Anything else is a usage error that names the flag. */
export function parseAge(text: string, flag: string): number {
  const days = /^(\d+(?:\.\d+)?)d$/.exec(text.trim())
  if (days !== null) return Number(days[1]) * 86_400_000
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim())
  if (match === null) throw usageError(`${flag}: ${JSON.stringify(text)} is not an age`, 'write 30d, 12h or 90m')
  return Number(match[1]) * (units[match[2] ?? 's'] as number)
}

/** A whole number of at least `least`. Anything else is a usage error that names the flag. */
export function parseCount(text: string, flag: string, least = 0): number {
  const number = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number) || number < least) {
    throw usageError(`${flag}: ${JSON.stringify(text)} is not a whole number of at least ${least}`)
  }
  return number
}

/** The items of a list with commas. */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** A JSON value. Anything else is a usage error that names the flag. */
export function parseJson(text: string, flag: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(
      `${flag}: is not JSON: ${(error as Error).message}`,
      `quote it for the shell: ${flag} '{"key": "value"}'`,
    )
  }
}

/** The state that `input-required`, `working` or `TASK_STATE_WORKING` names. */
export function parseState(text: string, flag: string): TaskState {
  const wanted = text.trim().toUpperCase().replaceAll('-', '_')
  const state = taskStates.find((name) => name === wanted || name === `TASK_STATE_${wanted}`)
  if (state === undefined) {
    throw usageError(
      `${flag}: ${JSON.stringify(text)} is not a task state`,
      `one of ${taskStates.map(shortState).join(', ')}`,
    )
  }
  return state
}

/** A state as people write it: `input-required`. */
export function shortState(state: TaskState): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
}

/** The time that a date, a time with date, or `1h` (so long ago) names, as RFC 3339 text. */
export function parseTime(text: string, flag: string, now: number = Date.now()): string {
  if (/^\d+(?:\.\d+)?(?:ms|s|m|h)$/.test(text)) return new Date(now - parseDuration(text, flag)).toISOString()
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) {
    throw usageError(
      `${flag}: ${JSON.stringify(text)} is not a time`,
      'write 2026-11-30, 2026-11-30T12:00:00Z or 1h for an hour ago',
    )
  }
  return new Date(time).toISOString()
}

/** Names and values of `Name: value` flags. A repeated name is joined with a comma, as HTTP does. */
export function parseHeaders(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, Math.max(0, at)).trim().toLowerCase()
    const value = line.slice(at + 1).trim()
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !isHeaderValue(value)) {
      // The line may hold a secret, so that it is not repeated.
      throw usageError('--header: must read "Name: value", in printable characters')
    }
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return headers
}

function isHeaderValue(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code > 0xff) return false
  }
  return true
}
