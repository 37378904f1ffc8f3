import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { protoText as protoText03 } from './generated/v0-3/proto-text.ts'
import { schema as schema03 } from './generated/v0-3/schema.ts'
import { protoText } from './generated/v1/proto-text.ts'
import { schema } from './generated/v1/schema.ts'
import type { FieldDescriptor, Schema } from './schema.ts'

// The gRPC codecs in the published JavaScript SDKs show every tag number of the protocol in their encode functions.

interface Version {
  readonly version: string
  /** The published package, and the folder of its built code that holds the codecs. */
  readonly from: string
  readonly folder: string
  readonly schema: Schema
  readonly proto: string
  /** What our table has in addition: messages, fields and methods of later drafts. */
  readonly later: readonly string[]
}

const versions: readonly Version[] = [
  { version: '1.0', from: '@a2a-js/sdk', folder: 'server/grpc', schema, proto: protoText, later: [] },
  {
    version: '0.3',
    from: 'a2a-js-sdk-v0-3',
    folder: '',
    schema: schema03,
    proto: protoText03,
    later: [
      'ListTasks',
      'ListTasksRequest',
      'ListTasksResponse',
      'Part.metadata',
      'FilePart.name',
      'Message.reference_task_ids',
      'AgentCapabilities.state_transition_history',
      'AgentCard.icon_url',
    ],
  },
]

/** The built code of a package that holds some text: bundlers decide where that is. */
function builtWith(text: string, { from, folder }: Version): string {
  const built = dirname(createRequire(import.meta.url).resolve(from))
  const files = ['', folder].flatMap((inner) => readdirSync(join(built, inner)).map((name) => join(built, inner, name)))
  const code = files.filter((path) => path.endsWith('.js')).map((path) => readFileSync(path, 'utf8'))
  const found = code.find((file) => file.includes(text))
  if (found === undefined) throw new Error(`${from} has no ${text}`)
  return found
}

function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from)
  if (start === -1) throw new Error(`the SDK has no ${from.trim()}`)
  return text.slice(start, text.indexOf(to, start))
}

interface Fact {
  readonly name: string
  readonly tag: number
  readonly repeated: boolean
  readonly map: boolean
  readonly inOneof: boolean
  readonly presence: boolean
}

/** What an encode function says about its fields: one `writer.uint32(tag)` each, below the line that names the field. */
function publishedFields(codecs: string, message: string): Fact[] {
  const facts: Fact[] = []
  let named: Omit<Fact, 'tag'> | undefined
  for (const line of between(codecs, `\nvar ${message} = {\n`, '  decode(').split('\n')) {
    const oneof = /case "(\w+)":/.exec(line)?.[1]
    const list = /for \(const v of message\.(\w+)\)/.exec(line)?.[1]
    const map = /Object\.entries\(message\.(\w+)\)/.exec(line)?.[1]
    const single = /if \(message\.(\w+) !== (.+)\) \{/.exec(line)
    const name = oneof ?? list ?? map ?? single?.[1]
    if (name !== undefined) {
      named = {
        name,
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
    name: field.name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tag: field.number * 8 + wireType(field),
    repeated: field.repeated === true,
    map: field.map === true,
    inOneof: field.oneof !== undefined,
    presence: single && (field.optional === true || composed),
  }
}

for (const version of versions) {
  const codecs = builtWith('writer.uint32(', version)
  const enums = builtWith('function taskStateToJSON(', version)
  const known = (name: string) => !version.later.includes(name)

  describe(`GOV-02 our descriptors of ${version.version} and those of the published SDK`, () => {
    for (const [name, fields] of Object.entries(version.schema.messages).filter(([name]) => known(name))) {
      test(name, () => {
        const theirs = publishedFields(codecs, name).sort((a, b) => a.tag - b.tag)
        const ours = fields.filter((field) => known(`${name}.${field.name}`)).map(ourFact)
        expect(theirs).toEqual(ours.sort((a, b) => a.tag - b.tag))
      })
    }

    for (const [name, values] of Object.entries(version.schema.enums)) {
      test(name, () => {
        const writer = between(enums, `\nfunction ${name[0]?.toLowerCase()}${name.slice(1)}ToJSON(`, '\n}')
        const theirs = [...writer.matchAll(/case (\d+) \/\* (\w+) \*\/:/g)].map(([, at, value]) => [value, Number(at)])
        expect(theirs).toEqual(values)
      })
    }

    const [, service = ''] = /^package ([\w.]+);$/m.exec(version.proto) ?? []
    const methods = version.proto.matchAll(
      /^ {2}rpc (\w+)\((\w+)\) returns \((stream )?(?:google\.protobuf\.)?(\w+)\)/gm,
    )
    for (const [, name = '', request, stream, response] of methods) {
      if (!known(name)) continue
      test(`rpc ${name}`, () => {
        const method = between(codecs, `path: "/${service}.A2AService/${name}"`, '}')
        expect(method).toContain('requestStream: false')
        expect(method).toContain(`responseStream: ${stream !== undefined}`)
        expect(method).toContain(`${request}.encode(value)`)
        expect(method).toContain(`${response}.encode(value)`)
      })
    }
  })
}
