import type { Read, Reading } from './reader.ts'
import {
  badUnicode,
  copyBefore,
  entryName,
  fail,
  forgive,
  isObject,
  prefix,
  readStruct,
  readValue,
  setOwn,
  tooDeep,
  warn,
} from './reader.ts'
import { isWellFormed, normalizeBase64, normalizeInt32, normalizeTimestamp } from './scalars.ts'
import type { FieldDescriptor, Tables } from './schema.ts'
import { zeroOf } from './schema.ts'

/** A field under one of its names. */
export interface Slot {
  readonly field: FieldDescriptor
  readonly json: string
  readonly bit: number
  readonly read: Read
  readonly oneof: boolean
  /** Whether null is a value here and not the absence of one. */
  readonly nullable: boolean
  /** A name of old, which the real one overrules. */
  readonly alias: boolean
}

/** A message type, ready for reading. */
export interface Compiled {
  readonly name: string
  readonly slots: ReadonlyMap<string, Slot>
  readonly required: number
  readonly oneofMembers: readonly string[]
  /** Whether nothing can stand in for a missing oneof member. */
  readonly oneofEssential: boolean
  /** The tables it was made from, and how to get at its neighbours. */
  readonly tables: Tables
  readonly compile: Compile
}

/** Gives the compiled form of a message type, which is made on first use. */
export type Compile = (name: string) => Compiled

/** A compiler for the messages of one version. */
export function createCompiler(tables: Tables): Compile {
  const compiled = new Map<string, Compiled>()
  const compile: Compile = (name) => {
    const known = compiled.get(name)
    if (known !== undefined) return known
    const result = compileMessage(name, tables, compile)
    compiled.set(name, result)
    return result
  }
  return compile
}

function compileMessage(name: string, tables: Tables, compile: Compile): Compiled {
  const fields = tables.schema.messages[name]
  if (fields === undefined) throw new TypeError(`There is no message type ${name}`)
  const slots = new Map<string, Slot>()
  let required = 0
  for (const [index, field] of fields.entries()) {
    const bit = 1 << index
    if (field.required) required |= bit
    const words: Words = { tables, key: `${name}.${field.json}` }
    const slot: Slot = {
      field,
      json: field.json,
      bit,
      read: fieldReader(field, words, compile),
      oneof: field.oneof !== undefined,
      nullable: field.type === 'value',
      alias: false,
    }
    slots.set(field.json, slot)
    slots.set(field.name, slot)
    for (const alias of tables.aliases[words.key] ?? []) slots.set(alias, { ...slot, alias: true })
  }
  const members = fields.filter((field) => field.oneof !== undefined)
  return {
    name,
    slots,
    required,
    oneofMembers: members.map((field) => field.json),
    oneofEssential: members[0]?.oneof === 'payload',
    tables,
    compile,
  }
}

/** Reads one message; see `Read`. */
export function readMessage(type: Compiled, input: unknown, at: { reading: Reading; depth: number }): unknown {
  return readFields(type, input, at.reading, at.depth)
}

function readFields(type: Compiled, input: unknown, reading: Reading, depth: number): unknown {
  if (!isObject(input)) return fail(reading, `must be a JSON object, a ${type.name}`)
  if (depth > reading.maxDepth) return tooDeep(reading)
  let copy: Record<string, unknown> | undefined
  let seen = 0
  let chosen: Slot | undefined
  for (const key in input) {
    const value = input[key]
    const slot = type.slots.get(key)
    const unset = value === undefined || (value === null && slot?.nullable !== true)
    const overruled = slot?.alias === true && Object.hasOwn(input, slot.json)
    if (slot === undefined || unset || overruled) {
      copy ??= copyBefore(input, key)
      continue
    }
    if ((seen & slot.bit) !== 0) fail(reading, `is given twice, also under another name; send only "${slot.json}"`, key)
    seen |= slot.bit
    if (slot.oneof) {
      if (chosen !== undefined && chosen.bit !== slot.bit) {
        fail(
          reading,
          `cannot be combined with "${chosen.json}"; set exactly one of ${type.oneofMembers.join(', ')}`,
          key,
        )
      }
      chosen = slot
    }
    const before = reading.notes.length
    const result = slot.read(value, reading, depth + 1)
    if (reading.notes.length !== before) prefix(reading, before, slot.json)
    if (result !== value || key !== slot.json) copy ??= copyBefore(input, key)
    if (copy !== undefined && result !== undefined) copy[slot.json] = result
  }
  if ((seen & type.required) !== type.required) copy = addMissing(type, seen, { input: copy ?? input, reading, depth })
  if (chosen === undefined && type.oneofMembers.length > 0) copy = addMember(type, copy ?? input, reading)
  return copy ?? input
}

/** Notes each REQUIRED field that is missing; a lenient reader puts the default there, so that the type holds. */
function addMissing(
  type: Compiled,
  seen: number,
  at: { input: Readonly<Record<string, unknown>>; reading: Reading; depth: number },
): Record<string, unknown> {
  const copy = { ...at.input }
  for (const slot of new Set(type.slots.values())) {
    if (slot.alias || (slot.bit & type.required & ~seen) === 0) continue
    if (!forgive(at.reading, `is required; give ${wanted(slot.field, wordsOf(type, slot.field))}`, slot.json)) continue
    if (slot.field.type === 'message' && !slot.field.repeated && !slot.field.map) {
      const notes = at.reading.notes.length
      copy[slot.json] = readFields(type.compile(slot.field.typeName as string), {}, at.reading, at.depth + 1)
      at.reading.notes.length = notes
    } else copy[slot.json] = zeroOf(slot.field, type.tables.schema.enums)
  }
  return copy
}

function addMember(
  type: Compiled,
  value: Readonly<Record<string, unknown>>,
  reading: Reading,
): Record<string, unknown> {
  const copy = { ...value }
  const text = `must have exactly one of ${type.oneofMembers.join(', ')}`
  if (type.oneofEssential) fail(reading, text)
  else if (forgive(reading, text) && type.oneofMembers[0] === 'text') copy.text = ''
  return copy
}

/** What a text about a field is made from: the tables, and its name in them. */
interface Words {
  readonly tables: Tables
  readonly key: string
}

function wordsOf(type: Compiled, field: FieldDescriptor): Words {
  return { tables: type.tables, key: `${type.name}.${field.json}` }
}

/** What a REQUIRED field must hold, in words. */
function wanted(field: FieldDescriptor, { tables, key }: Words): string {
  if (field.constant !== undefined) return JSON.stringify(field.constant)
  const mayBeEmpty = tables.mayBeEmpty.has(key)
  if (mayBeEmpty && field.type === 'string' && !field.repeated && !field.map) return 'a string'
  if (field.repeated) return `an array${mayBeEmpty ? '' : ' with at least one element'}`
  if (field.map) return 'an object'
  const words: Partial<Record<FieldDescriptor['type'], string>> = {
    string: 'a string that is not empty',
    bool: 'true or false',
    int32: 'a whole number',
    enum: `one of ${setNames(field, tables).join(', ')}`,
    message: `an object, a ${field.typeName}`,
  }
  return words[field.type] ?? 'a value'
}

function setNames(field: FieldDescriptor, { schema }: Tables): string[] {
  const values = schema.enums[field.typeName as string] ?? []
  return values.filter(([, number]) => number !== 0).map(([name]) => name)
}

function fieldReader(field: FieldDescriptor, words: Words, compile: Compile): Read {
  const { tables, key } = words
  if (field.constant !== undefined) return constantReader(field.constant)
  const one = singleReader(field, tables, compile)
  const strict = field.required === true && !tables.mayBeEmpty.has(key)
  if (field.repeated) return listReader(one, { field, strict })
  if (field.map) return mapReader(one, field)
  const plain = ['string', 'bool', 'int32', 'enum'].includes(field.type)
  const emptyIsMissing = strict && (field.type === 'string' || field.type === 'enum')
  const emptyIsUnset = plain && !field.required && !field.optional && field.oneof === undefined
  if (!emptyIsMissing && !emptyIsUnset) return one
  const zero = zeroOf(field, tables.schema.enums)
  return (value, reading, depth) => {
    const result = one(value, reading, depth)
    if (result !== zero) return result
    if (emptyIsUnset) return undefined
    return forgive(reading, `must not be empty; give ${wanted(field, words)}`) ? result : undefined
  }
}

function constantReader(constant: string): Read {
  const text = `must be ${JSON.stringify(constant)}`
  return (value, reading) => (value === constant || forgive(reading, text) ? constant : undefined)
}

function listReader(one: Read, { field, strict }: { field: FieldDescriptor; strict: boolean }): Read {
  const limited = field.typeName === 'Part'
  return (value, reading, depth) => {
    if (!Array.isArray(value)) return fail(reading, 'must be an array')
    if (depth > reading.maxDepth) return tooDeep(reading)
    if (value.length === 0) {
      if (!field.required) return undefined
      return !strict || forgive(reading, 'must have at least one element') ? value : undefined
    }
    if (limited && value.length > reading.maxParts) {
      return fail(reading, `has ${value.length} parts; at most ${reading.maxParts} are allowed`)
    }
    let copy: unknown[] | undefined
    for (let at = 0; at < value.length; at++) {
      const before = reading.notes.length
      const item = one(value[at], reading, depth + 1)
      if (reading.notes.length !== before) prefix(reading, before, `[${at}]`)
      if (copy !== undefined) copy.push(item)
      else if (item !== value[at]) copy = [...value.slice(0, at), item]
    }
    return copy ?? value
  }
}

function mapReader(one: Read, field: FieldDescriptor): Read {
  return (value, reading, depth) => {
    if (!isObject(value)) return fail(reading, 'must be a JSON object: {"name": value, ...}')
    if (depth > reading.maxDepth) return tooDeep(reading)
    let copy: Record<string, unknown> | undefined
    let empty = true
    for (const key of Object.keys(value)) {
      const before = reading.notes.length
      if (!isWellFormed(key)) fail(reading, badUnicode)
      const item = one(value[key], reading, depth + 1)
      if (reading.notes.length !== before) prefix(reading, before, entryName(key))
      if (item !== value[key]) copy ??= copyBefore(value, key)
      if (copy !== undefined) setOwn(copy, key, item)
      empty = false
    }
    if (empty && !field.required) return undefined
    return copy ?? value
  }
}

function singleReader(field: FieldDescriptor, tables: Tables, compile: Compile): Read {
  switch (field.type) {
    case 'string':
      return readString
    case 'bool':
      return (value, reading) =>
        typeof value === 'boolean' ? value : fail(reading, 'must be true or false, without quotation marks')
    case 'int32':
      return (value, reading) =>
        normalizeInt32(value) ?? fail(reading, 'must be a whole number between -2147483648 and 2147483647')
    case 'bytes':
      return readBytes
    case 'timestamp':
      return readTimestamp
    case 'enum':
      return enumReader(field, tables)
    case 'struct':
      return readStruct
    case 'value':
      return readValue
    case 'message':
      return messageReader(field.typeName as string, compile)
  }
}

function messageReader(name: string, compile: Compile): Read {
  let type: Compiled | undefined
  return (value, reading, depth) => {
    type ??= compile(name)
    return readFields(type, value, reading, depth)
  }
}

const readString: Read = (value, reading) => {
  if (typeof value !== 'string') return fail(reading, 'must be a string')
  return isWellFormed(value) ? value : fail(reading, badUnicode)
}

const readBytes: Read = (value, reading) =>
  (typeof value === 'string' ? normalizeBase64(value) : undefined) ?? fail(reading, 'must be base64 text')

const readTimestamp: Read = (value, reading) =>
  (typeof value === 'string' ? normalizeTimestamp(value) : undefined) ??
  fail(reading, 'must be a time such as 2025-01-31T12:00:00.000Z, between the years 1 and 9999')

function enumReader(field: FieldDescriptor, tables: Tables): Read {
  const values = tables.schema.enums[field.typeName as string] ?? []
  const names = new Set(values.map(([name]) => name))
  const others = new Map(
    values.flatMap(([name, number, ...spellings]) => [number, ...spellings].map((key) => [key, name] as const)),
  )
  const unspecified = others.get(0)
  const text = `must be one of ${setNames(field, tables).join(', ')}`
  return (value, reading) => {
    if (typeof value === 'string' && names.has(value)) return value
    const known = typeof value === 'string' || typeof value === 'number'
    const name = known ? others.get(value) : undefined
    if (name !== undefined) return name
    if (!reading.lenient || !known) return fail(reading, text)
    warn(reading, `${text}; ${JSON.stringify(value).slice(0, 100)} is not known and counts as unspecified`)
    return unspecified
  }
}
