import assert from 'node:assert/strict'
import { failsAsInvalid, failsWith } from '../failures.ts'
import {
  type Check,
  delay,
  doneTask,
  getTask,
  isOver,
  lacks,
  needs,
  openTask,
  resultOf,
  type SeenTask,
  send,
  sendTask,
  skip,
  stateOf,
  stream,
  textOf,
  untilState,
} from '../scene.ts'
import { valid } from '../schema-check.ts'
import type { Json } from '../wire/peer.ts'

const odd = { raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }

/** Sending, reading, cancelling, errors and capabilities: CORE of TCK 1.0. */
export const core: readonly Check[] = [
  {
    id: 'CORE-SEND-001',
    level: 'MUST',
    title: 'a message gives a task that completes, with its status message',
    async run(scene) {
      const value = resultOf(await send(scene, 'tck-complete-task'))
      valid('SendMessageResponse', value)
      const { status } = value.task as SeenTask
      assert.equal(status.state, 'TASK_STATE_COMPLETED')
      assert.equal(textOf(status.message), 'Hello from TCK')
    },
  },
  {
    id: 'CORE-SEND-002',
    level: 'MUST',
    title: 'a message to a task that has ended is UnsupportedOperation',
    async run(scene) {
      const { id } = await doneTask(scene)
      const { error } = await send(scene, 'tck-send-002', { message: { taskId: id } })
      failsWith(scene, 'UnsupportedOperation', error)
    },
  },
  {
    id: 'CORE-SEND-003',
    level: 'MUST',
    title: 'a part of a media type that is not taken is ContentTypeNotSupported, where the profile checks that',
    async run(scene) {
      const answer = await send(scene, 'tck-send-003', { parts: [odd] })
      if (scene.subject.expects.inputModes === 'unchecked') valid('SendMessageResponse', resultOf(answer))
      else failsWith(scene, 'ContentTypeNotSupported', answer.error)
    },
  },
  {
    id: 'CORE-STREAM-001',
    level: 'MUST',
    title: 'a stream begins with the task and ends with its end',
    async run(scene) {
      needs(scene, 'streaming')
      const events = await (await stream(scene, 'tck-stream-001')).rest()
      assert.ok(events[0]?.task, 'the first event is no task')
      assert.equal(stateOf(events.at(-1)), 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'CORE-STREAM-002',
    level: 'MUST',
    title: 'an answer without a task is one message and the end',
    async run(scene) {
      needs(scene, 'streaming')
      assert.equal(stateOf((await (await stream(scene, 'tck-stream-002')).rest()).at(-1)), 'TASK_STATE_COMPLETED')
      const events = await (await stream(scene, 'tck-message-response')).rest()
      assert.equal(events.length, 1)
      assert.equal(textOf(events[0]?.message as SeenTask['status']['message']), 'Direct message response')
    },
  },
  {
    id: 'CORE-STREAM-003',
    level: 'MUST',
    title: 'a task is streamed as the task, its updates and its end',
    async run(scene) {
      needs(scene, 'streaming')
      const events = await (await stream(scene, 'tck-stream-003')).rest()
      const kinds = events.map((event) => Object.keys(event).join())
      assert.deepEqual(kinds, ['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'])
      const { artifact } = (events[2]?.artifactUpdate ?? {}) as { artifact?: { parts: readonly Json[] } }
      assert.equal(textOf(artifact), 'Stream task lifecycle')
      const ids = events.map(({ task, ...update }) =>
        task ? (task as SeenTask).id : (Object.values(update)[0] as Json).taskId,
      )
      assert.equal(new Set(ids).size, 1, 'the events name more than one task')
    },
  },
  {
    id: 'CORE-GET-001',
    level: 'MUST',
    title: 'a task is read as it was answered',
    async run(scene) {
      const task = await doneTask(scene)
      const read = await getTask(scene, task.id)
      valid('Task', read)
      assert.deepEqual(read, task)
    },
  },
  {
    id: 'CORE-GET-002',
    level: 'MUST',
    title: 'an unknown task is TaskNotFound',
    async run(scene) {
      failsWith(scene, 'TaskNotFound', (await scene.peer.call('GetTask', { id: 'tck-nonexistent' })).error)
    },
  },
  {
    id: 'CORE-CANCEL-001',
    level: 'MUST',
    title: 'a task that waits is canceled',
    async run(scene) {
      const { id } = await openTask(scene)
      const task = resultOf(await scene.peer.call('CancelTask', { id })) as SeenTask
      assert.equal(task.id, id)
      assert.equal(task.status.state, 'TASK_STATE_CANCELED')
      assert.equal((await getTask(scene, id)).status.state, 'TASK_STATE_CANCELED')
    },
  },
  {
    id: 'CORE-CANCEL-002',
    level: 'MUST',
    title: 'a task that has ended is TaskNotCancelable',
    async run(scene) {
      const { id } = await doneTask(scene)
      failsWith(scene, 'TaskNotCancelable', (await scene.peer.call('CancelTask', { id })).error)
    },
  },
  {
    id: 'CORE-CANCEL-003',
    level: 'MUST',
    title: 'an unknown task is TaskNotFound when it is to be canceled',
    async run(scene) {
      failsWith(scene, 'TaskNotFound', (await scene.peer.call('CancelTask', { id: 'tck-nonexistent' })).error)
    },
  },
  {
    id: 'CORE-EXECUTION-MODE-001',
    level: 'MUST',
    title: 'without returnImmediately the answer comes when the task has ended or asks for something',
    async run(scene) {
      const configuration = { returnImmediately: false }
      for (const [word, text, state] of [
        ['tck-complete-task', 'go', 'TASK_STATE_COMPLETED'],
        ['tck-input-required', 'go', 'TASK_STATE_INPUT_REQUIRED'],
        ['mode', 'tck-long-running', 'TASK_STATE_COMPLETED'],
      ] as const) {
        const task = await sendTask(scene, word, { parts: [{ text }], configuration })
        valid('Task', task)
        assert.equal(task.status.state, state)
      }
    },
  },
  {
    id: 'CORE-EXECUTION-MODE-002',
    level: 'MUST',
    title: 'with returnImmediately the answer comes at once, and the task goes on',
    async run(scene) {
      const configuration = { returnImmediately: true }
      valid('SendMessageResponse', resultOf(await send(scene, 'tck-complete-task', { configuration })))
      const task = await sendTask(scene, 'mode', { parts: [{ text: 'tck-long-running' }], configuration })
      assert.ok(!isOver(task.status.state), `the task is ${task.status.state} already`)
      await untilState(scene, task.id, 'TASK_STATE_COMPLETED')
    },
  },
  {
    id: 'CORE-ERR-001',
    level: 'MUST',
    title: 'what is not there is an error with a code and a message',
    on: ['JSONRPC', 'HTTP+JSON'],
    async run(scene) {
      const { peer } = scene
      if (peer.binding === 'JSONRPC') {
        const { error } = await peer.call('NoSuchMethod', {})
        assert.equal(error?.code, -32601)
        assert.notEqual(error.message, '')
        return
      }
      const { http, error } = await peer.call('GetTask', { id: 'tck-nonexistent' })
      assert.equal(http?.status, 404)
      assert.notEqual(error?.message, '')
    },
  },
  {
    id: 'CORE-ERR-002',
    level: 'MUST',
    title: 'a send without a message is refused for its form',
    async run(scene) {
      failsAsInvalid(scene, (await scene.peer.call('SendMessage', {})).error)
    },
  },
  {
    id: 'CORE-CAP-001',
    level: 'MUST',
    title: 'without pushNotifications every operation on configurations is PushNotificationNotSupported',
    async run(scene) {
      lacks(scene, 'pushNotifications')
      const { id } = await doneTask(scene)
      for (const [operation, rest] of [
        ['CreateTaskPushNotificationConfig', { url: 'https://example.com/hook' }],
        ['GetTaskPushNotificationConfig', { id: 'x' }],
        ['ListTaskPushNotificationConfigs', {}],
        ['DeleteTaskPushNotificationConfig', { id: 'x' }],
      ] as const) {
        const { error } = await scene.peer.call(operation, { taskId: id, ...rest })
        failsWith(scene, 'PushNotificationNotSupported', error)
      }
    },
  },
  {
    id: 'CORE-CAP-002',
    level: 'MUST',
    title: 'without streaming both streaming operations are UnsupportedOperation, not as a stream',
    async run(scene) {
      lacks(scene, 'streaming')
      const { id } = await openTask(scene)
      for (const frames of [await stream(scene, 'tck-cap-002'), await scene.peer.open('SubscribeToTask', { id })]) {
        assert.deepEqual(await frames.rest(), [])
        failsWith(scene, 'UnsupportedOperation', frames.failure)
        assert.doesNotMatch(frames.type, /event-stream/)
      }
    },
  },
  {
    id: 'CORE-CAP-003',
    level: 'MUST',
    title: 'without extendedAgentCard the extended card is UnsupportedOperation',
    async run(scene) {
      lacks(scene, 'extendedAgentCard')
      failsWith(scene, 'UnsupportedOperation', (await scene.peer.call('GetExtendedAgentCard', {})).error)
    },
  },
  {
    id: 'CORE-CAP-004',
    level: 'MUST',
    title: 'a send that does not name a required extension is ExtensionSupportRequired',
    async run(scene) {
      const { extensions = [] } = scene.subject.card.capabilities as { extensions?: readonly Json[] }
      const required = extensions.filter((extension) => extension.required === true).map(({ uri }) => uri)
      if (required.length === 0) skip('the card requires no extension')
      failsWith(scene, 'ExtensionSupportRequired', (await send(scene, 'tck-complete-task')).error)
      const headers = { 'a2a-extensions': required.join(', ') }
      resultOf(await send(scene, 'tck-complete-task', { options: { headers } }))
    },
  },
  {
    id: 'CORE-LIST-001',
    level: 'MUST',
    title: 'a conversation lists its own tasks, and one that is not there none',
    async run(scene) {
      const nothing = resultOf(await scene.peer.call('ListTasks', { contextId: crypto.randomUUID() }))
      valid('ListTasksResponse', nothing)
      assert.deepEqual([nothing.tasks, nothing.totalSize, nothing.nextPageToken], [[], 0, ''])
      const { ids, contextId } = await conversation(scene, 2)
      assert.deepEqual(await listedIds(scene, { contextId }), ids)
    },
  },
  {
    id: 'CORE-LIST-002',
    level: 'MUST',
    title: 'pages are of the size that was asked for, do not overlap, and hold everything',
    async run(scene) {
      const { ids, contextId } = await conversation(scene, 5)
      const seen: string[] = []
      let pageToken: string | undefined
      let pages = 0
      do {
        const request = { contextId, pageSize: 2, ...(pageToken !== undefined && { pageToken }) }
        const page = resultOf(await scene.peer.call('ListTasks', request))
        const tasks = page.tasks as readonly SeenTask[]
        assert.equal(page.totalSize, 5)
        assert.equal(tasks.length, seen.length === 4 ? 1 : 2)
        seen.push(...tasks.map(({ id }) => id))
        pageToken = page.nextPageToken as string
        pages += 1
      } while (pageToken !== '' && pages < 5)
      assert.deepEqual(seen, ids)
    },
  },
  {
    id: 'CORE-LIST-003',
    level: 'MUST',
    title: 'the task whose status is newest comes first, also when an older task goes on',
    async run(scene) {
      const contextId = crypto.randomUUID()
      const first = await openTask(scene, { message: { contextId } })
      await delay(5)
      const second = await openTask(scene, { message: { contextId } })
      assert.deepEqual(await listedIds(scene, { contextId }), [second.id, first.id])
      await delay(5)
      await sendTask(scene, 'tck-complete-task', { message: { taskId: first.id } })
      assert.deepEqual(await listedIds(scene, { contextId }), [first.id, second.id])
      assert.deepEqual(await listedIds(scene, { contextId, status: 'TASK_STATE_COMPLETED' }), [first.id])
      assert.deepEqual(await listedIds(scene, { contextId, status: 'TASK_STATE_WORKING' }), [])
    },
  },
  {
    id: 'CORE-LIST-004',
    level: 'MUST',
    title: 'the last page has an empty nextPageToken, and what a token or a size cannot be is refused',
    async run(scene) {
      const { contextId } = await conversation(scene, 1)
      const page = resultOf(await scene.peer.call('ListTasks', { contextId, pageSize: 100 }))
      valid('ListTasksResponse', page)
      assert.equal(page.nextPageToken, '')
      // Over gRPC some clients write 0 where nobody gave a size.
      const sizes = scene.peer.binding === 'GRPC' ? [-1, 101] : [-1, 0, 101]
      const requests = [{ pageToken: 'no token' }, { historyLength: -1 }, ...sizes.map((pageSize) => ({ pageSize }))]
      for (const wrong of requests) {
        failsAsInvalid(scene, (await scene.peer.call('ListTasks', { contextId, ...wrong })).error)
      }
    },
  },
  {
    id: 'CORE-LIST-005',
    level: 'MUST',
    title: 'artifacts are listed when they are asked for, and else left out',
    async run(scene) {
      const contextId = crypto.randomUUID()
      await sendTask(scene, 'tck-artifact-text', { message: { contextId } })
      for (const [includeArtifacts, count] of [
        [undefined, undefined],
        [false, undefined],
        [true, 1],
      ] as const) {
        const request = { contextId, ...(includeArtifacts !== undefined && { includeArtifacts }) }
        const { tasks } = resultOf(await scene.peer.call('ListTasks', request)) as { tasks: readonly SeenTask[] }
        assert.equal(tasks[0]?.artifacts?.length, count)
      }
    },
  },
]

interface Conversation {
  readonly contextId: string
  /** As they must be listed. */
  readonly ids: readonly string[]
}

async function conversation(scene: Parameters<typeof send>[0], count: number): Promise<Conversation> {
  const contextId = crypto.randomUUID()
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    ids.unshift((await sendTask(scene, 'tck-complete-task', { message: { contextId } })).id)
    // Times are told to the millisecond.
    await delay(3)
  }
  return { contextId, ids }
}

async function listedIds({ peer }: Parameters<typeof send>[0], request: Json): Promise<readonly string[]> {
  const { tasks } = resultOf(await peer.call('ListTasks', request)) as { tasks: readonly SeenTask[] }
  return tasks.map(({ id }) => id)
}
