// biome-ignore-all lint/suspicious/noTemplateCurlyInString: agent files write variables this way
import { expect, test } from 'vitest'
import { readEnvironment } from '../environment.ts'
import type { AgentFile } from '../file.ts'
import { createFindings, formatFinding } from '../finding.ts'
import { resolveAlloy } from './resolve.ts'
import type { ModelSettings } from './settings.ts'

async function resolve(
  reference: string,
  file: Partial<AgentFile> = {},
  variables: Record<string, string> = {},
): Promise<{ readonly models: readonly ModelSettings[]; readonly found: readonly string[] }> {
  const findings = createFindings('f', () => ({ line: 1, column: 1 }))
  const environment = await readEnvironment({ variables, secretsDir: '/nowhere' })
  const models = resolveAlloy(reference, ['agents', 'root', 'model'], { file, environment, findings })
  return { models, found: findings.list.map((finding) => formatFinding(finding).slice('f:1:1: '.length)) }
}

interface Row {
  readonly name: string
  readonly reference: string
  readonly file?: Partial<AgentFile>
  readonly variables?: Record<string, string>
  readonly expected: readonly Partial<ModelSettings>[]
}

const rows: readonly Row[] = [
  {
    name: 'the first slash divides',
    reference: 'dmr/ai/qwen3:4b',
    expected: [
      { provider: 'dmr', model: 'ai/qwen3:4b', baseUrl: 'http://127.0.0.1:12434/engines/v1', missingKeys: [] },
    ],
  },
  {
    name: 'MODEL_RUNNER_HOST moves the runner',
    reference: 'dmr/ai/x',
    variables: { MODEL_RUNNER_HOST: 'http://model-runner.docker.internal/' },
    expected: [{ baseUrl: 'http://model-runner.docker.internal/engines/v1' }],
  },
  {
    name: 'MODEL_RUNNER_HOST without a scheme',
    reference: 'dmr/ai/x',
    variables: { MODEL_RUNNER_HOST: 'runner:12434' },
    expected: [{ baseUrl: 'http://runner:12434/engines/v1' }],
  },
  {
    name: 'base_url wins over MODEL_RUNNER_HOST',
    reference: 'm',
    file: { models: { m: { provider: 'dmr', model: 'ai/x', base_url: 'http://here:1/v1/' } } },
    variables: { MODEL_RUNNER_HOST: 'http://there' },
    expected: [{ baseUrl: 'http://here:1/v1' }],
  },
  {
    name: 'a missing key is noted',
    reference: 'openai/gpt',
    expected: [{ missingKeys: ['OPENAI_API_KEY'], image: true, pdf: true }],
  },
  {
    name: 'either of two variables holds the key of Google',
    reference: 'google/g',
    variables: { GEMINI_API_KEY: 'k' },
    expected: [{ wire: 'google', apiKey: 'k', missingKeys: [] }],
  },
  {
    name: 'a base_url of its own makes the key optional, and the key still goes there',
    reference: 'm',
    file: { models: { m: { provider: 'openai', model: 'x', base_url: 'http://proxy/v1' } } },
    variables: { OPENAI_API_KEY: 'k' },
    expected: [{ apiKey: 'k', baseUrl: 'http://proxy/v1', missingKeys: [] }],
  },
  {
    name: 'a provider of the file: settings flow down, no key without token_key',
    reference: 'gate/small',
    file: { providers: { gate: { base_url: 'http://${HOST}/v1', temperature: 0.5, max_tokens: 9 } } },
    variables: { HOST: 'gw', OPENAI_API_KEY: 'k' },
    expected: [
      {
        label: 'gate/small',
        wire: 'openai',
        baseUrl: 'http://gw/v1',
        temperature: 0.5,
        maxTokens: 9,
        missingKeys: [],
        image: false,
      },
    ],
  },
  {
    name: 'a provider of the file based on Anthropic',
    reference: 'm',
    file: {
      providers: { team: { provider: 'anthropic', base_url: 'http://gw', token_key: 'TEAM', temperature: 0.5 } },
      models: { m: { provider: 'team', model: 'x', temperature: 0.1, capabilities: { image: true } } },
    },
    expected: [
      { wire: 'anthropic', baseUrl: 'http://gw/v1', temperature: 0.1, missingKeys: ['TEAM'], image: true, pdf: false },
    ],
  },
  {
    name: 'first_available takes the first model with a key',
    reference: 'm',
    file: { models: { m: { first_available: ['openai/a', 'mistral/b', 'ollama/c'] } } },
    variables: { MISTRAL_API_KEY: 'k' },
    expected: [{ label: 'mistral/b' }],
  },
  {
    name: 'first_available without any key asks for the first',
    reference: 'm',
    file: { models: { m: { first_available: ['openai/a', 'mistral/b'] } } },
    expected: [{ label: 'openai/a', missingKeys: ['OPENAI_API_KEY'] }],
  },
  {
    name: 'auto: Anthropic first',
    reference: 'auto',
    variables: { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' },
    expected: [{ label: 'anthropic/claude-sonnet-4-5', maxTokens: 32_000 }],
  },
  {
    name: 'auto: then OpenAI',
    reference: 'auto',
    variables: { OPENAI_API_KEY: 'k', MISTRAL_API_KEY: 'k' },
    expected: [{ label: 'openai/gpt-5-mini' }],
  },
  {
    name: 'auto: a model runner last',
    reference: 'auto',
    expected: [{ label: 'dmr/ai/qwen3:latest', maxTokens: 16_000 }],
  },
  {
    name: 'auto: the variable decides',
    reference: 'auto',
    variables: { DOCKER_AGENT_DEFAULT_MODEL: 'ollama/x', ANTHROPIC_API_KEY: 'k' },
    expected: [{ label: 'ollama/x' }],
  },
  {
    name: 'several models',
    reference: 'm, ollama/b',
    file: { models: { m: { provider: 'ollama', model: 'a' } } },
    expected: [{ label: 'ollama/a' }, { label: 'ollama/b' }],
  },
]
for (const { name, reference, file, variables, expected } of rows) {
  test(`a model is found: ${name}`, async () => {
    const { models, found } = await resolve(reference, file, variables)
    expect(found).toEqual([])
    expect(models).toMatchObject(expected)
  })
}

const problems: readonly (readonly [string, Partial<AgentFile>, string])[] = [
  [
    'smrt',
    { models: { smart: { provider: 'ollama', model: 'a' } } },
    'agents.root.model: there is no model smrt (did you mean smart?): write provider/model, auto, or a name defined under models (smart)',
  ],
  ['opnai/x', {}, 'agents.root.model: provider opnai is not known (did you mean openai?): define it under providers'],
  ['amazon-bedrock/x', {}, 'agents.root.model: provider amazon-bedrock is not supported: Bedrock signs its calls'],
  [
    'azure/x',
    {},
    'agents.root.model: provider azure has no base_url of its own: add base_url to the model or to an entry of providers',
  ],
  ['m', { models: { m: { model: 'x' } } }, 'models.m: provider is missing'],
  [
    'm',
    { models: { m: { model: 'x', type: 'openai' } as never } },
    'models.m: provider is missing; `type` is the name that schema version 0 has for it',
  ],
  ['m', { models: { m: { provider: 'ollama' } } }, 'models.m: model is missing'],
  ['m', { models: { m: { first_available: ['m'] } } }, 'models.m.first_available: refers back to itself: m → m'],
  [
    'g/x',
    { providers: { g: { base_url: 'http://$HOST/${PORT}' } } },
    'agents.root.model.base_url: base_url needs the variable HOST, which is not set',
  ],
  [
    'g/x',
    { providers: { g: { base_url: 'ftp://x' } } },
    'agents.root.model.base_url: base_url must be an absolute http or https URL',
  ],
  [
    'g/x',
    { providers: { g: { provider: 'nope', base_url: 'http://x' } } },
    'providers.g.provider: provider nope is not known',
  ],
]
for (const [reference, file, expected] of problems) {
  test(`a model is not found: ${expected}`, async () => {
    const { models, found } = await resolve(reference, file)
    expect(models).toEqual([])
    expect(found[0]).toContain(expected)
  })
}

test('options of a provider that have no effect are named', async () => {
  const { models, found } = await resolve('m', {
    models: {
      m: {
        provider: 'dmr',
        model: 'x',
        provider_opts: {
          context_size: 9,
          speculative_num_tokens: 1,
          google_search: true,
          whatever: 1,
          repetition_penalty: 1.1,
          supports_images: true,
        },
      },
    },
  })
  expect(models).toMatchObject([{ body: { repetition_penalty: 1.1 }, image: true, pdf: false }])
  expect(found).toEqual([
    'models.m.provider_opts.context_size: has no effect: it configures a model runner, which Parlance does not do: use `docker model configure`',
    'models.m.provider_opts.speculative_num_tokens: has no effect: it configures a model runner, which Parlance does not do: use `docker model configure`',
    'models.m.provider_opts.google_search: has no effect: built-in tools of providers are not used',
    'models.m.provider_opts.whatever: unknown option: it has no effect',
  ])
})
