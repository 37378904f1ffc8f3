import type { LanguageModel } from './language-model.ts'
import type { ModelSettings } from './settings.ts'
import { thinkingOf } from './thinking.ts'

/** Loads the client of a provider and makes the model; nothing is sent. */
export async function createModel(settings: ModelSettings, fetch: typeof globalThis.fetch): Promise<LanguageModel> {
  const { headers, apiKey = '', baseUrl } = settings
  const common = { headers: { ...headers }, fetch, ...(baseUrl !== undefined && { baseURL: baseUrl }) }
  if (settings.wire === 'anthropic') {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ ...common, apiKey })(settings.model)
  }
  if (settings.wire === 'google') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    return createGoogleGenerativeAI({ ...common, apiKey })(settings.model)
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const { keyHeader } = settings
  const inHeader = apiKey !== '' && keyHeader !== undefined
  const provider = createOpenAICompatible({
    ...common,
    baseURL: baseUrl ?? '',
    name: settings.provider,
    ...(apiKey !== '' && !inHeader && { apiKey }),
    headers: { ...headers, ...(inHeader && { [keyHeader]: apiKey }) },
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...(settings.provider === 'openai' && { supportedUrls: () => ({ 'image/*': [/^https?:\/\/.*$/] }) }),
    transformRequestBody: (body) => requestBody(body, settings),
  })
  return provider.chatModel(settings.model)
}

/** Adds what the file asks for, and renames or drops what reasoning models of OpenAI refuse. */
function requestBody(given: Record<string, unknown>, settings: ModelSettings): Record<string, unknown> {
  const body = { ...given, ...settings.body, ...thinkingOf(settings).body }
  const reasons = settings.provider === 'openai' && /^(o\d|gpt-5)/.test(settings.model)
  if (!reasons) return body
  const { max_tokens: limit, temperature: _temperature, top_p: _topP, ...rest } = body as Record<string, unknown>
  return limit === undefined ? rest : { ...rest, max_completion_tokens: limit }
}
