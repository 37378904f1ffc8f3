import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { protoText as protoText03 } from './generated/v0-3/proto-text.ts'
import { protoText } from './generated/v1/proto-text.ts'
import { schema } from './generated/v1/schema.ts'
import type { EnumDescriptor, FieldDescriptor, HttpRule } from './schema.ts'
import { rows03 } from './versions/v0-3/operations.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'parlance-generate-'))
afterAll(() => rmSync(folder, { recursive: true }))

function generate(...options: string[]): { status: number | null; output: string } {
  const command = [join(root, 'scripts/generate.mjs'), ...options]
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

// The parts of the script, imported by address: they are plain JavaScript and have no types.
const script = (name: string) => import(new URL(`../../scripts/proto/${name}.mjs`, import.meta.url).href)
const { parseProto } = await script('parse')
const { readDescriptorSet } = await script('descriptor-set')
const { compareFiles } = await script('compare')

interface Method {
  readonly name: string
  readonly input: string
  readonly output: string
  readonly serverStreaming: boolean
  readonly http: readonly HttpRule[]
}

function differences(content: string | Uint8Array): string[] {
  const theirs = typeof content === 'string' ? parseProto(content, 'other.proto') : readDescriptorSet(content)
  return compareFiles(parseProto(protoText, 'spec/a2a.proto'), theirs)
}

test('GOV-02 the generated files are what the proto gives', () => {
  expect(generate('--check')).toEqual({ status: 0, output: '8 generated files are up to date\n' })
})

test('the proto text at run time is the file', () => {
  expect(protoText).toBe(readFileSync(join(root, 'spec/a2a.proto'), 'utf8'))
  expect(protoText03).toBe(readFileSync(join(root, 'spec/a2a-v0.3.proto'), 'utf8'))
})

test('rules of HTTP keep patterns of several segments, and bodies that are one field', () => {
  const [service] = parseProto(protoText03, 'spec/a2a-v0.3.proto').services
  const rules = Object.fromEntries(service.methods.map(({ name, http }: Method) => [name, http]))
  expect(rules.GetTaskPushNotificationConfig).toEqual([
    { verb: 'GET', path: '/v1/{name=tasks/*/pushNotificationConfigs/*}', body: '' },
  ])
  expect(rules.CreateTaskPushNotificationConfig).toEqual([
    { verb: 'POST', path: '/v1/{parent=tasks/*}/pushNotificationConfigs', body: 'config' },
  ])
})

test('the operations of 0.3 have the names and paths of their rpcs', () => {
  const { services } = parseProto(protoText03, 'spec/a2a-v0.3.proto')
  const [service] = services
  const plain = (path: string) => path.replace(/\{\w+=([^}]+)\}/g, '$1').replace(/\{\w+\}/g, '*')
  expect(rows03.map(({ rpc }) => rpc).sort()).toEqual(service.methods.map(({ name }: Method) => name).sort())
  for (const { name, input, output, serverStreaming, http } of service.methods as Method[]) {
    const row = rows03.find(({ rpc }) => rpc === name)
    expect(row?.proto).toEqual([input, output])
    expect(row?.operation.kind).toBe(serverStreaming ? 'stream' : 'unary')
    const paths = row?.http.map(({ verb, path }) => `${verb} ${plain(path)}`)
    for (const { verb, path } of http) expect(paths).toContain(`${verb} ${plain(path)}`)
  }
})

describe('--against another proto', () => {
  test('the same content in another layout agrees', () => {
    const other = protoText
      .replace(/\/\/.*$/gm, '/* words */')
      .replaceAll(';', ' ;')
      .replaceAll('= ', '=\n  ')
    expect(differences(other)).toEqual([])
  })

  const rows: [name: string, from: string, to: string, line: string][] = [
    [
      'number',
      'string context_id = 2;',
      'string context_id = 9;',
      'field Task.context_id: number is 2 in ours, 9 in theirs',
    ],
    [
      'type',
      'string filename = 6;',
      'bytes filename = 6;',
      'field Part.filename: type is string in ours, bytes in theirs',
    ],
    [
      'list',
      'repeated Artifact artifacts = 4;',
      'Artifact artifacts = 4;',
      'field Task.artifacts: type is repeated Artifact in ours, Artifact in theirs',
    ],
    [
      'presence',
      'optional bool streaming = 1;',
      'bool streaming = 1;',
      'field AgentCapabilities.streaming: presence is optional in ours, implicit in theirs',
    ],
    [
      'REQUIRED',
      'string message_id = 1 [(google.api.field_behavior) = REQUIRED];',
      'string message_id = 1;',
      'field Message.message_id: required is true in ours, false in theirs',
    ],
    ['a missing field', 'string token = 5;', '', 'field TaskPushNotificationConfig.token: only in ours'],
    [
      'a new field',
      'bool last_chunk = 5;',
      'bool last_chunk = 5; int32 index = 7;',
      'field TaskArtifactUpdateEvent.index: only in theirs',
    ],
    ['an enum number', 'ROLE_AGENT = 2;', 'ROLE_AGENT = 3;', 'value Role.ROLE_AGENT: number is 2 in ours, 3 in theirs'],
    ['an enum value', 'ROLE_AGENT = 2;', '', 'value Role.ROLE_AGENT: only in ours'],
    [
      'a method',
      'returns (stream StreamResponse)',
      'returns (StreamResponse)',
      'method A2AService.SendStreamingMessage: response is stream StreamResponse in ours, StreamResponse in theirs',
    ],
    ['a message', 'message StringList', 'message Strings {}\nmessage StringList', 'message Strings: only in theirs'],
    ['the package', 'package lf.a2a.v1;', 'package a2a.v1;', 'package is lf.a2a.v1 in ours, a2a.v1 in theirs'],
  ]
  for (const [name, from, to, line] of rows) {
    test(name, () => {
      expect(protoText).toContain(from)
      expect(differences(protoText.replace(from, to))).toContain(line)
    })
  }

  test('what our comment marks as later may be missing in theirs, but may not differ', () => {
    const ours = parseProto(protoText03, 'spec/a2a-v0.3.proto')
    const lines = (from: string, to: string) => compareFiles(ours, parseProto(protoText03.replace(from, to), 'theirs'))
    expect(lines('string icon_url = 18;', '')).toEqual([])
    expect(lines('string icon_url = 18;', 'string icon_url = 19;')).toEqual([
      'field AgentCard.icon_url: number is 18 in ours, 19 in theirs',
    ])
    expect(lines('string version = 5;', '')).toEqual(['field AgentCard.version: only in ours'])
    expect(lines('update = 2 [json_name = "message"]', 'update = 2')).toEqual([
      'field TaskStatus.update: json is message in ours, update in theirs',
    ])
  })

  test('text that is no proto fails with file and line', () => {
    const run = () => differences(protoText.replace('message Task {', 'message Task ['))
    expect(run).toThrow(/^other\.proto:\d+: expected "\{", found \[$/)
  })

  test('the command prints each difference and exits with 1', () => {
    const path = join(folder, 'other.proto')
    writeFileSync(path, protoText.replace('string token = 5;', ''))
    expect(generate('--against', path)).toEqual({
      status: 1,
      output: 'field TaskPushNotificationConfig.token: only in ours\n1 difference\n',
    })
  })
})

describe('--against a serialised FileDescriptorSet', () => {
  test('the same content agrees', () => {
    expect(differences(descriptorSet())).toEqual([])
  })

  test('differences are named', () => {
    const other = descriptorSet({ without: 'AgentCard.icon_url' })
    expect(differences(other)).toEqual(['field AgentCard.icon_url: only in ours'])
  })

  test('other bytes are refused', () => {
    expect(() => differences(new Uint8Array([10, 200, 1, 3]))).toThrow('not a serialised FileDescriptorSet')
  })

  test('the command reads it too', () => {
    const path = join(folder, 'other.binpb')
    writeFileSync(path, descriptorSet())
    expect(generate('--against', path).status).toBe(0)
  })
})

// A FileDescriptorSet as protoc writes it, made from our table: numbers below are those of google/protobuf/descriptor.proto.
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))]
}

const number = (field: number, value: number) => [...varint(field * 8), ...varint(value)]
const bytes = (field: number, value: readonly number[]) => [...varint(field * 8 + 2), ...varint(value.length), ...value]
const text = (field: number, value: string) => bytes(field, [...Buffer.from(value)])

function descriptorSet({ without = '' } = {}): Uint8Array {
  const scalar = {
    string: 9,
    bool: 8,
    int32: 5,
    bytes: 12,
    message: 11,
    enum: 14,
    struct: 11,
    value: 11,
    timestamp: 11,
  }
  const google: Record<string, string> = { struct: 'Struct', value: 'Value', timestamp: 'Timestamp' }
  const typeOf = (field: FieldDescriptor) => {
    const name = google[field.type] ? `.google.protobuf.${google[field.type]}` : `.lf.a2a.v1.${field.typeName}`
    return [
      ...number(5, scalar[field.type]),
      ...(scalar[field.type] >= 11 && field.type !== 'bytes' ? text(6, name) : []),
    ]
  }
  const entryName = (field: FieldDescriptor) => `${field.json[0]?.toUpperCase()}${field.json.slice(1)}Entry`
  const entry = (field: FieldDescriptor) => [
    ...text(1, entryName(field)),
    ...bytes(2, [...text(1, 'key'), ...number(3, 1), ...number(4, 1), ...number(5, 9)]),
    ...bytes(2, [...text(1, 'value'), ...number(3, 2), ...number(4, 1), ...typeOf(field)]),
    ...bytes(7, number(7, 1)),
  ]
  const fieldBytes = (message: string, field: FieldDescriptor) => [
    ...text(1, field.name),
    ...number(3, field.number),
    ...number(4, field.repeated || field.map ? 3 : 1),
    ...(field.map ? [...number(5, 11), ...text(6, `.lf.a2a.v1.${message}.${entryName(field)}`)] : typeOf(field)),
    ...(field.required ? bytes(8, bytes(1052, [2])) : []),
    ...(field.oneof || field.optional ? number(9, 0) : []),
    ...text(10, field.json),
    ...(field.optional ? number(17, 1) : []),
  ]
  const messages = Object.entries(schema.messages).filter(([name]) => name !== 'Empty')
  const messageBytes = ([name, fields]: (typeof messages)[number]) => [
    ...text(1, name),
    ...fields
      .filter((field) => `${name}.${field.name}` !== without)
      .flatMap((field) => bytes(2, fieldBytes(name, field))),
    ...fields.filter((field) => field.map).flatMap((field) => bytes(3, entry(field))),
    ...[...new Set(fields.flatMap((field) => field.oneof ?? []))].flatMap((oneof) => bytes(8, text(1, oneof))),
  ]
  const enumBytes = ([name, values]: [string, EnumDescriptor]) => [
    ...text(1, name),
    ...values.flatMap(([value, position]) => bytes(2, [...text(1, value), ...number(2, position)])),
  ]
  const rpc = /rpc (\w+)\((\w+)\) returns \((stream )?([\w.]+)\)/g
  const full = (name: string) => (name.includes('.') ? `.${name}` : `.lf.a2a.v1.${name}`)
  const methods = [...protoText.matchAll(rpc)].map(([, name = '', input = '', stream, output = '']) => [
    ...text(1, name),
    ...text(2, full(input)),
    ...text(3, full(output)),
    ...(stream ? number(6, 1) : []),
  ])
  const file = [
    ...text(1, 'a2a.proto'),
    ...text(2, 'lf.a2a.v1'),
    ...messages.flatMap((message) => bytes(4, messageBytes(message))),
    ...Object.entries(schema.enums).flatMap((values) => bytes(5, enumBytes(values))),
    ...bytes(6, [...text(1, 'A2AService'), ...methods.flatMap((method) => bytes(2, method))]),
  ]
  return new Uint8Array(bytes(1, file))
}
