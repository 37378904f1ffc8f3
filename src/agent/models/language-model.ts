import type { LanguageModel as AnyLanguageModel } from 'ai'

/** A model of the AI SDK, in the version of its interface that is used here. */
export type LanguageModel = Extract<AnyLanguageModel, { readonly specificationVersion: 'v3' }>

/** What a model is called with. */
export type CallOptions = Parameters<LanguageModel['doStream']>[0]

/** What a streaming call resolves to. */
export type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>

/** What a call that does not stream resolves to. */
export type GenerateResult = Awaited<ReturnType<LanguageModel['doGenerate']>>

/** One piece of a stream. */
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never

/** How a model is asked to shape its answer. */
export type ResponseFormat = NonNullable<CallOptions['responseFormat']>

/** Options that only one provider understands. */
export type ProviderCallOptions = NonNullable<CallOptions['providerOptions']>
