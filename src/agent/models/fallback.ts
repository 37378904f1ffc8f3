import type { Logger } from '../../lib/log.ts'
import type { Cooldown } from './cooldown.ts'
import { failureFields, type ModelFailure, readFailure } from './failure.ts'
import { type AnswerEnd, type AnswerRequest, type Progress, type ReadyModel, streamAnswer } from './stream.ts'

/** Thrown when no model could answer; the message is safe for callers. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
}

/** How often and how soon models are tried again. */
export interface FallbackPolicy {
  /** Further attempts with the same model. */
  readonly retries: number
  readonly cooldown: Cooldown
  readonly log: Logger
  random(): number
  /** Waits; rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

const firstWait = 1_000
const longestWait = 30_000

/**
 * Asks the first model that answers: each one again while its failure may pass, then the next. Once text has been given
 * out there is no second attempt, as callers would see the beginning twice. Throws `ModelError`, or the reason of the abort.
 */
export async function* answerWithFallback(
  models: readonly ReadyModel[],
  request: AnswerRequest & { readonly policy: FallbackPolicy },
): AsyncGenerator<string, AnswerEnd> {
  const { policy, signal } = request
  const rested = models.filter((model) => !policy.cooldown.active(model.settings.label))
  const candidates = rested.length > 0 ? rested : models
  const texts: string[] = []
  for (const [index, model] of candidates.entries()) {
    const last = index === candidates.length - 1
    let failure: ModelFailure | undefined
    for (let attempt = 0; attempt <= policy.retries; attempt++) {
      const progress: Progress = { given: false }
      try {
        return yield* streamAnswer(model, { ...request, progress })
      } catch (error) {
        signal.throwIfAborted()
        failure = readFailure(error, model.settings)
        policy.log.warn('a model call failed', { attempt: attempt + 1, ...failureFields(error, model.settings) })
        if (progress.given) throw new ModelError(failure.text, { cause: error })
      }
      if (!failure.retryable || attempt === policy.retries || (failure.status === 429 && !last)) break
      if (failure.retryAfter !== undefined && failure.retryAfter > longestWait) break
      await policy.sleep(waitFor(attempt, failure, policy), signal)
    }
    if (failure === undefined) continue
    if (failure.lasting && models.length > 1) policy.cooldown.start(model.settings.label)
    if (!texts.includes(failure.text)) texts.push(failure.text)
  }
  throw new ModelError(texts.join('; '))
}

function waitFor(attempt: number, failure: ModelFailure, policy: FallbackPolicy): number {
  const backoff = Math.min(longestWait, firstWait * 2 ** attempt)
  return Math.max(failure.retryAfter ?? 0, backoff / 2 + (policy.random() * backoff) / 2)
}
