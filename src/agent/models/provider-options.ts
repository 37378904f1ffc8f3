import type { Environment } from '../environment.ts'
import { expandTemplate } from '../expand.ts'
import type { ModelWire } from './provider-table.ts'

/** What `provider_opts` of a model means for its calls. */
export interface ProviderOptions {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly topK: number | undefined
  readonly seed: number | undefined
  readonly image: boolean | undefined
  readonly pdf: boolean | undefined
}

/** What reading `provider_opts` needs. */
export interface ReadProviderOptions {
  readonly wire: ModelWire
  readonly environment: Environment
  warn(key: string, message: string): void
}

const runner = 'it configures a model runner, which Parlance does not do: use `docker model configure`'
const withoutEffect: Readonly<Record<string, string>> = {
  context_size: runner,
  runtime_flags: runner,
  interleaved_thinking: 'thinking is not shown',
  thinking_display: 'thinking is not shown',
  transport: 'calls go over HTTP',
  google_search: 'built-in tools of providers are not used',
  google_maps: 'built-in tools of providers are not used',
  code_execution: 'built-in tools of providers are not used',
  unload_api: 'models are not unloaded',
  fallbacks: 'use fallback of the agent',
  rerank_prompt: 'retrieval is not supported',
  api_type: 'chat completions are used',
}

/** Reads `provider_opts`; each member that has no effect is warned about. */
export function readProviderOptions(
  given: Readonly<Record<string, unknown>>,
  options: ReadProviderOptions,
): ProviderOptions {
  const headers: Record<string, string> = {}
  const body: Record<string, unknown> = {}
  const numbers: Record<string, number | undefined> = {}
  const flags: Record<string, boolean | undefined> = {}
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue
    if (key === 'http_headers') readHeaders(value, headers, options)
    else if (key === 'top_k' || key === 'seed') {
      if (typeof value !== 'number') options.warn(key, 'has no effect: it must be a number')
      else if (key === 'top_k' && options.wire === 'openai') body.top_k = value
      else numbers[key] = value
    } else if (key === 'supports_images' || key === 'supports_pdf') flags[key] = value === true
    else if (key === 'repetition_penalty' || key === 'min_p') {
      if (options.wire === 'openai') body[key] = value
      else options.warn(key, 'has no effect: the provider does not know it')
    } else {
      const why = key.startsWith('speculative_') ? runner : withoutEffect[key]
      options.warn(key, why === undefined ? 'unknown option: it has no effect' : `has no effect: ${why}`)
    }
  }
  return {
    headers,
    body,
    topK: numbers.top_k,
    seed: numbers.seed,
    image: flags.supports_images,
    pdf: flags.supports_pdf,
  }
}

function readHeaders(value: unknown, headers: Record<string, string>, options: ReadProviderOptions): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    options.warn('http_headers', 'has no effect: it must map names to values')
    return
  }
  for (const [name, text] of Object.entries(value)) {
    headers[name] = expandTemplate(String(text), options.environment).text
  }
}
