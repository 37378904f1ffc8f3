import type { BinaryWriter } from '@bufbuild/protobuf/wire'
import { badUnicode, entryName, isObject } from '../../protocol/reader.ts'
import { isWellFormed, normalizeInt32 } from '../../protocol/scalars.ts'
import { Fault, faultAt, mostLevels, tooDeep } from './fault.ts'
import { type Field, kinds, type Table } from './field-table.ts'
import { readTimestamp } from './timestamp.ts'

/** Bytes that are being written. */
export interface Sink {
  readonly writer: BinaryWriter
  /** How many levels down the writer is. */
  depth: number
}

/** Writes the members of a message that its table knows, without those that are undefined, null or an implicit default. */
export function writeFields(table: Table, sink: Sink, value: unknown): void {
  if (!isObject(value)) throw new Fault('must be an object')
  if (++sink.depth > mostLevels) throw tooDeep()
  for (const field of table.fields) {
    const member = value[field.json]
    if (member === undefined || member === field.zero || (member === null && field.kind !== kinds.value)) continue
    if (field.list) writeList(field, sink, member)
    else if (field.map) writeMap(field, sink, member)
    else {
      try {
        sink.writer.uint32(field.tag)
        writeOne(field, sink, member)
      } catch (thrown) {
        throw faultAt(thrown, field.json)
      }
    }
  }
  sink.depth -= 1
}

function writeList(field: Field, sink: Sink, list: unknown): void {
  if (!Array.isArray(list)) throw faultAt(new Fault('must be an array'), field.json)
  if (list.length === 0) return
  const { writer } = sink
  if (field.packable) writer.uint32(field.tag).fork()
  for (let at = 0; at < list.length; at++) {
    try {
      if (field.packable) writeVarint(field, writer, list[at])
      else {
        writer.uint32(field.tag)
        writeOne(field, sink, list[at])
      }
    } catch (thrown) {
      throw faultAt(thrown, `${field.json}[${at}]`)
    }
  }
  if (field.packable) writer.join()
}

function writeMap(field: Field, sink: Sink, map: unknown): void {
  if (!isObject(map)) throw faultAt(new Fault('must be an object'), field.json)
  const { writer } = sink
  for (const key of Object.keys(map)) {
    const value = map[key]
    if (value === undefined) continue
    try {
      writer.uint32(field.tag).fork().uint32(0o12)
      writeText(writer, key)
      writer.uint32(0o20 | field.valueType)
      writeOne(field, sink, value)
      writer.join()
    } catch (thrown) {
      throw faultAt(faultAt(thrown, entryName(key)), field.json)
    }
  }
}

/** One value, whose number and wire type are written already. */
function writeOne(field: Field, sink: Sink, value: unknown): void {
  const { writer } = sink
  switch (field.kind) {
    case kinds.string:
      writeText(writer, value)
      break
    case kinds.message:
      writer.fork()
      writeFields(field.inner as Table, sink, value)
      writer.join()
      break
    case kinds.timestamp:
      writeTimestamp(writer, value)
      break
    case kinds.struct:
      writeStruct(sink, value)
      break
    case kinds.value:
      writeValue(sink, value)
      break
    case kinds.bytes:
      writer.bytes(bytesOf(value))
      break
    default:
      writeVarint(field, writer, value)
  }
}

function writeVarint(field: Field, writer: BinaryWriter, value: unknown): void {
  if (field.kind === kinds.enum) {
    const number = field.enumNumbers.get(value) ?? (typeof value === 'number' ? normalizeInt32(value) : undefined)
    if (number === undefined) throw new Fault(`must be one of ${[...field.enumNames.values()].join(', ')}`)
    writer.int32(number)
  } else if (field.kind === kinds.bool) {
    if (typeof value !== 'boolean') throw new Fault('must be true or false')
    writer.bool(value)
  } else {
    const number = normalizeInt32(value)
    if (number === undefined) throw new Fault('must be a whole number between -2147483648 and 2147483647')
    writer.int32(number)
  }
}

function writeText(writer: BinaryWriter, value: unknown): void {
  if (typeof value !== 'string') throw new Fault('must be a string')
  if (!isWellFormed(value)) throw new Fault(badUnicode)
  writer.string(value)
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value, 'base64')
    const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0
    const digits = value.length - padding
    const even = padding === 0 ? digits % 4 !== 1 : value.length % 4 === 0
    // What is not base64 is skipped by the decoder, so that bytes are missing.
    if (even && bytes.length === Math.floor((digits * 3) / 4)) return bytes
  }
  throw new Fault('must be base64 text')
}

function writeTimestamp(writer: BinaryWriter, value: unknown): void {
  const [seconds, nanos] = readTimestamp(value)
  writer.fork()
  if (seconds > 0 && seconds <= 0xffffffff) writer.uint32(0o10).uint32(seconds)
  else if (seconds !== 0) writer.uint32(0o10).int64(seconds)
  if (nanos !== 0) writer.uint32(0o20).uint32(nanos)
  writer.join()
}

function writeStruct(sink: Sink, value: unknown): void {
  if (!isObject(value)) throw new Fault('must be a JSON object: {"name": value, ...}')
  if (++sink.depth > mostLevels) throw tooDeep()
  const { writer } = sink
  writer.fork()
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    try {
      writer.uint32(0o12).fork().uint32(0o12)
      writeText(writer, key)
      writer.uint32(0o22)
      writeValue(sink, member)
      writer.join()
    } catch (thrown) {
      throw faultAt(thrown, entryName(key))
    }
  }
  writer.join()
  sink.depth -= 1
}

function writeValue(sink: Sink, value: unknown): void {
  const { writer } = sink
  writer.fork()
  switch (typeof value) {
    case 'string':
      writer.uint32(0o32)
      writeText(writer, value)
      break
    case 'number':
      if (!Number.isFinite(value)) throw new Fault('must be a finite number; JSON has no other')
      writer.uint32(0o21).double(value)
      break
    case 'boolean':
      writer.uint32(0o40).bool(value)
      break
    case 'object':
      if (value === null) writer.uint32(0o10).uint32(0)
      else if (Array.isArray(value)) {
        writer.uint32(0o62)
        writeListValue(sink, value)
      } else {
        writer.uint32(0o52)
        writeStruct(sink, value)
      }
      break
    default:
      throw new Fault(`must be a JSON value, not ${typeof value}`)
  }
  writer.join()
}

function writeListValue(sink: Sink, list: readonly unknown[]): void {
  if (++sink.depth > mostLevels) throw tooDeep()
  const { writer } = sink
  writer.fork()
  for (let at = 0; at < list.length; at++) {
    try {
      writer.uint32(0o12)
      writeValue(sink, list[at])
    } catch (thrown) {
      throw faultAt(thrown, `[${at}]`)
    }
  }
  writer.join()
  sink.depth -= 1
}
