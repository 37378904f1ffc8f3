import { type Encoded, encodeValue } from '../../encoded.ts'
import type { Call, StreamEvent } from '../../endpoint.ts'
import { A2AError, invalidParams } from '../../errors.ts'
import type {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  ListTasksResponse,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '../../generated/v1/types.ts'
import type { Operation, OperationName } from '../../operations.ts'
import { isTerminal } from '../../task.ts'
import { validate } from '../../validate.ts'
import type { DecodeOptions, Dialect, Frame, Note, WireOperation } from '../dialect.ts'
import { asSent, fromCurrent } from './caller-words.ts'
import { toCard03 } from './card.ts'
import { type Row03, rows03 } from './operations.ts'
import { type Bytes, type Problems, raise, readQuery, readShape } from './read.ts'
import { decoders, formOf, type Transport } from './requests.ts'
import type { Members } from './shapes.ts'
import { createVocabulary } from './vocabulary.ts'
import { type Writing, writeEvent, writePush, writeTask } from './write.ts'

const unheard: Note = () => {}

const shapeOf: ReadonlyMap<OperationName, string> = new Map(
  rows03.map(({ operation, params }: Row03) => [operation.name, params]),
)

function createDialect(transport: Transport, bytes: Bytes = 'plain'): Dialect {
  const form = formOf(transport)
  const cache = { final: new WeakMap<StreamEvent, Frame>(), open: new WeakMap<StreamEvent, Frame>() }

  function decode({ operation }: WireOperation, read: (shape: string) => Members, asked: Asked): Call['request'] {
    const { input, options } = asked
    const shape = shapeOf.get(operation.name) ?? 'Nothing'
    const problems: Problems = []
    try {
      const at = { form, note: options.note ?? unheard, problems, bytes }
      const request = decoders[operation.name](read(shape), at)
      raise(problems)
      return validateCurrent(request, { operation, transport, options })
    } catch (error) {
      if (!A2AError.is(error) || error.violations.length === 0) throw error
      throw invalidParams(asSent(error.violations, { shape, input }))
    }
  }

  function frame(event: StreamEvent, { final, note }: { readonly final: boolean; readonly note: Note }): Frame {
    const frames = final ? cache.final : cache.open
    let known = frames.get(event)
    if (known === undefined) {
      known = encodeValue(writeEvent(event.value, { form, note, final, bytes }), event.id)
      frames.set(event, known)
    }
    return known
  }

  return {
    ...createVocabulary(transport),
    ...(transport === 'jsonRpc' && { streamErrors: 'event' }),
    decode: (row, input, options: DecodeOptions = {}) =>
      decode(row, (shape) => readShape(shape, input, options), { input, options }),
    decodeQuery: (row, query, options: DecodeOptions = {}) =>
      decode(row, (shape) => readQuery(shape, query, options), { input: undefined, options }),
    encode: ({ operation }, result, note = unheard) =>
      encodeValue(results[operation.name](result.value as never, { form, note, transport, bytes })) as Encoded<unknown>,
    frames(row, events, note = unheard) {
      const endsAtInput = row.operation.name === 'SendStreamingMessage'
      const map = (event: StreamEvent, isLast: boolean): Frame =>
        frame(event, { final: isFinal(event.value, isLast), note })
      return mapGroups(events, map, { endsAtInput })
    },
  }
}

interface Asked {
  readonly input: unknown
  readonly options: DecodeOptions
}

/** Holds a request to the rules of 1.0 as well, so that nothing gets in which these do not allow. */
function validateCurrent(
  request: object,
  { operation, transport, options }: Pick<Asked, 'options'> & { operation: Operation; transport: Transport },
): Call['request'] {
  const { path: _, warnings: __, ...limits } = options
  try {
    return validate(operation.request, request, limits) as Call['request']
  } catch (error) {
    if (!A2AError.is(error) || error.violations.length === 0) throw error
    throw invalidParams(fromCurrent(error.violations, { operation: operation.name, transport }))
  }
}

/** Whether no status follows an event on its stream. */
function isFinal({ statusUpdate }: StreamResponse, endsAtInput: boolean): boolean {
  if (statusUpdate === undefined) return false
  const { state } = statusUpdate.status
  return isTerminal(state) || (endsAtInput && state === 'TASK_STATE_INPUT_REQUIRED')
}

/** Groups with each event replaced; `isLast` is asked of questions where `endsAtInput`. Whoever leaves the loop leaves the source at once, also while it is waited for. */
function mapGroups(
  events: AsyncIterable<readonly StreamEvent[]>,
  map: (event: StreamEvent, isLast: boolean) => Frame,
  { endsAtInput }: { readonly endsAtInput: boolean },
): AsyncIterable<readonly Frame[]> {
  return {
    [Symbol.asyncIterator]() {
      const source = events[Symbol.asyncIterator]()
      let ahead: ReturnType<typeof source.next> | undefined
      return {
        async next() {
          const { done, value } = await (ahead ?? source.next())
          ahead = undefined
          if (done) return { done, value: undefined }
          // The question of an earlier run is followed by more: only the end of the source tells.
          const asks = value.at(-1)?.value.statusUpdate?.status.state === 'TASK_STATE_INPUT_REQUIRED'
          if (endsAtInput && asks) ahead = source.next()
          const ends = (await ahead?.catch(() => undefined))?.done === true
          return { done: false, value: value.map((event, at) => map(event, ends && at === value.length - 1)) }
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

/** Callers who write base64 text in place of the bytes of a file, and want it so: the SDKs for Python and Go, and our client. */
const wantsText = /^(parlance|python-httpx|grpc-python|go-http-client|grpc-go)/i

function forEveryCaller(transport: Transport): Dialect {
  const usual = createDialect(transport)
  const text = createDialect(transport, 'text')
  return { ...usual, forCaller: (userAgent) => (wantsText.test(userAgent) ? text : usual) }
}
