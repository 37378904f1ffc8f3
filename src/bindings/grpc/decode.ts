import type { BinaryReader } from '@bufbuild/protobuf/wire'
import { entryName, isObject, setOwn } from '../../protocol/reader.ts'
import { Fault, faultAt, mostLevels, tooDeep } from './fault.ts'
import { type Field, kinds, type Table } from './field-table.ts'
import { readTimestamp as parseTimestamp, timestampText } from './timestamp.ts'

/** Bytes that are being read. */
export interface Source {
  readonly reader: BinaryReader
  readonly bytes: Buffer
  /** How many levels down the reader is. */
  depth: number
}

type Members = Record<string, unknown>

/**
 * Reads fields up to `end` into an object: names of ProtoJSON, without implicit defaults and without what the table does
 * not know. What comes twice is merged as protobuf says: the last scalar counts, messages are joined.
 */
export function readFields(table: Table, source: Source, { end, into }: { end: number; into: Members }): Members {
  const { reader, bytes } = source
  const { byNumber } = table
  if (++source.depth > mostLevels) throw tooDeep()
  let field: Field | undefined
  try {
    while (reader.pos < end) {
      const first = bytes[reader.pos] as number
      let number: number
      let wireType: number
      if (first < 0x80 && first > 7) {
        reader.pos += 1
        number = first >>> 3
        wireType = first & 7
      } else [number, wireType] = reader.tag()
      field = number < byNumber.length ? byNumber[number] : undefined
      if (field === undefined || (wireType !== field.wireType && !(wireType === 2 && field.packable))) {
        field = undefined
        reader.skip(wireType, number)
      } else if (field.list) readItem(field, source, { into, packed: wireType !== field.wireType })
      else if (field.map) readEntry(field, source, into)
      else {
        const value = readOne(field, source, into[field.json])
        for (const rival of field.rivals) if (rival in into) delete into[rival]
        if (value !== field.zero) into[field.json] = value
        else if (field.json in into) delete into[field.json]
      }
    }
    field = undefined
    if (reader.pos !== end) throw new Fault('is a message with a field that does not end where the message does')
  } catch (thrown) {
    if (field === undefined) throw thrown
    const known = into[field.json]
    throw faultAt(thrown, Array.isArray(known) ? `${field.json}[${known.length}]` : field.json)
  }
  source.depth -= 1
  return into
}

function readItem(field: Field, source: Source, { into, packed }: { into: Members; packed: boolean }): void {
  into[field.json] ??= []
  const list = into[field.json] as unknown[]
  if (list.length >= mostItems) throw new Fault(tooMany)
  if (!packed) {
    list.push(readOne(field, source, undefined))
    return
  }
  const { reader } = source
  const end = readEnd(source)
  while (reader.pos < end) {
    if (list.length >= mostItems) throw new Fault(tooMany)
    list.push(readOne(field, source, undefined))
  }
  checkEnd(source, end)
}

/** An element may be two bytes long, and fewer when they are compressed; as an object it takes a hundred times as much. */
const mostItems = 100_000
const tooMany = `has more than ${mostItems} elements`

/** One entry of a map, which is a message of a key and a value. */
function readEntry(field: Field, source: Source, into: Members): void {
  const { reader } = source
  const end = readEnd(source)
  let key = ''
  let value: unknown
  try {
    while (reader.pos < end) {
      const [number, wireType] = reader.tag()
      if (number === 1 && wireType === 2) key = readText(source)
      else if (number === 2 && wireType === field.valueType) value = readOne(field, source, value)
      else reader.skip(wireType, number)
    }
    checkEnd(source, end)
  } catch (thrown) {
    throw faultAt(thrown, entryName(key))
  }
  into[field.json] ??= {}
  setOwn(into[field.json] as object, key, value ?? emptyOf(field))
}

/** What an entry holds that names no value. */
function emptyOf(field: Field): unknown {
  switch (field.kind) {
    case kinds.string:
    case kinds.bytes:
      return ''
    case kinds.bool:
      return false
    case kinds.int32:
      return 0
    case kinds.enum:
      return field.enumNames.get(0) ?? 0
    case kinds.value:
      return null
    case kinds.timestamp:
      return timestampText(0, 0)
    default:
      return {}
  }
}

/** One value; `known` is what the field holds already. */
function readOne(field: Field, source: Source, known: unknown): unknown {
  const { reader } = source
  switch (field.kind) {
    case kinds.string:
      return readText(source)
    case kinds.message: {
      const end = readEnd(source)
      return readFields(field.inner as Table, source, { end, into: (known ?? {}) as Members })
    }
    case kinds.enum: {
      const number = reader.int32()
      return field.enumNames.get(number) ?? number
    }
    case kinds.bool:
      return reader.bool()
    case kinds.int32:
      return reader.int32()
    case kinds.timestamp:
      return readTimestamp(source, known as string | undefined)
    case kinds.struct:
      return readStruct(source, (known ?? {}) as Members)
    case kinds.value:
      return readValue(source, known)
    case kinds.bytes: {
      const end = readEnd(source)
      const start = reader.pos
      reader.pos = end
      return source.bytes.toString('base64', start, end)
    }
  }
}

/** Where the piece of bytes ends whose length comes next. */
function readEnd({ reader }: Source): number {
  const length = reader.uint32()
  const end = reader.pos + length
  if (end > reader.len) throw new Fault('is not a valid protobuf message: it says it is longer than its bytes')
  return end
}

function checkEnd({ reader }: Source, end: number): void {
  if (reader.pos !== end) throw new Fault('is not a valid protobuf message: its length is wrong')
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A method of Node's that its types do not know; it is what `toString` calls in the end, at half the cost. */
const utf8Slice = (Buffer.prototype as { utf8Slice?: (this: Buffer, start: number, end: number) => string }).utf8Slice

const sliceText: (bytes: Buffer, start: number, end: number) => string =
  utf8Slice === undefined
    ? (bytes, start, end) => bytes.toString('utf8', start, end)
    : (bytes, start, end) => utf8Slice.call(bytes, start, end)

function readText(source: Source): string {
  const { reader, bytes } = source
  const end = readEnd(source)
  const start = reader.pos
  reader.pos = end
  const text = sliceText(bytes, start, end)
  // This is what a decoder puts in place of bytes that are not UTF-8; it may also stand there by itself.
  return text.includes('\uFFFD') ? checkedText(bytes.subarray(start, end)) : text
}

function checkedText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes)
  } catch {
    throw new Fault('is not valid UTF-8')
  }
}

function readTimestamp(source: Source, known: string | undefined): string {
  const { reader } = source
  const end = readEnd(source)
  let [seconds, nanos] = known === undefined ? [0, 0] : parseTimestamp(known)
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    if (number === 1 && wireType === 0) seconds = readInt64(source)
    else if (number === 2 && wireType === 0) nanos = reader.int32()
    else reader.skip(wireType, number)
  }
  checkEnd(source, end)
  return timestampText(seconds, nanos)
}

/** An int64 as a number; those of up to five bytes, which have fewer than 36 bits, without a BigInt. */
function readInt64({ reader, bytes }: Source): number {
  const start = reader.pos
  let value = 0
  for (let at = 0, unit = 1; at < 5; at++, unit *= 128) {
    const byte = bytes[start + at] as number
    value += (byte & 0x7f) * unit
    if (byte < 0x80) {
      reader.pos = start + at + 1
      return value
    }
  }
  return Number(reader.int64())
}

/** A google.protobuf.Struct: entries of a name and a Value. */
function readStruct(source: Source, into: Members): Members {
  const { reader } = source
  if (++source.depth > mostLevels) throw tooDeep()
  const end = readEnd(source)
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    if (number !== 1 || wireType !== 2) {
      reader.skip(wireType, number)
      continue
    }
    const entryEnd = readEnd(source)
    let key = ''
    let value: unknown
    try {
      while (reader.pos < entryEnd) {
        const [part, partType] = reader.tag()
        if (part === 1 && partType === 2) key = readText(source)
        else if (part === 2 && partType === 2) value = readValue(source, value)
        else reader.skip(partType, part)
      }
      checkEnd(source, entryEnd)
    } catch (thrown) {
      throw faultAt(thrown, entryName(key))
    }
    setOwn(into, key, value ?? null)
  }
  checkEnd(source, end)
  source.depth -= 1
  return into
}

/** A google.protobuf.Value; one that holds nothing counts as null. */
function readValue(source: Source, known: unknown): unknown {
  const { reader } = source
  const end = readEnd(source)
  let value = known ?? null
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    if (number === 3 && wireType === 2) value = readText(source)
    else if (number === 2 && wireType === 1) value = readDouble(reader)
    else if (number === 4 && wireType === 0) value = reader.bool()
    else if (number === 5 && wireType === 2) value = readStruct(source, isObject(value) ? (value as Members) : {})
    else if (number === 6 && wireType === 2) value = readListValue(source, Array.isArray(value) ? value : [])
    else if (number === 1 && wireType === 0) {
      reader.uint32()
      value = null
    } else reader.skip(wireType, number)
  }
  checkEnd(source, end)
  return value
}

function readDouble(reader: BinaryReader): number {
  const number = reader.double()
  if (!Number.isFinite(number)) throw new Fault('must be a finite number; JSON has no other')
  return number
}

/** A google.protobuf.ListValue. */
function readListValue(source: Source, list: unknown[]): unknown[] {
  const { reader } = source
  if (++source.depth > mostLevels) throw tooDeep()
  const end = readEnd(source)
  while (reader.pos < end) {
    const [number, wireType] = reader.tag()
    if (number !== 1 || wireType !== 2) {
      reader.skip(wireType, number)
      continue
    }
    try {
      list.push(readValue(source, undefined))
    } catch (thrown) {
      throw faultAt(thrown, `[${list.length}]`)
    }
  }
  checkEnd(source, end)
  source.depth -= 1
  return list
}
