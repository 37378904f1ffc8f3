import type { HttpHandler, HttpRequest } from '../lib/http.ts'
import { silent } from '../lib/log.ts'
import { SseStreams } from '../lib/sse.ts'
import { encodeValue } from '../protocol/encoded.ts'
import type { Call, Endpoint, StreamEvent } from '../protocol/endpoint.ts'
import type { StreamResponse } from '../protocol/generated/v1/types.ts'
import { profiles } from '../protocol/profiles.ts'
import type { ServingOptions } from './serving.ts'

/** An endpoint that notes its calls and answers as it is told. */
export interface FakeEndpoint extends Endpoint {
  readonly calls: Call[]
  /** Thrown by the next calls. */
  error: unknown
  /** Result of unary calls. */
  result: unknown
  /** Frames of streams; a thrown value stands for a stream that breaks. */
  frames: () => AsyncIterable<readonly StreamEvent[]>
  extensions: readonly string[]
}

/** Frames from plain values. */
export async function* framesOf(
  ...groups: readonly (readonly StreamResponse[])[]
): AsyncIterable<readonly StreamEvent[]> {
  let id = 0
  for (const group of groups) yield group.map((value) => encodeValue<StreamResponse>(value, ++id) as StreamEvent)
}

/** A status update of task `t`. */
export function update(state: 'TASK_STATE_WORKING' | 'TASK_STATE_COMPLETED'): StreamResponse {
  return { statusUpdate: { taskId: 't', contextId: 'c', status: { state } } }
}

export function createFakeEndpoint(): FakeEndpoint {
  const fake: FakeEndpoint = {
    calls: [],
    error: undefined,
    result: { id: 't', status: { state: 'TASK_STATE_COMPLETED' } },
    frames: () => framesOf([update('TASK_STATE_WORKING')], [update('TASK_STATE_COMPLETED')]),
    extensions: [],
    async unary(call) {
      fake.calls.push(call as Call)
      if (fake.error !== undefined) throw fake.error
      return { result: encodeValue(fake.result) as never, extensions: fake.extensions }
    },
    async stream(call) {
      fake.calls.push(call as Call)
      if (fake.error !== undefined) throw fake.error
      return { events: fake.frames(), extensions: fake.extensions }
    },
  }
  return fake
}

/** Options of a binding that lets everything through to an endpoint. */
export function servingOptions(endpoint: Endpoint, options: Partial<ServingOptions> = {}): ServingOptions {
  return {
    endpoint,
    identify: () => '',
    gate: () => {},
    streams: new SseStreams({ keepAlive: 0, retry: 1_000 }),
    profile: profiles['spec-1.0.1'],
    tenants: new Set(),
    bodyLimit: 1_000,
    log: silent,
    ...options,
  }
}

export interface FakeRequest {
  readonly method?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A request that never saw a socket. */
export function fakeRequest({ method = 'POST', url = '/', headers, body = '' }: FakeRequest): HttpRequest {
  const [path = '/', query = ''] = url.split('?')
  return {
    method,
    path,
    query,
    secure: false,
    headers: { host: 'agent.example', 'a2a-version': '1.0', ...headers },
    signal: new AbortController().signal,
    body: async () => body,
  }
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Sends a request to a handler and reads the whole answer. */
export async function ask(handle: HttpHandler, request: FakeRequest): Promise<Answer> {
  const { status, headers, body } = await handle(fakeRequest(request))
  if (typeof body === 'string') return { status, headers, text: body }
  let text = ''
  for await (const piece of body as AsyncIterable<string>) text += piece
  return { status, headers, text }
}
