import type { JsonObject } from '../lib/json.ts'
import { descriptions } from './generated/v1/descriptions.ts'
import { schema } from './generated/v1/schema.ts'
import type { Messages } from './generated/v1/types.ts'
import type { FieldDescriptor, MessageDescriptor } from './schema.ts'
import { mayBeEmpty } from './schema.ts'

type Members = Record<string, JsonObject>

/**
 * JSON Schema 2020-12 of every message in `$defs`; with a type, a document that accepts that message.
 * It describes what is sent: camelCase names, enum names, UTC times. Unknown members are allowed (§5.7).
 */
export function jsonSchema(type?: keyof Messages): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:parlance:a2a:1.0${type === undefined ? '' : `:${type}`}`,
    title: type ?? 'A2A 1.0',
    ...(type !== undefined && { $ref: `#/$defs/${type}` }),
    $defs: messageSchemas('#/$defs/'),
  }
}

/** The schema of every message and enum by name; references between them begin with `prefix`. */
export function messageSchemas(prefix: string): Members {
  const result: Members = {}
  for (const [name, fields] of Object.entries(schema.messages)) result[name] = messageSchema(name, fields, prefix)
  for (const [name, values] of Object.entries(schema.enums)) {
    result[name] = { ...described(name), type: 'string', enum: values.map(([value]) => value) }
  }
  return result
}

/** The schema of one field, as it stands in a message or in a query. */
export function fieldSchema(message: string, field: FieldDescriptor, prefix: string): JsonObject {
  const key = `${message}.${field.json}`
  const strict = field.required === true && !mayBeEmpty.has(key)
  const one = valueSchema(field, { prefix, strict: strict && !field.repeated && !field.map })
  const text = { ...described(key), ...(field.deprecated && { deprecated: true }) }
  if (field.repeated) return { ...text, type: 'array', items: one, ...(strict && { minItems: 1 }) }
  if (field.map) return { ...text, type: 'object', additionalProperties: one }
  return { ...text, ...one }
}

function messageSchema(name: string, fields: MessageDescriptor, prefix: string): JsonObject {
  const required = fields.filter((field) => field.required).map((field) => field.json)
  const members = fields.filter((field) => field.oneof !== undefined).map((field) => field.json)
  return {
    ...described(name),
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.json, fieldSchema(name, field, prefix)])),
    ...(required.length > 0 && { required }),
    ...(members.length > 0 && { oneOf: members.map((member) => ({ required: [member] })) }),
  }
}

function valueSchema(field: FieldDescriptor, options: { prefix: string; strict: boolean }): JsonObject {
  switch (field.type) {
    case 'string':
      return options.strict ? { type: 'string', minLength: 1 } : { type: 'string' }
    case 'bool':
      return { type: 'boolean' }
    case 'int32':
      return { type: 'integer', minimum: -2147483648, maximum: 2147483647 }
    case 'bytes':
      return {
        type: 'string',
        contentEncoding: 'base64',
        pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
      }
    case 'timestamp':
      return {
        type: 'string',
        format: 'date-time',
        pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?Z$',
      }
    case 'struct':
      return { type: 'object' }
    case 'value':
      return {}
    case 'enum':
      return options.strict
        ? { $ref: options.prefix + field.typeName, not: { const: unspecified(field) } }
        : { $ref: options.prefix + field.typeName }
    case 'message':
      return { $ref: options.prefix + field.typeName }
  }
}

function unspecified(field: FieldDescriptor): string {
  return schema.enums[field.typeName as string]?.find(([, number]) => number === 0)?.[0] ?? ''
}

function described(key: string): { description?: string } {
  const description = descriptions[key]
  return description === undefined ? {} : { description }
}
