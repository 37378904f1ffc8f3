import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import * as sdk from '@a2a-js/sdk'
import { describe, expect, test } from 'vitest'
import { operationRows, serviceName } from './generated/v1/operations.ts'
import { schema } from './generated/v1/schema.ts'
import type { FieldDescriptor } from './schema.ts'

// The gRPC codecs in the published JavaScript SDK show every tag number of the protocol in their encode functions.
const entry = createRequire(import.meta.url).resolve('@a2a-js/sdk')
const published = readFileSync(join(dirname(entry), 'server/grpc/index.js'), 'utf8')

interface Fact {
  readonly json: string
  readonly tag: number
  readonly repeated: boolean
  readonly map: boolean
  readonly inOneof: boolean
  readonly presence: boolean
}

function encodeBody(message: string): string {
  const start = published.indexOf(`\nvar ${message} = {\n`)
  if (start === -1) throw new Error(`the SDK has no codec for ${message}`)
  return published.slice(published.indexOf('  encode(', start), published.indexOf('  decode(', start))
}

/** What an encode function says about its fields: one `writer.uint32(tag)` each, below the line that names the field. */
function publishedFields(message: string): Fact[] {
  const facts: Fact[] = []
  let named: Omit<Fact, 'tag'> | undefined
  for (const line of encodeBody(message).split('\n')) {
    const oneof = /case "(\w+)":/.exec(line)?.[1]
    const list = /for \(const v of message\.(\w+)\)/.exec(line)?.[1]
    const map = /Object\.entries\(message\.(\w+)\)/.exec(line)?.[1]
    const single = /if \(message\.(\w+) !== (.+)\) \{/.exec(line)
    const json = oneof ?? list ?? map ?? single?.[1]
    if (json !== undefined) {
      named = {
        json,
        repeated: list !== undefined,
        map: map !== undefined,
        inOneof: oneof !== undefined,
        presence: single?.[2] === 'void 0',
      }
    }
    const tag = /writer\.uint32\((\d+)\)/.exec(line)?.[1]
    if (tag !== undefined && named !== undefined) facts.push({ ...named, tag: Number(tag) })
  }
  return facts
}

const wireType = (field: FieldDescriptor): number =>
  !field.map && (field.type === 'bool' || field.type === 'int32' || field.type === 'enum') ? 0 : 2

function ourFact(field: FieldDescriptor): Fact {
  const single = !field.repeated && !field.map && field.oneof === undefined
  const composed = field.type === 'message' || field.type === 'struct' || field.type === 'timestamp'
  return {
    json: field.json,
    tag: field.number * 8 + wireType(field),
    repeated: field.repeated === true,
    map: field.map === true,
    inOneof: field.oneof !== undefined,
    presence: single && (field.optional === true || composed),
  }
}

describe('GOV-02 our descriptors and those of the published SDK', () => {
  for (const [name, fields] of Object.entries(schema.messages)) {
    test(name, () => {
      const theirs = publishedFields(name)
      expect(theirs.sort((a, b) => a.tag - b.tag)).toEqual(fields.map(ourFact).sort((a, b) => a.tag - b.tag))
    })
  }

  for (const [name, values] of Object.entries(schema.enums)) {
    test(name, () => {
      const theirs = (sdk as unknown as Record<string, Record<string, unknown>>)[name] ?? {}
      const known = Object.entries(theirs).filter(([key, value]) => typeof value === 'number' && key !== 'UNRECOGNIZED')
      expect(known).toEqual(values)
    })
  }

  for (const row of operationRows) {
    test(`rpc ${row.name}`, () => {
      const start = published.indexOf(`path: "/${serviceName}/${row.name}"`)
      expect(start).toBeGreaterThan(0)
      const method = published.slice(start, published.indexOf('}', start))
      expect(method).toContain('requestStream: false')
      expect(method).toContain(`responseStream: ${row.kind === 'stream'}`)
      expect(method).toContain(`${row.request}.encode(value)`)
      expect(method).toContain(`${row.response}.encode(value)`)
    })
  }
})
