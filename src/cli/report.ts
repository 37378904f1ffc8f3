import type { Failure } from './failure.ts'
import { describeFailure } from './failure.ts'
import type { Output } from './output.ts'
import { cleanText } from './terminal-text.ts'

/** Tells what went wrong: lines for people on standard error, or one JSON document on standard output. Gives the exit code. */
export async function reportFailure(
  output: Output,
  thrown: unknown,
  options: { readonly debug: boolean },
): Promise<number> {
  const failure = describeFailure(thrown)
  if (output.json) await output.document({ error: failure })
  else output.writeNote(failureText(failure, output))
  if (options.debug) output.note(stackText(thrown))
  return failure.exitCode
}

/** `error: …`, the fields that are wrong, and what to do, each on its own line. */
export function failureText({ message, violations = [], hint }: Failure, output: Pick<Output, 'err'>): string {
  const [first = '', ...rest] = cleanText(message).split('\n')
  const told =
    violations.length > 1
      ? violations.map(({ field, description }) => `  ${cleanText(`${field}: ${description}`)}`)
      : []
  return [
    `${output.err.red('error:')} ${first}`,
    ...rest,
    ...told,
    ...(hint === undefined ? [] : [`${output.err.cyan('hint:')} ${hint}`]),
    '',
  ].join('\n')
}

function stackText(thrown: unknown): string {
  const { stack, cause } = (thrown ?? {}) as Error
  const own = stack ?? String(thrown)
  return cause === undefined ? own : `${own}\ncaused by ${stackText(cause)}`
}
