import assert from 'node:assert/strict'
import { codeOf, fails, failsWith } from '../failures.ts'
import {
  type Check,
  declares,
  doneTask,
  getTask,
  needs,
  resultOf,
  type Scene,
  send,
  sendRequest,
  stream,
} from '../scene.ts'
import { valid } from '../schema-check.ts'
import { exchange, type HttpRequest } from '../wire/http.ts'
import type { Answer, Binding, HttpAnswer, Json } from '../wire/peer.ts'
import { restRules } from '../wire/rest.ts'

const unknown = { id: 'tck-nonexistent' }

/** A request by hand, with the headers that every caller has. */
function ask({ subject }: Scene, request: HttpRequest): Promise<HttpAnswer> {
  const { tokens } = subject
  const headers = {
    'a2a-version': '1.0',
    'content-type': 'application/json',
    ...(tokens && { authorization: `Bearer ${tokens.valid}` }),
  }
  return exchange({ ...request, headers: { ...headers, ...request.headers } })
}

/** The HTTP answer behind a call. */
function httpOf({ http }: Answer): HttpAnswer {
  assert.ok(http)
  return http
}

/** The code of the error in an answer. */
function codeIn({ body }: HttpAnswer): unknown {
  return ((body?.error ?? {}) as Json).code
}

/** Nobody can see this one from outside of the peer that sends: what an odd extension header does. */
async function withExtensions(scene: Scene): Promise<Answer> {
  const headers = { 'a2a-extensions': 'urn:a2a:tck:unknown-extension' }
  return await send(scene, 'tck-svc-ext', { options: { headers } })
}

/** Checks of one binding. */
function playedOn(binding: Binding, checks: readonly Check[]): readonly Check[] {
  return checks.map((check) => ({ ...check, on: [binding] }))
}

const jsonRpc = playedOn('JSONRPC', [
  {
    id: 'JSONRPC-FMT-001',
    level: 'MUST',
    title: 'an answer is a JSON-RPC 2.0 envelope with the id of its request',
    async run(scene) {
      const { body = {}, status } = httpOf(await send(scene, 'tck-complete-task'))
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body).sort(), ['id', 'jsonrpc', 'result'])
      assert.deepEqual([body.jsonrpc, body.id], ['2.0', '1'])
    },
  },
  {
    id: 'JSONRPC-FMT-002',
    level: 'MUST',
    title: 'answers and errors are application/json',
    async run(scene) {
      assert.match(httpOf(await send(scene, 'tck-complete-task')).type, /^application\/json/)
      assert.match(httpOf(await scene.peer.call('GetTask', unknown)).type, /^application\/json/)
    },
  },
  {
    id: 'JSONRPC-SVC-001',
    level: 'MUST',
    title: 'every operation is a method of its name',
    async run({ peer }) {
      for (const operation of Object.keys(restRules)) {
        const { error } = await peer.call(operation, {})
        assert.notEqual(error?.code, -32601, `${operation} is no method`)
      }
      assert.equal((await peer.call('getTask', unknown)).error?.code, -32601)
    },
  },
  {
    id: 'JSONRPC-SVC-002',
    level: 'MUST',
    title: 'the header A2A-Extensions may name what nobody knows',
    run: async (scene) => void resultOf(await withExtensions(scene)),
  },
  {
    id: 'JSONRPC-ERR-001',
    level: 'MUST',
    title: 'an error has a code, a message and perhaps data, and nothing else',
    async run(scene) {
      const { body = {}, status } = httpOf(await scene.peer.call('GetTask', unknown))
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body).sort(), ['error', 'id', 'jsonrpc'])
      const { code, message, data, ...rest } = body.error as Json
      assert.ok(Number.isInteger(code) && typeof message === 'string' && message !== '' && Array.isArray(data))
      assert.deepEqual(rest, {})
    },
  },
  {
    id: 'JSONRPC-ERR-002',
    level: 'MUST',
    title: 'errors of A2A have the codes of A2A',
    async run(scene) {
      const { code } = fails(await scene.peer.call('GetTask', unknown))
      assert.ok(code <= -32001 && code >= -32099)
    },
  },
  {
    id: 'JSONRPC-ERR-003',
    level: 'MUST',
    title: 'data is a list with an ErrorInfo',
    async run(scene) {
      const { details } = fails(await scene.peer.call('GetTask', unknown))
      const info = details.find((detail) => detail['@type'] === 'type.googleapis.com/google.rpc.ErrorInfo')
      assert.deepEqual([info?.reason, info?.domain], ['TASK_NOT_FOUND', 'a2a-protocol.org'])
    },
  },
  {
    id: 'JSONRPC-SSE-001',
    level: 'MUST',
    title: 'a stream is text/event-stream of JSON-RPC answers, each with a StreamResponse',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await stream(scene, 'tck-stream-001')
      assert.match(frames.type, /^text\/event-stream/)
      await frames.rest()
      assert.ok(frames.envelopes.length > 1)
      for (const { jsonrpc, id, result } of frames.envelopes) {
        assert.deepEqual([jsonrpc, id], ['2.0', '1'])
        valid('StreamResponse', result)
      }
    },
  },
  {
    id: 'JSONRPC-SSE-002',
    level: 'MUST',
    title: 'each error has its code',
    async run(scene) {
      const { peer } = scene
      failsWith(scene, 'TaskNotFound', (await peer.call('GetTask', unknown)).error)
      failsWith(scene, 'TaskNotFound', (await peer.call('CancelTask', unknown)).error)
      const odd = await ask(scene, { url: peer.url, headers: { 'content-type': 'text/plain' }, body: 'not json' })
      assert.equal(codeIn(odd), -32005)
      const headers = { 'a2a-version': '99.0' }
      failsWith(scene, 'VersionNotSupported', (await peer.call('GetTask', unknown, { headers })).error)
      await refusals(scene)
    },
  },
])

/** What an agent that lacks something says when it is asked for it. */
async function refusals(scene: Scene): Promise<void> {
  const { peer } = scene
  if (!declares(scene, 'pushNotifications')) {
    const { error } = await peer.call('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://example.com' })
    failsWith(scene, 'PushNotificationNotSupported', error)
  }
  if (!declares(scene, 'streaming')) {
    const frames = await peer.open('SendStreamingMessage', sendRequest(scene, 'tck-stream-001'))
    await frames.rest()
    failsWith(scene, 'UnsupportedOperation', frames.failure)
  }
}

const grpc = playedOn('GRPC', [
  {
    id: 'GRPC-SVC-001',
    level: 'MUST',
    title: 'the service has every operation',
    async run({ peer }) {
      for (const operation of Object.keys(restRules).filter((name) => !/Stream|Subscribe/.test(name))) {
        const { error } = await peer.call(operation, {})
        const missing = error?.code === 12 && error.reason === undefined
        assert.ok(!missing, `${operation} is no method of the service: ${error?.message}`)
      }
    },
  },
  {
    id: 'GRPC-SVC-002',
    level: 'MUST',
    title: 'an answer is a SendMessageResponse',
    run: async (scene) => valid('SendMessageResponse', resultOf(await send(scene, 'tck-complete-task'))),
  },
  {
    id: 'GRPC-SVC-003',
    level: 'MUST',
    title: 'every field of a message has its number',
    async run(scene) {
      const message = {
        contextId: crypto.randomUUID(),
        metadata: { whole: 7, nested: { none: null, list: [true, 'x', 0.25] } },
        extensions: ['urn:example:one', 'urn:example:two'],
        referenceTaskIds: ['a', 'b'],
      }
      const { task } = resultOf(await send(scene, 'tck-complete-task', { message })) as { task: Json }
      const [first] = task.history as readonly Json[]
      const { contextId, metadata, extensions, referenceTaskIds } = first as Json
      assert.deepEqual({ contextId, metadata, extensions, referenceTaskIds }, message)
    },
  },
  {
    id: 'GRPC-META-001',
    level: 'MUST',
    title: 'the metadata a2a-extensions may name what nobody knows',
    run: async (scene) => void resultOf(await withExtensions(scene)),
  },
  {
    id: 'GRPC-ERR-001',
    level: 'MUST',
    title: 'an error has an ErrorInfo among its details',
    run: async (scene) => failsWith(scene, 'TaskNotFound', (await scene.peer.call('GetTask', unknown)).error),
  },
  {
    id: 'GRPC-ERR-002',
    level: 'MUST',
    title: 'each error has its status',
    async run(scene) {
      const { peer } = scene
      failsWith(scene, 'TaskNotFound', (await peer.call('CancelTask', unknown)).error)
      const headers = { 'a2a-version': '99.0' }
      failsWith(scene, 'VersionNotSupported', (await peer.call('GetTask', unknown, { headers })).error)
      await refusals(scene)
    },
  },
  {
    id: 'GRPC-ERR-003',
    level: 'MUST',
    title: 'a stream has one payload in each message, and may be left',
    async run(scene) {
      needs(scene, 'streaming')
      const events = await (await stream(scene, 'tck-stream-001')).rest()
      for (const event of events) assert.equal(Object.keys(event).length, 1)
      const left = await stream(scene, 'test-resubscribe-message-id')
      const first = (await left.next()) as { task: { id: string } }
      left.close()
      assert.equal((await getTask(scene, first.task.id)).id, first.task.id)
      await scene.peer.call('CancelTask', { id: first.task.id })
    },
  },
])

/** What the media type of an answer of HTTP+JSON has to be. */
function restType({ subject }: Scene): RegExp {
  return subject.expects.restMediaType === 'a2a+json' ? /^application\/a2a\+json/ : /^application\/json/
}

const rest = playedOn('HTTP+JSON', [
  {
    id: 'HTTP_JSON-URL-001',
    level: 'MUST',
    title: 'every operation has its path',
    async run({ peer }) {
      for (const operation of Object.keys(restRules)) {
        const { http, error } = await peer.call(operation, { id: 'x', taskId: 'x' })
        assert.notEqual(http?.status, 405, operation)
        assert.ok(http?.status !== 404 || error?.reason === 'TASK_NOT_FOUND', `${operation} has no path`)
      }
    },
  },
  {
    id: 'HTTP_JSON-URL-002',
    level: 'MUST',
    title: 'a verb that a path does not have is 405 with those it has',
    async run(scene) {
      for (const [method, path] of [
        ['GET', '/message:send'],
        ['PUT', '/tasks'],
        ['DELETE', '/tasks/x'],
      ] as const) {
        const { status, headers } = await ask(scene, { method, url: scene.peer.url + path })
        assert.equal(status, 405)
        assert.ok(headers.get('allow'), 'there is no Allow')
      }
    },
  },
  {
    id: 'HTTP_JSON-QP-001',
    level: 'MUST',
    title: 'query parameters are in camelCase',
    async run(scene) {
      const { contextId, id } = await doneTask(scene)
      const query = new URLSearchParams({
        contextId,
        status: 'TASK_STATE_COMPLETED',
        pageSize: '7',
        historyLength: '0',
        includeArtifacts: 'true',
        statusTimestampAfter: '2020-01-01T00:00:00Z',
      })
      const { body } = await ask(scene, { method: 'GET', url: `${scene.peer.url}/tasks?${query}` })
      const tasks = body?.tasks as readonly Json[]
      assert.deepEqual(
        tasks.map((task) => [task.id, task.history]),
        [[id, undefined]],
      )
    },
  },
  {
    id: 'HTTP_JSON-SVC-001',
    level: 'MUST',
    title: 'answers have the media type of JSON and hold a message',
    async run(scene) {
      const answer = await send(scene, 'tck-complete-task')
      assert.match(httpOf(answer).type, restType(scene))
      valid('SendMessageResponse', resultOf(answer))
    },
  },
  {
    id: 'HTTP_JSON-SVC-002',
    level: 'MUST',
    title: 'the header A2A-Extensions may name what nobody knows',
    run: async (scene) => void resultOf(await withExtensions(scene)),
  },
  {
    id: 'HTTP_JSON-ERR-001',
    level: 'MUST',
    title: 'an error has its status, its name and a message in `error`',
    async run(scene) {
      const { body = {}, status, type } = httpOf(await scene.peer.call('GetTask', unknown))
      assert.match(type, restType(scene))
      const { code, status: name, message, details } = body.error as Json
      assert.deepEqual([Object.keys(body), code, name], [['error'], status, 'NOT_FOUND'])
      assert.ok(typeof message === 'string' && message !== '' && Array.isArray(details))
    },
  },
  {
    id: 'HTTP_JSON-ERR-002',
    level: 'MUST',
    title: 'an error has an ErrorInfo among its details',
    run: async (scene) => failsWith(scene, 'TaskNotFound', (await scene.peer.call('GetTask', unknown)).error),
  },
  {
    id: 'HTTP_JSON-STATUS-001',
    level: 'MUST',
    title: 'each error has its status',
    async run(scene) {
      const { peer } = scene
      failsWith(scene, 'TaskNotFound', (await peer.call('CancelTask', unknown)).error)
      const headers = { 'a2a-version': '99.0' }
      failsWith(scene, 'VersionNotSupported', (await peer.call('GetTask', unknown, { headers })).error)
      const plain = { 'content-type': 'text/plain' }
      const odd = await ask(scene, { url: `${peer.url}/message:send`, headers: plain, body: 'not json' })
      const { mediaTypeStatus } = scene.subject.expects
      assert.equal(odd.status, mediaTypeStatus === 200 ? 415 : mediaTypeStatus)
      const { id } = await doneTask(scene)
      const late = await peer.call('CancelTask', { id })
      assert.equal(late.http?.status, codeOf(scene, 'TaskNotCancelable'))
      await refusals(scene)
    },
  },
  {
    id: 'HTTP_JSON-SSE-001',
    level: 'MUST',
    title: 'a stream is text/event-stream of StreamResponses',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await stream(scene, 'tck-stream-001')
      assert.match(frames.type, /^text\/event-stream/)
      const events = await frames.rest()
      assert.ok(events.length > 1)
      for (const event of events) valid('StreamResponse', event)
    },
  },
])

/** What each binding has of its own: JSONRPC, GRPC and HTTP_JSON of TCK 1.0. */
export const bindings: readonly Check[] = [...jsonRpc, ...grpc, ...rest]
