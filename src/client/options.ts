import type { TlsOptions, TransportLimits, TransportOptions } from '../bindings/fetch-call.ts'
import type { JsonObject } from '../lib/json.ts'
import type { Endpoint, Middleware } from '../protocol/endpoint.ts'
import type { AgentInterface, Message, Part, TaskPushNotificationConfig } from '../protocol/generated/v1/types.ts'
import type { CardCache } from './card-cache.ts'

/** Makes the transport for one interface of a card. */
export type ConnectBinding = (iface: AgentInterface, transport: TransportOptions) => Endpoint

type HeaderMap = Readonly<Record<string, string>>

/** How an agent is found and called. */
export interface ConnectOptions {
  /** Bearer token, or a function that gives the one to use now. Sent with every call and with the request for the card. */
  readonly token?: string | (() => string | Promise<string>)
  /** Headers that go wherever the token would, such as an API key. */
  readonly headers?: HeaderMap | (() => HeaderMap | Promise<HeaderMap>)
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** For gRPC only: whom to trust, and the client's own certificate. Where `fetch` is used, give a `fetch` that knows them. */
  readonly tls?: TlsOptions
  /** Ends the search for the card. */
  readonly signal?: AbortSignal
  /** Extensions to ask for with every call (`A2A-Extensions`, §3.2.6). */
  readonly extensions?: readonly string[]
  /** Limits of a call; none for the length of a stream. `firstByte` covers also sends unless `firstByteOfSend` is given. */
  readonly limits?: Partial<TransportLimits>
  readonly retry?: Partial<RetryOptions>
  readonly polling?: Partial<PollingOptions>
  /** Where cards are kept as long as their HTTP headers allow; with credentials or an own `fetch` nothing is kept unless this is given. */
  readonly cache?: CardCache
  /** The one binding to use, by the name it has in cards, such as `GRPC`; without it, the card's order decides. */
  readonly binding?: string
  /** The one version to use; without it, interfaces of 1.0 come before those of 0.3. */
  readonly version?: '1.0' | '0.3'
  /**
   * For HTTP+JSON and gRPC of 0.3: whether the agent has base64 text where the protocol has the bytes of a file, as those do
   * that are made with the SDKs for Python and Go, unlike that for JavaScript. Without it, it is told from what they say.
   */
  readonly filesAsText?: boolean
  /** Further bindings by the name they have in cards, or replacements for `JSONRPC`, `HTTP+JSON` and `GRPC`. */
  readonly bindings?: Readonly<Record<string, ConnectBinding>>
  /** Wrappers around the transport, the first outermost; they see each call once, however often it is repeated. */
  readonly middleware?: readonly Middleware[]
  /** Told once of each oddity of the agent that was tolerated. The same texts gather in `agent.warnings`. */
  readonly onWarning?: (text: string) => void
}

/** How calls that may be repeated are repeated, and how a broken stream is picked up. */
export interface RetryOptions {
  /** Repetitions of one call. */
  readonly calls: number
  /** Attempts in a row to get back to a task. */
  readonly reconnects: number
  /** Milliseconds: the bound of the first delay, which doubles. */
  readonly base: number
  /** Milliseconds: the longest delay, also of one that the agent asks for. */
  readonly cap: number
}

export interface PollingOptions {
  /** Milliseconds: the bound of the first delay, which doubles while nothing changes. */
  readonly base: number
  /** Milliseconds: the longest delay. */
  readonly cap: number
}

export const retryDefaults: RetryOptions = { calls: 3, reconnects: 10, base: 250, cap: 10_000 }
export const pollingDefaults: PollingOptions = { base: 400, cap: 5_000 }

/** What every call takes. */
export interface CallOptions {
  /** Ends the wait, with an error of code Cancelled; the task goes on. */
  readonly signal?: AbortSignal
}

/** What a send takes besides its message. */
export interface SendOptions extends CallOptions {
  /** The conversation; without it, the agent begins a new one. */
  readonly contextId?: string
  /** A task of the agent that this message continues. */
  readonly taskId?: string
  readonly referenceTaskIds?: readonly string[]
  /** Metadata of the request, apart from that of the message (§3.2.5). */
  readonly metadata?: JsonObject
  /** Media types the caller takes; none means any. */
  readonly acceptedOutputModes?: readonly string[]
  /** How many of the newest history messages to return. */
  readonly historyLength?: number
  /** A webhook to register for the task. */
  readonly taskPushNotificationConfig?: TaskPushNotificationConfig
  /** Whether aborting `signal` also cancels the task at the agent. */
  readonly cancelOnAbort?: boolean
}

/** What can be sent: text, one part, several parts, or a message whose missing members are filled in. */
export type SendInput = string | Part | readonly (Part | string)[] | (Partial<Message> & Pick<Message, 'parts'>)
