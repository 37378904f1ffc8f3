import { setTimeout as wait } from 'node:timers/promises'
import { type Agent, agent } from '../engine/executor.ts'
import { type Logger, silent } from '../lib/log.ts'
import { cardOf } from './card.ts'
import { readEnvironment } from './environment.ts'
import type { FallbackSection } from './file.ts'
import type { Finding } from './finding.ts'
import { readInstruction } from './instruction.ts'
import { createCooldown, durationOf } from './models/cooldown.ts'
import { readModels } from './models/read-models.ts'
import { probeRunner } from './models/runner-probe.ts'
import type { ReadyModel } from './models/stream.ts'
import { type AgentSource, readAgentFile, throwErrors } from './read-file.ts'
import { createExecutor } from './run.ts'
import { readStructured } from './structured.ts'
import { readTexts } from './texts.ts'

/** How far tools may go without being asked; it matters once an agent has tools. */
export type Safety = 'strict' | 'balanced' | 'restricted' | 'autonomous'

/** What loading an agent file may be told. */
export interface AgentFileOptions {
  /** Which agent of the file is served. Default: `root`, else the first. */
  readonly agent?: string
  /** Default: the working folder of the process. */
  readonly workingDir?: string
  /** Files of `NAME=value` lines; they win over the environment of the process. */
  readonly envFiles?: readonly string[]
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Default: `safety` of the agent, else of `runtime`, else `restricted`. */
  readonly safety?: Safety
  /** A script that answers instead of the model; see `readScript`. No keys are needed then. */
  readonly fake?: string
  /** Makes every warning an error. */
  readonly strict?: boolean
  readonly log?: Logger
  readonly fetch?: typeof globalThis.fetch
  /** Whether to ask a local model runner if it is there, which takes at most a second. Default true. */
  readonly probe?: boolean
  /** Clock, chance and waiting, for tests. */
  readonly now?: () => number
  readonly random?: () => number
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** An agent from a file. */
export interface LoadedAgent extends Agent {
  /** Name of the agent in its file. */
  readonly agentName: string
  readonly safety: Safety
  /** How people name the models that may answer. */
  readonly models: readonly string[]
  /** What a person should know about the file; nobody has been told yet. */
  readonly warnings: readonly Finding[]
  /** Loads the clients of the models, so that the first message does not wait for them. */
  warm(): Promise<void>
}

/**
 * Loads an agent from a YAML file in Docker Agent's format, schema versions 0 to 16. Throws `AgentFileError`, which lists
 * everything that is wrong at once, and never starts with a key ignored that safety depends on.
 */
export async function loadAgentFile(path: string, options: AgentFileOptions = {}): Promise<LoadedAgent> {
  const { workingDir = process.cwd(), envFiles = [], env = process.env, fake, strict = false, log = silent } = options
  const { fetch = globalThis.fetch, now = Date.now, random = Math.random, sleep = waitFor } = options
  const environment = await readEnvironment({ files: envFiles, workingDir, variables: env })
  const source = await readAgentFile(path, options.agent)
  const { agent: section, file, findings, served } = source
  const { description, commands } = readTexts(source, environment)
  const system = await readInstruction(source, { workingDir, now })
  const { models, fallbacks } = await readModels(source, { environment, fetch, fake })
  throwErrors(findings.list, strict)
  const all = [...models, ...fallbacks]
  const labels = all.map((model) => model.settings.label)
  if (fake === undefined && options.probe !== false) await probeRunners(source, all, fetch)

  const structured = section.structured_output === undefined ? undefined : readStructured(section.structured_output)
  const outputModes = structured === undefined ? ['text/plain'] : ['application/json', 'text/plain']
  const run = createExecutor({
    system,
    models,
    fallbacks,
    policy: {
      retries: retriesOf(section.fallback),
      cooldown: createCooldown(durationOf(section.fallback?.cooldown ?? '1m'), now),
      random,
      sleep,
    },
    historyItems: section.num_history_items ?? 0,
    commands,
    outputModes,
    ...(structured !== undefined && { structured }),
  })
  const card = cardOf(source, {
    description,
    commands,
    image: all.every((model) => model.settings.image),
    pdf: all.every((model) => model.settings.pdf),
    outputModes,
  })
  log.info('agent loaded', { file: path, agent: served, models: labels })
  return {
    ...agent({ ...card, run }),
    agentName: served,
    safety: options.safety ?? safetyOf(section.safety) ?? safetyOf(file.runtime?.safety) ?? 'restricted',
    models: labels,
    warnings: findings.list,
    async warm() {
      await Promise.all([import('ai'), ...all.map((model) => model.load())])
    },
  }
}

/** -1 means none; nothing and 0 mean two. */
function retriesOf(fallback: FallbackSection | undefined): number {
  const given = fallback?.retries ?? 0
  return given === 0 ? 2 : Math.max(0, given)
}

function safetyOf(given: string | undefined): Safety | undefined {
  return given as Safety | undefined
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  await wait(milliseconds, undefined, { signal })
}

async function probeRunners(
  source: AgentSource,
  models: readonly ReadyModel[],
  fetch: typeof globalThis.fetch,
): Promise<void> {
  const runners = models.filter((model) => model.settings.provider === 'dmr')
  const found = await Promise.all(runners.map((model) => probeRunner(model.settings, fetch)))
  for (const [index, text] of found.entries()) {
    if (text !== undefined) source.findings.warn(runners[index]!.settings.path, text)
  }
}
