import assert from 'node:assert/strict'
import { fails } from '../failures.ts'
import { type Check, doneTask, needs, openTask, resultOf, type Scene, sendTask } from '../scene.ts'
import { valid } from '../schema-check.ts'
import { type Delivery, openWebhook } from '../webhook.ts'
import type { Json } from '../wire/peer.ts'

interface Config extends Json {
  readonly taskId: string
  readonly id: string
  readonly url: string
}

/** A configuration with an id of the caller, made for a task that has ended. */
async function createConfig(scene: Scene): Promise<Config> {
  needs(scene, 'pushNotifications')
  const { id: taskId } = await doneTask(scene)
  const request = { taskId, id: crypto.randomUUID(), url: 'https://example.com/webhook' }
  const made = resultOf(await scene.peer.call('CreateTaskPushNotificationConfig', request)) as Config
  valid('TaskPushNotificationConfig', made)
  assert.deepEqual({ taskId: made.taskId, id: made.id, url: made.url }, request)
  return made
}

/** Sends a task to its end and gives what its webhook was told. */
async function delivered(scene: Scene, check: (delivery: Delivery) => boolean): Promise<Delivery> {
  needs(scene, 'pushNotifications')
  const webhook = await openWebhook()
  try {
    const authentication = { scheme: 'Bearer', credentials: 'tck-secret' }
    const taskPushNotificationConfig = {
      id: crypto.randomUUID(),
      url: `${webhook.url}/hook`,
      authentication,
      token: 'tck-token',
    }
    const { id } = await openTask(scene, { configuration: { taskPushNotificationConfig } })
    await sendTask(scene, 'tck-complete-task', { message: { taskId: id } })
    const found = await webhook.first(check, 10_000)
    assert.ok(found, `the webhook was not told within ten seconds; it had ${webhook.deliveries.length} requests`)
    return found
  } finally {
    await webhook.close()
  }
}

const isEnd = ({ body }: Delivery): boolean => JSON.stringify(body).includes('TASK_STATE_COMPLETED')

/** Push notifications: PUSH of TCK 1.0. */
export const push: readonly Check[] = [
  {
    id: 'PUSH-CREATE-001',
    level: 'MUST',
    title: 'a configuration is made with the id that the caller chose, also for a task that has ended',
    run: async (scene) => void (await createConfig(scene)),
  },
  {
    id: 'PUSH-CREATE-002',
    level: 'MUST',
    title: 'a configuration that was made is found',
    async run(scene) {
      const made = await createConfig(scene)
      const { taskId, id } = made
      assert.deepEqual(resultOf(await scene.peer.call('GetTaskPushNotificationConfig', { taskId, id })), made)
    },
  },
  {
    id: 'PUSH-GET-001',
    level: 'MUST',
    title: 'a configuration tells its task and its URL',
    async run(scene) {
      const { taskId, id, url } = await createConfig(scene)
      const found = resultOf(await scene.peer.call('GetTaskPushNotificationConfig', { taskId, id }))
      assert.deepEqual([found.taskId, found.id, found.url], [taskId, id, url])
    },
  },
  {
    id: 'PUSH-GET-002',
    level: 'MUST',
    title: 'an unknown configuration is an error',
    async run(scene) {
      const { taskId } = await createConfig(scene)
      fails(await scene.peer.call('GetTaskPushNotificationConfig', { taskId, id: 'tck-nonexistent' }))
    },
  },
  {
    id: 'PUSH-LIST-001',
    level: 'MUST',
    title: 'the configurations of a task are listed',
    async run(scene) {
      const made = await createConfig(scene)
      const list = resultOf(await scene.peer.call('ListTaskPushNotificationConfigs', { taskId: made.taskId }))
      valid('ListTaskPushNotificationConfigsResponse', list)
      assert.deepEqual(list.configs, [made])
    },
  },
  {
    id: 'PUSH-DEL-001',
    level: 'MUST',
    title: 'a configuration that was deleted is gone',
    async run(scene) {
      const { taskId, id } = await createConfig(scene)
      resultOf(await scene.peer.call('DeleteTaskPushNotificationConfig', { taskId, id }))
      fails(await scene.peer.call('GetTaskPushNotificationConfig', { taskId, id }))
    },
  },
  {
    id: 'PUSH-DEL-002',
    level: 'MUST',
    title: 'a second deletion succeeds too',
    async run(scene) {
      const { taskId, id } = await createConfig(scene)
      resultOf(await scene.peer.call('DeleteTaskPushNotificationConfig', { taskId, id }))
      resultOf(await scene.peer.call('DeleteTaskPushNotificationConfig', { taskId, id }))
    },
  },
  {
    id: 'PUSH-DELIVER-001',
    level: 'MUST',
    title: 'the credentials of the configuration come with each notification',
    async run(scene) {
      const { headers, path } = await delivered(scene, () => true)
      assert.equal(path, '/hook')
      assert.equal(headers.authorization, 'Bearer tck-secret')
      assert.equal(headers['x-a2a-notification-token'], 'tck-token')
    },
  },
  {
    id: 'PUSH-DELIVER-002',
    level: 'MUST',
    title: 'the webhook hears of the end of the task',
    run: async (scene) => void (await delivered(scene, isEnd)),
  },
  {
    id: 'PUSH-DELIVER-003',
    level: 'MUST',
    title: 'a notification is exactly one StreamResponse in JSON',
    async run(scene) {
      const { body, headers } = await delivered(scene, isEnd)
      valid('StreamResponse', body)
      assert.match(headers['content-type'] ?? '', /^application\/(?:a2a\+)?json/)
    },
  },
]
