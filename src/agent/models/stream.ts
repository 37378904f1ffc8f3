import type { ModelMessage } from 'ai'
import type { LanguageModel, ProviderCallOptions, ResponseFormat } from './language-model.ts'
import { beginModelSpan } from './model-span.ts'
import { prepareModel } from './prepare.ts'
import type { ModelSettings } from './settings.ts'
import { createThinkSplitter } from './think-splitter.ts'
import { thinkingOf } from './thinking.ts'

/** A model that is ready to be called. */
export interface ReadyModel {
  readonly settings: ModelSettings
  /** Makes the model when it is first needed. */
  load(): Promise<LanguageModel>
}

/** One question to a model. */
export interface AnswerRequest {
  readonly system: string
  readonly messages: readonly ModelMessage[]
  readonly signal: AbortSignal
  readonly responseFormat?: ResponseFormat
  readonly strictSchema?: boolean
  onWarning(text: string): void
}

/** How an answer ended. */
export interface AnswerEnd {
  readonly reason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
  /** Whether there was any text. */
  readonly given: boolean
  /** Whether the model thought, which is no part of the answer. */
  readonly thought: boolean
  /** Names of the tools that the model asked for. */
  readonly tools: readonly string[]
}

/** What was given out so far, also when the answer ends with an error. */
export interface Progress {
  given: boolean
}

/** Asks one model once; yields the text of the answer as it comes, without its thinking. Throws what the provider's client throws. */
export async function* streamAnswer(
  ready: ReadyModel,
  request: AnswerRequest & { readonly progress: Progress },
): AsyncGenerator<string, AnswerEnd> {
  const [{ streamText }, model] = await Promise.all([import('ai'), ready.load()])
  const { settings } = ready
  const { responseFormat, onWarning, signal, system, progress } = request
  const span = beginModelSpan(settings, request)
  const stop = new AbortController()
  const splitter = createThinkSplitter()
  const tools: string[] = []
  let thought = false
  let reason: AnswerEnd['reason'] = 'other'
  try {
    const result = streamText({
      model: prepareModel(model, { onWarning, ...(responseFormat !== undefined && { responseFormat }) }),
      ...(system !== '' && { system }),
      messages: [...request.messages],
      abortSignal: AbortSignal.any([signal, stop.signal]),
      maxRetries: 0,
      ...sampling(settings),
      providerOptions: providerOptions(settings, request.strictSchema ?? false),
      onError: () => {},
      experimental_download: async (files) => files.map(notDownloaded),
    })
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') {
        const text = splitter.push(part.text)
        span?.said(part.text)
        if (text === '') continue
        progress.given = true
        yield text
      } else if (part.type === 'reasoning-delta') thought = true
      else if (part.type === 'tool-call') tools.push(part.toolName)
      else if (part.type === 'error') throw part.error
      else if (part.type === 'abort') signal.throwIfAborted()
      else if (part.type === 'finish') {
        reason = part.finishReason
        span?.finished(reason, part.totalUsage)
      }
    }
    signal.throwIfAborted()
    const rest = splitter.end()
    if (rest !== '') {
      progress.given = true
      yield rest
    }
    return { reason, given: progress.given, thought: thought || splitter.thought, tools }
  } catch (error) {
    span?.failed(error)
    throw error
  } finally {
    stop.abort()
    span?.end()
  }
}

/** Only addresses that the provider itself fetches are put into messages; this side fetches none. */
function notDownloaded(file: { readonly isUrlSupportedByModel: boolean }): null {
  if (file.isUrlSupportedByModel) return null
  throw new Error('files are not downloaded')
}

function sampling(settings: ModelSettings): Record<string, number> {
  const { temperature, maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed } = settings
  const given = { temperature, maxOutputTokens: maxTokens, topP, topK, frequencyPenalty, presencePenalty, seed }
  return Object.fromEntries(Object.entries(given).filter((entry): entry is [string, number] => entry[1] !== undefined))
}

function providerOptions(settings: ModelSettings, strictJsonSchema: boolean): ProviderCallOptions {
  const { options } = thinkingOf(settings)
  return settings.wire === 'openai' ? { ...options, openaiCompatible: { strictJsonSchema } } : options
}
