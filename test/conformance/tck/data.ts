import assert from 'node:assert/strict'
import { type Check, resultOf, type Scene, type SeenTask, send, sendTask, textOf } from '../scene.ts'
import { camelCase, valid } from '../schema-check.ts'
import type { Json } from '../wire/peer.ts'

/** The only part of the only artifact. */
async function partOf(scene: Scene, word: string): Promise<Json> {
  const { artifacts = [], status } = await sendTask(scene, word)
  assert.equal(status.state, 'TASK_STATE_COMPLETED')
  assert.equal(artifacts.length, 1)
  const [artifact] = artifacts
  assert.ok(artifact?.artifactId, 'the artifact has no id')
  assert.equal(artifact.parts.length, 1)
  valid('Artifact', artifact)
  return artifact.parts[0] as Json
}

/** Walks over every member of a value. */
function eachMember(value: unknown, visit: (name: string, value: unknown) => void): void {
  if (value === null || typeof value !== 'object') return
  for (const [name, inner] of Object.entries(value)) {
    visit(name, inner)
    eachMember(inner, visit)
  }
}

async function answersOf(scene: Scene): Promise<readonly Json[]> {
  const words = [
    'tck-dm-test-001',
    'tck-artifact-file',
    'tck-artifact-data',
    'tck-input-required',
    'tck-message-response',
  ]
  const answers: Json[] = []
  for (const word of words) answers.push(resultOf(await send(scene, word)))
  return answers
}

/** Objects and how they are written: DM of TCK 1.0. */
export const data: readonly Check[] = [
  {
    id: 'DM-TASK-001',
    level: 'MUST',
    title: 'a task has an id and a status',
    async run(scene) {
      const task = await sendTask(scene, 'tck-dm-test-001')
      valid('Task', task)
      assert.ok(task.id !== '' && task.status.state !== '')
    },
  },
  {
    id: 'DM-TASK-002',
    level: 'MUST',
    title: 'the state of a task is one of those there are',
    async run(scene) {
      valid('TaskStatus', (await sendTask(scene, 'tck-dm-test-001')).status)
      valid('TaskStatus', (await sendTask(scene, 'tck-reject-task')).status)
      valid('TaskStatus', (await sendTask(scene, 'tck-input-required')).status)
    },
  },
  {
    id: 'DM-MSG-001',
    level: 'MUST',
    title: 'a message of the agent has an id, a role and parts',
    async run(scene) {
      const value = resultOf(await send(scene, 'tck-message-response'))
      valid('SendMessageResponse', value)
      const message = value.message as SeenTask['status']['message'] & {}
      assert.equal(message.role, 'ROLE_AGENT')
      assert.equal(textOf(message), 'Direct message response')
      assert.notEqual(message.messageId, '')
    },
  },
  {
    id: 'DM-MSG-002',
    level: 'MUST',
    title: 'each message in a history is whole and names its task',
    async run(scene) {
      const { id, contextId, history = [], status } = await sendTask(scene, 'tck-dm-test-001')
      for (const message of [...history, status.message]) {
        valid('Message', message)
        assert.deepEqual([message?.taskId, message?.contextId], [id, contextId])
      }
    },
  },
  {
    id: 'DM-PART-001',
    level: 'MUST',
    title: 'a part holds exactly one content, and comes out as it went in',
    async run(scene) {
      const parts = [
        { text: 'grüße 😀\u0000"\\' },
        { data: { whole: 1, half: 0.5, none: null, list: [1, 'two', { three: 3 }], snow_ball: true } },
        { raw: '+/8=', filename: 'ü.bin', mediaType: 'text/plain' },
        { url: 'https://example.com/a?b=c', metadata: { key: [1, null] } },
      ]
      const { history = [] } = await sendTask(scene, 'tck-dm-test-001', { parts })
      assert.deepEqual(history[0]?.parts, parts)
      for (const part of history[0]?.parts ?? []) valid('Part', part)
    },
  },
  {
    id: 'DM-ART-001',
    level: 'MUST',
    title: 'artifacts of text, of bytes, of a URL and of data',
    async run(scene) {
      assert.equal((await partOf(scene, 'tck-artifact-text')).text, 'Generated text content')
      const file = { filename: 'output.txt', mediaType: 'text/plain' }
      assert.deepEqual(await partOf(scene, 'tck-artifact-file'), { raw: 'dGNr', ...file })
      assert.deepEqual(await partOf(scene, 'tck-artifact-file-url'), { url: 'https://example.com/output.txt', ...file })
      assert.deepEqual(await partOf(scene, 'tck-artifact-data'), { data: { key: 'value', count: 42 } })
    },
  },
  {
    id: 'DM-STATUS-001',
    level: 'MUST',
    title: 'a status has a state and a time',
    async run(scene) {
      const { status } = await sendTask(scene, 'tck-dm-test-001')
      valid('TaskStatus', status)
      assert.ok(Math.abs(Date.parse(status.timestamp ?? '') - Date.now()) < 60_000, 'the time is not now')
    },
  },
  {
    id: 'DM-SERIAL-001',
    level: 'MUST',
    title: 'names are in camelCase',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      for (const answer of await answersOf(scene)) camelCase(answer)
      camelCase(resultOf(await scene.peer.call('ListTasks', { pageSize: 5 })))
      const { error } = await scene.peer.call('SendMessage', { message: {} })
      camelCase(error?.details)
    },
  },
  {
    id: 'DM-SERIAL-002',
    level: 'MUST',
    title: 'enums are written by their names',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      for (const answer of await answersOf(scene)) {
        eachMember(answer, (name, value) => {
          if (name === 'state') assert.match(String(value), /^TASK_STATE_[A-Z_]+$/)
          if (name === 'role') assert.match(String(value), /^ROLE_(?:USER|AGENT)$/)
        })
      }
    },
  },
  {
    id: 'DM-SERIAL-003',
    level: 'MUST',
    title: 'times are ISO 8601 in UTC',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      let seen = 0
      for (const answer of await answersOf(scene)) {
        eachMember(answer, (name, value) => {
          if (name !== 'timestamp') return
          seen += 1
          assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/)
        })
      }
      assert.ok(seen > 0, 'no status has a time')
    },
  },
  {
    id: 'DM-SERIAL-004',
    level: 'MUST',
    title: 'required members are there, also where they are empty',
    async run(scene) {
      for (const answer of await answersOf(scene)) valid('SendMessageResponse', answer)
      const request = { contextId: crypto.randomUUID() }
      valid('ListTasksResponse', resultOf(await scene.peer.call('ListTasks', request)))
    },
  },
  {
    id: 'DM-SERIAL-005',
    level: 'SHOULD',
    title: 'members that nobody knows are no error, and are not given back',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      const message = { tckUnknownField: 'unknown' }
      const { history = [] } = await sendTask(scene, 'tck-dm-test-001', { message, request: { tckExtraParam: [1] } })
      assert.equal(history[0]?.tckUnknownField, undefined)
    },
  },
]
