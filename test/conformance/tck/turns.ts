import assert from 'node:assert/strict'
import { fails, failsAsInvalid, failsWith } from '../failures.ts'
import {
  type Check,
  doneTask,
  getTask,
  openTask,
  resultOf,
  type Scene,
  type SeenTask,
  send,
  sendTask,
  textOf,
} from '../scene.ts'
import { valid } from '../schema-check.ts'

const texts = ['TCK history message 1', 'TCK history message 2']

/** A task that was asked three times more and then completed. */
async function longTask(scene: Scene): Promise<SeenTask> {
  const { id } = await openTask(scene)
  for (const text of texts) {
    const task = await sendTask(scene, 'tck-input-required', { parts: [{ text }], message: { taskId: id } })
    assert.equal(task.status.state, 'TASK_STATE_INPUT_REQUIRED')
  }
  return await sendTask(scene, 'tck-complete-task', { message: { taskId: id } })
}

function said({ history = [] }: SeenTask, role: string): readonly string[] {
  return history.filter((message) => message.role === role).map(textOf)
}

/** Conversations and history: CORE-MULTI and CORE-HIST of TCK 1.0. */
export const turns: readonly Check[] = [
  {
    id: 'CORE-MULTI-001',
    level: 'MAY',
    title: 'a message may come without a contextId',
    async run(scene) {
      valid('SendMessageResponse', resultOf(await send(scene, 'tck-complete-task')))
    },
  },
  {
    id: 'CORE-MULTI-001a',
    level: 'MUST',
    title: 'a contextId is made where none was given, a new one each time, also for messages',
    async run(scene) {
      const tasks = [await doneTask(scene), await doneTask(scene)]
      const { message } = resultOf(await send(scene, 'tck-message-response')) as { message: SeenTask }
      const made = new Set([...tasks, message].map(({ contextId }) => contextId))
      assert.equal(made.size, 3)
      assert.ok(!made.has(undefined as never) && !made.has(''))
    },
  },
  {
    id: 'CORE-MULTI-002',
    level: 'MAY',
    title: 'a contextId of the caller is taken',
    async run(scene) {
      const contextId = `tck-${crypto.randomUUID()}`
      assert.equal((await sendTask(scene, 'tck-complete-task', { message: { contextId } })).contextId, contextId)
    },
  },
  {
    id: 'CORE-MULTI-002a',
    level: 'MUST',
    title: 'tasks of one contextId are one conversation',
    async run(scene) {
      const contextId = crypto.randomUUID()
      const first = await sendTask(scene, 'tck-complete-task', { message: { contextId } })
      const second = await sendTask(scene, 'tck-complete-task', { message: { contextId } })
      assert.deepEqual([first.contextId, second.contextId], [contextId, contextId])
      assert.notEqual(first.id, second.id)
    },
  },
  {
    id: 'CORE-MULTI-003',
    level: 'MUST',
    title: 'each task has an id of its own, made by the server, also when a messageId comes again',
    async run(scene) {
      const tasks = await Promise.all([1, 2, 3].map(() => doneTask(scene)))
      assert.equal(new Set(tasks.map(({ id }) => id)).size, 3)
    },
  },
  {
    id: 'CORE-MULTI-004',
    level: 'MUST',
    title: 'a message to an unknown task is TaskNotFound',
    async run(scene) {
      const { error } = await send(scene, 'tck-multi-004', { message: { taskId: 'tck-nonexistent' } })
      failsWith(scene, 'TaskNotFound', error)
    },
  },
  {
    id: 'CORE-MULTI-005',
    level: 'MUST',
    title: 'a follow-up that names only the task belongs to its conversation',
    async run(scene) {
      const { id, contextId } = await openTask(scene)
      const task = await sendTask(scene, 'tck-infer-ctx', { message: { taskId: id } })
      assert.deepEqual([task.id, task.contextId], [id, contextId])
    },
  },
  {
    id: 'CORE-MULTI-006',
    level: 'MUST',
    title: 'a follow-up with the contextId of another conversation is refused',
    async run(scene) {
      const message = { contextId: crypto.randomUUID() }
      const done = await doneTask(scene)
      fails(await send(scene, 'tck-multi-006', { message: { ...message, taskId: done.id } }))
      const open = await openTask(scene)
      failsAsInvalid(scene, (await send(scene, 'tck-multi-006', { message: { ...message, taskId: open.id } })).error)
      assert.equal((await getTask(scene, open.id)).status.state, 'TASK_STATE_INPUT_REQUIRED')
    },
  },
  {
    id: 'CORE-HIST-001',
    level: 'SHOULD',
    title: 'historyLength 0 leaves the history out',
    async run(scene) {
      const { id } = await longTask(scene)
      assert.equal((await getTask(scene, id, { historyLength: 0 })).history, undefined)
    },
  },
  {
    id: 'CORE-HIST-002',
    level: 'MUST',
    title: 'historyLength gives that many messages, the newest',
    async run(scene) {
      const { id } = await longTask(scene)
      const { history: all = [] } = await getTask(scene, id)
      for (const historyLength of [1, 2, all.length]) {
        assert.deepEqual((await getTask(scene, id, { historyLength })).history, all.slice(-historyLength))
      }
    },
  },
  {
    id: 'CORE-HIST-003',
    level: 'SHOULD',
    title: 'historyLength 0 of a send leaves the history out of its answer, and 1 gives one message',
    async run(scene) {
      const { id } = await openTask(scene)
      const ask = { message: { taskId: id } }
      const one = await sendTask(scene, 'tck-input-required', { ...ask, configuration: { historyLength: 1 } })
      assert.equal(one.history?.length, 1)
      const none = await sendTask(scene, 'tck-complete-task', { ...ask, configuration: { historyLength: 0 } })
      assert.equal(none.history, undefined)
    },
  },
  {
    id: 'CORE-HIST-004',
    level: 'MAY',
    title: 'a historyLength greater than the history gives all of it',
    async run(scene) {
      const { id } = await longTask(scene)
      const whole = await getTask(scene, id)
      assert.deepEqual((await getTask(scene, id, { historyLength: 10_000 })).history, whole.history)
      assert.notEqual((await getTask(scene, id, { historyLength: 10 })).history?.length, 0)
    },
  },
  {
    id: 'CORE-HIST-005',
    level: 'SHOULD',
    title: 'the history is in the order of the conversation',
    async run(scene) {
      const { id } = await longTask(scene)
      const users = said(await getTask(scene, id, { historyLength: 10 }), 'ROLE_USER')
      assert.deepEqual(users.slice(1, 3), texts)
      assert.equal(users.length, 4)
    },
  },
  {
    id: 'CORE-HIST-006',
    level: 'SHOULD',
    title: 'the history holds what both sides said',
    async run(scene) {
      const task = await getTask(scene, (await longTask(scene)).id)
      for (const text of texts) assert.ok(said(task, 'ROLE_USER').includes(text), `${text} is not in the history`)
      assert.equal(said(task, 'ROLE_AGENT').length, 3, 'questions of the agent are missing')
      for (const message of task.history ?? []) valid('Message', message)
    },
  },
]
