import assert from 'node:assert/strict'
import { fails, failsWith } from '../failures.ts'
import { type Check, needs, resultOf, type Scene } from '../scene.ts'
import { valid } from '../schema-check.ts'
import { type Delivery, openWebhook } from '../webhook.ts'
import type { Json } from '../wire/peer.ts'
import { sayTask } from './say.ts'

const url = 'https://example.com/acts'

interface Config extends Json {
  readonly taskId: string
  readonly id: string
}

async function create(scene: Scene, rest: Json = {}): Promise<Config> {
  needs(scene, 'pushNotifications')
  const { id: taskId } = await sayTask(scene, 'tck-input-required')
  const made = resultOf(await scene.peer.call('CreateTaskPushNotificationConfig', { taskId, url, ...rest })) as Config
  valid('TaskPushNotificationConfig', made)
  return made
}

function get({ peer }: Scene, { taskId, id }: Config): ReturnType<Scene['peer']['call']> {
  return peer.call('GetTaskPushNotificationConfig', { taskId, id })
}

/** All that a webhook was told of a task that works for a second. */
async function deliveries(scene: Scene, config: Json): Promise<readonly Delivery[]> {
  needs(scene, 'pushNotifications')
  const webhook = await openWebhook()
  try {
    const configuration = { taskPushNotificationConfig: { url: `${webhook.url}/acts`, ...config } }
    await sayTask(scene, 'tck-long-running', { configuration, state: 'COMPLETED' })
    const end = await webhook.first(({ body }) => JSON.stringify(body).includes('TASK_STATE_COMPLETED'), 10_000)
    assert.ok(end, 'the webhook was not told of the end')
    return webhook.deliveries
  } finally {
    await webhook.close()
  }
}

const bearer = { authentication: { scheme: 'Bearer', credentials: 'acts-secret' }, token: 'acts-token' }

/** Push notifications: PUSH and SEC-PUSH of ACTS. */
export const push: readonly Check[] = [
  {
    id: 'PUSH-CFG-001',
    level: 'MUST',
    title: 'a configuration is made, and gets an id where it has none',
    run: async (scene) => assert.notEqual((await create(scene)).id, ''),
  },
  {
    id: 'PUSH-CFG-002',
    level: 'MUST',
    title: 'a configuration is read',
    async run(scene) {
      const made = await create(scene)
      assert.deepEqual(resultOf(await get(scene, made)), made)
    },
  },
  {
    id: 'PUSH-CFG-003',
    level: 'MUST',
    title: 'a configuration keeps the id that the caller chose',
    async run(scene) {
      const id = crypto.randomUUID()
      assert.equal((await create(scene, { id })).id, id)
    },
  },
  {
    id: 'PUSH-CFG-004',
    level: 'MUST',
    title: 'a configuration is deleted',
    async run(scene) {
      const made = await create(scene)
      const { taskId, id } = made
      resultOf(await scene.peer.call('DeleteTaskPushNotificationConfig', { taskId, id }))
      fails(await get(scene, made))
    },
  },
  {
    id: 'PUSH-LIST-001',
    level: 'MUST',
    title: 'configurations are listed',
    async run(scene) {
      const { taskId, id } = await create(scene)
      const second = resultOf(await scene.peer.call('CreateTaskPushNotificationConfig', { taskId, url })) as Config
      const { configs } = resultOf(await scene.peer.call('ListTaskPushNotificationConfigs', { taskId }))
      const ids = (configs as readonly Config[]).map((config) => config.id)
      assert.deepEqual(ids.sort(), [id, second.id].sort())
    },
  },
  {
    id: 'PUSH-ERR-001',
    level: 'MUST',
    title: 'a configuration for an unknown task is TaskNotFound',
    async run(scene) {
      needs(scene, 'pushNotifications')
      const { error } = await scene.peer.call('CreateTaskPushNotificationConfig', { taskId: 'acts-nonexistent', url })
      failsWith(scene, 'TaskNotFound', error)
    },
  },
  {
    id: 'PUSH-IDEM-001',
    level: 'MUST',
    title: 'a second deletion succeeds too',
    async run(scene) {
      const { taskId, id } = await create(scene)
      for (let at = 0; at < 2; at++) {
        resultOf(await scene.peer.call('DeleteTaskPushNotificationConfig', { taskId, id }))
      }
    },
  },
  {
    id: 'PUSH-DELIV-001',
    level: 'MUST',
    title: 'the webhook hears of every state, in order',
    async run(scene) {
      const told = (await deliveries(scene, {})).map(({ body }) => /TASK_STATE_\w+/.exec(JSON.stringify(body))?.[0])
      const states = told.filter((state, at) => state !== told[at - 1])
      assert.deepEqual(states.slice(-2), ['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'])
    },
  },
  {
    id: 'PUSH-DELIV-002',
    level: 'MUST',
    title: 'each notification is one StreamResponse',
    async run(scene) {
      for (const { body } of await deliveries(scene, {})) valid('StreamResponse', body)
    },
  },
  {
    id: 'PUSH-DELIV-003',
    level: 'SHOULD',
    title: 'nothing is told twice',
    async run(scene) {
      const bodies = (await deliveries(scene, {})).map(({ body }) => JSON.stringify(body))
      assert.equal(new Set(bodies).size, bodies.length)
    },
  },
  {
    id: 'SEC-PUSH-001',
    level: 'MUST',
    title: 'notifications show the credentials that the configuration names',
    async run(scene) {
      for (const { headers } of await deliveries(scene, bearer)) {
        assert.equal(headers.authorization, 'Bearer acts-secret')
      }
    },
  },
  {
    id: 'SEC-PUSH-002',
    level: 'MUST',
    title: 'notifications show the token of the configuration',
    async run(scene) {
      for (const { headers } of await deliveries(scene, bearer)) {
        assert.equal(headers['x-a2a-notification-token'], 'acts-token')
      }
    },
  },
]
