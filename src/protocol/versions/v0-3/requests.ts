import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '../../generated/v1/types.ts'
import type { OperationName } from '../../operations.ts'
import type { Note } from '../dialect.ts'
import { type Bytes, type Problems, readMessage, readName, readPush, readPushConfig, readState } from './read.ts'
import type { Members } from './shapes.ts'
import { configName, type Form, taskName, type Writing, writeMessage, writePushConfig, writeState } from './write.ts'

/** The wires of 0.3, which name things each in its own way. */
export type Transport = 'jsonRpc' | 'rest' | 'grpc'

/** The form of messages on a wire. */
export function formOf(transport: Transport): Form {
  return transport === 'jsonRpc' ? 'json' : 'proto'
}

interface Decoding {
  readonly form: Form
  readonly note: Note
  readonly problems: Problems
  readonly bytes: Bytes
}

type Decode = (value: Members, at: Decoding) => object

const decodeSend: Decode = ({ message, configuration, metadata }, at) => ({
  message: readMessage(message as Members, { ...at, at: 'message.' }),
  ...(configuration !== undefined && { configuration: readConfiguration(configuration as Members, at) }),
  ...(metadata !== undefined && { metadata }),
})

function readConfiguration(value: Members, { form, note }: Decoding): object {
  const { acceptedOutputModes, historyLength, pushNotificationConfig, blocking } = value
  // In JSON who says nothing waits, as the SDKs of 0.3 do. Protobuf cannot tell nothing from false, and false is at once
  // there: so its SDKs answer whoever sends a configuration without the word, and wait for who sends none.
  const returnImmediately = form === 'json' ? blocking === false : blocking !== true
  return {
    ...(acceptedOutputModes !== undefined && { acceptedOutputModes }),
    ...readHistoryLength(historyLength, form),
    ...(pushNotificationConfig !== undefined && {
      taskPushNotificationConfig: readPushConfig(pushNotificationConfig as Members, note),
    }),
    ...(returnImmediately && { returnImmediately }),
  }
}

/** Protobuf cannot tell 0 from nothing, and takes both for no limit. */
function readHistoryLength(historyLength: unknown, form: Form): object {
  return historyLength === undefined || (historyLength === 0 && form === 'proto') ? {} : { historyLength }
}

function readTaskId({ id, name }: Members): object {
  const taskId = id ?? (name === undefined ? undefined : (readName(name).task ?? name))
  return taskId === undefined ? {} : { id: taskId }
}

function withoutMetadata({ metadata }: Members, note: Note): void {
  if (metadata !== undefined) note('get-metadata')
}

const decodePush: Decode = ({ id, name, parent, pushNotificationConfigId, ...rest }, { note }) => {
  withoutMetadata(rest, note)
  const named = readName(name ?? parent)
  const taskId = id ?? named.task ?? name ?? parent
  // Who names no configuration means that of the task, which has the task's id.
  const configId = pushNotificationConfigId || named.config || taskId
  return { ...(taskId !== undefined && { taskId }), ...(configId !== undefined && { id: configId }) }
}

/** Requests of 1.0 from those of 0.3, in the spelling of the shapes. */
export const decoders: Readonly<Record<OperationName, Decode>> = {
  SendMessage: decodeSend,
  SendStreamingMessage: decodeSend,
  GetTask: (value, { form, note }) => {
    withoutMetadata(value, note)
    return { ...readTaskId(value), ...readHistoryLength(value.historyLength, form) }
  },
  ListTasks: ({ status, ...rest }) => ({ ...rest, ...(status !== undefined && { status: readState(status) }) }),
  CancelTask: (value) => ({
    ...readTaskId(value),
    ...(value.metadata !== undefined && { metadata: value.metadata }),
  }),
  SubscribeToTask: (value, { note }) => {
    withoutMetadata(value, note)
    return readTaskId(value)
  },
  CreateTaskPushNotificationConfig: (value, { note }) => {
    const { taskId, ...rest } = readPush(value, note) as Members
    return taskId === undefined ? rest : { id: taskId, taskId, ...rest }
  },
  GetTaskPushNotificationConfig: decodePush,
  ListTaskPushNotificationConfigs: (value, at) => {
    const { id: _, ...request } = decodePush(value, at) as Members
    const { pageSize, pageToken } = value
    return { ...request, ...(pageSize !== undefined && { pageSize }), ...(pageToken !== undefined && { pageToken }) }
  },
  DeleteTaskPushNotificationConfig: decodePush,
  GetExtendedAgentCard: () => ({}),
}

interface Encoding extends Writing {
  readonly transport: Transport
}

function encodeSend({ message, configuration, metadata }: SendMessageRequest, writing: Encoding): object {
  return {
    message: writeMessage(message, writing),
    configuration: writeConfiguration(configuration ?? {}, writing),
    ...(metadata && { metadata }),
  }
}

function writeConfiguration(configuration: SendMessageConfiguration, writing: Encoding): object {
  const { acceptedOutputModes, historyLength, taskPushNotificationConfig, returnImmediately } = configuration
  const push = writing.form === 'json' ? 'pushNotificationConfig' : 'pushNotification'
  return {
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...writeHistoryLength(historyLength, writing),
    ...(taskPushNotificationConfig && { [push]: writePushConfig(taskPushNotificationConfig) }),
    // Peers disagree on what it means to leave this out.
    blocking: returnImmediately !== true,
  }
}

function writeHistoryLength(historyLength: number | undefined, { form, note }: Encoding): object {
  if (historyLength === undefined) return {}
  if (historyLength > 0 || form === 'json') return { historyLength }
  note('history-none')
  return {}
}

/** How a request names its task. */
function writeTaskId(id: string, { transport }: Encoding): object {
  if (transport === 'jsonRpc') return { id }
  return transport === 'rest' ? { id } : { name: taskName(id) }
}

function encodeConfigName(request: { readonly taskId: string; readonly id: string }, { transport }: Encoding): object {
  if (transport === 'grpc') return { name: configName(request) }
  // In JSON a task's only configuration needs no name.
  const isNamed = transport === 'rest' || request.id !== ''
  return { id: request.taskId, ...(isNamed && { pushNotificationConfigId: request.id }) }
}

type Encode<T> = (request: T, writing: Encoding) => object

interface Encoders {
  SendMessage: Encode<SendMessageRequest>
  SendStreamingMessage: Encode<SendMessageRequest>
  GetTask: Encode<GetTaskRequest>
  ListTasks: Encode<ListTasksRequest>
  CancelTask: Encode<CancelTaskRequest>
  SubscribeToTask: Encode<SubscribeToTaskRequest>
  CreateTaskPushNotificationConfig: Encode<TaskPushNotificationConfig>
  GetTaskPushNotificationConfig: Encode<GetTaskPushNotificationConfigRequest>
  ListTaskPushNotificationConfigs: Encode<ListTaskPushNotificationConfigsRequest>
  DeleteTaskPushNotificationConfig: Encode<DeleteTaskPushNotificationConfigRequest>
  GetExtendedAgentCard: Encode<object>
}

/** Requests of 0.3 from those of 1.0. */
export const encoders: Encoders = {
  SendMessage: encodeSend,
  SendStreamingMessage: encodeSend,
  GetTask: ({ id, historyLength }, writing) => ({
    ...writeTaskId(id, writing),
    ...writeHistoryLength(historyLength, writing),
  }),
  ListTasks: ({ status, tenant: _, ...rest }, { form }) => ({
    ...rest,
    ...(status && { status: writeState(status, form) }),
  }),
  CancelTask: ({ id, metadata }, writing) => {
    if (metadata !== undefined && writing.form === 'proto') writing.note('cancel-metadata')
    const named = writing.transport === 'rest' ? { id, name: taskName(id) } : writeTaskId(id, writing)
    return { ...named, ...(metadata && writing.form === 'json' && { metadata }) }
  },
  SubscribeToTask: ({ id }, writing) => writeTaskId(id, writing),
  CreateTaskPushNotificationConfig: (config, { transport }) => {
    const pushNotificationConfig = writePushConfig(config)
    const { taskId = '', id = '' } = config
    if (transport === 'jsonRpc') return { taskId, pushNotificationConfig }
    return {
      ...(transport === 'rest' && { taskId }),
      parent: taskName(taskId),
      configId: id,
      config: { name: configName(config), pushNotificationConfig },
    }
  },
  GetTaskPushNotificationConfig: encodeConfigName,
  ListTaskPushNotificationConfigs: ({ taskId, pageSize, pageToken }, { transport, note }) => {
    if (transport === 'jsonRpc') {
      if (pageSize || pageToken) note('push-page')
      return { id: taskId }
    }
    return {
      ...(transport === 'rest' ? { id: taskId } : { parent: taskName(taskId) }),
      ...(pageSize !== undefined && { pageSize }),
      ...(pageToken && { pageToken }),
    }
  },
  DeleteTaskPushNotificationConfig: encodeConfigName,
  GetExtendedAgentCard: () => ({}),
}
