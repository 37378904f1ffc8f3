import assert from 'node:assert/strict'
import { failsWith } from '../failures.ts'
import { type Check, isOver, needs, type Scene, stateOf, taskIn, textOf, untilState } from '../scene.ts'
import { valid } from '../schema-check.ts'
import { exchange, openEvents } from '../wire/http.ts'
import type { Frames, Json } from '../wire/peer.ts'
import { atOnce, hear, sayTask } from './say.ts'

interface ArtifactUpdate {
  readonly artifact: { readonly artifactId: string; readonly parts: readonly Json[] }
  readonly append?: boolean
  readonly lastChunk?: boolean
}

async function heard(scene: Scene, text: string): Promise<readonly Json[]> {
  needs(scene, 'streaming')
  const frames = await hear(scene, text)
  const events = await frames.rest()
  assert.equal(frames.failure, undefined)
  for (const event of events) valid('StreamResponse', event)
  return events
}

/** Subscribes to a task that works for a second. */
async function following(scene: Scene): Promise<{ readonly id: string; readonly frames: Frames }> {
  needs(scene, 'streaming')
  const { id } = await sayTask(scene, 'tck-long-running', atOnce)
  return { id, frames: await scene.peer.open('SubscribeToTask', { id }) }
}

/** Subscribes over HTTP+JSON by a verb. */
function subscribeBy(method: 'GET' | 'POST'): Check['run'] {
  return async (scene) => {
    needs(scene, 'streaming')
    const { id } = await sayTask(scene, 'tck-long-running', atOnce)
    const { tokens } = scene.subject
    const headers = {
      'a2a-version': '1.0',
      accept: 'text/event-stream',
      ...(tokens && { authorization: `Bearer ${tokens.valid}` }),
    }
    const request = { method, url: `${scene.peer.url}/tasks/${id}:subscribe`, headers }
    const frames = await openEvents(request, { event: (value) => ({ value }), refusal: () => undefined })
    const events = await frames.rest()
    assert.equal(taskIn(events[0]).id, id)
    assert.equal(stateOf(events.at(-1)), 'TASK_STATE_COMPLETED')
    assert.equal((await exchange(request)).status, 400, 'a task that has ended can be followed')
  }
}

/** Streams: STREAM of ACTS, and what its bindings say of them. */
export const streaming: readonly Check[] = [
  {
    id: 'STREAM-SSE-001',
    level: 'MUST',
    title: 'a stream begins with the task',
    run: async (scene) => assert.ok((await heard(scene, 'tck-stream-basic'))[0]?.task),
  },
  {
    id: 'STREAM-SSE-002',
    level: 'MUST',
    title: 'a stream has the working, the artifact and the end, in this order',
    async run(scene) {
      const [, ...events] = await heard(scene, 'tck-stream-basic')
      assert.deepEqual(
        events.map((event) => Object.keys(event)[0]),
        ['statusUpdate', 'artifactUpdate', 'statusUpdate'],
      )
      assert.deepEqual([stateOf(events[0]), stateOf(events[2])], ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'])
    },
  },
  {
    id: 'STREAM-SSE-003',
    level: 'MUST',
    title: 'an artifact comes in pieces that say how they belong together',
    async run(scene) {
      const events = await heard(scene, 'tck-stream-chunked')
      const pieces = events.flatMap(({ artifactUpdate }) => (artifactUpdate ? [artifactUpdate as ArtifactUpdate] : []))
      assert.ok(pieces.length >= 3)
      assert.equal(new Set(pieces.map(({ artifact }) => artifact.artifactId)).size, 1)
      assert.deepEqual(
        pieces.map(({ append }) => append ?? false),
        pieces.map((_, at) => at > 0),
      )
      assert.equal(pieces.at(-1)?.lastChunk, true)
      assert.equal(pieces.map(({ artifact }) => textOf(artifact)).join(''), 'chunk-1 chunk-2 chunk-3')
    },
  },
  {
    id: 'STREAM-SSE-004',
    level: 'MUST',
    title: 'a stream ends by itself when the task does',
    async run(scene) {
      for (const text of ['tck-task-failure', 'tck-reject-task', 'tck-complete-task', 'tck-long-running']) {
        const events = await heard(scene, text)
        assert.deepEqual(events.map((event) => isOver(stateOf(event))).indexOf(true), events.length - 1)
      }
    },
  },
  {
    id: 'STREAM-SUB-001',
    level: 'MUST',
    title: 'a subscription begins with the task and ends with it',
    async run(scene) {
      const { id, frames } = await following(scene)
      const events = await frames.rest()
      assert.equal(taskIn(events[0]).id, id)
      assert.equal(stateOf(events.at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'STREAM-SUB-002',
    level: 'MUST',
    title: 'a task that has ended is not followed',
    async run(scene) {
      needs(scene, 'streaming')
      const { id } = await sayTask(scene, 'tck-complete-task')
      const frames = await scene.peer.open('SubscribeToTask', { id })
      assert.deepEqual(await frames.rest(), [])
      failsWith(scene, 'UnsupportedOperation', frames.failure)
    },
  },
  {
    id: 'STREAM-SUB-003',
    level: 'MUST',
    title: 'an unknown task is not followed',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await scene.peer.open('SubscribeToTask', { id: 'acts-nonexistent' })
      assert.deepEqual(await frames.rest(), [])
      failsWith(scene, 'TaskNotFound', frames.failure)
    },
  },
  {
    id: 'STREAM-MSG-001',
    level: 'MUST',
    title: 'an answer without a task is one event',
    async run(scene) {
      const events = await heard(scene, 'tck-message-response')
      assert.deepEqual(
        events.map((event) => Object.keys(event)),
        [['message']],
      )
    },
  },
  {
    id: 'STREAM-MULTI-001',
    level: 'MUST',
    title: 'several streams of a task tell the same',
    async run(scene) {
      const { id, frames } = await following(scene)
      const others = await Promise.all([1, 2].map(() => scene.peer.open('SubscribeToTask', { id })))
      const told = await Promise.all([frames, ...others].map(async (each) => (await each.rest()).slice(-1)))
      assert.deepEqual(told[1], told[0])
      assert.deepEqual(told[2], told[0])
    },
  },
  {
    id: 'STREAM-MULTI-002',
    level: 'MUST',
    title: 'a stream that is left takes none of the others with it, nor the task',
    async run(scene) {
      const { id, frames } = await following(scene)
      const kept = await scene.peer.open('SubscribeToTask', { id })
      await frames.next()
      frames.close()
      assert.equal(stateOf((await kept.rest()).at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'STREAM-RESUB-001',
    level: 'MUST',
    title: 'a stream that was left is taken up again by a subscription',
    async run(scene) {
      needs(scene, 'streaming')
      const first = await hear(scene, 'tck-long-running')
      const { id } = taskIn(await first.next())
      first.close()
      const events = await (await scene.peer.open('SubscribeToTask', { id })).rest()
      assert.equal(taskIn(events[0]).id, id)
      assert.equal(stateOf(events.at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'JSONRPC-SSE-001',
    level: 'MUST',
    title: 'each event is an answer to the request',
    on: ['JSONRPC'],
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await hear(scene, 'tck-stream-basic')
      await frames.rest()
      assert.match(frames.type, /^text\/event-stream/)
      for (const { jsonrpc, id, result } of frames.envelopes) {
        assert.deepEqual([jsonrpc, id], ['2.0', '1'])
        valid('StreamResponse', result)
      }
    },
  },
  {
    id: 'REST-SUB-001',
    level: 'MUST',
    title: 'a task is followed by GET',
    on: ['HTTP+JSON'],
    run: subscribeBy('GET'),
  },
  {
    id: 'REST-SUB-002',
    level: 'MUST',
    title: 'a task is followed by POST with nothing in it',
    on: ['HTTP+JSON'],
    run: subscribeBy('POST'),
  },
  {
    id: 'GRPC-STREAM-001',
    level: 'MUST',
    title: 'a stream is a server stream with a status at its end',
    on: ['GRPC'],
    async run(scene) {
      const events = await heard(scene, 'tck-stream-basic')
      for (const event of events) assert.equal(Object.keys(event).length, 1)
    },
  },
  {
    id: 'GRPC-STREAM-002',
    level: 'MUST',
    title: 'a stream that the caller cancels leaves the task alone',
    on: ['GRPC'],
    async run(scene) {
      const { id, frames } = await following(scene)
      await frames.next()
      frames.close()
      await untilState(scene, id, 'TASK_STATE_COMPLETED')
    },
  },
]
