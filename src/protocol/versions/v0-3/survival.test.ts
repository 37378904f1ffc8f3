import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call } from '../../endpoint.ts'
import type { Artifact, Message, Part, SendMessageRequest, StreamResponse } from '../../generated/v1/types.ts'
import { validate } from '../../validate.ts'
import type { WireOperation } from '../dialect.ts'
import { peerJsonRpc03, peerOfFiles } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

const wires = {
  json: { server: jsonRpc03, peer: peerJsonRpc03 },
  proto: { server: rest03, peer: peerOfFiles('rest', false) },
  bytes: { server: grpc03, peer: peerOfFiles('grpc', false) },
} as const
type Wire = keyof typeof wires

const text = fc.string({ unit: 'grapheme', maxLength: 6 })
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }).filter((key) => key !== '__proto__')
const anything = fc.jsonValue({ maxDepth: 2, noUnicodeString: false })
const metadata = fc.dictionary(name, anything, { minKeys: 1, maxKeys: 2 })
const names = fc.array(name, { minLength: 1, maxLength: 2 })
const time = fc
  .integer({ min: 0, max: Date.parse('2100-01-01T00:00:00Z') })
  .map((instant) => new Date(instant).toISOString())
const base64 = fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'))

const content: fc.Arbitrary<Part> = fc.oneof(
  text.map((value) => ({ text: value })),
  base64.map((raw) => ({ raw })),
  fc.webUrl().map((url) => ({ url })),
  anything.map((data) => ({ data }) as Part),
)
const part = fc
  .tuple(content, fc.record({ metadata, filename: name, mediaType: name }, { requiredKeys: [], noNullPrototype: true }))
  .map(([chosen, about]) => ({ ...chosen, ...about }) as Part)
const parts = fc.array(part, { minLength: 1, maxLength: 3 })

function record(required: object, optional: object): fc.Arbitrary<object> {
  return fc.record({ ...required, ...optional } as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: Object.keys(required),
    noNullPrototype: true,
  })
}

const message = record(
  { messageId: name, role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'), parts },
  { contextId: name, taskId: name, metadata, extensions: names, referenceTaskIds: names },
)
const artifact = record({ artifactId: name, parts }, { name, description: name, metadata, extensions: names })
const state = fc.constantFrom(
  ...['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'AUTH_REQUIRED', 'COMPLETED', 'CANCELED', 'FAILED', 'REJECTED'].map(
    (word) => `TASK_STATE_${word}`,
  ),
)
const status = record({ state }, { message, timestamp: time })
const some = (items: fc.Arbitrary<object>): fc.Arbitrary<object[]> => fc.array(items, { minLength: 1, maxLength: 2 })
const event = fc.oneof(
  record({ message }, {}),
  record(
    {
      task: record(
        { id: name, status },
        { contextId: name, history: some(message), artifacts: some(artifact), metadata },
      ),
    },
    {},
  ),
  record({ statusUpdate: record({ taskId: name, contextId: name, status }, { metadata }) }, {}),
  record(
    {
      artifactUpdate: record(
        { taskId: name, contextId: name, artifact },
        { append: fc.constant(true), lastChunk: fc.constant(true), metadata },
      ),
    },
    {},
  ),
) as fc.Arbitrary<StreamResponse>

/** What is left of a value once everything is gone that a wire has no place for; `lost` gets the rows. */
function remainder(value: unknown, wire: Wire, lost: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => remainder(item, wire, lost))
  if (typeof value !== 'object' || value === null) return value
  const { referenceTaskIds, parts: list, ...rest } = value as Message & Artifact
  const left = Object.fromEntries(
    Object.entries(rest).map(([key, item]) => [key, key === 'metadata' ? item : remainder(item, wire, lost)]),
  )
  if (referenceTaskIds !== undefined && wire !== 'json') lost.add('reference-tasks')
  else if (referenceTaskIds !== undefined) left.referenceTaskIds = referenceTaskIds
  return list === undefined ? left : { ...left, parts: list.map((one) => partRemainder(one, lost)) }
}

function partRemainder(whole: Part, lost: Set<string>): Part {
  const { filename, mediaType, ...rest } = whole
  if (whole.raw !== undefined || whole.url !== undefined) return whole
  if (filename !== undefined) lost.add('part-filename')
  if (mediaType !== undefined) lost.add('part-media-type')
  return rest as Part
}

/** Rows that are noted although the other side of ours undoes what happened. */
const undone = new Set(['part-data'])

const silent = (): void => {}

function rowOf(wire: Wire, operation: Call['operation']): WireOperation {
  return wires[wire].server.of(operation) as WireOperation
}

describe('what 1.0 says comes back from 0.3, but for what is noted', () => {
  for (const wire of Object.keys(wires) as Wire[]) {
    const { server, peer } = wires[wire]

    test(`VERS-07 every event: ${wire}`, () => {
      fc.assert(
        fc.property(event, (given) => {
          expect(validate('StreamResponse', given)).toBe(given)
          const noted = new Set<string>()
          const note = (loss: string): void => void noted.add(loss)
          const row = rowOf(wire, 'SendStreamingMessage')
          const { text: written } = server.encode(row, encodeValue(given as never), note)
          const warnings: string[] = []
          const { event: read } = peer.readFrame(JSON.parse(written), (warning) => warnings.push(warning))
          const lost = new Set<string>()
          expect(read).toEqual(remainder(JSON.parse(JSON.stringify(given)), wire, lost))
          expect([...noted].filter((row) => !undone.has(row)).sort()).toEqual([...lost].sort())
          expect(warnings).toEqual([])
        }),
        { numRuns: 200 },
      )
    })

    test(`VERS-07 every message that is sent: ${wire}`, () => {
      const configuration = record(
        {},
        {
          acceptedOutputModes: names,
          historyLength: fc.integer({ min: 1, max: 1000 }),
          returnImmediately: fc.constant(true),
          taskPushNotificationConfig: record(
            { url: fc.webUrl() },
            { id: name, token: name, authentication: record({ scheme: name }, { credentials: name }) },
          ),
        },
      )
      const request = record({ message }, { configuration, metadata }) as fc.Arbitrary<SendMessageRequest>
      fc.assert(
        fc.property(request, (given) => {
          const row = rowOf(wire, 'SendMessage')
          const noted = new Set<string>()
          const written = peer.encodeRequest(row, given, (loss) => void noted.add(loss))
          const { configuration: read, ...rest } = server.decode(
            row,
            JSON.parse(JSON.stringify(written)),
          ) as SendMessageRequest
          const lost = new Set<string>()
          const { configuration: asked, ...others } = JSON.parse(JSON.stringify(given)) as SendMessageRequest
          expect(rest).toEqual(remainder(others, wire, lost))
          expect(read ?? {}).toEqual(asked ?? {})
          expect([...noted].filter((row) => !undone.has(row)).sort()).toEqual([...lost].sort())
        }),
        { numRuns: 100 },
      )
    })
  }
})

describe('what 0.3 says comes back from 1.0', () => {
  const file = fc.oneof(
    record({ bytes: base64 }, { name, mimeType: name }),
    record({ uri: fc.webUrl() }, { name, mimeType: name }),
  )
  const kind = (word: string): fc.Arbitrary<string> => fc.constant(word)
  const part03 = fc.oneof(
    record({ kind: kind('text'), text }, { metadata }),
    record({ kind: kind('file'), file }, { metadata }),
    record({ kind: kind('data'), data: fc.dictionary(name, anything, { maxKeys: 2 }) }, { metadata }),
  )
  const parts03 = fc.array(part03, { minLength: 1, maxLength: 3 })
  const message03 = record(
    { kind: kind('message'), messageId: name, role: fc.constantFrom('user', 'agent'), parts: parts03 },
    { contextId: name, taskId: name, metadata, extensions: names, referenceTaskIds: names },
  )
  const artifact03 = record(
    { artifactId: name, parts: parts03 },
    { name, description: name, metadata, extensions: names },
  )
  const state03 = fc.constantFrom(
    ...[
      'submitted',
      'working',
      'input-required',
      'completed',
      'canceled',
      'failed',
      'rejected',
      'auth-required',
      'unknown',
    ],
  )
  const status03 = record({ state: state03 }, { message: message03, timestamp: time })
  const ids = { taskId: name, contextId: name }
  const event03 = fc.oneof(
    message03,
    record(
      { kind: kind('task'), id: name, contextId: name, status: status03 },
      { history: some(message03), artifacts: some(artifact03), metadata },
    ),
    record({ kind: kind('status-update'), ...ids, status: status03, final: kind('').map(() => false) }, { metadata }),
    record(
      { kind: kind('artifact-update'), ...ids, artifact: artifact03 },
      { append: fc.constant(true), lastChunk: fc.constant(true), metadata },
    ),
  )

  test('VERS-07 every event of the JSON form is read, and written as it was', () => {
    fc.assert(
      fc.property(event03, (given) => {
        const json = JSON.parse(JSON.stringify(given)) as object
        const { event: read } = peerJsonRpc03.readFrame(json, silent)
        const row = rowOf('json', 'SendStreamingMessage')
        expect(jsonRpc03.encode(row, encodeValue(read as never)).value).toEqual(json)
      }),
      { numRuns: 200 },
    )
  })

  test('VERS-07 every message of the JSON form is accepted, and what it has beyond the model ignored', () => {
    fc.assert(
      fc.property(message03, name, anything, (given, key, extra) => {
        const json = JSON.parse(JSON.stringify(given)) as Record<string, unknown>
        const known = ['messageId', 'message_id', 'content', 'parts', 'role', 'metadata', 'taskId', 'contextId']
        const odd = known.includes(key) ? json : { [`x-${key}`]: extra, ...json }
        const row = rowOf('json', 'SendMessage')
        const plain = jsonRpc03.decode(row, { message: json })
        expect(jsonRpc03.decode(row, { message: odd, [`x-${key}`]: extra })).toEqual(plain)
      }),
      { numRuns: 100 },
    )
  })
})
