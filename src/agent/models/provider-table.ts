/** The wire that a provider speaks. */
export type ModelWire = 'openai' | 'anthropic' | 'google'

/** A provider that an agent file can name without defining it. */
export interface BuiltInProvider {
  readonly wire: ModelWire
  /** Variables that may hold the key; the first that is set counts. Empty: no key is needed. */
  readonly keys: readonly string[]
  /** Missing where the model must give `base_url`, or where the wire has its own. */
  readonly baseUrl?: string
  /** Whether the models are known to take images and PDF files. */
  readonly files?: boolean
  /** Header that carries the key; default `Authorization: Bearer`. */
  readonly keyHeader?: string
}

const openai = (keys: string, baseUrl?: string): BuiltInProvider => ({
  wire: 'openai',
  keys: keys === '' ? [] : keys.split(' '),
  ...(baseUrl !== undefined && { baseUrl }),
})

/** Where Docker Model Runner listens unless something says otherwise. */
export const modelRunnerUrl = 'http://127.0.0.1:12434/engines/v1'

/** The built-in providers. */
export const providerTable: Readonly<Record<string, BuiltInProvider>> = {
  openai: { ...openai('OPENAI_API_KEY', 'https://api.openai.com/v1'), files: true },
  anthropic: { wire: 'anthropic', keys: ['ANTHROPIC_API_KEY'], files: true },
  google: { wire: 'google', keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'], files: true },
  dmr: openai('', modelRunnerUrl),
  ollama: openai('', 'http://localhost:11434/v1'),
  mistral: openai('MISTRAL_API_KEY', 'https://api.mistral.ai/v1'),
  xai: openai('XAI_API_KEY', 'https://api.x.ai/v1'),
  nebius: openai('NEBIUS_API_KEY', 'https://api.studio.nebius.com/v1'),
  minimax: openai('MINIMAX_API_KEY', 'https://api.minimax.io/v1'),
  requesty: openai('REQUESTY_API_KEY', 'https://router.requesty.ai/v1'),
  azure: { ...openai('AZURE_API_KEY'), keyHeader: 'api-key' },
  openrouter: openai('OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1'),
  groq: openai('GROQ_API_KEY', 'https://api.groq.com/openai/v1'),
  fireworks: openai('FIREWORKS_API_KEY', 'https://api.fireworks.ai/inference/v1'),
  deepseek: openai('DEEPSEEK_API_KEY', 'https://api.deepseek.com/v1'),
  cerebras: openai('CEREBRAS_API_KEY', 'https://api.cerebras.ai/v1'),
  together: openai('TOGETHER_API_KEY', 'https://api.together.xyz/v1'),
  huggingface: openai('HF_TOKEN', 'https://router.huggingface.co/v1'),
  nvidia: openai('NVIDIA_API_KEY', 'https://integrate.api.nvidia.com/v1'),
  moonshot: openai('MOONSHOT_API_KEY', 'https://api.moonshot.ai/v1'),
  baseten: openai('BASETEN_API_KEY', 'https://inference.baseten.co/v1'),
  vercel: openai('AI_GATEWAY_API_KEY', 'https://ai-gateway.vercel.sh/v1'),
  daoxe: openai('DAOXE_API_KEY', 'https://api.daoxe.com/v1'),
  atlascloud: openai('ATLASCLOUD_API_KEY'),
  ovhcloud: openai('OVH_AI_ENDPOINTS_ACCESS_TOKEN'),
  'opencode-zen': openai('OPENCODE_API_KEY'),
  'opencode-go': openai('OPENCODE_API_KEY'),
}

/** Providers of the schema that Parlance cannot use, and what to do instead. */
export const unsupportedProviders: Readonly<Record<string, string>> = {
  'amazon-bedrock':
    'Bedrock signs its calls in its own way: put an OpenAI-compatible gateway in front and give its base_url',
  'cloudflare-workers-ai': 'define it under providers with its OpenAI-compatible base_url and a token_key',
  'cloudflare-ai-gateway': 'define it under providers with its OpenAI-compatible base_url and a token_key',
  'github-copilot': 'it needs a sign-in on a desktop: use another provider',
  chatgpt: 'it needs a sign-in on a desktop: use openai with OPENAI_API_KEY',
}

/** What `model: auto` tries in this order: the first provider whose key is set; the last needs none. */
export const autoModels: readonly { readonly reference: string; readonly maxTokens: number }[] = [
  { reference: 'anthropic/claude-sonnet-4-5', maxTokens: 32_000 },
  { reference: 'openai/gpt-5-mini', maxTokens: 32_000 },
  { reference: 'google/gemini-2.5-flash', maxTokens: 32_000 },
  { reference: 'mistral/mistral-small-latest', maxTokens: 32_000 },
  { reference: 'dmr/ai/qwen3:latest', maxTokens: 16_000 },
]
