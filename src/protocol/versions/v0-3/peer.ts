import type { Call } from '../../endpoint.ts'
import { A2AError } from '../../errors.ts'
import type { Messages, StreamResponse } from '../../generated/v1/types.ts'
import type { OperationName } from '../../operations.ts'
import { validate } from '../../validate.ts'
import type { Note, PeerDialect } from '../dialect.ts'
import { fromCard03 } from './card.ts'
import { losses } from './losses.ts'
import {
  type Bytes,
  type Kind,
  kindOf,
  type Place,
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

export { losses }

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
  // JSON-RPC has no protobuf beneath it that could be mistaken for text.
  bytes: Bytes = transport === 'jsonRpc' ? 'plain' : 'guess',
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
      return encode(rest as Call['request'], { form: formOf(transport), note, transport, bytes })
    },
    decodeAnswer: ({ operation: { name, response } }, input, warn) =>
      usable(response, () => checked(response, readers[name](input, { warn, bytes }), warn)),
    readFrame: (input, warn) =>
      usable('StreamResponse', () => {
        const { value, final } = readAny(input, { warn, bytes })
        return { event: checked('StreamResponse', value, warn), final }
      }),
    ...changed,
  }
}

export const peerJsonRpc03: Peer03 = createPeer('jsonRpc')
export const peerRest03: Peer03 = createPeer('rest')
export const peerGrpc03: Peer03 = createPeer('grpc')

/** The peer for agents of which it is known whether they have base64 text in place of the bytes of a file. */
export function peerOfFiles(transport: 'rest' | 'grpc', filesAsText: boolean | undefined): Peer03 {
  if (filesAsText === undefined) return transport === 'rest' ? peerRest03 : peerGrpc03
  return createPeer(transport, {}, filesAsText ? 'text' : 'plain')
}

/** Reads one object of 0.3 by its shape, forgiving what is merely incomplete. */
function read(shape: string, input: unknown, warn: Warn): Members {
  const warnings: string[] = []
  const value = readShape(shape, input, { lenient: true, warnings })
  for (const text of warnings) warn(`${shape}: ${text}`)
  return value
}

/** What a peer says wrong is no fault of the caller's: throws InvalidAgentResponse. */
function usable<T>(type: string, reading: () => T): T {
  try {
    return reading()
  } catch (error) {
    const { message, violations } = A2AError.from(error)
    throw new A2AError('InvalidAgentResponse', `The answer is no valid ${type}: ${message}`, {
      violations,
      cause: error,
    })
  }
}

function checked<T extends keyof Messages>(type: T, value: unknown, warn: Warn): Messages[T] {
  const warnings: string[] = []
  const result = validate(type, value, { lenient: true, warnings })
  for (const text of warnings) warn(`${type}: ${text}`)
  return result
}

/** Who hears of flaws, and what the peer means by the bytes of protobuf. */
interface Reading {
  readonly warn: Warn
  readonly bytes: Bytes
}

const readers: Readonly<Record<OperationName, (input: unknown, reading: Reading) => unknown>> = {
  SendMessage: readEvent,
  SendStreamingMessage: readEvent,
  SubscribeToTask: readEvent,
  GetTask: readBareTask,
  CancelTask: readBareTask,
  ListTasks: (input, reading) => {
    const page = Array.isArray(input) ? { tasks: input } : input
    const { tasks: read03 = [], ...list } = read('TaskList', page, reading.warn)
    const tasks = noticing('task', reading, (place) =>
      (read03 as Members[]).map((task, at) => readTask(task, { ...place, at: `[${at}].` })),
    )
    return { nextPageToken: '', pageSize: tasks.length, totalSize: tasks.length, ...list, tasks }
  },
  CreateTaskPushNotificationConfig: readConfig,
  GetTaskPushNotificationConfig: readConfig,
  ListTaskPushNotificationConfigs: (input, { warn }) => {
    const list = Array.isArray(input) ? { configs: input } : input
    const { configs = [], ...page } = read('PushNotificationConfigList', list, warn)
    return { ...page, configs: (configs as Members[]).map((config) => readPush(config, noting(warn))) }
  },
  DeleteTaskPushNotificationConfig: () => ({}),
  GetExtendedAgentCard: (input, { warn }) => fromCard03(input, warn),
}

function readConfig(input: unknown, { warn }: Reading): object {
  return readPush(read('TaskPushNotificationConfig', input, warn), noting(warn))
}

/** Warns of what 1.0 has no place for. */
function noting(warn: Warn): Note {
  return (id) => {
    const loss = losses.find((row) => row.id === id)
    warn(`A2A 1.0 cannot say ${loss?.what ?? id}: ${loss?.outcome ?? 'left out'}`)
  }
}

/** Reads, and warns of what turned out wrong with parts and times. */
function noticing<T>(name: string, { warn, bytes }: Reading, convert: (place: Place) => T): T {
  const problems: Problems = []
  const result = convert({ problems, bytes, at: '' })
  for (const { field, description } of problems) warn(`${name}: ${field}: ${description}`)
  return result
}

/** The names that protobuf gives to the choices of an answer. */
const wrappers: Readonly<Record<string, Kind>> = {
  task: 'task',
  message: 'message',
  msg: 'message',
  statusUpdate: 'status-update',
  status_update: 'status-update',
  artifactUpdate: 'artifact-update',
  artifact_update: 'artifact-update',
}

function readBareTask(input: unknown, reading: Reading): object {
  const wrapped = isObject(input) && isObject(input.task) && input.status === undefined
  const value = read('Task', wrapped ? input.task : input, reading.warn)
  return noticing('task', reading, (place) => readTask(value, place))
}

function readEvent(input: unknown, reading: Reading): object {
  return readAny(input, reading).value
}

interface ReadEvent {
  /** An event of 1.0, not checked yet. */
  readonly value: object
  readonly final: boolean
}

/** A bare object of any kind, or one that is wrapped by its name. */
function readAny(input: unknown, reading: Reading): ReadEvent {
  const own = kindOf(input)
  if (own === undefined && isObject(input)) {
    const name = Object.keys(input).find((key) => Object.hasOwn(wrappers, key) && isObject(input[key]))
    if (name !== undefined) return convert(wrappers[name] as Kind, input[name], reading)
  }
  if (own === undefined && !(isObject(input) && 'id' in input)) {
    throw new A2AError('InvalidAgentResponse', 'it is neither a task nor a message nor an event')
  }
  return convert(own ?? 'task', input, reading)
}

function convert(kind: Kind, input: unknown, reading: Reading): ReadEvent {
  return noticing(kind, reading, (place) => {
    switch (kind) {
      case 'message':
        return { value: { message: readMessage(read('Message', input, reading.warn), place) }, final: false }
      case 'status-update': {
        const { statusUpdate, final } = readStatusUpdate(read('TaskStatusUpdateEvent', input, reading.warn), place)
        return { value: { statusUpdate }, final }
      }
      case 'artifact-update': {
        const update = read('TaskArtifactUpdateEvent', input, reading.warn)
        return { value: { artifactUpdate: readArtifactUpdate(update, place) }, final: false }
      }
      default:
        return { value: { task: readTask(read('Task', input, reading.warn), place) }, final: false }
    }
  })
}
