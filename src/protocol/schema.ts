/** The kinds of value a field can hold. */
export type FieldType = 'string' | 'bool' | 'int32' | 'bytes' | 'message' | 'enum' | 'struct' | 'value' | 'timestamp'

/** One field of a message, as the proto declares it. */
export interface FieldDescriptor {
  /** Proto name, such as `context_id`. */
  readonly name: string
  /** ProtoJSON name, such as `contextId`. */
  readonly json: string
  readonly number: number
  readonly type: FieldType
  /** Name of the message or enum. */
  readonly typeName?: string
  readonly repeated?: true
  /** A map with string keys; `type` is that of its values. */
  readonly map?: true
  /** Annotated REQUIRED (§5.7). */
  readonly required?: true
  /** Explicit presence: unset differs from the default. */
  readonly optional?: true
  /** Name of the oneof that the field belongs to. */
  readonly oneof?: string
  readonly deprecated?: true
  /** The one text that the field may hold, such as the `task` of a `kind`. */
  readonly constant?: string
}

/** The fields of one message, in the order of the proto. */
export type MessageDescriptor = readonly FieldDescriptor[]

/** The values of one enum, each with spellings that are read as well. */
export type EnumDescriptor = readonly (readonly [name: string, number: number, ...others: string[]])[]

/** All messages and enums of one protocol version. */
export interface Schema {
  readonly messages: Readonly<Record<string, MessageDescriptor>>
  readonly enums: Readonly<Record<string, EnumDescriptor>>
}

/** What readers and writers of one version's messages are made from. */
export interface Tables {
  readonly schema: Schema
  /** REQUIRED fields that may hold their default, as `Message.jsonName`. */
  readonly mayBeEmpty: ReadonlySet<string>
  /** Names that are read in place of a field's own, by `Message.jsonName`. */
  readonly aliases: Readonly<Record<string, readonly string[]>>
  /** Names in a query that stand for another. */
  readonly queryAliases: Readonly<Record<string, string>>
}

/** One HTTP form of an operation; path variables carry JSON names: `/tasks/{taskId}`. */
export interface HttpRule {
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  /** `*`: the whole request is the body; `''`: there is none. */
  readonly body: '*' | ''
}

/** One operation of the service. */
export interface OperationRow<Name extends string = string, Type extends string = string> {
  readonly name: Name
  readonly kind: 'unary' | 'stream'
  readonly request: Type
  readonly response: Type
  /** The first rule is the one that clients use. */
  readonly http: readonly HttpRule[]
}

/**
 * REQUIRED fields that may hold their default nevertheless: an empty page is a valid answer (§3.1.4).
 * All other REQUIRED strings, enums and arrays must be set to something (§5.7).
 */
export const mayBeEmpty: ReadonlySet<string> = new Set(['ListTasksResponse.tasks', 'ListTasksResponse.nextPageToken'])

/** The value of a field that holds its default; `undefined` where that is the absence of one. */
export function zeroOf(field: FieldDescriptor, enums: Schema['enums']): unknown {
  if (field.constant !== undefined) return field.constant
  if (field.repeated) return []
  if (field.map) return {}
  switch (field.type) {
    case 'string':
    case 'bytes':
      return ''
    case 'bool':
      return false
    case 'int32':
      return 0
    case 'enum':
      return enums[field.typeName as string]?.find(([, number]) => number === 0)?.[0]
    default:
      return undefined
  }
}

/** The version of the protocol that the tables describe, as it stands on the wire. */
export const protocolVersion = '1.0'
