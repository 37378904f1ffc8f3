import type { FieldDescriptor, Schema } from '../../protocol/schema.ts'

/** What one value of a field is on the wire. */
export const kinds = {
  string: 0,
  message: 1,
  enum: 2,
  bool: 3,
  int32: 4,
  timestamp: 5,
  struct: 6,
  value: 7,
  bytes: 8,
} as const

/** One of the numbers of `kinds`. */
export type Kind = (typeof kinds)[keyof typeof kinds]

/** One field, ready for reading and writing. */
export interface Field {
  /** Name in ProtoJSON. */
  readonly json: string
  readonly number: number
  readonly kind: Kind
  readonly list: boolean
  readonly map: boolean
  /** Whether many values may stand in one piece of bytes. */
  readonly packable: boolean
  /** Wire type of the field, where it is not packed: 0 for a varint, 2 for a piece of bytes. */
  readonly wireType: 0 | 2
  /** Wire type of one value, which in a map stands within an entry. */
  readonly valueType: 0 | 2
  /** What stands before one value: number and wire type; for a packed list, that of the whole. */
  readonly tag: number
  /** The value that says no more than absence; undefined where every value says something. */
  readonly zero: string | number | boolean | undefined
  /** JSON names of the other members of its oneof. */
  readonly rivals: readonly string[]
  /** The fields of the message that it holds. */
  readonly inner: Table | undefined
  readonly enumNames: ReadonlyMap<number, string>
  readonly enumNumbers: ReadonlyMap<unknown, number>
}

/** The fields of one message type. */
export interface Table {
  /** In the order of their numbers, which is that of the bytes. */
  readonly fields: readonly Field[]
  readonly byNumber: readonly (Field | undefined)[]
}

/** Gives the table of a message type, made on first use. Throws TypeError for a type that the schema lacks. */
export type Tables = (type: string) => Table

/** The tables of a schema. */
export function createTables(schema: Schema): Tables {
  const cache = new Map<string, Table>()
  return (type) => cache.get(type) ?? addTable(type, schema, cache)
}

/** Adds the table of a type to the cache before those of the types inside, which may lead back to it. */
function addTable(type: string, schema: Schema, cache: Map<string, Table>): Table {
  const descriptors = schema.messages[type]
  if (descriptors === undefined) throw new TypeError(`There is no message type ${type}`)
  const fields: Field[] = []
  const byNumber: (Field | undefined)[] = []
  cache.set(type, { fields, byNumber })
  for (const descriptor of descriptors.toSorted((one, other) => one.number - other.number)) {
    const { typeName } = descriptor
    const inner = descriptor.type === 'message' ? (typeName as string) : undefined
    const field = createField(descriptor, {
      schema,
      rivals: descriptors.filter((other) => other !== descriptor && other.oneof === descriptor.oneof && other.oneof),
      inner: inner === undefined ? undefined : (cache.get(inner) ?? addTable(inner, schema, cache)),
    })
    fields.push(field)
    while (byNumber.length <= field.number) byNumber.push(undefined)
    byNumber[field.number] = field
  }
  return { fields, byNumber }
}

interface Surroundings {
  readonly schema: Schema
  readonly rivals: readonly FieldDescriptor[]
  readonly inner: Table | undefined
}

function createField(descriptor: FieldDescriptor, { schema, rivals, inner }: Surroundings): Field {
  const kind = kinds[descriptor.type]
  const list = descriptor.repeated === true
  const map = descriptor.map === true
  const varint = kind === kinds.enum || kind === kinds.bool || kind === kinds.int32
  const valueType = varint ? 0 : 2
  const wireType = map ? 2 : valueType
  const values = kind === kinds.enum ? (schema.enums[descriptor.typeName as string] ?? []) : []
  const enumNames = new Map(values.map(([name, number]) => [number, name]))
  const present = list || map || descriptor.optional === true || descriptor.oneof !== undefined
  return {
    json: descriptor.json,
    number: descriptor.number,
    kind,
    list,
    map,
    packable: varint && list,
    wireType,
    valueType,
    tag: (descriptor.number << 3) | (varint && list ? 2 : wireType),
    zero: present ? undefined : zeroOf(kind, enumNames),
    rivals: rivals.map(({ json }) => json),
    inner,
    enumNames,
    enumNumbers: new Map<unknown, number>(values.map(([name, number]) => [name, number])),
  }
}

function zeroOf(kind: Kind, enumNames: ReadonlyMap<number, string>): string | number | boolean | undefined {
  switch (kind) {
    case kinds.string:
    case kinds.bytes:
      return ''
    case kinds.bool:
      return false
    case kinds.int32:
      return 0
    case kinds.enum:
      return enumNames.get(0) ?? 0
    default:
      return undefined
  }
}
