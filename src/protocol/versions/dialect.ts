import type { Encoded } from '../encoded.ts'
import type { Call, StreamEvent } from '../endpoint.ts'
import type { Messages } from '../generated/v1/types.ts'
import type { Operation, OperationName } from '../operations.ts'
import type { HttpRule, Schema } from '../schema.ts'
import type { ValidateOptions } from '../validate.ts'

/** A frame of a stream in a version's own form, and the number of its event where it has one. */
export type Frame = Encoded<unknown> & Pick<StreamEvent, 'id'>

/** One operation in the words of a version and a binding. */
export interface WireOperation {
  /** The operation as the engine knows it. */
  readonly operation: Operation
  /** The JSON-RPC method, or the method of the gRPC service. */
  readonly name: string
  /** Message types of the version's own schema. */
  readonly request: string
  readonly response: string
  /** The first rule is the one that clients use. */
  readonly http: readonly HttpRule[]
  /** Whether a request needs no member but those in its path. */
  readonly bodyIsOptional: boolean
}

/** Told of what a version cannot express, by the id of its row in that version's table of losses. */
export type Note = (loss: string) => void

/** How a request is read. */
export interface DecodeOptions extends ValidateOptions {
  readonly note?: Note
}

/** The words of one version on one binding, for both sides. */
export interface Vocabulary {
  /** `Major.Minor`. */
  readonly version: string
  readonly operations: readonly WireOperation[]
  /** The operation that a JSON-RPC or gRPC method names. */
  find(name: string): WireOperation | undefined
  /** How an operation is called here; undefined where the version has none like it. */
  of(operation: OperationName): WireOperation | undefined
  /** Where a peer names extensions (§3.2.6). */
  readonly extensionsHeader: 'a2a-extensions' | 'x-a2a-extensions'
  /** Form of an error in HTTP+JSON: `google.rpc.Status` in `error` (§11.6), or the bare JSON-RPC error object. */
  readonly restErrors: 'status' | 'bare'
  /** Name of the gRPC service, and the tables that its messages are written by. */
  readonly grpc: { readonly service: string; readonly schema: Schema }
}

/** One version on one binding, as a server speaks it. Both directions go through the messages of 1.0. */
export interface Dialect extends Vocabulary {
  /** `event`: an error that comes in place of a stream is sent as an event, as clients of this version read nothing else there. */
  readonly streamErrors?: 'event'
  /** The dialect as a caller with this `user-agent` needs it, where not all understand the same. */
  forCaller?(userAgent: string): Dialect
  /** A request from a JSON value; throws InvalidParams that names fields as the version does. */
  decode(row: WireOperation, input: unknown, options?: DecodeOptions): Call['request']
  /** A request from a query string; throws InvalidParams. */
  decodeQuery(row: WireOperation, query: URLSearchParams, options?: DecodeOptions): Call['request']
  /** An answer in the version's form. */
  encode(row: WireOperation, result: Encoded<Messages[keyof Messages]>, note?: Note): Encoded<unknown>
  /** The frames of a stream, in the same groups. */
  frames(
    row: WireOperation,
    events: AsyncIterable<readonly StreamEvent[]>,
    note?: Note,
  ): AsyncIterable<readonly Frame[]>
}

/** One version on one binding, as a client speaks it. */
export interface PeerDialect extends Vocabulary {
  /** The request as it is sent: a JSON value in the version's form. */
  encodeRequest(row: WireOperation, request: Call['request'], note?: Note): object
  /** A complete answer, or one frame of a stream, as a message of 1.0; `warn` hears of every flaw that was overlooked. */
  decodeAnswer(row: WireOperation, input: unknown, warn: (text: string) => void): Messages[keyof Messages]
}
