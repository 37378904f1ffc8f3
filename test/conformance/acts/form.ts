import assert from 'node:assert/strict'
import { codeOf, failsWith } from '../failures.ts'
import { type Check, doneTask, resultOf, type Scene, type SeenTask } from '../scene.ts'
import { camelCase, valid } from '../schema-check.ts'
import { exchange } from '../wire/http.ts'
import type { HttpAnswer, Json } from '../wire/peer.ts'
import { say, sayTask } from './say.ts'

function fetchCard({ subject }: Pick<Scene, 'subject'>): Promise<HttpAnswer> {
  return exchange({ method: 'GET', url: subject.cardUrl, headers: { 'a2a-version': '1.0' } })
}

/** A requirement of the card. */
function ofCard(id: string, title: string, look: (card: Json, answer: HttpAnswer) => void): Check {
  return {
    id,
    level: id.startsWith('CARD-CACHE') ? 'SHOULD' : 'MUST',
    title,
    on: 'once',
    async run(scene) {
      const answer = await fetchCard(scene)
      look(answer.body ?? {}, answer)
    },
  }
}

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''
const areTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText)

const card: readonly Check[] = [
  ofCard('CARD-DISC-001', 'the card is at its well-known place', (_, { status }) => assert.equal(status, 200)),
  ofCard('CARD-DISC-002', 'the card is JSON', (_, { type }) => assert.match(type, /^application\/(?:a2a\+)?json/)),
  ofCard('CARD-DISC-003', 'the card names the agent and its version', ({ name, description, version }) =>
    assert.ok([name, description, version].every(isText)),
  ),
  ofCard('CARD-DISC-004', 'the card lists interfaces of 1.0', ({ supportedInterfaces }) => {
    const listed = supportedInterfaces as readonly Json[]
    assert.ok(listed.some(({ protocolVersion }) => protocolVersion === '1.0'))
    assert.ok(listed.every(({ url, protocolBinding }) => isText(url) && isText(protocolBinding)))
  }),
  ofCard('CARD-DISC-005', 'the card tells what the agent can do', ({ capabilities }) =>
    assert.ok(typeof (capabilities as Json).streaming === 'boolean'),
  ),
  ofCard('CARD-DISC-006', 'the card lists skills', ({ skills }) => {
    for (const { id, name, description, tags } of skills as readonly Json[]) {
      assert.ok([id, name, description].every(isText) && areTexts(tags))
    }
    assert.ok((skills as readonly Json[]).length > 0)
  }),
  ofCard('CARD-DISC-007', 'the card lists the media types that ACTS needs', (given) => {
    const { defaultInputModes, defaultOutputModes } = given as Readonly<Record<string, readonly string[]>>
    assert.ok(areTexts(defaultInputModes) && areTexts(defaultOutputModes))
    for (const mode of ['text/plain', 'application/x-protobuf']) assert.ok(defaultInputModes?.includes(mode), mode)
  }),
  ofCard('CARD-CACHE-001', 'the card may be kept', (_, { headers }) => {
    assert.match(headers.get('cache-control') ?? '', /max-age=\d+/)
    assert.ok(headers.get('etag'))
  }),
  ofCard('CARD-SCHEMA-001', 'the card is whole and holds nothing else', (given) => valid('AgentCard', given)),
]

/** The parts of the only artifact of a task that completes. */
async function partsOf(scene: Scene, text: string): Promise<readonly Json[]> {
  const { artifacts = [] } = await sayTask(scene, text, { state: 'COMPLETED' })
  assert.equal(artifacts.length, 1)
  valid('Artifact', artifacts[0])
  return artifacts[0]?.parts ?? []
}

const file = { filename: 'output.txt', mediaType: 'text/plain' }

function artifactCheck(id: string, text: string, part: Json): Check {
  return {
    id,
    level: 'MUST',
    title: `the artifact of ${text}`,
    run: async (scene) => assert.deepEqual(await partsOf(scene, text), [part]),
  }
}

const data: readonly Check[] = [
  {
    id: 'DM-FMT-001',
    level: 'MUST',
    title: 'times are ISO 8601 in UTC',
    async run(scene) {
      const { status } = await sayTask(scene, 'tck-complete-task')
      assert.match(status.timestamp ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/)
    },
  },
  {
    id: 'DM-FMT-002',
    level: 'MUST',
    title: 'ids are there and differ',
    async run(scene) {
      const tasks = [await sayTask(scene, 'tck-complete-task'), await sayTask(scene, 'tck-complete-task')]
      const ids = tasks.flatMap(({ id, contextId, status }) => [id, contextId, status.message?.messageId ?? ''])
      assert.equal(new Set(ids).size, 6)
      assert.ok(!ids.includes(''))
    },
  },
  {
    id: 'DM-FMT-003',
    level: 'MUST',
    title: 'states and roles are the names of the enums',
    async run(scene) {
      const { status, history = [] } = await sayTask(scene, 'tck-complete-task')
      assert.match(status.state, /^TASK_STATE_/)
      assert.deepEqual(history[0]?.role, 'ROLE_USER')
      assert.deepEqual(status.message?.role, 'ROLE_AGENT')
    },
  },
  artifactCheck('DM-ART-001', 'tck-artifact-text', { text: 'Generated text content' }),
  artifactCheck('DM-ART-002', 'tck-artifact-data', { data: { key: 'value', count: 42 } }),
  artifactCheck('DM-ART-003', 'tck-artifact-file', { raw: 'dGNr', ...file }),
  artifactCheck('DM-ART-004', 'tck-artifact-file-url', { url: 'https://example.com/output.txt', ...file }),
  {
    id: 'DM-SERIAL-001',
    level: 'MUST',
    title: 'names are in camelCase',
    async run(scene) {
      for (const text of ['tck-complete-task', 'tck-artifact-file', 'tck-message-response']) {
        camelCase(resultOf(await say(scene, text)))
      }
    },
  },
  {
    id: 'DM-SERIAL-002',
    level: 'MUST',
    title: 'content comes out as it went in',
    async run(scene) {
      const parts = [{ data: { n: [1, 0.5, null, 'ü'] } }, { raw: '+/8=', filename: 'ä' }]
      const { history = [] } = await sayTask(scene, 'tck-complete-task', { parts })
      assert.deepEqual(history[0]?.parts.slice(1), parts)
    },
  },
  {
    id: 'DM-EXTRA-001',
    level: 'SHOULD',
    title: 'members that nobody knows are no error',
    async run(scene) {
      const ask = { message: { extraField: { a: 1 } }, request: { another: true } }
      await sayTask(scene, 'tck-complete-task', { ...ask, state: 'COMPLETED' })
    },
  },
]

interface RawStep {
  readonly body: string
  readonly type?: string
}

/** A request of JSON-RPC as no client would send it; steps like these show no token in ACTS. */
async function raw({ peer, subject }: Scene, { body, type = 'application/json' }: RawStep): Promise<HttpAnswer> {
  const headers = {
    'a2a-version': '1.0',
    'content-type': type,
    ...(subject.tokens && { authorization: `Bearer ${subject.tokens.valid}` }),
  }
  const answer = await exchange({ url: peer.url, headers, body })
  assert.equal(answer.status, 200)
  return answer
}

function codeIn({ body }: HttpAnswer): unknown {
  return (body?.error as Json | undefined)?.code
}

const bindings: readonly Check[] = [
  {
    id: 'JSONRPC-ERR-001',
    level: 'MUST',
    title: 'an unknown method is -32601',
    on: ['JSONRPC'],
    async run(scene) {
      const answer = await raw(scene, { body: '{"jsonrpc":"2.0","id":1,"method":"NoSuchMethod","params":{}}' })
      assert.equal(codeIn(answer), -32601)
    },
  },
  {
    id: 'JSONRPC-ERR-002',
    level: 'MUST',
    title: 'what is no JSON is -32700',
    on: ['JSONRPC'],
    async run(scene) {
      const answer = await raw(scene, { body: '{"jsonrpc":"2.0","id":1,' })
      assert.deepEqual([codeIn(answer), answer.body?.id], [-32700, null])
    },
  },
  {
    id: 'JSONRPC-ERR-003',
    level: 'MUST',
    title: 'what is no request is -32600, and wrong parameters are -32602',
    on: ['JSONRPC'],
    async run(scene) {
      assert.equal(codeIn(await raw(scene, { body: '{"id":1,"method":"GetTask"}' })), -32600)
      assert.equal(
        codeIn(await raw(scene, { body: '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{}}' })),
        -32602,
      )
      const { error } = await scene.peer.call('GetTask', { id: 'acts-nonexistent' })
      assert.ok(error?.details.length && error.details.every((detail) => typeof detail['@type'] === 'string'))
    },
  },
  {
    id: 'JSONRPC-ENV-001',
    level: 'MUST',
    title: 'an answer has the id of its request, whatever that is',
    on: ['JSONRPC'],
    async run(scene) {
      for (const id of [1, 'a', null, 0, 'ü']) {
        const { body } = await raw(scene, {
          body: JSON.stringify({ jsonrpc: '2.0', id, method: 'ListTasks', params: {} }),
        })
        assert.deepEqual([body?.jsonrpc, body?.id, body?.error], ['2.0', id, undefined])
      }
    },
  },
  {
    id: 'JSONRPC-CT-001',
    level: 'MUST',
    title: 'answers are application/json',
    on: ['JSONRPC'],
    async run(scene) {
      assert.match((await say(scene, 'tck-complete-task')).http?.type ?? '', /^application\/json/)
    },
  },
  {
    id: 'REST-STATUS-001',
    level: 'MUST',
    title: 'each error has its HTTP status',
    on: ['HTTP+JSON'],
    async run(scene) {
      const { peer } = scene
      const unknown = await peer.call('GetTask', { id: 'acts-nonexistent' })
      const late = await peer.call('CancelTask', { id: (await doneTask(scene)).id })
      const wrong = await peer.call('SendMessage', {})
      const statuses = [unknown, late, wrong].map(({ http }) => http?.status)
      assert.deepEqual(statuses, [404, codeOf(scene, 'TaskNotCancelable'), 400])
    },
  },
  {
    id: 'REST-PD-001',
    level: 'MUST',
    title: 'an error tells its status, its name, its message and its details',
    on: ['HTTP+JSON'],
    async run(scene) {
      const { http } = await scene.peer.call('GetTask', { id: 'acts-nonexistent' })
      const { code, status, message, details } = (http?.body?.error ?? {}) as Json
      assert.deepEqual([code, status], [404, 'NOT_FOUND'])
      assert.ok(typeof message === 'string' && message !== '')
      assert.equal((details as readonly Json[])[0]?.reason, 'TASK_NOT_FOUND')
    },
  },
  {
    id: 'REST-CT-001',
    level: 'SHOULD',
    title: 'answers are application/a2a+json to those who ask for it',
    on: ['HTTP+JSON'],
    async run(scene) {
      const headers = { accept: 'application/a2a+json' }
      const { http } = await say(scene, 'tck-complete-task', { options: { headers } })
      const { restMediaType } = scene.subject.expects
      assert.match(http?.type ?? '', restMediaType === 'json' ? /^application\/json/ : /^application\/a2a\+json/)
    },
  },
  {
    id: 'GRPC-STATUS-001',
    level: 'MUST',
    title: 'each error has its gRPC status',
    on: ['GRPC'],
    async run(scene) {
      const { peer } = scene
      failsWith(scene, 'TaskNotFound', (await peer.call('GetTask', { id: 'acts-nonexistent' })).error)
      const { id } = (await sayTask(scene, 'tck-complete-task')) as SeenTask
      failsWith(scene, 'TaskNotCancelable', (await peer.call('CancelTask', { id })).error)
    },
  },
  {
    id: 'VER-NEG-001',
    level: 'MUST',
    title: 'a version that is not spoken is refused',
    async run(scene) {
      const headers = { 'a2a-version': '99.0' }
      failsWith(scene, 'VersionNotSupported', (await say(scene, 'tck-complete-task', { options: { headers } })).error)
    },
  },
  {
    id: 'VER-NEG-002',
    level: 'SHOULD',
    title: 'a request that names no version is answered where the profile says so',
    async run(scene) {
      const headers = { 'a2a-version': undefined }
      const { error } = await say(scene, 'tck-complete-task', { options: { headers } })
      if (scene.subject.expects.assumedVersion === '1.0') assert.equal(error, undefined)
      else failsWith(scene, 'VersionNotSupported', error)
    },
  },
]

/** The form of everything: cards, objects and what each binding has of its own in ACTS. */
export const form: readonly Check[] = [...card, ...data, ...bindings]
