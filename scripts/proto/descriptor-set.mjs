// Reads a serialised FileDescriptorSet (as `protoc --descriptor_set_out` writes it) into the form of parse.mjs.
import { jsonName, resolveTypes } from './parse.mjs'

// The fields of one message: number -> list of values (varints as numbers, the rest as bytes).
function readFields(bytes) {
  const fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('not a serialised FileDescriptorSet: it ends inside a number')
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  const take = (length) => {
    if (at + length > bytes.length)
      throw new Error('not a serialised FileDescriptorSet: a field is longer than the file')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    let value
    if (tag % 8 === 0) value = varint()
    else if (tag % 8 === 2) value = take(varint())
    else if (tag % 8 === 1) value = take(8)
    else if (tag % 8 === 5) value = take(4)
    else throw new Error(`not a serialised FileDescriptorSet: wire type ${tag % 8}`)
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return {
    all: (number) => fields.get(number) ?? [],
    text: (number) => (fields.has(number) ? Buffer.from(fields.get(number).at(-1)).toString('utf8') : ''),
    number: (number) => fields.get(number)?.at(-1) ?? 0,
    messages: (number) => (fields.get(number) ?? []).map(readFields),
  }
}

const typeNames = {
  1: 'double',
  2: 'float',
  3: 'int64',
  4: 'uint64',
  5: 'int32',
  6: 'fixed64',
  7: 'fixed32',
  8: 'bool',
  9: 'string',
  12: 'bytes',
  13: 'uint32',
  15: 'sfixed32',
  16: 'sfixed64',
  17: 'sint32',
  18: 'sint64',
}
const fieldBehavior = 1052
const required = 2

function isRequired(options) {
  // A repeated enum: one varint per entry, or packed into bytes (every value here fits one byte).
  return options
    .all(fieldBehavior)
    .some((value) => (typeof value === 'number' ? value === required : value.includes(required)))
}

function readMessage(raw, scope, file) {
  const name = [...scope, raw.text(1)].join('.')
  const nested = raw.messages(3)
  const mapEntries = new Map()
  for (const inner of nested) {
    const isEntry = inner.messages(7).some((options) => options.number(7) === 1)
    if (isEntry)
      mapEntries.set(
        `${name}.${inner.text(1)}`,
        inner.messages(2).find((field) => field.number(3) === 2),
      )
    else readMessage(inner, name.split('.'), file)
  }
  for (const inner of raw.messages(4)) readEnum(inner, name.split('.'), file)
  const oneofs = raw.messages(8).map((oneof) => oneof.text(1))
  const fields = raw.messages(2).map((source) => {
    const own = source.text(6).replace(/^\./, '')
    const entry = mapEntries.get(own.startsWith(`${file.package}.`) ? own.slice(file.package.length + 1) : own)
    const value = entry ?? source
    const field = {
      name: source.text(1),
      json: source.text(10) || jsonName(source.text(1)),
      number: source.number(3),
      scope: name,
    }
    field.type = typeNames[value.number(5)] ?? value.text(6)
    if (entry) field.map = true
    else if (source.number(4) === 3) field.repeated = true
    if (source.number(17) === 1) field.optional = true
    else if (source.all(9).length > 0) field.oneof = oneofs[source.number(9)]
    const [options] = source.messages(8)
    if (options && isRequired(options)) field.required = true
    return field
  })
  file.messages.push({ name, fields })
}

function readEnum(raw, scope, file) {
  const values = raw.messages(2).map((value) => ({ name: value.text(1), number: value.number(2) }))
  file.enums.push({ name: [...scope, raw.text(1)].join('.'), values })
}

export function readDescriptorSet(bytes) {
  const files = readFields(bytes).messages(1)
  // The set may hold what the file imports as well; the one with the A2A service is meant.
  const raw = files.find((candidate) => candidate.messages(6).some((service) => service.text(1).startsWith('A2A')))
  if (raw === undefined) throw new Error('the descriptor set holds no file with an A2A service')
  const file = { package: raw.text(2), messages: [], enums: [], services: [] }
  for (const descriptor of raw.messages(5)) readEnum(descriptor, [], file)
  for (const message of raw.messages(4)) readMessage(message, [], file)
  for (const service of raw.messages(6)) {
    const methods = service.messages(2).map((method) => ({
      name: method.text(1),
      input: method.text(2),
      output: method.text(3),
      clientStreaming: method.number(5) === 1,
      serverStreaming: method.number(6) === 1,
    }))
    file.services.push({ name: service.text(1), methods })
  }
  return resolveTypes(file)
}
