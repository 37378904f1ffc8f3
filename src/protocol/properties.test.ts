import * as sdk from '@a2a-js/sdk'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emit } from './emit.ts'
import { A2AError } from './errors.ts'
import { schema } from './generated/v1/schema.ts'
import type { Messages } from './generated/v1/types.ts'
import { jsonSchema } from './json-schema.ts'
import { type FieldDescriptor, mayBeEmpty } from './schema.ts'
import { validate } from './validate.ts'

type Type = keyof Messages
const types = Object.keys(schema.messages) as Type[]

const text = fc.string({ unit: 'grapheme', maxLength: 8 })
const someText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
const key = someText.filter((name) => name !== '__proto__')
const value = fc.jsonValue({ maxDepth: 3, noUnicodeString: false })
const first = Date.parse('0001-01-01T00:00:00.000Z')
const last = Date.parse('9999-12-31T23:59:59.999Z')
const time = fc.integer({ min: first, max: last }).map((instant) => new Date(instant).toISOString())
const base64 = fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('base64'))

/** Canonical values of one field; `set` leaves out the default. */
function fieldValue(field: FieldDescriptor, set: boolean): fc.Arbitrary<unknown> {
  switch (field.type) {
    case 'string':
      return set ? someText : text
    case 'bool':
      return set ? fc.constant(true) : fc.boolean()
    case 'int32':
      return fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }).filter((number) => !set || number !== 0)
    case 'bytes':
      return base64
    case 'timestamp':
      return time
    case 'value':
      return value
    case 'struct':
      return fc.dictionary(key, value, { maxKeys: 3 })
    case 'enum': {
      const names = (schema.enums[field.typeName as string] ?? []).filter(([, number]) => number !== 0)
      return fc.constantFrom(...names.map(([name]) => name))
    }
    case 'message':
      return canonical(field.typeName as Type)
  }
}

function fieldArbitrary(type: string, field: FieldDescriptor): fc.Arbitrary<unknown> {
  const required = field.required === true && !mayBeEmpty.has(`${type}.${field.json}`)
  if (field.repeated) {
    const minLength = field.required && !required ? 0 : 1
    return fc.array(fieldValue(field, false), { minLength, maxLength: 3 })
  }
  if (field.map) return fc.dictionary(key, fieldValue(field, false), { minKeys: field.required ? 0 : 1, maxKeys: 2 })
  const anything = field.optional || field.oneof !== undefined || (field.required && !required)
  return fieldValue(field, !anything)
}

const known = new Map<string, fc.Arbitrary<unknown>>()

/** Canonical messages of a type. */
function canonical(type: Type): fc.Arbitrary<unknown> {
  const made = known.get(type)
  if (made !== undefined) return made
  const fields = schema.messages[type] ?? []
  const plain = fields.filter((field) => field.oneof === undefined)
  const members = fields.filter((field) => field.oneof !== undefined)
  const record = fc.record(Object.fromEntries(plain.map((field) => [field.json, fieldArbitrary(type, field)])), {
    requiredKeys: plain.filter((field) => field.required).map((field) => field.json),
    noNullPrototype: true,
  })
  const choices = members.map((field) => fieldArbitrary(type, field).map((chosen) => ({ [field.json]: chosen })))
  const result =
    choices.length === 0
      ? record
      : fc.tuple(record, fc.oneof(...choices)).map(([common, chosen]) => ({ ...common, ...chosen }))
  known.set(type, result)
  return result
}

const json = (input: unknown): unknown => JSON.parse(JSON.stringify(input))

describe('canonical messages', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, validateFormats: false })
  for (const type of types) {
    test(`${type}: kept by validate and emit, accepted by the JSON schema`, () => {
      const accepts = ajv.compile(jsonSchema(type) as object)
      fc.assert(
        fc.property(canonical(type), (message) => {
          const input = json(message)
          const read = validate(type, input)
          expect(read).toBe(input)
          expect(emit(type, read)).toBe(input)
          expect(accepts(input), JSON.stringify(accepts.errors)).toBe(true)
        }),
        { numRuns: 20 },
      )
    })
  }
})

describe('other spellings give the same message', () => {
  const numbers = new Map(
    Object.values(schema.enums).flatMap((values) => values.map(([name, number]) => [name, number])),
  )

  /** The same message with proto names, enum numbers, decimal text, null for absent fields, and a field of nobody. */
  function respell(type: string, message: Record<string, unknown>): Record<string, unknown> {
    const fields = schema.messages[type] ?? []
    const spelled = fields.map((field) => {
      const one = (item: unknown): unknown => {
        if (field.type === 'message') return respell(field.typeName as string, item as Record<string, unknown>)
        if (field.type === 'enum') return numbers.get(item as string)
        if (field.type === 'int32') return String(item)
        if (field.type === 'bytes') return (item as string).replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_')
        return item
      }
      const item = message[field.json]
      if (!Object.hasOwn(message, field.json)) return [field.name, field.type === 'value' ? undefined : null]
      if (field.repeated) return [field.name, (item as unknown[]).map(one)]
      if (field.map)
        return [field.name, Object.fromEntries(Object.entries(item as object).map(([k, v]) => [k, one(v)]))]
      return [field.name, one(item)]
    })
    return { ...Object.fromEntries(spelled), x_unknown: { a: 1 } }
  }

  for (const type of types) {
    test(`PJ-02 PJ-04 PJ-12 DM-05 ${type}`, () => {
      fc.assert(
        fc.property(canonical(type), (message) => {
          const expected = json(message) as Record<string, unknown>
          const read = validate(type, respell(type, expected))
          expect(read).toEqual(expected)
          expect(validate(type, read)).toBe(read)
        }),
        { numRuns: 20 },
      )
    })
  }
})

describe('anything else', () => {
  const type = fc.constantFrom(...types)
  const names = [
    ...new Set(Object.values(schema.messages).flatMap((fields) => fields.flatMap((f) => [f.json, f.name]))),
  ]
  const leaf = fc.oneof(
    fc.constantFrom(null, '', 'ROLE_USER', 'TASK_STATE_WORKING', 0, 1, -1.5, true, false, '__proto__', '\ud800'),
    fc.string(),
    fc.double(),
  )
  // Objects made of real field names get far deeper than random ones.
  const { thing } = fc.letrec((tie) => ({
    thing: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.array(tie('thing'), { maxLength: 3 }),
      fc.dictionary(fc.oneof(fc.constantFrom(...names, '__proto__'), fc.string()), tie('thing'), { maxKeys: 5 }),
    ),
  }))

  test('is read or refused with InvalidParams, and reading twice changes nothing', () => {
    fc.assert(
      fc.property(type, thing, fc.boolean(), (name, input, lenient) => {
        const before = JSON.stringify(input)
        try {
          const read = validate(name, input, { lenient })
          if (!lenient) expect(validate(name, read)).toBe(read)
        } catch (error) {
          expect(error).toBeInstanceOf(A2AError)
          expect((error as A2AError).code).toBe('InvalidParams')
          expect((error as A2AError).violations.length).toBeGreaterThan(0)
        }
        expect(JSON.stringify(input)).toBe(before)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the published JavaScript SDK reads and writes the same JSON', () => {
  type Codec = { fromJSON(input: unknown): unknown; toJSON(message: unknown): unknown }
  const codecs = sdk as unknown as Record<string, Codec | undefined>
  // A data part of null, and members named __proto__, are known not to survive there.
  const survives = (input: unknown) => !/"(?:data":null|__proto__")/.test(JSON.stringify(input))

  for (const type of types.filter((name) => name !== 'Empty')) {
    test(type, () => {
      const codec = codecs[type]
      expect(codec).toBeDefined()
      fc.assert(
        fc.property(canonical(type).map(json).filter(survives), (message) => {
          const theirs = json(codec?.toJSON(codec.fromJSON(message)))
          expect(validate(type, theirs, { lenient: true })).toEqual(message)
        }),
        { numRuns: 20 },
      )
    })
  }
})
