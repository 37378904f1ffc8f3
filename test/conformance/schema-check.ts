import assert from 'node:assert/strict'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { Messages } from '../../src/protocol/generated/v1/types.ts'
import { jsonSchema } from '../../src/protocol/json-schema.ts'

let compiled: Ajv2020 | undefined
const validators = new Map<string, ValidateFunction>()

/** The schemas of all messages, with nothing allowed that they do not name. */
function strict(): Ajv2020 {
  if (compiled !== undefined) return compiled
  compiled = new Ajv2020({ strict: false, allErrors: true })
  formats.default(compiled)
  const all = structuredClone(jsonSchema()) as {
    $defs: Record<string, { properties?: object; additionalProperties?: boolean }>
  }
  for (const each of Object.values(all.$defs)) if (each.properties !== undefined) each.additionalProperties = false
  compiled.addSchema(all)
  return compiled
}

/** A value must be a message of this type, without anything else in it. */
export function valid(type: keyof Messages, value: unknown): void {
  let validate = validators.get(type)
  if (validate === undefined) {
    validate = strict().compile({ $ref: `urn:parlance:a2a:1.0#/$defs/${type}` })
    validators.set(type, validate)
  }
  const holds = validate(value)
  const [first] = validate.errors ?? []
  assert.ok(holds, `${type}${first?.instancePath ?? ''} ${first?.message ?? ''} ${JSON.stringify(first?.params ?? {})}`)
}

/** No key of an answer may be in snake_case; what callers put into metadata is their own. */
export function camelCase(value: unknown, path = 'result'): void {
  if (value === null || typeof value !== 'object') return
  for (const [name, inner] of Object.entries(value)) {
    assert.ok(!name.includes('_'), `${path}.${name} is in snake_case`)
    camelCase(inner, `${path}.${name}`)
  }
}
