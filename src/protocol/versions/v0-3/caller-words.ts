import type { FieldViolation } from '../../errors.ts'
import type { OperationName } from '../../operations.ts'
import type { Transport } from './requests.ts'
import { isObject, tables } from './shapes.ts'

/** Fields of requests of 1.0 by their names in the shapes of 0.3; the longest that fits counts. */
const renamed: Readonly<Partial<Record<OperationName, Readonly<Record<string, string>>>>> = {
  SendMessage: { 'configuration.taskPushNotificationConfig': 'configuration.pushNotificationConfig' },
  SendStreamingMessage: { 'configuration.taskPushNotificationConfig': 'configuration.pushNotificationConfig' },
  CreateTaskPushNotificationConfig: {
    id: 'pushNotificationConfig.id',
    url: 'pushNotificationConfig.url',
    token: 'pushNotificationConfig.token',
    authentication: 'pushNotificationConfig.authentication',
  },
  GetTaskPushNotificationConfig: { taskId: 'id', id: 'pushNotificationConfigId' },
  ListTaskPushNotificationConfigs: { taskId: 'id' },
  DeleteTaskPushNotificationConfig: { taskId: 'id', id: 'pushNotificationConfigId' },
}

/** The same where ids are parts of names. */
const named: typeof renamed = {
  GetTask: { id: 'name' },
  CancelTask: { id: 'name' },
  SubscribeToTask: { id: 'name' },
  CreateTaskPushNotificationConfig: {
    taskId: 'parent',
    id: 'configId',
    url: 'config.pushNotificationConfig.url',
    token: 'config.pushNotificationConfig.token',
    authentication: 'config.pushNotificationConfig.authentication',
  },
  GetTaskPushNotificationConfig: { taskId: 'name', id: 'name' },
  ListTaskPushNotificationConfigs: { taskId: 'parent' },
  DeleteTaskPushNotificationConfig: { taskId: 'name', id: 'name' },
}

/** What a request of 1.0 breaks, by the fields that its caller in 0.3 sent. */
export function fromCurrent(
  violations: readonly FieldViolation[],
  { operation, transport }: { readonly operation: OperationName; readonly transport: Transport },
): FieldViolation[] {
  const names = { ...renamed[operation], ...(transport === 'grpc' && named[operation]) }
  return violations.map(({ field, description }) => {
    const known = Object.keys(names).find((name) => field === name || field.startsWith(`${name}.`))
    return { field: known === undefined ? field : `${names[known]}${field.slice(known.length)}`, description }
  })
}

/** Violations by shape, with each field under the one of its names that the caller used. */
export function asSent(
  violations: readonly FieldViolation[],
  { shape, input }: { readonly shape: string; readonly input: unknown },
): FieldViolation[] {
  return violations.map(({ field, description }) => ({ field: sentPath(field, shape, input), description }))
}

function sentPath(path: string, shape: string, input: unknown): string {
  let at: unknown = input
  let type: string | undefined = shape
  return path.replace(/(^|\.)(\w+)((?:\[\d+\])*)/g, (_, dot: string, json: string, indexes: string) => {
    const field = tables.schema.messages[type ?? '']?.find((one) => one.json === json)
    const names = field === undefined ? [] : [json, field.name, ...(tables.aliases[`${type}.${json}`] ?? [])]
    const members = isObject(at) ? at : {}
    const name = names.find((one) => Object.hasOwn(members, one)) ?? json
    at = members[name]
    for (const [, index] of indexes.matchAll(/\[(\d+)\]/g)) at = Array.isArray(at) ? at[Number(index)] : undefined
    type = field?.typeName
    return `${dot}${name}${indexes}`
  })
}
