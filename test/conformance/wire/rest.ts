import { exchange, type HttpRequest, openEvents } from './http.ts'
import {
  type Answer,
  type CallOptions,
  type Frames,
  type HttpAnswer,
  type Json,
  type Peer,
  readError,
  type WireError,
} from './peer.ts'

export type RestRules = Readonly<Record<string, readonly [verb: string, path: string, body?: 'body']>>

/** Verb and path of each operation (§11.3), and whether the other fields go into a body. */
export const restRules: RestRules = {
  SendMessage: ['POST', '/message:send', 'body'],
  SendStreamingMessage: ['POST', '/message:stream', 'body'],
  GetTask: ['GET', '/tasks/{id}'],
  ListTasks: ['GET', '/tasks'],
  CancelTask: ['POST', '/tasks/{id}:cancel', 'body'],
  SubscribeToTask: ['POST', '/tasks/{id}:subscribe', 'body'],
  CreateTaskPushNotificationConfig: ['POST', '/tasks/{taskId}/pushNotificationConfigs', 'body'],
  GetTaskPushNotificationConfig: ['GET', '/tasks/{taskId}/pushNotificationConfigs/{id}'],
  ListTaskPushNotificationConfigs: ['GET', '/tasks/{taskId}/pushNotificationConfigs'],
  DeleteTaskPushNotificationConfig: ['DELETE', '/tasks/{taskId}/pushNotificationConfigs/{id}'],
  GetExtendedAgentCard: ['GET', '/extendedAgentCard'],
}

/** The same for 0.3, by the names that its gRPC service has. */
export const olderRestRules: RestRules = {
  SendMessage: ['POST', '/v1/message:send', 'body'],
  SendStreamingMessage: ['POST', '/v1/message:stream', 'body'],
  GetTask: ['GET', '/v1/tasks/{id}'],
  CancelTask: ['POST', '/v1/tasks/{id}:cancel', 'body'],
  TaskSubscription: ['GET', '/v1/tasks/{id}:subscribe'],
  CreateTaskPushNotificationConfig: ['POST', '/v1/tasks/{id}/pushNotificationConfigs', 'body'],
  GetTaskPushNotificationConfig: ['GET', '/v1/tasks/{id}/pushNotificationConfigs/{configId}'],
  ListTaskPushNotificationConfig: ['GET', '/v1/tasks/{id}/pushNotificationConfigs'],
  DeleteTaskPushNotificationConfig: ['DELETE', '/v1/tasks/{id}/pushNotificationConfigs/{configId}'],
  GetAgentCard: ['GET', '/v1/card'],
}

/** 0.3 has its errors bare. */
export function olderError(body: Json): unknown {
  return body.error ?? ('code' in body ? body : undefined)
}

/** How the suites write HTTP+JSON. */
export interface RestStyle {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly rules?: RestRules
  /** Where an error stands in its body; by default under `error`. */
  readonly errorIn?: (body: Json) => unknown
}

/** HTTP+JSON by hand (§11). */
export function restPeer({ url, headers, rules = restRules, errorIn = (body) => body.error }: RestStyle): Peer {
  const written = (operation: string, request: Json, options: CallOptions = {}): HttpRequest => {
    const rule = rules[operation]
    if (rule === undefined) throw new Error(`HTTP+JSON has no ${operation}`)
    const [method, pattern, place] = rule
    const left = new Map(Object.entries(request))
    const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = left.get(name)
      left.delete(name)
      return encodeURIComponent(String(value))
    })
    const rest = [...left].filter(([, value]) => value !== undefined)
    const all = { ...headers, ...options.headers }
    if (place === 'body') {
      // Suites send nothing where there is nothing to say, and call it JSON all the same.
      const body = rest.length === 0 && pattern.includes('{') ? '' : JSON.stringify(Object.fromEntries(rest))
      return { method, url: url + path, headers: { 'content-type': 'application/json', ...all }, body }
    }
    const query = new URLSearchParams(rest.map(([name, value]): [string, string] => [name, String(value)])).toString()
    return { method, url: `${url}${path}${query === '' ? '' : `?${query}`}`, headers: all }
  }
  const streams: Frames[] = []
  const refusal = ({ body, status, text }: HttpAnswer): WireError | undefined => {
    if (status < 300) return undefined
    const error = body === undefined ? undefined : errorIn(body)
    return readError(error ?? { code: status, message: text })
  }
  return {
    binding: 'HTTP+JSON',
    url,
    async call(operation, request, options): Promise<Answer> {
      const http = await exchange(written(operation, request, options))
      const error = refusal(http)
      return { value: error === undefined ? (http.body ?? {}) : undefined, error, http }
    },
    async open(operation, request, options) {
      const frames = await openEvents(written(operation, request, options), {
        event: (data) => {
          const error = readError(errorIn(data))
          return error === undefined || Number.isNaN(error.code) ? { value: data } : { error }
        },
        refusal,
      })
      streams.push(frames)
      return frames
    },
    close: () => {
      for (const frames of streams) frames.close()
    },
  }
}
