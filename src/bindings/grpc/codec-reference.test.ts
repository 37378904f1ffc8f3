import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
  toJson,
} from '@bufbuild/protobuf'
import {
  FileDescriptorProtoSchema,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { A2AError } from '../../protocol/errors.ts'
import { schema as schema03 } from '../../protocol/generated/v0-3/schema.ts'
import { schema as schema10 } from '../../protocol/generated/v1/schema.ts'
import type { FieldDescriptor, Schema } from '../../protocol/schema.ts'
import { createCodec } from './codec.ts'

const fieldTypes = {
  string: Type.STRING,
  bool: Type.BOOL,
  int32: Type.INT32,
  bytes: Type.BYTES,
  enum: Type.ENUM,
  message: Type.MESSAGE,
  struct: Type.MESSAGE,
  value: Type.MESSAGE,
  timestamp: Type.MESSAGE,
}

const wellKnown: Readonly<Record<string, string>> = {
  struct: '.google.protobuf.Struct',
  value: '.google.protobuf.Value',
  timestamp: '.google.protobuf.Timestamp',
}

/** The descriptors of another library for the messages of a schema. */
function describeSchema(schema: Schema): (type: string) => DescMessage {
  const entryName = (name: string): string =>
    `${name.replaceAll(/(?:^|_)(.)/g, (_, first) => first.toUpperCase())}Entry`
  const typeOf = ({ type, typeName }: FieldDescriptor) => ({
    type: fieldTypes[type],
    typeName: typeName === undefined ? (wellKnown[type] ?? '') : `.test.${typeName}`,
  })
  const file = create(FileDescriptorProtoSchema, {
    name: 'test.proto',
    package: 'test',
    syntax: 'proto3',
    dependency: ['google/protobuf/struct.proto', 'google/protobuf/timestamp.proto'],
    enumType: Object.entries(schema.enums).map(([name, values]) => ({
      name,
      value: values.map(([value, number]) => ({ name: value, number })),
    })),
    messageType: Object.entries(schema.messages).map(([name, fields]) => {
      const oneofs = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))]
      const presences = fields.filter(({ optional }) => optional).map((field) => `_${field.name}`)
      return {
        name,
        oneofDecl: [...oneofs, ...presences].map((oneof) => ({ name: oneof })),
        nestedType: fields
          .filter(({ map }) => map)
          .map((field) => ({
            name: entryName(field.name),
            options: { mapEntry: true },
            field: [
              { name: 'key', number: 1, label: Label.OPTIONAL, type: Type.STRING },
              { name: 'value', number: 2, label: Label.OPTIONAL, ...typeOf(field) },
            ],
          })),
        field: fields.map((field) => ({
          name: field.name,
          number: field.number,
          jsonName: field.json,
          label: field.repeated || field.map ? Label.REPEATED : Label.OPTIONAL,
          ...(field.map ? { type: Type.MESSAGE, typeName: `.test.${name}.${entryName(field.name)}` } : typeOf(field)),
          ...(field.oneof && { oneofIndex: oneofs.indexOf(field.oneof) }),
          ...(field.optional && {
            proto3Optional: true,
            oneofIndex: oneofs.length + presences.indexOf(`_${field.name}`),
          }),
        })),
      }
    }),
  })
  const registry = createFileRegistry(file, (name) =>
    name.endsWith('struct.proto') ? file_google_protobuf_struct : file_google_protobuf_timestamp,
  )
  return (type) => registry.getMessage(`test.${type}`) as DescMessage
}

const text = fc.string({ unit: 'grapheme', maxLength: 70 })
const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false })
const object = fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor')), value, { maxKeys: 3 })
const time = fc
  .tuple(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), fc.integer({ min: 0, max: 999 }))
  .map(([seconds, milliseconds]) => new Date(seconds * 1_000 + milliseconds).toISOString())

function singleOf(field: FieldDescriptor, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (field.type) {
    case 'string':
      return text
    case 'bool':
      return fc.boolean()
    case 'int32':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })
    case 'bytes':
      return fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('base64'))
    case 'timestamp':
      return time
    case 'value':
      return value
    case 'struct':
      return object
    case 'enum':
      return fc.constantFrom(...(schema.enums[field.typeName as string] ?? []).map(([name]) => name))
    case 'message':
      return messageOf(field.typeName as string, schema, depth + 1)
  }
}

/** Messages with any of their fields set to anything, defaults included. */
function messageOf(type: string, schema: Schema, depth = 0): fc.Arbitrary<Record<string, unknown>> {
  const most = depth > 2 ? 1 : 3
  const fields = (schema.messages[type] ?? []).filter((field) => depth < 4 || field.type !== 'message')
  const memberOf = (field: FieldDescriptor): fc.Arbitrary<unknown> => {
    const one = singleOf(field, schema, depth)
    if (field.repeated) return fc.array(one, { maxLength: most })
    return field.map ? fc.dictionary(text, one, { maxKeys: most, noNullPrototype: true }) : one
  }
  const plain = fields.filter(({ oneof }) => oneof === undefined)
  const members = fields.filter(({ oneof }) => oneof !== undefined)
  const record = fc.record(Object.fromEntries(plain.map((field) => [field.json, memberOf(field)])), {
    requiredKeys: [],
    noNullPrototype: true,
  })
  if (members.length === 0) return record
  const chosen = members.map((field) => memberOf(field).map((member) => ({ [field.json]: member })))
  return fc.tuple(record, fc.oneof(...chosen)).map(([common, member]) => ({ ...common, ...member }))
}

for (const [version, schema] of Object.entries({ '1.0': schema10, '0.3': schema03 })) {
  const reference = describeSchema(schema)
  const codec = createCodec(schema)

  describe(`GRPC-03 messages of ${version} against another implementation`, () => {
    for (const type of Object.keys(schema.messages)) {
      // As JSON, which has no negative zero.
      const message = messageOf(type, schema).map(
        (input) => JSON.parse(JSON.stringify(input)) as Record<string, unknown>,
      )

      test(`${type}: our bytes are read there, and theirs here, as the same message`, () => {
        const descriptor = reference(type)
        fc.assert(
          fc.property(message, (input) => {
            const theirs = fromJson(descriptor, input as JsonObject)
            const canonical = toJson(descriptor, theirs)
            const ours = codec.encode(type, input)
            expect(toJson(descriptor, fromBinary(descriptor, ours))).toEqual(canonical)
            expect(plainTimes(codec.decode(type, toBinary(descriptor, theirs)))).toEqual(plainTimes(canonical))
            expect(codec.decode(type, ours)).toEqual(codec.decode(type, toBinary(descriptor, theirs)))
          }),
          { numRuns: 30 },
        )
      })

      test(`${type}: bytes that follow each other are merged alike`, () => {
        const descriptor = reference(type)
        fc.assert(
          fc.property(message, message, (one, other) => {
            const bytes = Buffer.concat([codec.encode(type, one), codec.encode(type, other)])
            const merged = toJson(descriptor, fromBinary(descriptor, bytes))
            expect(plainTimes(codec.decode(type, bytes))).toEqual(plainTimes(merged))
          }),
          { numRuns: 15 },
        )
      })

      test(`${type}: any bytes give a message or InvalidParams`, () => {
        const cut = fc.tuple(message, fc.nat(), fc.nat(), fc.nat(255)).map(([input, at, end, byte]) => {
          const bytes = Buffer.from(codec.encode(type, input))
          if (bytes.length > 0) bytes[at % bytes.length] = byte
          return bytes.subarray(0, bytes.length - (end % 5 === 0 ? end % (bytes.length + 1) : 0))
        })
        fc.assert(
          fc.property(fc.oneof(cut, fc.uint8Array({ maxLength: 200 })), (bytes) => {
            try {
              codec.encode(type, codec.decode(type, bytes))
            } catch (error) {
              expect(A2AError.is(error) && error.code).toBe('InvalidParams')
            }
          }),
          { numRuns: 60 },
        )
      })
    }
  })
}

/** The same message, its times without zeros that say nothing: canonical forms differ in how many there are. */
function plainTimes(message: unknown): unknown {
  return JSON.parse(JSON.stringify(message), (_, member) =>
    typeof member === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(member)
      ? member.replace(/(\.\d*?)0+Z$/, '$1Z').replace('.Z', 'Z')
      : member,
  )
}
