import assert from 'node:assert/strict'
import type { Scene } from './scene.ts'
import type { Answer, Binding, WireError } from './wire/peer.ts'

type Codes = readonly [jsonRpc: number, http: number, grpc: number]

export type ErrorName =
  | 'TaskNotFound'
  | 'TaskNotCancelable'
  | 'PushNotificationNotSupported'
  | 'UnsupportedOperation'
  | 'ContentTypeNotSupported'
  | 'InvalidAgentResponse'
  | 'ExtendedAgentCardNotConfigured'
  | 'ExtensionSupportRequired'
  | 'VersionNotSupported'

/** The errors of A2A as each binding tells them in 1.0.1, and their reasons (§5.4). */
const errors: Readonly<Record<ErrorName, Codes>> = {
  TaskNotFound: [-32001, 404, 5],
  TaskNotCancelable: [-32002, 400, 9],
  PushNotificationNotSupported: [-32003, 400, 9],
  UnsupportedOperation: [-32004, 400, 9],
  ContentTypeNotSupported: [-32005, 400, 3],
  InvalidAgentResponse: [-32006, 500, 13],
  ExtendedAgentCardNotConfigured: [-32007, 400, 9],
  ExtensionSupportRequired: [-32008, 400, 9],
  VersionNotSupported: [-32009, 400, 9],
}

/** What 1.0.0 has instead. */
const older: Readonly<Record<string, Partial<Record<Binding, number>>>> = {
  TaskNotCancelable: { 'HTTP+JSON': 409 },
  ContentTypeNotSupported: { 'HTTP+JSON': 415 },
  InvalidAgentResponse: { 'HTTP+JSON': 502 },
  PushNotificationNotSupported: { GRPC: 12 },
  UnsupportedOperation: { GRPC: 12 },
  VersionNotSupported: { GRPC: 12 },
}

/** InvalidParams, which has no reason of its own. */
const invalid: Codes = [-32602, 400, 3]

const column: Readonly<Record<Binding, 0 | 1 | 2>> = { JSONRPC: 0, 'HTTP+JSON': 1, GRPC: 2 }

/** The code by which a binding tells an error. */
export function codeOf({ subject, peer }: Scene, name: ErrorName): number {
  const old = subject.expects.errorMap === '1.0.0' ? older[name]?.[peer.binding] : undefined
  return old ?? errors[name][column[peer.binding]]
}

/** An error must have come; of any kind. */
export function fails(answer: Pick<Answer, 'error'>): WireError {
  assert.ok(answer.error, 'there is no error')
  return answer.error
}

/** Exactly this error must have come, with its reason, in the form of the binding. */
export function failsWith(scene: Scene, name: ErrorName, error: WireError | undefined): void {
  assert.ok(error, `there is no error; ${name} was expected`)
  const reason = name.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
  assert.deepEqual(
    { code: error.code, reason: error.reason, domain: error.domain },
    { code: codeOf(scene, name), reason, domain: 'a2a-protocol.org' },
    `${name} was expected, not ${error.code} ${error.message}`,
  )
}

/** The request must have been refused for its form. */
export function failsAsInvalid(scene: Scene, error: WireError | undefined): void {
  assert.ok(error, 'there is no error')
  assert.equal(error.code, invalid[column[scene.peer.binding]], `${error.code} ${error.message}`)
}

const others: Readonly<Record<string, Codes>> = {
  InvalidParams: invalid,
  Unauthenticated: [-31401, 401, 16],
  PermissionDenied: [-31403, 403, 7],
}

/** What an error of a binding is called, whatever its spelling there. */
export function errorName(scene: Pick<Scene, 'subject' | 'peer'>, { code, reason }: WireError): string {
  if (reason !== undefined) return reason
  const at = column[scene.peer.binding]
  const known = Object.entries(others).find(([, codes]) => codes[at] === code)
  return known?.[0] ?? `an error of code ${code}`
}
