import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { describe, expect, test } from 'vitest'
import { A2AError } from '../../protocol/errors.ts'
import { schema } from '../../protocol/generated/v1/schema.ts'
import type { Schema } from '../../protocol/schema.ts'
import { validate } from '../../protocol/validate.ts'
import { createCodec } from './codec.ts'

const codec = createCodec(schema)

/** What an error says, as `field: description`. */
function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    expect(A2AError.is(error) && error.code).toBe('InvalidParams')
    const [violation] = (error as A2AError).violations
    return `${violation?.field}: ${violation?.description}`
  }
  return 'nothing'
}

function there(type: string, value: object): Record<string, unknown> {
  return codec.decode(type, codec.encode(type, value))
}

/** Bytes written field by field. */
function bytes(write: (writer: BinaryWriter) => void): Uint8Array {
  const writer = new BinaryWriter()
  write(writer)
  return writer.finish()
}

describe('PJ-11 values of any kind', () => {
  test('case 35: whole numbers stay whole, null is kept, strings are untouched', () => {
    const text =
      '{"i":1,"z":0,"neg":-7,"big":9007199254740992,"snow":"1234567890123456789","f":0.1,"e":1e+21,"arr":[1,2.5,null,true]}'
    const data = JSON.parse(text)
    expect(JSON.stringify(there('Part', { data, metadata: data }))).toBe(JSON.stringify({ data, metadata: data }))
    expect(JSON.stringify(there('Part', { data }).data)).toBe(text)
  })

  test('PJ-12 PJ-24 anything can be data, null too', () => {
    for (const data of [null, 0, '', false, [], {}, [[]], [{}], 'text', -1.5, { a: null }]) {
      expect(there('Part', { data })).toEqual({ data })
    }
  })

  test('a Value that holds nothing is null', () => {
    expect(
      codec.decode(
        'Part',
        bytes((writer) => writer.tag(4, 2).fork().join()),
      ),
    ).toEqual({ data: null })
  })

  test('what JSON does not have is refused by the path of its field', () => {
    const message = (data: unknown): object => ({ history: [{}, { parts: [{ data }] }] })
    const says = (data: unknown): string => refusal(() => codec.encode('Task', message(data)))
    expect(says({ a: [1, { b: Number.NaN }] })).toBe(
      'history[1].parts[0].data.a[1].b: must be a finite number; JSON has no other',
    )
    expect(says(Number.POSITIVE_INFINITY)).toContain('history[1].parts[0].data: must be a finite number')
    expect(says(12n)).toContain('must be a JSON value, not bigint')
    expect(says('\ud800')).toContain('lone surrogate')
    expect(refusal(() => codec.encode('Task', { metadata: [] }))).toContain('metadata: must be a JSON object')
    const infinity = bytes((writer) => writer.tag(4, 2).fork().tag(2, 1).double(Number.NEGATIVE_INFINITY).join())
    expect(refusal(() => codec.decode('Part', infinity))).toContain('data: must be a finite number')
  })

  test('names of members are only names', () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null,"a b":2}')
    const task = there('Task', { metadata })
    expect(JSON.stringify(task)).toBe(JSON.stringify({ metadata }))
    expect(Object.getPrototypeOf(task.metadata)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    const scopes = JSON.parse('{"__proto__":"all","x":""}')
    expect(JSON.stringify(there('PasswordOAuthFlow', { scopes }))).toBe(JSON.stringify({ scopes }))
  })
})

describe('fields', () => {
  test('PJ-13 implicit defaults are left out, also when the bytes hold them', () => {
    expect(codec.encode('Task', { id: '', contextId: '', artifacts: [], history: [] }).length).toBe(0)
    const written = bytes((writer) => writer.tag(1, 2).string('').tag(2, 2).string('c').tag(2, 2).string(''))
    expect(codec.decode('Task', written)).toEqual({})
  })

  test('DM-06 PJ-14 explicit presence keeps defaults', () => {
    for (const request of [{ historyLength: 0 }, { pageSize: 0, includeArtifacts: false }, {}]) {
      expect(there('ListTasksRequest', request)).toEqual(request)
    }
    expect(there('AgentCapabilities', { streaming: false })).toEqual({ streaming: false })
    expect(there('Part', { text: '' })).toEqual({ text: '' })
    expect(there('Part', { raw: '' })).toEqual({ raw: '' })
  })

  test('DM-07 of the members of a oneof the last one counts', () => {
    const written = bytes((writer) => writer.tag(1, 2).string('a').tag(3, 2).string('https://a.example'))
    expect(codec.decode('Part', written)).toEqual({ url: 'https://a.example' })
  })

  test('PJ-12 null means unset', () => {
    expect(codec.encode('Task', { id: null, status: null, history: null, metadata: null }).length).toBe(0)
  })

  test('DM-05 unknown fields are skipped, whatever their wire type; so is a field with a wrong one', () => {
    const written = bytes((writer) => {
      writer
        .tag(900, 0)
        .uint64(1n << 60n)
        .tag(901, 1)
        .double(1)
        .tag(902, 2)
        .string('x')
        .tag(903, 5)
        .fixed32(1)
      writer.tag(904, 3).tag(1, 0).uint32(1).tag(904, 4)
      writer.tag(2, 0).uint32(7).tag(1, 2).string('t')
    })
    expect(codec.decode('Task', written)).toEqual({ id: 't' })
  })

  test('PJ-04 enums by name or number; a number without a name is left for the reader to report', () => {
    expect(there('Message', { role: 2 })).toEqual({ role: 'ROLE_AGENT' })
    expect(there('TaskStatus', { state: 77 })).toEqual({ state: 77 })
    expect(there('TaskStatus', { state: -1 })).toEqual({ state: -1 })
    expect(refusal(() => validate('TaskStatus', there('TaskStatus', { state: 77 })))).toContain('state: must be one of')
    expect(refusal(() => codec.encode('TaskStatus', { state: 'RUNNING' }))).toContain(
      'state: must be one of TASK_STATE',
    )
  })

  test('PJ-05 base64 in either alphabet becomes bytes, and those standard base64', () => {
    expect(there('Part', { raw: '-_-_8A' })).toEqual({ raw: '+/+/8A==' })
    for (const raw of ['a', 'a*bc', 'abc\n', '=', 'ab=', 'a===', 7]) {
      expect(refusal(() => codec.encode('Part', { raw }))).toBe('raw: must be base64 text')
    }
  })

  test('PJ-23 strings are UTF-8', () => {
    const text = 'ä€𝄞\u0000\uFEFF\uFFFD'
    expect(there('Part', { text })).toEqual({ text })
    const broken = bytes((writer) => writer.tag(1, 2).bytes(Uint8Array.of(0x61, 0xff)))
    expect(refusal(() => codec.decode('Part', broken))).toBe('text: is not valid UTF-8')
    expect(refusal(() => codec.encode('Part', { text: 'a\udc00' }))).toContain('text: holds a lone surrogate')
  })

  test('what is of another type is refused by name', () => {
    expect(refusal(() => codec.encode('Task', { id: 5 }))).toBe('id: must be a string')
    expect(refusal(() => codec.encode('Task', { history: {} }))).toBe('history: must be an array')
    expect(refusal(() => codec.encode('Task', { status: [] }))).toBe('status: must be an object')
    expect(refusal(() => codec.encode('Task', { history: [null] }))).toBe('history[0]: must be an object')
    expect(refusal(() => codec.encode('ListTasksRequest', { pageSize: 2 ** 31 }))).toContain(
      'pageSize: must be a whole',
    )
    expect(refusal(() => codec.encode('ListTasksRequest', { includeArtifacts: 1 }))).toContain(
      'includeArtifacts: must be',
    )
    expect(refusal(() => codec.encode('PasswordOAuthFlow', { scopes: { a: 1 } }))).toBe('scopes.a: must be a string')
  })

  test('a map entry may lack its key or its value', () => {
    const entries = bytes((writer) => writer.tag(3, 2).fork().join().tag(3, 2).fork().tag(1, 2).string('k').join())
    expect(codec.decode('PasswordOAuthFlow', entries)).toEqual({ scopes: { '': '', k: '' } })
  })

  test('a type that the schema lacks', () => {
    expect(() => codec.encode('Nothing', {})).toThrow(TypeError)
    expect(() => codec.decode('Nothing', new Uint8Array())).toThrow(TypeError)
  })
})

describe('PJ-06 PJ-09 PJ-10 times', () => {
  const cases = [
    ['2025-01-31T12:00:00Z', '2025-01-31T12:00:00.000Z'],
    ['2025-01-31T12:00:00.5Z', '2025-01-31T12:00:00.500Z'],
    ['2025-01-31T12:00:00.123456Z', '2025-01-31T12:00:00.123456Z'],
    ['2025-01-31T12:00:00.123456789Z', '2025-01-31T12:00:00.123456789Z'],
    ['2025-01-31T12:00:00.000000001+01:30', '2025-01-31T10:30:00.000000001Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2106-02-07T06:28:16Z', '2106-02-07T06:28:16.000Z'],
    ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999999999Z'],
  ]
  for (const [timestamp, expected] of cases) {
    test(`${timestamp}`, () => {
      expect(there('TaskStatus', { timestamp })).toEqual({ timestamp: expected })
    })
  }

  test('what is no time is refused', () => {
    for (const timestamp of [
      '2025-02-30T12:00:00Z',
      '2025-01-31',
      'now',
      5,
      '0000-01-01T00:00:00Z',
      '2025-01-31T24:00:00Z',
    ]) {
      expect(refusal(() => codec.encode('TaskStatus', { timestamp }))).toContain('timestamp: must be a time such as')
    }
    for (const [seconds, nanos] of [
      [253_402_300_800n, 0],
      [-62_135_596_801n, 0],
      [1n << 62n, 0],
      [0n, 1_000_000_000],
      [0n, -1],
    ] as const) {
      const written = bytes((writer) => writer.tag(3, 2).fork().tag(1, 0).int64(seconds).tag(2, 0).int32(nanos).join())
      expect(refusal(() => codec.decode('TaskStatus', written))).toContain('timestamp: must be a time such as')
    }
  })
})

describe('lists of numbers', () => {
  const numbers: Schema = {
    messages: {
      Numbers: [
        { name: 'all', json: 'all', number: 1, type: 'int32', repeated: true },
        { name: 'flags', json: 'flags', number: 2, type: 'bool', repeated: true },
        { name: 'kinds', json: 'kinds', number: 3000, type: 'enum', typeName: 'Kind', repeated: true },
        { name: 'by_name', json: 'byName', number: 4, type: 'enum', typeName: 'Kind', map: true },
      ],
    },
    enums: {
      Kind: [
        ['NONE', 0],
        ['SOME', 1],
      ],
    },
  }
  const listed = createCodec(numbers)

  test('GRPC-03 are packed, and read packed or not', () => {
    const value = { all: [0, -1, 300], flags: [true, false], kinds: ['SOME', 'NONE'], byName: { a: 'SOME', b: 'NONE' } }
    const written = listed.encode('Numbers', value)
    expect(written[0]).toBe((1 << 3) | 2)
    expect(listed.decode('Numbers', written)).toEqual(value)
    const loose = bytes((writer) =>
      writer.tag(1, 0).int32(5).tag(1, 2).fork().int32(6).int32(7).join().tag(1, 0).int32(8),
    )
    expect(listed.decode('Numbers', loose)).toEqual({ all: [5, 6, 7, 8] })
    expect(refusal(() => listed.encode('Numbers', { all: [1, 'x'] }))).toContain('all[1]: must be a whole number')
    const torn = bytes((writer) => writer.tag(1, 2).bytes(Uint8Array.of(5, 0x80)).tag(1, 0).int32(1))
    expect(refusal(() => listed.decode('Numbers', torn))).toContain('not a valid protobuf message')
  })
})

describe('bytes that are no message', () => {
  const cases: Readonly<Record<string, readonly number[]>> = {
    'a string without its end': [0x0a, 0x05, 0x61],
    'a length of four gigabytes': [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
    'a varint without an end': [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    'field number 0': [0x02, 0x00],
    'wire type 7': [0x0f],
    'the end of a group that never began': [0x0c],
    'a field that is longer than its message': [0x1a, 0x02, 0x12, 0x05, 0x61, 0x61, 0x61, 0x61, 0x61],
  }
  for (const [name, list] of Object.entries(cases)) {
    test(`${name}: InvalidParams`, () => {
      expect(refusal(() => codec.decode('Task', Uint8Array.from(list)))).toContain('not a valid protobuf message')
    })
  }

  test('nesting is bounded both ways, also where the bytes nest unknown groups', () => {
    let value: unknown = 'x'
    for (let level = 0; level < 900; level++) value = level % 2 === 0 ? [value] : { a: value }
    expect(there('Part', { data: value })).toEqual({ data: value })
    for (let level = 0; level < 100_000; level++) value = [value]
    expect(refusal(() => codec.encode('Part', { data: value }))).toContain('is nested too deeply')
    let piece = Buffer.alloc(0)
    for (let level = 0; level < 3_000; level++) {
      const list = bytes((writer) => writer.tag(1, 2).bytes(piece))
      piece = Buffer.from(bytes((writer) => writer.tag(6, 2).bytes(list)))
    }
    const deep = bytes((writer) => writer.tag(4, 2).bytes(piece))
    expect(refusal(() => codec.decode('Part', deep))).toContain('is nested too deeply')
    const groups = bytes((writer) => {
      for (let level = 0; level < 100_000; level++) writer.tag(99, 3)
    })
    expect(refusal(() => codec.decode('Part', groups))).toContain('not a valid protobuf message')
  })

  test('a failure leaves nothing behind', () => {
    expect(refusal(() => codec.encode('Task', { id: 'left', history: [{ messageId: 'over', role: 'X' }] }))).toContain(
      'role',
    )
    expect(there('Task', { id: 't' })).toEqual({ id: 't' })
    const large = { id: 'x'.repeat(300_000) }
    expect(there('Task', large)).toEqual(large)
    expect(there('Task', { id: 't' })).toEqual({ id: 't' })
  })
})
