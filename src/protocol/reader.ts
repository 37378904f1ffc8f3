import type { FieldViolation } from './errors.ts'
import { isWellFormed } from './scalars.ts'

/** What one reading of a message knows and gathers. */
export interface Reading {
  readonly maxDepth: number
  readonly maxParts: number
  /** Whether what is merely incomplete is a warning instead of an error. */
  readonly lenient: boolean
  /** Errors and warnings with the path built so far; each level puts its own name in front. */
  readonly notes: Note[]
  errors: number
}

interface Note {
  field: string
  readonly description: string
  readonly warning: boolean
}

/**
 * Reads one value. Gives the canonical form, which is the value itself where nothing differs, or `undefined` when the
 * field counts as unset or when the value is wrong, which it then notes.
 */
export type Read = (value: unknown, reading: Reading, depth: number) => unknown

const mostErrors = 20
const mostWarnings = 100

/** Notes an error; gives `undefined`, for use in a return. */
export function fail(reading: Reading, description: string, field = ''): undefined {
  reading.errors += 1
  if (reading.errors <= mostErrors) reading.notes.push({ field, description, warning: false })
}

/** Notes what a lenient reader lets pass. */
export function warn(reading: Reading, description: string, field = ''): void {
  if (reading.notes.length < mostWarnings) reading.notes.push({ field, description, warning: true })
}

/** Notes a flaw that only a strict reader refuses; gives whether the value may be kept. */
export function forgive(reading: Reading, description: string, field = ''): boolean {
  if (reading.lenient) warn(reading, description, field)
  else fail(reading, description, field)
  return reading.lenient
}

/** Puts a name in front of the paths of all notes made since there were `from` of them. */
export function prefix(reading: Reading, from: number, name: string): void {
  for (let at = from; at < reading.notes.length; at++) {
    const note = reading.notes[at] as Note
    note.field = note.field === '' ? name : note.field[0] === '[' ? name + note.field : `${name}.${note.field}`
  }
}

/** The errors as field violations. */
export function violations(reading: Reading): FieldViolation[] {
  return reading.notes.filter((note) => !note.warning).map(({ field, description }) => ({ field, description }))
}

/** The warnings as texts that begin with the path. */
export function warningTexts(reading: Reading): string[] {
  return reading.notes
    .filter((note) => note.warning)
    .map((note) => (note.field === '' ? note.description : `${note.field}: ${note.description}`))
}

/** Notes that a value lies deeper than the limit. */
export function tooDeep(reading: Reading): undefined {
  return fail(reading, `is nested too deeply; at most ${reading.maxDepth} levels are allowed`)
}

/** The text for strings that have no UTF-8 form. */
export const badUnicode = 'holds a lone surrogate; send valid Unicode'

/** Whether a value is an object in the sense of JSON: no array, and nothing like a Date or a Map. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return true
  return Object.prototype.toString.call(value) === '[object Object]' && !('toJSON' in value)
}

/** Sets an own member, whatever its name: a key `__proto__` stays a key. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  } else (target as Record<string, unknown>)[key] = value
}

/** The name of a map entry in a path: `.key` where that is plain, else `["key"]`. */
export function entryName(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? key : `[${JSON.stringify(key.slice(0, 100))}]`
}

/** A shallow copy of the members before `key`. */
export function copyBefore(source: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(source)) {
    if (name === key) break
    setOwn(copy, name, source[name])
  }
  return copy
}

/** Reads any JSON value. */
export const readValue: Read = (value, reading, depth) => {
  switch (typeof value) {
    case 'string':
      return isWellFormed(value) ? value : fail(reading, badUnicode)
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : fail(reading, 'must be a finite number; JSON has no other')
    case 'object':
      if (value === null) return null
      if (Array.isArray(value)) return readArray(value, reading, depth)
      return readStruct(value, reading, depth)
    default:
      return fail(reading, `must be a JSON value, not ${typeof value}`)
  }
}

function readArray(value: readonly unknown[], reading: Reading, depth: number): unknown {
  if (depth > reading.maxDepth) return tooDeep(reading)
  let copy: unknown[] | undefined
  for (let at = 0; at < value.length; at++) {
    const before = reading.notes.length
    const item = readValue(value[at], reading, depth + 1)
    if (reading.notes.length !== before) prefix(reading, before, `[${at}]`)
    if (copy !== undefined) copy.push(item)
    else if (item !== value[at]) copy = [...value.slice(0, at), item]
  }
  return copy ?? value
}

/** Reads a JSON object with any members. */
export const readStruct: Read = (value, reading, depth) => {
  if (!isObject(value)) return fail(reading, 'must be a JSON object: {"name": value, ...}')
  if (depth > reading.maxDepth) return tooDeep(reading)
  let copy: Record<string, unknown> | undefined
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) {
      copy ??= copyBefore(value, key)
      continue
    }
    if (!isWellFormed(key)) fail(reading, 'has a member whose name holds a lone surrogate; send valid Unicode')
    const before = reading.notes.length
    const item = readValue(member, reading, depth + 1)
    if (reading.notes.length !== before) prefix(reading, before, entryName(key))
    if (item !== member) copy ??= copyBefore(value, key)
    if (copy !== undefined) setOwn(copy, key, item)
  }
  return copy ?? value
}
