import { type Encoded, encodeValue } from '../../encoded.ts'
import type { Call, StreamEvent } from '../../endpoint.ts'
import type {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '../../generated/v1/types.ts'
import type { OperationName } from '../../operations.ts'
import { isTerminal } from '../../task.ts'
import { validate } from '../../validate.ts'
import type { DecodeOptions, Dialect, Frame, Note, WireOperation } from '../dialect.ts'
import { toCard03 } from './card.ts'
import { type Row03, rows03 } from './operations.ts'
import { type Problems, raise, readQuery, readShape } from './read.ts'
import { decoders, formOf, type Transport } from './requests.ts'
import type { Members } from './shapes.ts'
import { createVocabulary } from './vocabulary.ts'
import { type Writing, writeEvent, writePush, writeTask } from './write.ts'

const unheard: Note = () => {}

const shapeOf: ReadonlyMap<OperationName, string> = new Map(
  rows03.map(({ operation, params }: Row03) => [operation.name, params]),
)

function createDialect(transport: Transport, plainBytes = false): Dialect {
  const form = formOf(transport)
  const cache = { final: new WeakMap<StreamEvent, Frame>(), open: new WeakMap<StreamEvent, Frame>() }

  function decode({ operation }: WireOperation, read: (shape: string) => Members, note = unheard): Call['request'] {
    const problems: Problems = []
    const value = read(shapeOf.get(operation.name) ?? 'Nothing')
    const request = decoders[operation.name](value, { form, note, problems, plainBytes })
    raise(problems)
    return validate(operation.request, request) as Call['request']
  }

  function frame(event: StreamEvent, { final, note }: { readonly final: boolean; readonly note: Note }): Frame {
    const frames = final ? cache.final : cache.open
    let known = frames.get(event)
    if (known === undefined) {
      known = encodeValue(writeEvent(event.value, { form, note, final, plainBytes }), event.id)
      frames.set(event, known)
    }
    return known
  }

  return {
    ...createVocabulary(transport),
    ...(transport === 'jsonRpc' && { streamErrors: 'event' }),
    decode: (row, input, options: DecodeOptions = {}) =>
      decode(row, (shape) => readShape(shape, input, options), options.note),
    decodeQuery: (row, query, options: DecodeOptions = {}) =>
      decode(row, (shape) => readQuery(shape, query, options), options.note),
    encode: ({ operation }, result, note = unheard) =>
      encodeValue(results[operation.name](result.value as never, { form, note, transport, plainBytes })) as Encoded<unknown>,
    frames(row, events, note = unheard) {
      const endsAtInput = row.operation.name === 'SendStreamingMessage'
      return mapGroups(events, (event) => frame(event, { final: isFinal(event.value, endsAtInput), note }))
    },
  }
}

/** Whether no status follows an event on its stream. */
function isFinal({ statusUpdate }: StreamResponse, endsAtInput: boolean): boolean {
  if (statusUpdate === undefined) return false
  const { state } = statusUpdate.status
  return isTerminal(state) || (endsAtInput && state === 'TASK_STATE_INPUT_REQUIRED')
}

/** Groups with each event replaced. Whoever leaves the loop leaves the source at once, also while it is waited for. */
function mapGroups(
  events: AsyncIterable<readonly StreamEvent[]>,
  map: (event: StreamEvent) => Frame,
): AsyncIterable<readonly Frame[]> {
  return {
    [Symbol.asyncIterator]() {
      const source = events[Symbol.asyncIterator]()
      return {
        async next() {
          const { done, value } = await source.next()
          return done ? { done, value: undefined } : { done: false, value: value.map(map) }
        },
        async return() {
          await source.return?.()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

interface Answering extends Writing {
  readonly transport: Transport
}

const writeConfig = (config: TaskPushNotificationConfig, writing: Answering): object => writePush(config, writing)
const writeAnswer = (task: Task, writing: Answering): object => writeTask(task, writing)
const writeSent = (sent: SendMessageResponse | StreamResponse, writing: Answering): object =>
  writeEvent(sent as StreamResponse, { ...writing, final: false })

/** Answers of 0.3 from those of 1.0. */
const results: Readonly<Record<OperationName, (value: never, writing: Answering) => unknown>> = {
  SendMessage: writeSent,
  SendStreamingMessage: writeSent,
  GetTask: writeAnswer,
  CancelTask: writeAnswer,
  SubscribeToTask: writeSent,
  ListTasks: ({ tasks, ...page }: ListTasksResponse, writing) => {
    const written = tasks.map((task) => writeTask(task, writing))
    if (writing.transport !== 'rest') return { tasks: written, ...page }
    if (page.totalSize > written.length) writing.note('list-page')
    return written
  },
  CreateTaskPushNotificationConfig: writeConfig,
  GetTaskPushNotificationConfig: writeConfig,
  ListTaskPushNotificationConfigs: ({ configs = [], ...page }: ListTaskPushNotificationConfigsResponse, writing) => {
    const written = configs.map((config) => writePush(config, writing))
    if (writing.form === 'proto') return { configs: written, ...page }
    if (page.nextPageToken) writing.note('push-page')
    return written
  },
  DeleteTaskPushNotificationConfig: (_value, { form }) => (form === 'json' ? null : {}),
  GetExtendedAgentCard: (card: AgentCard, { form, note }) => toCard03(card, form, note),
}

/** Version 0.3 as a server speaks it over each wire. */
export const jsonRpc03: Dialect = createDialect('jsonRpc')
export const rest03: Dialect = forEveryCaller('rest')
export const grpc03: Dialect = forEveryCaller('grpc')

/** Callers in JavaScript, whose SDK takes the bytes of a file for what they are. */
const takesPlainBytes = /^(node|undici|grpc-node|bun|deno|mozilla)/i

function forEveryCaller(transport: Transport): Dialect {
  const usual = createDialect(transport)
  const plain = createDialect(transport, true)
  return { ...usual, forCaller: (userAgent) => (takesPlainBytes.test(userAgent) ? plain : usual) }
}
