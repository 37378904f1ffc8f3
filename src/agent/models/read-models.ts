import { basename } from 'node:path'
import type { Environment } from '../environment.ts'
import type { Findings } from '../finding.ts'
import type { AgentSource } from '../read-file.ts'
import { createModel } from './create.ts'
import type { LanguageModel } from './language-model.ts'
import { type ResolveContext, resolveAlloy, resolveModel } from './resolve.ts'
import type { ModelSettings } from './settings.ts'
import type { ReadyModel } from './stream.ts'
import { thinkingOf } from './thinking.ts'

/** What reading the models of an agent needs. */
export interface ReadModelsOptions {
  readonly environment: Environment
  readonly fetch: typeof globalThis.fetch
  /** A script that answers instead. */
  readonly fake: string | undefined
}

/** The models of the served agent, of which one is picked for each turn, and those that stand in. Missing keys are errors in the findings. */
export async function readModels(
  source: AgentSource,
  options: ReadModelsOptions,
): Promise<{ readonly models: readonly ReadyModel[]; readonly fallbacks: readonly ReadyModel[] }> {
  const { agent, file, served } = source
  const { environment, fake } = options
  const findings = fake === undefined ? source.findings : mild(source.findings)
  const context: ResolveContext = { file, environment, findings }
  const path = ['agents', served]
  const models = resolveAlloy(agent.model ?? 'auto', [...path, 'model'], context)
  const fallbacks = (agent.fallback?.models ?? []).flatMap(
    (reference, index) => resolveModel(reference, [...path, 'fallback', 'models', index], context) ?? [],
  )
  if (fake !== undefined) return { models: [await scripted(fake, [...models, ...fallbacks])], fallbacks: [] }
  if (models.length === 0 && !findings.list.some((finding) => finding.severity === 'error')) {
    findings.error([...path, 'model'], 'names no model')
  }
  checkKeysAreSet([...models, ...fallbacks], findings)
  for (const settings of [...models, ...fallbacks]) {
    const { unused } = thinkingOf(settings)
    if (unused !== undefined) findings.warn([...settings.path, 'thinking_budget'], `has no effect: ${unused}`)
  }
  return {
    models: models.map((settings) => ready(settings, options)),
    fallbacks: fallbacks.map((settings) => ready(settings, options)),
  }
}

function ready(settings: ModelSettings, options: ReadModelsOptions): ReadyModel {
  let model: Promise<LanguageModel> | undefined
  return {
    settings,
    load() {
      model ??= createModel(settings, options.fetch)
      return model
    },
  }
}

async function scripted(path: string, real: readonly ModelSettings[]): Promise<ReadyModel> {
  const { readScript } = await import('./scripted-file.ts')
  const script = await readScript(path)
  let model: Promise<LanguageModel> | undefined
  const name = basename(path)
  return {
    settings: {
      label: `script ${name}`,
      wire: 'openai',
      provider: 'scripted',
      model: name,
      headers: {},
      body: {},
      image: real.length > 0 && real.every((settings) => settings.image),
      pdf: real.length > 0 && real.every((settings) => settings.pdf),
      missingKeys: [],
      path: [],
    },
    load() {
      model ??= import('./scripted-model.ts').then(({ createScriptedModel }) => createScriptedModel(script))
      return model
    },
  }
}

function checkKeysAreSet(models: readonly ModelSettings[], findings: Findings): void {
  const told = new Set<string>()
  for (const { missingKeys, label, path } of models) {
    const names = missingKeys.join(' or ')
    const key = `${names} ${path.join('/')}`
    if (names === '' || told.has(key)) continue
    told.add(key)
    findings.error(
      path,
      `${label} needs ${names}, which is not set: set it in the environment or in a file given with --env-from-file, ` +
        'or serve with --fake FILE to answer from a script',
    )
  }
}

/** With a script no model is called, so what is wrong with the models is only worth a warning. */
function mild(findings: Findings): Findings {
  return { list: findings.list, warn: findings.warn, error: findings.warn }
}
