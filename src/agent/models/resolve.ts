import type { Environment } from '../environment.ts'
import { expandShell } from '../expand.ts'
import type { AgentFile, ModelSection, ProviderSection, SamplingSection } from '../file.ts'
import { closest, type Findings, type Path } from '../finding.ts'
import { readProviderOptions } from './provider-options.ts'
import { autoModels, type BuiltInProvider, providerTable, unsupportedProviders } from './provider-table.ts'
import type { ModelSettings } from './settings.ts'

/** What a model reference is resolved against. */
export interface ResolveContext {
  readonly file: Pick<AgentFile, 'models' | 'providers'>
  readonly environment: Environment
  readonly findings: Findings
}

/**
 * Resolves what a file writes for a model: a key of `models`, `provider/model` (split at the first slash), or `auto`.
 * What is wrong with it is put into the findings, and undefined returned. A missing key is no error here.
 */
export function resolveModel(reference: string, path: Path, context: ResolveContext): ModelSettings | undefined {
  return resolve(reference.trim(), path, { ...context, seen: [] })
}

/** The models of a comma list, of which one is picked for each turn. */
export function resolveAlloy(reference: string, path: Path, context: ResolveContext): readonly ModelSettings[] {
  const names = reference.split(',').map((part) => part.trim())
  return names.filter((name) => name !== '').flatMap((name) => resolveModel(name, path, context) ?? [])
}

interface Search extends ResolveContext {
  readonly seen: readonly string[]
}

function resolve(reference: string, path: Path, search: Search): ModelSettings | undefined {
  const models = search.file.models ?? {}
  if (Object.hasOwn(models, reference)) return resolveNamed(reference, models[reference]!, search)
  if (reference === 'auto') return resolveAuto(path, search)
  const slash = reference.indexOf('/')
  if (slash > 0 && slash < reference.length - 1) {
    return settle({ provider: reference.slice(0, slash), model: reference.slice(slash + 1) }, path, search)
  }
  const known = Object.keys(models)
  const guess = closest(reference, known)
  search.findings.error(
    path,
    `there is no model ${reference}${guess === undefined ? '' : ` (did you mean ${guess}?)`}: ` +
      `write provider/model, auto, or a name defined under models${known.length === 0 ? '' : ` (${known.join(', ')})`}`,
  )
  return undefined
}

function resolveNamed(name: string, section: ModelSection, search: Search): ModelSettings | undefined {
  const path: Path = ['models', name]
  if (search.seen.includes(name)) {
    search.findings.error([...path, 'first_available'], `refers back to itself: ${[...search.seen, name].join(' → ')}`)
    return undefined
  }
  if (section.first_available !== undefined && section.model === undefined) {
    return firstAvailable(section.first_available, [...path, 'first_available'], {
      ...search,
      seen: [...search.seen, name],
    })
  }
  for (const key of ['provider', 'model'] as const) {
    if (section[key] !== undefined) continue
    const old = key === 'provider' && 'type' in section ? '; `type` is the name that schema version 0 has for it' : ''
    search.findings.error(path, `${key} is missing${old}`)
    return undefined
  }
  return settle({ ...section, provider: section.provider!, model: section.model! }, path, search)
}

function firstAvailable(references: readonly string[], path: Path, search: Search): ModelSettings | undefined {
  let first: ModelSettings | undefined
  for (const [index, reference] of references.entries()) {
    const settings = resolve(reference, [...path, index], search)
    if (settings === undefined) continue
    if (settings.missingKeys.length === 0) return settings
    first ??= settings
  }
  return first
}

function resolveAuto(path: Path, search: Search): ModelSettings | undefined {
  const chosen = search.environment.get('DOCKER_AGENT_DEFAULT_MODEL') ?? search.environment.get('CAGENT_DEFAULT_MODEL')
  if (chosen !== undefined && chosen !== 'auto') return resolve(chosen, path, search)
  for (const { reference, maxTokens } of autoModels) {
    const settings = resolve(reference, path, search)
    if (settings !== undefined && settings.missingKeys.length === 0) return { ...settings, maxTokens }
  }
  return undefined
}

type Chosen = ModelSection & { readonly provider: string; readonly model: string }

function settle(section: Chosen, path: Path, search: Search): ModelSettings | undefined {
  const { environment, findings } = search
  const defined = search.file.providers ?? {}
  const custom = Object.hasOwn(defined, section.provider) ? defined[section.provider] : undefined
  const builtIn = builtInOf(section.provider, custom, path, search)
  if (builtIn === undefined) return undefined
  const given: SamplingSection = { ...withoutUnset(custom ?? {}), ...withoutUnset(section) }
  const label = `${section.provider}/${section.model}`

  const baseUrl = baseUrlOf(given.base_url, path, {
    search,
    builtIn,
    custom: custom !== undefined,
    provider: section.provider,
  })
  if (baseUrl === null) return undefined
  if (custom?.api_type === 'openai_responses') {
    findings.warn(
      ['providers', section.provider, 'api_type'],
      'has no effect: chat completions are used, which the same servers offer',
    )
  }

  const ownHost = given.base_url !== undefined
  const names = given.token_key !== undefined ? [given.token_key] : custom !== undefined && ownHost ? [] : builtIn.keys
  const apiKey = names.map((name) => environment.get(name)).find((value) => value !== undefined)
  const needsHost = builtIn.wire === 'openai' && builtIn.baseUrl === undefined
  const optional = given.token_key === undefined && ownHost && !needsHost
  const options = readProviderOptions(
    { ...custom?.provider_opts, ...section.provider_opts },
    {
      wire: builtIn.wire,
      environment,
      warn: (key, message) => findings.warn([...path, 'provider_opts', key], message),
    },
  )
  const files = builtIn.files === true && custom === undefined
  return {
    label,
    wire: builtIn.wire,
    provider: section.provider,
    model: section.model,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
    ...(builtIn.keyHeader !== undefined && { keyHeader: builtIn.keyHeader }),
    headers: options.headers,
    body: options.body,
    ...withoutUnset({
      temperature: given.temperature,
      maxTokens: given.max_tokens,
      topP: given.top_p,
      topK: options.topK,
      frequencyPenalty: given.frequency_penalty,
      presencePenalty: given.presence_penalty,
      seed: options.seed,
      thinking: given.thinking_budget,
    }),
    image: section.capabilities?.image ?? options.image ?? files,
    pdf: section.capabilities?.pdf ?? options.pdf ?? files,
    missingKeys: apiKey === undefined && !optional ? names : [],
    path,
  } as ModelSettings
}

function builtInOf(
  name: string,
  custom: ProviderSection | undefined,
  path: Path,
  search: Search,
): BuiltInProvider | undefined {
  const type = custom === undefined ? name : (custom.provider ?? 'openai')
  const at: Path = custom === undefined ? path : ['providers', name, 'provider']
  if (Object.hasOwn(providerTable, type)) return providerTable[type]
  const known = [...Object.keys(search.file.providers ?? {}), ...Object.keys(providerTable)]
  const unsupported = Object.hasOwn(unsupportedProviders, type) ? unsupportedProviders[type] : undefined
  if (unsupported !== undefined) search.findings.error(at, `provider ${type} is not supported: ${unsupported}`)
  else {
    const guess = closest(type, known)
    search.findings.error(
      at,
      `provider ${type} is not known${guess === undefined ? '' : ` (did you mean ${guess}?)`}: ` +
        `define it under providers with a base_url, or use one of ${known.join(', ')}`,
    )
  }
  return undefined
}

interface BaseUrlOptions {
  readonly search: Search
  readonly builtIn: BuiltInProvider
  readonly custom: boolean
  readonly provider: string
}

/** Null when there is none and one is needed; undefined when the wire has its own. */
function baseUrlOf(given: string | undefined, path: Path, options: BaseUrlOptions): string | undefined | null {
  const { search, builtIn, provider } = options
  if (given !== undefined) {
    const at = [...path, 'base_url']
    const { text, missing } = expandShell(given, search.environment)
    for (const name of missing) search.findings.error(at, `base_url needs the variable ${name}, which is not set`)
    if (missing.length > 0) return null
    if (!/^https?:\/\//.test(text) || !URL.canParse(text)) {
      search.findings.error(at, 'base_url must be an absolute http or https URL')
      return null
    }
    return withVersion(text.replace(/\/+$/, ''), builtIn.wire)
  }
  const host = provider === 'dmr' ? search.environment.get('MODEL_RUNNER_HOST') : undefined
  if (host !== undefined) return `${(host.includes('://') ? host : `http://${host}`).replace(/\/+$/, '')}/engines/v1`
  if (builtIn.baseUrl === undefined && builtIn.wire === 'openai') {
    search.findings.error(
      path,
      `provider ${provider} has no base_url of its own: add base_url to the model or to an entry of providers`,
    )
    return null
  }
  return builtIn.baseUrl
}

/** Agent files give Anthropic and Google hosts without the version of the API, as their own clients take them. */
function withVersion(url: string, wire: BuiltInProvider['wire']): string {
  if (wire === 'openai' || /\/v\d\w*$/.test(url)) return url
  return `${url}/${wire === 'anthropic' ? 'v1' : 'v1beta'}`
}

function withoutUnset<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Partial<T>
}
