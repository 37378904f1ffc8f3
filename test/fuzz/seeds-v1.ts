import { operations } from '../../src/protocol/operations.ts'
import { type Call, type Ids, orders, type Seed } from './calls.ts'
import type { Random } from './random.ts'

type Members = Record<string, unknown>
type Make = (random: Random, ids: Ids) => Members

function message(random: Random, ids: Ids): Members {
  const parts: Members[] = [{ text: random.pick(orders) }]
  if (random.percent(20))
    parts.push({ data: { a: [1, 'two', null, { deep: true }], b: 2.5 }, metadata: { unit: 'px' } })
  if (random.percent(20)) parts.push({ raw: 'aGVsbG8=', filename: 'a.png', mediaType: 'image/png' })
  if (random.percent(20)) parts.push({ url: 'https://files.example/a.png', mediaType: 'image/png' })
  return {
    messageId: ids.fresh(),
    role: 'ROLE_USER',
    parts,
    ...(random.percent(20) && { contextId: ids.context() }),
    ...(random.percent(15) && { taskId: ids.task() }),
    ...(random.percent(20) && { metadata: { trace: { id: 7 } }, extensions: ['https://ext.example/a'] }),
    ...(random.percent(10) && { referenceTaskIds: [ids.task()] }),
  }
}

const send: Make = (random, ids) => ({
  message: message(random, ids),
  ...(random.percent(60) && {
    configuration: {
      returnImmediately: random.percent(70),
      historyLength: random.below(4),
      acceptedOutputModes: ['text/plain'],
    },
  }),
  ...(random.percent(20) && { metadata: { from: 'fuzz' } }),
})

const makers: Readonly<Record<string, Make>> = {
  SendMessage: send,
  SendStreamingMessage: send,
  GetTask: (random, ids) => ({ id: ids.task(), ...(random.percent(50) && { historyLength: 1 }) }),
  ListTasks: (random, ids) => ({
    pageSize: 1 + random.below(5),
    ...(random.percent(30) && { contextId: ids.context() }),
    ...(random.percent(30) && { status: 'TASK_STATE_COMPLETED' }),
    ...(random.percent(30) && { statusTimestampAfter: '2020-01-01T00:00:00.000Z' }),
    ...(random.percent(30) && { includeArtifacts: true, historyLength: 2 }),
  }),
  CancelTask: (random, ids) => ({ id: ids.task(), ...(random.percent(20) && { metadata: { why: 'fuzz' } }) }),
  SubscribeToTask: (_random, ids) => ({ id: ids.task() }),
  CreateTaskPushNotificationConfig: (_random, ids) => ({
    taskId: ids.task(),
    id: 'hook',
    url: 'https://hook.example/',
    token: 'secret',
    authentication: { scheme: 'Bearer', credentials: 'x' },
  }),
  GetTaskPushNotificationConfig: (_random, ids) => ({ taskId: ids.task(), id: 'hook' }),
  ListTaskPushNotificationConfigs: (_random, ids) => ({ taskId: ids.task(), pageSize: 10 }),
  DeleteTaskPushNotificationConfig: (_random, ids) => ({ taskId: ids.task(), id: 'hook' }),
  GetExtendedAgentCard: () => ({}),
}

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' }

function rest(name: string, request: Members): Call {
  const rule = operations.find((operation) => operation.name === name)?.http[0]
  if (rule === undefined) throw new Error(`${name} has no path`)
  const left = { ...request }
  const path = rule.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    delete left[field]
    return encodeURIComponent(String(request[field]))
  })
  if (rule.body === '*') return { kind: 'http', verb: rule.verb, path, headers: json, body: left }
  const query = new URLSearchParams(
    Object.entries(left).map(([field, value]): [string, string] => [field, String(value)]),
  )
  return {
    kind: 'http',
    verb: rule.verb,
    path: query.size === 0 ? path : `${path}?${query}`,
    headers: { 'a2a-version': '1.0' },
  }
}

/** Every operation of 1.0 over every binding. */
export const seeds10: readonly Seed[] = operations.flatMap(({ name, request: type }) => {
  const make = makers[name]
  if (make === undefined) throw new Error(`no request is made for ${name}`)
  const path = `/lf.a2a.v1.A2AService/${name}`
  return [
    {
      label: `1.0 JSONRPC ${name}`,
      make: (random: Random, ids: Ids): Call => {
        const body = { jsonrpc: '2.0', id: random.below(100), method: name, params: make(random, ids) }
        return { kind: 'http', verb: 'POST', path: '/invoke', headers: json, body }
      },
    },
    { label: `1.0 HTTP+JSON ${name}`, make: (random: Random, ids: Ids) => rest(name, make(random, ids)) },
    {
      label: `1.0 GRPC ${name}`,
      make: (random: Random, ids: Ids): Call => {
        return { kind: 'grpc', path, version: '1.0', type, message: make(random, ids) }
      },
    },
  ]
})
