import { type A2AError, invalidParams } from '../../protocol/errors.ts'

/** A value that has no place on the other side, and where it stands; each level puts its own name in front. */
export class Fault extends Error {
  override readonly name: string = 'Fault'
  path: string = ''
}

/** The fault that something thrown stands for, with the name of a field, an entry or an item put in front of its path. */
export function faultAt(thrown: unknown, name: string): Fault {
  const fault = thrown instanceof Fault ? thrown : new Fault(unreadable)
  const { path } = fault
  fault.path = path === '' ? name : path[0] === '[' ? name + path : `${name}.${path}`
  return fault
}

const unreadable = 'is not a valid protobuf message: its bytes end too early or make no sense'

/** The error that a caller gets to see. */
export function faultError(thrown: unknown): A2AError {
  const fault = thrown instanceof Fault ? thrown : new Fault(unreadable)
  return invalidParams([{ field: fault.path, description: fault.message }])
}

/** Levels of messages, objects and arrays that bytes may have; readers of messages set closer limits. */
export const mostLevels = 1_000

/** The fault of a value that lies deeper. */
export function tooDeep(): Fault {
  return new Fault(`is nested too deeply; at most ${mostLevels} levels are allowed`)
}
