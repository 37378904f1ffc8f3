import { childSpan } from '../../lib/trace.ts'
import { spanTable } from '../../observe/span-table.ts'
import type { ModelSettings } from './settings.ts'
import type { AnswerRequest } from './stream.ts'

/** What a span tells of one question to a model, as it goes. */
export interface ModelSpan {
  said(text: string): void
  finished(
    reason: string,
    usage: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined },
  ): void
  failed(error: unknown): void
  end(): void
}

/** Begins the span of a question to a model; undefined when the run that asks is not traced. */
export function beginModelSpan(
  { provider, model, maxTokens, temperature, topP }: ModelSettings,
  { system, messages, signal }: Pick<AnswerRequest, 'system' | 'messages' | 'signal'>,
): ModelSpan | undefined {
  const { name, kind } = spanTable.model
  const span = childSpan(
    name.replace('{model}', () => model),
    () => ({
      kind,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.request.model': model,
        'gen_ai.request.max_tokens': maxTokens,
        'gen_ai.request.temperature': temperature,
        'gen_ai.request.top_p': topP,
      },
    }),
  )
  if (span === undefined) return undefined
  if (span.content)
    span.set({ 'gen_ai.input.messages': JSON.stringify([{ role: 'system', content: system }, ...messages]) })
  let text = ''
  return {
    said: (more) => {
      if (span.content) text += more
    },
    finished: (reason, { inputTokens, outputTokens }) =>
      span.set({
        'gen_ai.response.finish_reasons': [reason],
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
      }),
    failed: (error) => span.fail(signal.aborted ? 'aborted' : error instanceof Error ? error.name : 'unknown'),
    end: () => {
      if (text !== '') span.set({ 'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: text }]) })
      span.end()
    },
  }
}
