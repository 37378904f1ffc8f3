import type { Encoded } from './encoded.ts'
import type { StreamResponse } from './generated/v1/types.ts'
import type { OperationTypes, StreamOperation, UnaryOperation } from './operations.ts'

/** What travels beside a request: who calls, for whom, in which way. */
export interface CallContext {
  /** Protocol version of the caller, `Major.Minor`. */
  readonly version: string
  /** `''` when no tenant is named. */
  readonly tenant: string
  /** The authenticated principal, `''` for an anonymous caller. Tasks belong to it. */
  readonly owner: string
  /** Extension URIs that the caller asks for (`A2A-Extensions`, §3.2.6). */
  readonly extensions: readonly string[]
  /** Request headers or gRPC metadata, names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Aborted when the caller goes away. It ends a wait or a stream, never a task. */
  readonly signal?: AbortSignal
}

/** One call of one operation. */
export interface Call<O extends keyof OperationTypes = keyof OperationTypes> {
  readonly operation: O
  readonly request: OperationTypes[O]['request']
  readonly context: CallContext
}

/** The answer to a unary call. */
export interface Reply<O extends UnaryOperation = UnaryOperation> {
  readonly result: Encoded<OperationTypes[O]['response']>
  /** Extensions that were activated. */
  readonly extensions: readonly string[]
}

/** One frame of a stream. `id` is the number of the event in the task's log, where there is one. */
export interface StreamEvent extends Encoded<StreamResponse> {
  readonly id?: number
}

/** The answer to a streaming call; it exists once the first frame is known, so an earlier error is an ordinary error. */
export interface StreamReply {
  /** Frames in order, in the groups in which they became known. Leaving the loop frees everything that the stream holds. */
  readonly events: AsyncIterable<readonly StreamEvent[]>
  readonly extensions: readonly string[]
}

/**
 * Anything that answers A2A calls: the engine, a client transport, or a wrapper around either.
 * Both functions throw `A2AError` only.
 */
export interface Endpoint {
  unary<O extends UnaryOperation>(call: Call<O>): Promise<Reply<O>>
  stream<O extends StreamOperation>(call: Call<O>): Promise<StreamReply>
}

/** A wrapper around an endpoint. */
export type Middleware = (next: Endpoint) => Endpoint
