import type { Call } from '../../endpoint.ts'
import type { Messages, StreamResponse } from '../../generated/v1/types.ts'
import type { OperationName } from '../../operations.ts'
import { validate } from '../../validate.ts'
import type { Note, PeerDialect, WireOperation } from '../dialect.ts'
import { fromCard03 } from './card.ts'
import {
  kindOf,
  type Problems,
  readArtifactUpdate,
  readMessage,
  readPush,
  readShape,
  readStatusUpdate,
  readTask,
} from './read.ts'
import { encoders, formOf, type Transport } from './requests.ts'
import { isObject, type Members } from './shapes.ts'
import { createVocabulary } from './vocabulary.ts'

export { losses } from './losses.ts'

type Warn = (text: string) => void

/** One frame of a stream, and whether its sender says that it is the last. */
export interface Frame03 {
  readonly event: StreamResponse
  readonly final: boolean
}

/** Version 0.3 as a client speaks it over one wire. */
export interface Peer03 extends PeerDialect {
  /** A frame of a stream as an event of 1.0. */
  readFrame(input: unknown, warn: Warn): Frame03
}

const unheard: Note = () => {}

/** Makes a peer from what a wire changes. */
export function createPeer(
  transport: Transport,
  changed: Partial<Pick<Peer03, 'encodeRequest' | 'decodeAnswer' | 'of'>> = {},
): Peer03 {
  const words = createVocabulary(transport)
  return {
    ...words,
    // Servers of 0.3 have no list of tasks.
    of: (operation) => (operation === 'ListTasks' ? undefined : words.of(operation)),
    encodeRequest: ({ operation }, request, note = unheard) => {
      if (request.tenant) note('tenant')
      const { tenant: _, ...rest } = request
      const encode = encoders[operation.name] as (request: Call['request'], writing: object) => object
      return encode(rest as Call['request'], { form: formOf(transport), note, transport })
    },
    decodeAnswer: (row, input, warn) => readAnswer(row, input, warn),
    readFrame,
    ...changed,
  }
}

export const peerJsonRpc03: Peer03 = createPeer('jsonRpc')
export const peerRest03: Peer03 = createPeer('rest')
export const peerGrpc03: Peer03 = createPeer('grpc')

/** Reads one object of 0.3 by its shape, forgiving what is merely incomplete. */
function read(shape: string, input: unknown, warn: Warn): Members {
  const warnings: string[] = []
  const value = readShape(shape, input, { lenient: true, warnings })
  for (const text of warnings) warn(`${shape}: ${text}`)
  return value
}

function checked<T extends keyof Messages>(type: T, value: unknown, warn: Warn): Messages[T] {
  const warnings: string[] = []
  const result = validate(type, value, { lenient: true, warnings })
  for (const text of warnings) warn(`${type}: ${text}`)
  return result
}

const readers: Readonly<Record<OperationName, (input: unknown, warn: Warn) => unknown>> = {
  SendMessage: readEvent,
  SendStreamingMessage: readEvent,
  SubscribeToTask: readEvent,
  GetTask: readBareTask,
  CancelTask: readBareTask,
  ListTasks: (input, warn) => {
    const page = Array.isArray(input) ? { tasks: input } : (input as Members)
    const list = read('TaskList', page, warn) as { readonly tasks?: readonly Members[] }
    const tasks = (list.tasks ?? []).map((task) => readTask(task))
    return { nextPageToken: '', pageSize: tasks.length, totalSize: tasks.length, ...list, tasks }
  },
  CreateTaskPushNotificationConfig: (input, warn) => readPush(read('TaskPushNotificationConfig', input, warn)),
  GetTaskPushNotificationConfig: (input, warn) => readPush(read('TaskPushNotificationConfig', input, warn)),
  ListTaskPushNotificationConfigs: (input, warn) => {
    const list = Array.isArray(input) ? { configs: input } : input
    const { configs = [], ...page } = read('PushNotificationConfigList', list, warn)
    return { ...page, configs: (configs as Members[]).map((config) => readPush(config)) }
  },
  DeleteTaskPushNotificationConfig: () => ({}),
  GetExtendedAgentCard: (input, warn) => fromCard03(input, warn),
}

function readAnswer({ operation }: WireOperation, input: unknown, warn: Warn): Messages[keyof Messages] {
  return checked(operation.response, readers[operation.name](input, warn), warn)
}

/** The names that protobuf gives to the choices of an answer. */
const wrappers: Readonly<Record<string, string>> = {
  task: 'task',
  message: 'message',
  msg: 'message',
  statusUpdate: 'status-update',
  status_update: 'status-update',
  artifactUpdate: 'artifact-update',
  artifact_update: 'artifact-update',
}

function readBareTask(input: unknown, warn: Warn): object {
  const wrapped = isObject(input) && isObject(input.task) && input.status === undefined
  return readFirst('task', wrapped ? input.task : input, warn).value
}

function readEvent(input: unknown, warn: Warn): object {
  return readAny(input, warn).value
}

/** A bare object of any kind, or one that is wrapped by its name. */
function readAny(input: unknown, warn: Warn): { readonly value: object; readonly final: boolean } {
  if (isObject(input)) {
    const name = Object.keys(input).find((key) => Object.hasOwn(wrappers, key) && isObject(input[key]))
    if (name !== undefined && kindOf(input) === undefined)
      return readFirst(wrappers[name] as string, input[name], warn, true)
  }
  return readFirst(kindOf(input) ?? 'task', input, warn, true)
}

function readFirst(
  kind: string,
  input: unknown,
  warn: Warn,
  named = false,
): { readonly value: object; readonly final: boolean } {
  const problems: Problems = []
  const result = convert(kind, input, { warn, problems })
  for (const { field, description } of problems) warn(`${kind}: ${field}: ${description}`)
  const { name, value, final = false } = result
  return { value: named ? { [name]: value } : value, final }
}

function convert(
  kind: string,
  input: unknown,
  { warn, problems }: { readonly warn: Warn; readonly problems: Problems },
): { readonly name: string; readonly value: object; readonly final?: boolean } {
  switch (kind) {
    case 'message':
      return { name: 'message', value: readMessage(read('Message', input, warn), problems) }
    case 'status-update': {
      const { statusUpdate, final } = readStatusUpdate(read('TaskStatusUpdateEvent', input, warn), problems)
      return { name: 'statusUpdate', value: statusUpdate, final }
    }
    case 'artifact-update':
      return {
        name: 'artifactUpdate',
        value: readArtifactUpdate(read('TaskArtifactUpdateEvent', input, warn), problems),
      }
    default:
      return { name: 'task', value: readTask(read('Task', input, warn), problems) }
  }
}

function readFrame(input: unknown, warn: Warn): Frame03 {
  const { value, final } = readAny(input, warn)
  return { event: checked('StreamResponse', value, warn), final }
}
