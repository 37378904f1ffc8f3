import assert from 'node:assert/strict'
import { failsAsInvalid, failsWith } from '../failures.ts'
import {
  type Check,
  delay,
  getTask,
  isOver,
  lacks,
  resultOf,
  type Scene,
  type SeenTask,
  textOf,
  untilState,
} from '../scene.ts'
import { valid } from '../schema-check.ts'
import type { Json } from '../wire/peer.ts'
import { atOnce, hear, say, sayTask } from './say.ts'

const nowhere = 'acts-nonexistent'

async function list({ peer }: Scene, request: Json): Promise<readonly SeenTask[]> {
  const value = resultOf(await peer.call('ListTasks', request))
  valid('ListTasksResponse', value)
  return value.tasks as readonly SeenTask[]
}

/** A task that was asked for more twice, and then done. */
async function turns(scene: Scene): Promise<SeenTask> {
  const { id } = await sayTask(scene, 'tck-multi-turn', { state: 'INPUT_REQUIRED' })
  await sayTask(scene, 'more', { message: { taskId: id }, state: 'INPUT_REQUIRED' })
  return await sayTask(scene, 'done now', { message: { taskId: id }, state: 'COMPLETED' })
}

/** The main path, errors and capabilities: CORE of ACTS. */
export const core: readonly Check[] = [
  {
    id: 'CORE-SEND-001',
    level: 'MUST',
    title: 'a message gives a task that completes',
    async run(scene) {
      const value = resultOf(await say(scene, 'tck-complete-task'))
      valid('SendMessageResponse', value)
      assert.equal((value.task as SeenTask).status.state, 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'CORE-SEND-002',
    level: 'MUST',
    title: 'a message may be answered by a message',
    async run(scene) {
      const value = resultOf(await say(scene, 'tck-message-response'))
      valid('SendMessageResponse', value)
      assert.deepEqual(Object.keys(value), ['message'])
    },
  },
  {
    id: 'CORE-SEND-003',
    level: 'MUST',
    title: 'a task that asks for input says so',
    run: async (scene) => valid('Task', await sayTask(scene, 'tck-input-required', { state: 'INPUT_REQUIRED' })),
  },
  {
    id: 'CORE-SEND-004',
    level: 'SHOULD',
    title: 'a message without an id is taken where the profile says so',
    async run(scene) {
      const { error } = await say(scene, 'tck-complete-task', { message: { messageId: undefined } })
      if (scene.subject.expects.messageId === 'optional') assert.equal(error, undefined)
      else failsAsInvalid(scene, error)
    },
  },
  {
    id: 'CORE-GET-001',
    level: 'MUST',
    title: 'a task is read',
    async run(scene) {
      const task = await sayTask(scene, 'tck-complete-task')
      assert.deepEqual(await getTask(scene, task.id), task)
    },
  },
  {
    id: 'CORE-GET-002',
    level: 'MUST',
    title: 'a task that still works is read as it stands',
    async run(scene) {
      const { id } = await sayTask(scene, 'tck-long-running', atOnce)
      const { status } = await getTask(scene, id)
      assert.ok(!isOver(status.state))
      await untilState(scene, id, 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'CORE-CANCEL-001',
    level: 'MUST',
    title: 'a task at work is canceled',
    async run(scene) {
      const { id } = await sayTask(scene, 'tck-cancel', atOnce)
      await untilState(scene, id, 'TASK_STATE_WORKING')
      const task = resultOf(await scene.peer.call('CancelTask', { id })) as SeenTask
      assert.deepEqual([task.id, task.status.state], [id, 'TASK_STATE_CANCELED'])
    },
  },
  {
    id: 'CORE-CANCEL-002',
    level: 'MUST',
    title: 'a task that waits for input is canceled, and then takes no message',
    async run(scene) {
      const { id } = await sayTask(scene, 'tck-input-required', { state: 'INPUT_REQUIRED' })
      resultOf(await scene.peer.call('CancelTask', { id }))
      assert.equal((await getTask(scene, id)).status.state, 'TASK_STATE_CANCELED')
      failsWith(scene, 'UnsupportedOperation', (await say(scene, 'more', { message: { taskId: id } })).error)
    },
  },
  {
    id: 'CORE-FAIL-001',
    level: 'MUST',
    title: 'a task fails, and another is rejected, each with its reason',
    async run(scene) {
      const failed = await sayTask(scene, 'tck-task-failure', { state: 'FAILED' })
      const rejected = await sayTask(scene, 'tck-reject-task', { state: 'REJECTED' })
      for (const { status } of [failed, rejected]) assert.notEqual(textOf(status.message), '')
    },
  },
  {
    id: 'CORE-LIST-001',
    level: 'MUST',
    title: 'tasks are listed, newest first',
    async run(scene) {
      const contextId = crypto.randomUUID()
      const ids: string[] = []
      for (let at = 0; at < 3; at++) {
        ids.unshift((await sayTask(scene, 'tck-complete-task', { message: { contextId } })).id)
        await delay(3)
      }
      assert.deepEqual(
        (await list(scene, { contextId })).map(({ id }) => id),
        ids,
      )
    },
  },
  {
    id: 'CORE-LIST-002',
    level: 'MUST',
    title: 'a list is filtered by state and by time',
    async run(scene) {
      const contextId = crypto.randomUUID()
      const first = await sayTask(scene, 'tck-complete-task', { message: { contextId } })
      await delay(20)
      const statusTimestampAfter = new Date().toISOString()
      await delay(5)
      const second = await sayTask(scene, 'tck-input-required', { message: { contextId } })
      for (const [filter, id] of [
        [{ status: 'TASK_STATE_COMPLETED' }, first.id],
        [{ status: 'TASK_STATE_INPUT_REQUIRED' }, second.id],
        [{ statusTimestampAfter }, second.id],
      ] as const) {
        assert.deepEqual(
          (await list(scene, { contextId, ...filter })).map((task) => task.id),
          [id],
        )
      }
    },
  },
  {
    id: 'CORE-LIST-003',
    level: 'MUST',
    title: 'a list comes in pages',
    async run(scene) {
      const contextId = crypto.randomUUID()
      for (let at = 0; at < 3; at++) await sayTask(scene, 'tck-complete-task', { message: { contextId } })
      const first = resultOf(await scene.peer.call('ListTasks', { contextId, pageSize: 2 }))
      const pageToken = first.nextPageToken
      const second = resultOf(await scene.peer.call('ListTasks', { contextId, pageSize: 2, pageToken }))
      const ids = [first, second].flatMap(({ tasks }) => (tasks as readonly SeenTask[]).map(({ id }) => id))
      assert.equal(new Set(ids).size, 3)
      assert.deepEqual([first.totalSize, second.totalSize, second.nextPageToken], [3, 3, ''])
    },
  },
  ...[undefined, 0, 1, 2, 3, 100].map(
    (historyLength, at): Check => ({
      id: `CORE-HIST-00${at + 1}`,
      level: at === 0 || at === 2 ? 'MUST' : 'SHOULD',
      title: `a history of ${historyLength ?? 'no'} length`,
      async run(scene) {
        const { id } = await turns(scene)
        const { history: all = [] } = await getTask(scene, id)
        assert.deepEqual(all.filter(({ role }) => role === 'ROLE_USER').map(textOf), [
          'tck-multi-turn',
          'more',
          'done now',
        ])
        const { history } = await getTask(scene, id, historyLength === undefined ? {} : { historyLength })
        const expected = historyLength === undefined ? all : all.slice(Math.max(all.length - historyLength, 0))
        assert.deepEqual(history ?? [], expected)
      },
    }),
  ),
  {
    id: 'CORE-MULTI-001',
    level: 'MUST',
    title: 'a task goes on over several messages until it is done',
    run: async (scene) => valid('Task', await turns(scene)),
  },
  {
    id: 'CORE-MULTI-003',
    level: 'MUST',
    title: 'a message to an unknown task is TaskNotFound',
    async run(scene) {
      failsWith(scene, 'TaskNotFound', (await say(scene, 'more', { message: { taskId: nowhere } })).error)
    },
  },
  {
    id: 'CORE-MULTI-005',
    level: 'MUST',
    title: 'a follow-up belongs to the conversation of its task',
    async run(scene) {
      const { id, contextId } = await sayTask(scene, 'tck-multi-turn')
      assert.equal((await sayTask(scene, 'more', { message: { taskId: id } })).contextId, contextId)
      assert.equal((await sayTask(scene, 'more', { message: { taskId: id, contextId } })).contextId, contextId)
    },
  },
  {
    id: 'CORE-MULTI-006',
    level: 'MUST',
    title: 'a follow-up of another conversation is refused',
    async run(scene) {
      const { id } = await sayTask(scene, 'tck-multi-turn')
      const message = { taskId: id, contextId: crypto.randomUUID() }
      failsAsInvalid(scene, (await say(scene, 'more', { message })).error)
    },
  },
  {
    id: 'CORE-CTX-001',
    level: 'MUST',
    title: 'a conversation is made where the caller names none, and kept where one is named',
    async run(scene) {
      const made = await sayTask(scene, 'tck-complete-task')
      assert.notEqual(made.contextId, '')
      const next = await sayTask(scene, 'tck-complete-task', { message: { contextId: made.contextId } })
      assert.deepEqual([next.contextId, next.id === made.id], [made.contextId, false])
    },
  },
  {
    id: 'CORE-EXEC-001',
    level: 'MUST',
    title: 'an answer waits for the end of the task',
    run: async (scene) => void (await sayTask(scene, 'tck-long-running', { state: 'COMPLETED' })),
  },
  {
    id: 'CORE-EXEC-002',
    level: 'MUST',
    title: 'an answer comes at once when it is asked for',
    async run(scene) {
      const { id, status } = await sayTask(scene, 'tck-long-running', atOnce)
      assert.ok(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'].includes(status.state))
      await untilState(scene, id, 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'CORE-ERR-001',
    level: 'MUST',
    title: 'an unknown task cannot be read',
    run: async (scene) => failsWith(scene, 'TaskNotFound', (await scene.peer.call('GetTask', { id: nowhere })).error),
  },
  {
    id: 'CORE-ERR-002',
    level: 'MUST',
    title: 'an unknown task cannot be canceled',
    run: async (scene) =>
      failsWith(scene, 'TaskNotFound', (await scene.peer.call('CancelTask', { id: nowhere })).error),
  },
  {
    id: 'CORE-ERR-003',
    level: 'MUST',
    title: 'a task that has ended cannot be canceled',
    async run(scene) {
      const { id } = await sayTask(scene, 'tck-complete-task')
      failsWith(scene, 'TaskNotCancelable', (await scene.peer.call('CancelTask', { id })).error)
    },
  },
  {
    id: 'CORE-ERR-004',
    level: 'MUST',
    title: 'a task that has ended takes no message',
    async run(scene) {
      const { id } = await sayTask(scene, 'tck-complete-task')
      failsWith(scene, 'UnsupportedOperation', (await say(scene, 'more', { message: { taskId: id } })).error)
    },
  },
  {
    id: 'CORE-ERR-005',
    level: 'MUST',
    title: 'a media type that is not taken is ContentTypeNotSupported',
    async run(scene) {
      const parts = [{ raw: 'dGNr', mediaType: 'application/x-unsupported' }]
      failsWith(scene, 'ContentTypeNotSupported', (await say(scene, 'tck-complete-task', { parts })).error)
    },
  },
  {
    id: 'CORE-ERR-006',
    level: 'MUST',
    title: 'a send without a message is refused',
    run: async (scene) => failsAsInvalid(scene, (await scene.peer.call('SendMessage', {})).error),
  },
  {
    id: 'CORE-ERR-007',
    level: 'MUST',
    title: 'a message without parts, or without a role, is refused',
    async run(scene) {
      failsAsInvalid(scene, (await say(scene, 'x', { message: { parts: [] } })).error)
      failsAsInvalid(scene, (await say(scene, 'x', { message: { role: undefined } })).error)
    },
  },
  {
    id: 'CORE-ERR-008',
    level: 'MUST',
    title: 'a page size and a token that cannot be are refused',
    async run(scene) {
      for (const request of [{ pageSize: -1 }, { pageSize: 101 }, { pageToken: 'no token' }]) {
        failsAsInvalid(scene, (await scene.peer.call('ListTasks', request)).error)
      }
    },
  },
  {
    id: 'CORE-ERR-009',
    level: 'MUST',
    title: 'a behaviour that nobody knows fails, and says so',
    async run(scene) {
      const { status } = await sayTask(scene, 'tck-no-such-behaviour', { state: 'FAILED' })
      assert.match(textOf(status.message), /tck-no-such-behaviour/)
    },
  },
  {
    id: 'CORE-CAP-001',
    level: 'MUST',
    title: 'an agent that does not stream says so',
    async run(scene) {
      lacks(scene, 'streaming')
      const frames = await hear(scene, 'tck-stream-basic')
      assert.deepEqual(await frames.rest(), [])
      failsWith(scene, 'UnsupportedOperation', frames.failure)
    },
  },
  {
    id: 'CORE-CAP-002',
    level: 'MUST',
    title: 'an agent that does not push says so, also of a configuration within a send',
    async run(scene) {
      lacks(scene, 'pushNotifications')
      const url = 'https://example.com/hook'
      const { error } = await scene.peer.call('CreateTaskPushNotificationConfig', { taskId: nowhere, url })
      failsWith(scene, 'PushNotificationNotSupported', error)
      const configuration = { taskPushNotificationConfig: { url } }
      failsWith(scene, 'PushNotificationNotSupported', (await say(scene, 'tck-complete-task', { configuration })).error)
    },
  },
]
