import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs'

export type Json = Readonly<Record<string, unknown>>

/**
 * Reads and writes the messages of a schema by a library that knows nothing of this package: JSON as protobuf maps it on
 * one side, bytes on the other.
 */
export interface ProtoFile {
  encode(type: string, value: Json): Buffer
  decode(type: string, bytes: Uint8Array): Json
  readonly service: protobuf.Service
}

const common = ['any', 'empty', 'struct', 'timestamp']

const statusProto = `syntax = "proto3"; package google.rpc;
message Status { int32 code = 1; string message = 2; repeated google.protobuf.Any details = 3; }
message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
message FieldViolation { string field = 1; string description = 2; }
message BadRequest { repeated FieldViolation field_violations = 1; }`

/** Loads a `.proto` file; `service` is the full name of the one in it. */
export function loadProto(file: string | URL, service: string): ProtoFile {
  const root = new protobuf.Root()
  for (const name of common) {
    const known = protobuf.common.get(`google/protobuf/${name}.proto`)
    if (known?.nested !== undefined) root.addJSON(known.nested)
  }
  protobuf.parse(statusProto, root)
  protobuf.parse(readFileSync(file, 'utf8').replace(/^import .*$/gm, ''), root)
  root.resolveAll()
  const found = root.lookupService(service)
  const typeOf = (name: string): protobuf.Type =>
    root.lookupType(name.includes('.') ? name : `${found.parent?.fullName.slice(1)}.${name}`)
  return {
    encode: (name, value) => {
      const type = typeOf(name)
      return Buffer.from(type.encode(toMessage(type, value)).finish())
    },
    decode: (name, bytes) => {
      const type = typeOf(name)
      return fromMessage(type, type.decode(bytes) as unknown as Json)
    },
    service: found,
  }
}

const exact: Readonly<Record<string, { to(value: unknown): unknown; from(value: never): unknown }>> = {
  'google.protobuf.Timestamp': {
    to: (value) => {
      const time = Date.parse(value as string)
      return { seconds: Math.floor(time / 1000), nanos: (time - Math.floor(time / 1000) * 1000) * 1e6 }
    },
    from: ({ seconds, nanos }: { seconds: number | { toNumber(): number }; nanos: number }) =>
      new Date(Number(seconds) * 1000 + nanos / 1e6).toISOString(),
  },
  'google.protobuf.Struct': { to: (value) => toStruct(value as Json), from: (value: Struct) => fromStruct(value) },
  'google.protobuf.Value': { to: toValue, from: (value: Value) => fromValue(value) },
}

interface Struct {
  readonly fields?: Readonly<Record<string, Value>>
}

interface Value {
  readonly nullValue?: number
  readonly numberValue?: number
  readonly stringValue?: string
  readonly boolValue?: boolean
  readonly structValue?: Struct
  readonly listValue?: { readonly values?: readonly Value[] }
}

function toStruct(value: Json): Struct {
  return { fields: mapped(value, toValue) as Readonly<Record<string, Value>> }
}

function toValue(value: unknown): Value {
  if (value === null) return { nullValue: 0 }
  if (typeof value === 'number') return { numberValue: value }
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (Array.isArray(value)) return { listValue: { values: value.map(toValue) } }
  return { structValue: toStruct(value as Json) }
}

function fromStruct({ fields = {} }: Struct): Json {
  return mapped(fields, (value) => fromValue(value as Value))
}

function fromValue(value: Value): unknown {
  const has = (name: string): boolean => Object.hasOwn(value, name)
  if (has('structValue')) return fromStruct(value.structValue as Struct)
  if (has('listValue')) return (value.listValue?.values ?? []).map(fromValue)
  if (has('numberValue')) return value.numberValue
  if (has('stringValue')) return value.stringValue
  if (has('boolValue')) return value.boolValue
  return null
}

function mapped(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))
}

/** What JSON calls a field, which the schema may say. */
function jsonName({ name, options }: protobuf.Field): string {
  return (options?.json_name as string | undefined) ?? name
}

function toMessage(type: protobuf.Type, value: Json): protobuf.Message {
  const message: Record<string, unknown> = {}
  for (const field of type.fieldsArray) {
    const given = value[jsonName(field)]
    if (given === undefined) continue
    const one = (each: unknown): unknown => toField(field, each)
    message[field.name] = field.map
      ? mapped(given as Json, one)
      : field.repeated
        ? (given as unknown[]).map(one)
        : one(given)
  }
  return type.create(message)
}

function toField({ resolvedType, type }: protobuf.Field, value: unknown): unknown {
  if (resolvedType instanceof protobuf.Enum)
    return typeof value === 'number' ? value : resolvedType.values[value as string]
  if (resolvedType instanceof protobuf.Type) {
    const special = exact[resolvedType.fullName.slice(1)]
    return special ? resolvedType.create(special.to(value) as object) : toMessage(resolvedType, value as Json)
  }
  return type === 'bytes' ? Buffer.from(value as string, 'base64') : value
}

function fromMessage(type: protobuf.Type, message: Json): Json {
  const value: Record<string, unknown> = {}
  for (const field of type.fieldsArray) {
    const one = (each: unknown): unknown => fromField(field, each)
    if (!Object.hasOwn(message, field.name) || isEmpty(field, message[field.name])) {
      const required = field.options?.['(google.api.field_behavior)'] === 'REQUIRED'
      if (required) Object.assign(value, absent(field))
      continue
    }
    const given = message[field.name]
    value[jsonName(field)] = field.map
      ? mapped(given as Json, one)
      : field.repeated
        ? (given as unknown[]).map(one)
        : one(given)
  }
  return value
}

/** What JSON shows of a required field that is not among the bytes. */
function absent(field: protobuf.Field): Json {
  const { repeated, resolvedType, type, map } = field
  const name = jsonName(field)
  if (map) return { [name]: {} }
  if (repeated) return { [name]: [] }
  if (resolvedType !== null) return {}
  return { [name]: type === 'string' ? '' : type === 'bool' ? false : 0 }
}

function isEmpty({ repeated, map, partOf, resolvedType }: protobuf.Field, value: unknown): boolean {
  if (repeated) return (value as unknown[]).length === 0
  if (map) return Object.keys(value as object).length === 0
  if (partOf !== null || resolvedType instanceof protobuf.Type) return false
  return value === '' || value === 0 || value === false
}

function fromField({ resolvedType, type }: protobuf.Field, value: unknown): unknown {
  if (resolvedType instanceof protobuf.Enum) return resolvedType.valuesById[value as number] ?? value
  if (resolvedType instanceof protobuf.Type) {
    const special = exact[resolvedType.fullName.slice(1)]
    return special ? special.from(value as never) : fromMessage(resolvedType, value as Json)
  }
  return type === 'bytes' ? Buffer.from(value as Uint8Array).toString('base64') : value
}
