import { type Call, type Ids, orders, type Seed } from './calls.ts'
import type { Random } from './random.ts'

type Members = Record<string, unknown>
type Make = (random: Random, ids: Ids) => Members

/** What both forms of 0.3 share of a message. */
function common(random: Random, ids: Ids): Members {
  return {
    messageId: ids.fresh(),
    ...(random.percent(20) && { contextId: ids.context() }),
    ...(random.percent(15) && { taskId: ids.task() }),
    ...(random.percent(20) && { metadata: { trace: { id: 7 } }, extensions: ['https://ext.example/a'] }),
  }
}

const sendJson: Make = (random, ids) => {
  const parts: Members[] = [{ kind: 'text', text: random.pick(orders) }]
  if (random.percent(20)) parts.push({ kind: 'data', data: { a: [1, null] }, metadata: { unit: 'px' } })
  if (random.percent(20))
    parts.push({ kind: 'file', file: { bytes: 'aGVsbG8=', mimeType: 'image/png', name: 'a.png' } })
  if (random.percent(20)) parts.push({ kind: 'file', file: { uri: 'https://files.example/a.png' } })
  return {
    message: { kind: 'message', role: 'user', parts, ...common(random, ids) },
    ...(random.percent(60) && {
      configuration: {
        blocking: random.percent(40),
        historyLength: random.below(4),
        acceptedOutputModes: ['text/plain'],
      },
    }),
  }
}

const sendProto: Make = (random, ids) => {
  const content: Members[] = [{ text: random.pick(orders) }]
  if (random.percent(20)) content.push({ data: { data: { a: [1, null] } } })
  if (random.percent(20)) content.push({ file: { fileWithBytes: 'aGVsbG8=', mimeType: 'image/png', name: 'a.png' } })
  if (random.percent(20)) content.push({ file: { fileWithUri: 'https://files.example/a.png' } })
  return {
    message: { role: 'ROLE_USER', content, ...common(random, ids) },
    ...(random.percent(60) && {
      configuration: {
        blocking: random.percent(40),
        historyLength: random.below(4),
        acceptedOutputModes: ['text/plain'],
      },
    }),
  }
}

const byId: Make = (random, ids) => ({ id: ids.task(), ...(random.percent(20) && { metadata: { why: 'fuzz' } }) })
const byName: Make = (_random, ids) => ({ name: `tasks/${ids.task()}` })
const hook = { id: 'hook', url: 'https://hook.example/', token: 'secret', authentication: { schemes: ['Bearer'] } }
const configName = (ids: Ids): string => `tasks/${ids.task()}/pushNotificationConfigs/hook`

const methods: Readonly<Record<string, Make>> = {
  'message/send': sendJson,
  'message/stream': sendJson,
  'tasks/get': (random, ids) => ({ ...byId(random, ids), historyLength: 2 }),
  'tasks/list': (random, ids) => ({
    pageSize: 1 + random.below(5),
    ...(random.percent(30) && { contextId: ids.context() }),
  }),
  'tasks/cancel': byId,
  'tasks/resubscribe': byId,
  'tasks/pushNotificationConfig/set': (_random, ids) => ({ taskId: ids.task(), pushNotificationConfig: hook }),
  'tasks/pushNotificationConfig/get': (random, ids) => ({ ...byId(random, ids), pushNotificationConfigId: 'hook' }),
  'tasks/pushNotificationConfig/list': byId,
  'tasks/pushNotificationConfig/delete': (random, ids) => ({ ...byId(random, ids), pushNotificationConfigId: 'hook' }),
  'agent/getAuthenticatedExtendedCard': () => ({}),
}

const paths: readonly [verb: string, path: (ids: Ids) => string, body?: Make][] = [
  ['POST', () => '/v1/message:send', sendProto],
  ['POST', () => '/v1/message:send', sendJson],
  ['POST', () => '/v1/message:stream', sendProto],
  ['GET', (ids) => `/v1/tasks/${ids.task()}?historyLength=1`],
  ['GET', () => '/v1/tasks?pageSize=3'],
  ['POST', (ids) => `/v1/tasks/${ids.task()}:cancel`, byName],
  ['GET', (ids) => `/v1/tasks/${ids.task()}:subscribe`],
  ['POST', (ids) => `/v1/tasks/${ids.task()}:subscribe`, byName],
  [
    'POST',
    (ids) => `/v1/tasks/${ids.task()}/pushNotificationConfigs`,
    (_random, ids) => ({ config: { name: configName(ids), pushNotificationConfig: hook } }),
  ],
  ['GET', (ids) => `/v1/tasks/${ids.task()}/pushNotificationConfigs/hook`],
  ['GET', (ids) => `/v1/tasks/${ids.task()}/pushNotificationConfigs`],
  ['DELETE', (ids) => `/v1/tasks/${ids.task()}/pushNotificationConfigs/hook`],
  ['GET', () => '/v1/card'],
]

const rpcs: Readonly<Record<string, readonly [type: string, make: Make]>> = {
  SendMessage: ['SendMessageRequest', sendProto],
  SendStreamingMessage: ['SendMessageRequest', sendProto],
  GetTask: ['GetTaskRequest', byName],
  ListTasks: ['ListTasksRequest', () => ({ pageSize: 3 })],
  CancelTask: ['CancelTaskRequest', byName],
  TaskSubscription: ['TaskSubscriptionRequest', byName],
  CreateTaskPushNotificationConfig: [
    'CreateTaskPushNotificationConfigRequest',
    (_random, ids) => ({
      parent: `tasks/${ids.task()}`,
      configId: 'hook',
      config: { name: configName(ids), pushNotificationConfig: hook },
    }),
  ],
  GetTaskPushNotificationConfig: [
    'GetTaskPushNotificationConfigRequest',
    (_random, ids) => ({ name: configName(ids) }),
  ],
  ListTaskPushNotificationConfig: [
    'ListTaskPushNotificationConfigRequest',
    (_random, ids) => ({ parent: `tasks/${ids.task()}` }),
  ],
  DeleteTaskPushNotificationConfig: [
    'DeleteTaskPushNotificationConfigRequest',
    (_random, ids) => ({ name: configName(ids) }),
  ],
  GetAgentCard: ['GetAgentCardRequest', () => ({})],
}

const json = { 'content-type': 'application/json' }
const placeholders: Ids = { task: () => '*', context: () => '*', fresh: () => '*' }

/** Every operation of 0.3 over every binding, in the words of its documents. */
export const seeds03: readonly Seed[] = [
  ...Object.entries(methods).map(([method, make]) => ({
    label: `0.3 JSONRPC ${method}`,
    make: (random: Random, ids: Ids): Call => {
      const body = { jsonrpc: '2.0', id: random.below(100), method, params: make(random, ids) }
      return { kind: 'http', verb: 'POST', path: '/invoke', headers: json, body }
    },
  })),
  ...paths.map(([verb, path, make], at) => ({
    label: `0.3 HTTP+JSON ${verb} ${path(placeholders)} ${at}`,
    make: (random: Random, ids: Ids): Call => {
      const body = make?.(random, ids)
      return { kind: 'http', verb, path: path(ids), headers: body ? json : {}, ...(body && { body }) }
    },
  })),
  ...Object.entries(rpcs).map(([name, [type, make]]) => ({
    label: `0.3 GRPC ${name}`,
    make: (random: Random, ids: Ids): Call => {
      return { kind: 'grpc', path: `/a2a.v1.A2AService/${name}`, version: '0.3', type, message: make(random, ids) }
    },
  })),
]
