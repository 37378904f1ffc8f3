import type { ErrorCode } from '../protocol/errors.ts'

/** How a command ends; 128 and the number of a signal when that ended it. */
export const exitCodes = {
  ok: 0,
  /** The agent answered, and the answer was a failure. */
  failed: 1,
  /** What was asked for cannot be done as it was given: flags, an agent file, a store, an address. */
  usage: 2,
  authentication: 3,
  unreachable: 4,
  internal: 5,
} as const

/** The exit code for an error; those of our own side blame the command line, those of the agent are its answer. */
export function exitCodeOf(code: ErrorCode, origin: 'local' | 'remote'): number {
  switch (code) {
    case 'Unauthenticated':
    case 'PermissionDenied':
      return exitCodes.authentication
    case 'Unavailable':
    case 'DeadlineExceeded':
      return exitCodes.unreachable
    case 'NotFound':
      return origin === 'local' ? exitCodes.unreachable : exitCodes.failed
    case 'InvalidParams':
      return origin === 'local' ? exitCodes.usage : exitCodes.failed
    case 'Internal':
      return origin === 'local' ? exitCodes.internal : exitCodes.failed
    default:
      return exitCodes.failed
  }
}
