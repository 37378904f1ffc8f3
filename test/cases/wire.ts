import { randomUUID } from 'node:crypto'
import type { Message, Part, SendMessageConfiguration, Task } from '../../src/protocol/generated/v1/types.ts'
import { callGrpc } from './grpc.ts'

export type BindingName = 'JSONRPC' | 'HTTP+JSON'
export const bindingNames: readonly BindingName[] = ['JSONRPC', 'HTTP+JSON']

/** Every binding; the two above are those whose requests are JSON. */
export type AnyBinding = BindingName | 'GRPC'
export const allBindings: readonly AnyBinding[] = [...bindingNames, 'GRPC']

type Json = Readonly<Record<string, unknown>>

/** One HTTP request, as a caller by hand would write it. */
export interface WireRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Verb and path of each operation (§11.3), and whether its other fields go into a body. */
const rest: Readonly<Record<string, readonly [verb: string, path: string, body: boolean]>> = {
  SendMessage: ['POST', '/message:send', true],
  SendStreamingMessage: ['POST', '/message:stream', true],
  GetTask: ['GET', '/tasks/{id}', false],
  ListTasks: ['GET', '/tasks', false],
  CancelTask: ['POST', '/tasks/{id}:cancel', true],
  SubscribeToTask: ['POST', '/tasks/{id}:subscribe', true],
  CreateTaskPushNotificationConfig: ['POST', '/tasks/{taskId}/pushNotificationConfigs', true],
  GetTaskPushNotificationConfig: ['GET', '/tasks/{taskId}/pushNotificationConfigs/{id}', false],
  ListTaskPushNotificationConfigs: ['GET', '/tasks/{taskId}/pushNotificationConfigs', false],
  DeleteTaskPushNotificationConfig: ['DELETE', '/tasks/{taskId}/pushNotificationConfigs/{id}', false],
  GetExtendedAgentCard: ['GET', '/extendedAgentCard', false],
}

/** The names of all operations (§5.3). */
export const operationNames: readonly string[] = Object.keys(rest)

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly id?: unknown
}

/** The request by which a binding makes a call. */
export function wireRequest(
  binding: AnyBinding,
  operation: string,
  { request, options = {} }: { readonly request: Json; readonly options?: CallOptions | undefined },
): WireRequest {
  if (binding === 'GRPC') throw new Error('a request of gRPC is no JSON')
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', ...options.headers }
  if (binding === 'JSONRPC') {
    const { id = 1 } = options
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: operation, params: request })
    return { method: 'POST', path: '/invoke', headers, body }
  }
  const [method, pattern, hasBody] = rest[operation] as (typeof rest)[string] & {}
  const left = new Map(Object.entries(request))
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(left.get(name) ?? '')
    left.delete(name)
    return encodeURIComponent(value)
  })
  if (hasBody) return { method, path, headers, body: JSON.stringify(Object.fromEntries(left)) }
  const query = new URLSearchParams(
    [...left].map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const { 'content-type': _, ...bare } = headers
  return { method, path: query === '' ? path : `${path}?${query}`, headers: bare, body: '' }
}

/** An error as either binding tells it, in one form. */
export interface SeenError {
  /** JSON-RPC code, or HTTP status. */
  readonly code: number
  readonly status: string | undefined
  readonly message: string
  readonly reason: string | undefined
  readonly fields: readonly string[]
}

/** What a call came to. */
export interface Outcome {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly error: SeenError | undefined
  /** The result; undefined when there is an error. */
  readonly value: unknown
}

interface Detail extends Json {
  readonly reason?: string
  readonly fieldViolations?: readonly { readonly field: string }[]
}

/** The error in the text of an answer or a frame. */
export function readError(binding: AnyBinding, body: unknown): SeenError | undefined {
  const { error } = (body ?? {}) as { error?: Json & { readonly code: number; readonly message: string } }
  if (error === undefined) return undefined
  const details = ((binding === 'JSONRPC' ? error.data : error.details) ?? []) as readonly Detail[]
  return {
    code: error.code,
    status: error.status as string | undefined,
    message: error.message,
    reason: details.find(({ reason }) => reason !== undefined)?.reason,
    fields: details.flatMap(({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field)),
  }
}

/** The code of InvalidParams in each binding (§5.4). */
export const invalidParamsCode: Readonly<Record<AnyBinding, number>> = { JSONRPC: -32602, 'HTTP+JSON': 400, GRPC: 3 }

/** Sends a request and reads the whole answer. */
export async function exchange(url: string, request: WireRequest): Promise<Outcome & { readonly body: unknown }> {
  const { method, path, headers, body } = request
  const answer = await fetch(url + path, { method, headers, ...(body !== '' && { body }) })
  const text = await answer.text()
  const parsed: unknown = text === '' ? undefined : JSON.parse(text)
  const binding = path.startsWith('/invoke') ? 'JSONRPC' : 'HTTP+JSON'
  const error = readError(binding, parsed)
  const value = binding === 'JSONRPC' ? (parsed as Json | undefined)?.result : parsed
  return { status: answer.status, headers: answer.headers, text, body: parsed, error, value: error ? undefined : value }
}

/** A caller who knows one server and one binding. */
export interface Caller {
  readonly url: string
  readonly binding: AnyBinding
  /** Makes a call and tells what came of it. */
  call(operation: string, request: Json, options?: CallOptions): Promise<Outcome>
  /** Makes a call that must work. */
  ok<T = Json>(operation: string, request: Json, options?: CallOptions): Promise<T>
  /** Makes a call that must fail. */
  fails(operation: string, request: Json, options?: CallOptions): Promise<SeenError & { readonly httpStatus: number }>
  /** Sends a script, and waits for what SendMessage answers. */
  send(script: string | readonly Part[], options?: SendOptions): Promise<Task>
  get(id: string, historyLength?: number): Promise<Task>
  cancel(id: string): Promise<Task>
}

export interface SendOptions extends CallOptions {
  readonly message?: Partial<Message>
  readonly configuration?: SendMessageConfiguration
  readonly metadata?: Json
}

/** The request of a send. */
export function sendRequest(script: string | readonly Part[], options: SendOptions = {}): Json {
  const { message, configuration, metadata } = options
  const parts = typeof script === 'string' ? [{ text: script }] : script
  return {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...message },
    ...(configuration && { configuration }),
    ...(metadata && { metadata }),
  }
}

/** The configuration that asks for an answer at once. */
export const atOnce: { readonly configuration: SendMessageConfiguration } = {
  configuration: { returnImmediately: true },
}

/** A caller of a served agent. */
export function callerOf({ url }: { readonly url: string }, binding: AnyBinding): Caller {
  const caller: Caller = {
    url,
    binding,
    call: (operation, request, options) =>
      binding === 'GRPC'
        ? callGrpc({ url, operation, request, options })
        : exchange(url, wireRequest(binding, operation, { request, options })),
    async ok<T>(operation: string, request: Json, options?: CallOptions) {
      const { error, value, text } = await caller.call(operation, request, options)
      if (error !== undefined || value === undefined) throw new Error(`${operation} was refused: ${text}`)
      return value as T
    },
    async fails(operation, request, options) {
      const { error, status, text } = await caller.call(operation, request, options)
      if (error === undefined) throw new Error(`${operation} was not refused: ${text}`)
      return { ...error, httpStatus: status }
    },
    async send(script, options = {}) {
      const { task } = await caller.ok<{ task?: Task }>('SendMessage', sendRequest(script, options), options)
      if (task === undefined) throw new Error('expected a task, not a message')
      return task
    },
    get: (id, historyLength) => caller.ok('GetTask', { id, ...(historyLength !== undefined && { historyLength }) }),
    cancel: (id) => caller.ok('CancelTask', { id }),
  }
  return caller
}
