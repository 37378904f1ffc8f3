import assert from 'node:assert/strict'
import { failsWith } from '../failures.ts'
import {
  type Check,
  delay,
  doneTask,
  isOver,
  needs,
  openTask,
  type Scene,
  type SeenTask,
  sendTask,
  stateOf,
  stream,
} from '../scene.ts'
import { valid } from '../schema-check.ts'
import type { Frames, Json } from '../wire/peer.ts'

const rank: Readonly<Record<string, number>> = {
  TASK_STATE_SUBMITTED: 0,
  TASK_STATE_WORKING: 1,
  TASK_STATE_INPUT_REQUIRED: 1,
  TASK_STATE_AUTH_REQUIRED: 1,
}

/** Two streams of one task that waits for input. */
async function pair(scene: Scene): Promise<{ readonly id: string; readonly frames: readonly [Frames, Frames] }> {
  needs(scene, 'streaming')
  const { id } = await openTask(scene)
  const open = (): Promise<Frames> => scene.peer.open('SubscribeToTask', { id })
  return { id, frames: [await open(), await open()] }
}

/** Lets a task that waits go on to its end. */
function finish(scene: Scene, id: string): Promise<SeenTask> {
  return sendTask(scene, 'tck-stream-ordering-001', { message: { taskId: id } })
}

/** Streams and subscriptions: STREAM of TCK 1.0. */
export const streaming: readonly Check[] = [
  {
    id: 'STREAM-ORDER-001',
    level: 'MUST',
    title: 'states never go back, artifacts come before the end, and every event is whole',
    async run(scene) {
      needs(scene, 'streaming')
      const events = await (await stream(scene, 'tck-stream-ordering-001')).rest()
      for (const event of events) valid('StreamResponse', event)
      const states = events.map(stateOf).filter((state) => state !== undefined)
      const ranks = states.map((state) => rank[state] ?? 2)
      assert.deepEqual(ranks, [...ranks].sort())
      assert.equal(states.filter(isOver).length, 1, 'the task does not end exactly once')
      assert.ok(isOver(stateOf(events.at(-1))), 'something comes after the end')
    },
  },
  {
    id: 'STREAM-ORDER-002',
    level: 'MUST',
    title: 'every stream of a task gets its events',
    async run(scene) {
      const { id, frames } = await pair(scene)
      for (const each of frames) assert.ok((await each.next())?.task, 'a stream does not begin with the task')
      await finish(scene, id)
      for (const each of frames) assert.equal(stateOf((await each.rest()).at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'STREAM-ORDER-003',
    level: 'MUST',
    title: 'streams of a task have the same events in the same order',
    async run(scene) {
      const { id, frames } = await pair(scene)
      await finish(scene, id)
      const [one, other] = await Promise.all(frames.map((each) => each.rest()))
      assert.ok((one?.length ?? 0) > 2)
      assert.deepEqual(one, other)
    },
  },
  {
    id: 'STREAM-ORDER-004',
    level: 'MUST',
    title: 'a stream goes on when another of the same task is left',
    async run(scene) {
      const { id, frames } = await pair(scene)
      const [left, kept] = frames
      await left.next()
      left.close()
      await delay(50)
      await finish(scene, id)
      const states = (await kept.rest()).map(stateOf).filter((state) => state !== undefined)
      assert.deepEqual(states, ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'])
    },
  },
  {
    id: 'STREAM-SUB-001',
    level: 'MUST',
    title: 'a subscription begins with the task as it stands',
    async run(scene) {
      needs(scene, 'streaming')
      const task = await openTask(scene)
      const frames = await scene.peer.open('SubscribeToTask', { id: task.id })
      const first = (await frames.next()) as Json
      frames.close()
      valid('StreamResponse', first)
      assert.deepEqual(first.task, task)
    },
  },
  {
    id: 'STREAM-SUB-002',
    level: 'MUST',
    title: 'a subscription lasts over INPUT_REQUIRED and ends by itself with the task',
    async run(scene) {
      needs(scene, 'streaming')
      const { id } = await openTask(scene)
      const frames = await scene.peer.open('SubscribeToTask', { id })
      assert.ok(await frames.next())
      await delay(200)
      await sendTask(scene, 'tck-complete-task', { message: { taskId: id } })
      const events = await frames.rest()
      assert.equal(frames.failure, undefined)
      assert.equal(stateOf(events.at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'STREAM-SUB-003',
    level: 'MUST',
    title: 'a subscription to a task that has ended is UnsupportedOperation',
    async run(scene) {
      needs(scene, 'streaming')
      const { id } = await doneTask(scene)
      const frames = await scene.peer.open('SubscribeToTask', { id })
      assert.deepEqual(await frames.rest(), [])
      failsWith(scene, 'UnsupportedOperation', frames.failure)
      assert.doesNotMatch(frames.type, /event-stream/)
    },
  },
  {
    id: 'STREAM-SUB-004',
    level: 'MUST',
    title: 'a subscription to an unknown task is TaskNotFound',
    async run(scene) {
      needs(scene, 'streaming')
      const frames = await scene.peer.open('SubscribeToTask', { id: 'tck-nonexistent' })
      assert.deepEqual(await frames.rest(), [])
      failsWith(scene, 'TaskNotFound', frames.failure)
    },
  },
]
