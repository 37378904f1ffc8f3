import type { JsonObject } from '../../src/lib/json.ts'
import type { Binding, StepError, StepLine, Version } from './steps.ts'

/** What a client program is told. */
export interface PlayOptions {
  /** Where the agent is. */
  readonly card: string
  readonly binding: Binding
  readonly version: Version
}

/** A client that plays the steps and reports each. */
export type Player = (options: PlayOptions, report: (line: StepLine) => void) => Promise<void>

/** Thrown by a step that the SDK has no call for. */
export class NoSuchCall extends Error {}

/** Runs one step, at most 20 seconds, and reports it. */
export async function playStep(
  name: string,
  work: () => Promise<JsonObject>,
  { report, explain }: { readonly report: (line: StepLine) => void; readonly explain: (error: unknown) => StepError },
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, refuse) => {
    timer = setTimeout(() => refuse(new Error('no end within 20 seconds')), 20_000)
  })
  try {
    report({ step: name, saw: await Promise.race([work(), late]) })
  } catch (error) {
    if (error instanceof NoSuchCall) report({ step: name, skipped: error.message })
    else report({ step: name, error: explain(error) })
  } finally {
    clearTimeout(timer)
  }
}
