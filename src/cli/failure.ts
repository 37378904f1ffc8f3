import { A2AError, type FieldViolation } from '../protocol/errors.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'

/** An error as a command reports it. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint?: string
  readonly exitCode: number
  /** Absent for errors that are not of the protocol. */
  readonly origin?: 'local' | 'remote'
  readonly violations?: readonly FieldViolation[]
  /** Seconds. */
  readonly retryAfter?: number
}

/** What to report of anything thrown. Known by its data, so that errors of another copy of this package are known too. */
export function describeFailure(thrown: unknown): Failure {
  if (A2AError.is(thrown)) return describeProtocolError(thrown)
  const error = thrown as { name?: string; message?: string; code?: string; exitCode?: number; hint?: string }
  const message = error?.message || String(thrown)
  if (error?.name === 'CommandError' && typeof error.exitCode === 'number') {
    const { code = 'Usage', exitCode, hint } = error
    return { code, message, exitCode, ...(hint !== undefined && { hint }) }
  }
  const hint = 'this is a fault of parlance itself; --debug shows where it happened'
  return { code: 'Internal', message, hint, exitCode: exitCodes.internal }
}

function describeProtocolError(error: A2AError): Failure {
  const { code, message, origin, violations, retryAfter } = error
  const hint = hintFor(error)
  return {
    code,
    // What the client tells programs; the hint says it for the command line.
    message: message.replace(/\. Give `token` or `headers` to connect$/, ''),
    ...(hint !== undefined && { hint }),
    exitCode: exitCodeOf(code, origin),
    origin,
    ...(violations.length > 0 && { violations }),
    ...(retryAfter !== undefined && { retryAfter }),
  }
}

function hintFor({ code, origin, retryAfter }: A2AError): string | undefined {
  switch (code) {
    case 'Unauthenticated':
      return 'give a token with --token or the variable PARLANCE_TOKEN, or another credential with --header'
    case 'PermissionDenied':
      return 'this agent knows you, but does not allow that; ask its owner'
    case 'Unavailable':
      return origin === 'local' ? 'check the address, and that the agent runs' : 'try again later'
    case 'DeadlineExceeded':
      return '--timeout sets how long a silence may be'
    case 'TaskNotFound':
      return 'parlance list shows the tasks that you may see'
    case 'ResourceExhausted':
      return retryAfter === undefined ? 'try again later' : `try again in ${Math.ceil(retryAfter)} s`
    case 'ContentTypeNotSupported':
      return 'parlance card shows which media types the agent takes'
    case 'Internal':
      return origin === 'local' ? 'this is a fault of parlance itself; --debug shows where it happened' : undefined
    default:
      return undefined
  }
}
