import type { Reply, StreamEvent } from '../endpoint.ts'
import { A2AError } from '../errors.ts'
import type { Messages } from '../generated/v1/types.ts'
import { findOperation, type Operation, operations } from '../operations.ts'
import { type ValidateOptions, validate, validateQuery } from '../validate.ts'
import { majorMinor } from '../version-text.ts'

/** A frame of a stream as JSON text, and the number of its event where it has one. */
export type Frame = Pick<StreamEvent, 'id' | 'text'>

export { majorMinor }

/** How one version of the protocol is spoken in JSON. */
export interface Wire {
  /** `Major.Minor`. */
  readonly version: string
  /** Every operation that the version has, with its HTTP paths. */
  readonly operations: readonly Operation[]
  /** The operation that a JSON-RPC method names. */
  findMethod(method: string): Operation | undefined
  /** A request from a JSON body; throws InvalidParams. */
  decode(operation: Operation, input: unknown, options?: ValidateOptions): Messages[keyof Messages]
  /** A request from a query string; throws InvalidParams. */
  decodeQuery(operation: Operation, query: URLSearchParams, options?: ValidateOptions): Messages[keyof Messages]
  /** JSON text of an answer. */
  encode(operation: Operation, result: Reply['result']): string
  /** The frames of a stream, in the same groups. */
  frames(events: AsyncIterable<readonly StreamEvent[]>): AsyncIterable<readonly Frame[]>
}

const v1: Wire = {
  version: '1.0',
  operations,
  findMethod: findOperation,
  decode: (operation, input, options) => validate(operation.request, input, options),
  decodeQuery: (operation, query, options) => validateQuery(operation.request, query, options),
  encode: (_operation, result) => result.text,
  frames: (events) => events,
}

/** Every version that is spoken, newest first. */
export const wires: readonly Wire[] = [v1]

const byVersion: ReadonlyMap<string, Wire> = new Map(wires.map((wire) => [wire.version, wire]))

/** The wire of the version that a request asks for; `''` means none was named. Throws VersionNotSupported (§3.6.2). */
export function selectWire(asked: string, assumed: string): Wire {
  const exact = byVersion.get(asked)
  if (exact !== undefined) return exact
  const text = asked.trim()
  const version = text === '' ? assumed : majorMinor(text)
  const wire = version === undefined ? undefined : byVersion.get(version)
  if (wire !== undefined) return wire
  const supported = wires.map((row) => row.version).join(',')
  const named = text === '' ? `No A2A-Version was given, which means ${assumed}` : `A2A-Version ${quote(text)}`
  throw new A2AError('VersionNotSupported', `${named}; supported here: ${supported}. Send the header A2A-Version`, {
    metadata: { supportedVersions: supported },
  })
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
