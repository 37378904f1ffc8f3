import { exitCodes } from './exit-codes.ts'

/** An error that a command meets by itself, and what a person can do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  /** `Usage`, or another word that scripts can test. */
  readonly code: string
  readonly exitCode: number
  readonly hint: string | undefined

  constructor(
    code: string,
    message: string,
    options: { readonly exitCode: number; readonly hint?: string | undefined },
  ) {
    super(message)
    this.code = code
    this.exitCode = options.exitCode
    this.hint = options.hint
  }
}

/** The error for a command line that cannot be followed as it was given. */
export function usageError(message: string, hint?: string): CommandError {
  return new CommandError('Usage', message, { exitCode: exitCodes.usage, hint })
}
