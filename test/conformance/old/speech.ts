import assert from 'node:assert/strict'
import { type Scene, skip } from '../scene.ts'
import type { Answer, Binding, Frames, Json } from '../wire/peer.ts'

/** A task of 0.3, without the spelling of its binding. */
export interface OldTask {
  readonly id: string
  readonly contextId: string
  /** Such as `input-required`. */
  readonly state: string
  readonly text: string
  readonly history: readonly Json[] | undefined
  readonly artifacts: readonly Json[]
  readonly raw: Json
}

/** What a test asks of 0.3. */
export interface OldAsk {
  readonly messageId?: string
  readonly text?: string
  readonly taskId?: string
  readonly contextId?: string
  readonly configuration?: Json
  /** Parts and members in the words of JSON-RPC, which every binding is asked in its own. */
  readonly parts?: readonly Json[]
}

/** The operations of 0.3 by what they do. */
export type OldOperation =
  | 'send'
  | 'stream'
  | 'get'
  | 'cancel'
  | 'subscribe'
  | 'card'
  | 'setPush'
  | 'getPush'
  | 'listPush'
  | 'deletePush'

const jsonRpc: Readonly<Record<OldOperation, string>> = {
  send: 'message/send',
  stream: 'message/stream',
  get: 'tasks/get',
  cancel: 'tasks/cancel',
  subscribe: 'tasks/resubscribe',
  card: 'agent/getAuthenticatedExtendedCard',
  setPush: 'tasks/pushNotificationConfig/set',
  getPush: 'tasks/pushNotificationConfig/get',
  listPush: 'tasks/pushNotificationConfig/list',
  deletePush: 'tasks/pushNotificationConfig/delete',
}

const service: Readonly<Record<OldOperation, string>> = {
  send: 'SendMessage',
  stream: 'SendStreamingMessage',
  get: 'GetTask',
  cancel: 'CancelTask',
  subscribe: 'TaskSubscription',
  card: 'GetAgentCard',
  setPush: 'CreateTaskPushNotificationConfig',
  getPush: 'GetTaskPushNotificationConfig',
  listPush: 'ListTaskPushNotificationConfig',
  deletePush: 'DeleteTaskPushNotificationConfig',
}

/** What a binding calls an operation. */
export function nameOn(binding: Binding, operation: OldOperation): string {
  return binding === 'JSONRPC' ? jsonRpc[operation] : service[operation]
}

/** A request about a task. */
function about(binding: Binding, id: string, rest: Json = {}): Json {
  return binding === 'GRPC' ? { name: `tasks/${id}`, ...rest } : { id, ...rest }
}

function protoPart({ kind, text, file, data }: Json): Json {
  if (kind === 'text') return { text }
  if (kind === 'data') return { data: { data } }
  const { bytes, uri, mimeType } = file as Json
  return { file: { ...(bytes === undefined ? { fileWithUri: uri } : { fileWithBytes: bytes }), mimeType } }
}

/** The request of a send in the words of a binding. */
export function oldSend({ peer, subject }: Pick<Scene, 'peer' | 'subject'>, ask: OldAsk): Json {
  const { messageId = `test-${subject.session}`, text = 'Hello from the suite', taskId, contextId, configuration } = ask
  const { parts = [{ kind: 'text', text }] } = ask
  const ids = { messageId, ...(taskId !== undefined && { taskId }), ...(contextId !== undefined && { contextId }) }
  const rest = configuration === undefined ? {} : { configuration }
  if (peer.binding === 'JSONRPC') return { message: { kind: 'message', role: 'user', parts, ...ids }, ...rest }
  return { message: { role: 'ROLE_USER', content: parts.map(protoPart), ...ids }, ...rest }
}

const states: Readonly<Record<string, string>> = { TASK_STATE_CANCELLED: 'canceled' }

/** A state as JSON-RPC spells it. */
export function oldState(state: unknown): string {
  const text = String(state)
  return states[text] ?? text.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
}

/** The task in a value, bare or wrapped. */
export function readOldTask(value: Json | undefined): OldTask {
  const raw = (value?.task ?? value ?? {}) as Json
  const status = raw.status as Json | undefined
  assert.ok(typeof raw.id === 'string' && status !== undefined, `this is no task: ${JSON.stringify(value)}`)
  const message = status.message as Json | undefined
  const parts = (message?.parts ?? message?.content ?? []) as readonly Json[]
  return {
    id: raw.id,
    contextId: String(raw.contextId),
    state: oldState(status.state),
    text: parts.map(({ text }) => text ?? '').join(''),
    history: raw.history as readonly Json[] | undefined,
    artifacts: (raw.artifacts ?? []) as readonly Json[],
    raw,
  }
}

/** The status in an event of a stream, and whether the event says that it is the last. */
export function readOldStatus(
  event: Json | undefined,
): { readonly state: string; readonly final: boolean } | undefined {
  const update = (event?.statusUpdate ?? (event?.kind === 'status-update' ? event : undefined)) as Json | undefined
  if (update === undefined) return undefined
  return { state: oldState((update.status as Json).state), final: update.final === true }
}

/** Makes a call of 0.3. */
export function ask(scene: Pick<Scene, 'peer'>, operation: OldOperation, request: Json): Promise<Answer> {
  return scene.peer.call(nameOn(scene.peer.binding, operation), request)
}

/** Sends, and gives whatever is answered. */
export function send(scene: Scene, what: OldAsk = {}): Promise<Answer> {
  return ask(scene, 'send', oldSend(scene, what))
}

/** Sends what must give a task. */
export async function sendTask(scene: Scene, what: OldAsk = {}): Promise<OldTask> {
  return readOldTask(resultOf(await send(scene, what)))
}

/** Opens a stream. */
export function stream(scene: Scene, what: OldAsk = {}): Promise<Frames> {
  return scene.peer.open(nameOn(scene.peer.binding, 'stream'), oldSend(scene, what))
}

/** Follows a task. */
export function subscribe({ peer }: Scene, id: string): Promise<Frames> {
  return peer.open(nameOn(peer.binding, 'subscribe'), about(peer.binding, id))
}

/** Reads a task. */
export function get(scene: Scene, id: string, historyLength?: number): Promise<Answer> {
  const rest = historyLength === undefined ? {} : { historyLength }
  return ask(scene, 'get', about(scene.peer.binding, id, rest))
}

/** Cancels a task. */
export function cancel(scene: Scene, id: string): Promise<Answer> {
  return ask(scene, 'cancel', about(scene.peer.binding, id))
}

/** The result of a call that must succeed. */
export function resultOf(answer: Answer): Json {
  assert.equal(answer.error, undefined, `refused: ${answer.error?.code} ${answer.error?.message}`)
  return answer.value ?? {}
}

type Codes = readonly [jsonRpc: number, http: readonly number[], grpc: readonly number[]]

export type OldError =
  | 'TaskNotFound'
  | 'TaskNotCancelable'
  | 'PushNotificationNotSupported'
  | 'UnsupportedOperation'
  | 'InvalidParams'

const codes: Readonly<Record<OldError, Codes>> = {
  TaskNotFound: [-32001, [404], [5]],
  TaskNotCancelable: [-32002, [400, 409], [9, 12]],
  PushNotificationNotSupported: [-32003, [400, 501], [9, 12]],
  UnsupportedOperation: [-32004, [400, 501], [9, 12]],
  InvalidParams: [-32602, [400], [3]],
}

/** This error must have come; bindings other than JSON-RPC had no table of their own in 0.3. */
export function failsWith({ peer }: Scene, name: OldError, { error }: Pick<Answer, 'error'>): void {
  assert.ok(error, 'there is no error')
  const [rpc, http, grpc] = codes[name]
  const allowed = { JSONRPC: [rpc], 'HTTP+JSON': [...http, rpc], GRPC: grpc }[peer.binding]
  assert.ok(allowed.includes(error.code), `${name} was expected, not ${error.code} ${error.message}`)
}

/** Leaves a check that needs something which the card does not declare. */
export function needs({ subject }: Scene, capability: string): void {
  const { capabilities = {} } = subject.card as { capabilities?: Json }
  if (capabilities[capability] !== true) skip(`the card does not declare ${capability}`)
}
