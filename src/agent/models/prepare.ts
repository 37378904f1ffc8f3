import type { LanguageModel, ResponseFormat, StreamPart } from './language-model.ts'

/** What is put around a model. */
export interface PrepareOptions {
  readonly responseFormat?: ResponseFormat
  /** Told what the provider's client has to say, which it would otherwise print. */
  onWarning(text: string): void
}

/** A model that asks for the response format on each call and prints nothing. */
export function prepareModel(model: LanguageModel, options: PrepareOptions): LanguageModel {
  const { responseFormat, onWarning } = options
  return {
    specificationVersion: 'v3',
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (call) => model.doGenerate({ ...call, ...(responseFormat !== undefined && { responseFormat }) }),
    async doStream(call) {
      const result = await model.doStream({ ...call, ...(responseFormat !== undefined && { responseFormat }) })
      const stream = result.stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            if (part.type !== 'stream-start') {
              controller.enqueue(part)
              return
            }
            for (const warning of part.warnings) onWarning(warningText(warning))
            controller.enqueue({ ...part, warnings: [] })
          },
        }),
      )
      return { ...result, stream }
    },
  }
}

type Warning = Extract<StreamPart, { type: 'stream-start' }>['warnings'][number]

function warningText(warning: Warning): string {
  if (warning.type === 'other') return warning.message
  return `${warning.feature} is ${warning.type === 'unsupported' ? 'not supported' : 'adapted'}${warning.details ? `: ${warning.details}` : ''}`
}
