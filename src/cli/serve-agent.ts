import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Safety } from '../agent/load.ts'
import type { Agent } from '../engine/executor.ts'
import type { Logger } from '../lib/log.ts'
import { usageError } from './command-error.ts'
import { packageAliases } from './own-package.ts'

/** The flags of `parlance serve` that say which agent is served. */
export interface ServedFlags {
  readonly agent?: string
  readonly safety?: string
  readonly workingDir?: string
  readonly envFromFile?: readonly string[]
  readonly fake?: string
  readonly strict?: boolean
}

/** An agent that is ready to be served. */
export interface ServedAgent {
  readonly agent: Agent
  /** What a person should know about its file, each once. */
  readonly warnings: readonly { readonly text: string; readonly [field: string]: unknown }[]
  /** Loads what the first message would wait for. */
  readonly warm?: () => Promise<void>
}

/** The levels of `--safety`. */
export const safetyLevels: readonly Safety[] = ['strict', 'balanced', 'restricted', 'autonomous']

/** Loads the agent that a path names: a YAML file, or a module that exports it. */
export async function loadServedAgent(path: string, flags: ServedFlags, log: Logger): Promise<ServedAgent> {
  if (flags.workingDir !== undefined) await checkFolder(flags.workingDir)
  return /\.[cm]?[jt]sx?$/.test(path) ? await loadModule(path, flags) : await loadFile(path, flags, log)
}

async function loadFile(path: string, flags: ServedFlags, log: Logger): Promise<ServedAgent> {
  const { loadAgentFile } = await import('../agent/load.ts')
  const { formatFinding } = await import('../agent/finding.ts')
  const { agent, safety, workingDir, envFromFile, fake, strict } = flags
  const loaded = await loadAgentFile(path, {
    log,
    ...(agent !== undefined && { agent }),
    ...(safety !== undefined && { safety: safety as Safety }),
    ...(workingDir !== undefined && { workingDir: resolve(workingDir) }),
    ...(envFromFile !== undefined && { envFiles: envFromFile.map((file) => resolve(file)) }),
    ...(fake !== undefined && { fake }),
    ...(strict !== undefined && { strict }),
  })
  const warnings = new Map(loaded.warnings.map((finding) => [formatFinding(finding), finding]))
  return {
    agent: loaded,
    warnings: [...warnings].map(([text, { file, line, column, path: key, message }]) => ({
      text,
      file,
      line,
      column,
      path: key,
      message,
    })),
    warm: () => loaded.warm(),
  }
}

async function loadModule(path: string, flags: ServedFlags): Promise<ServedAgent> {
  for (const name of ['agent', 'safety', 'fake', 'strict'] as const) {
    if (flags[name] !== undefined)
      throw usageError(`--${name} is for agent files; ${path} is a program that decides by itself`)
  }
  const file = resolve(path)
  for (const envFile of flags.envFromFile ?? []) await takeVariables(envFile)
  if (flags.workingDir !== undefined) process.chdir(flags.workingDir)
  const { loadAgentModule } = await import('../agent/module.ts')
  try {
    return { agent: await loadAgentModule(file), warnings: [] }
  } catch (error) {
    // Where this package is not installed beside the module, it stands in for itself.
    if (!/^Cannot find (?:module|package) '?parlance/.test((error as Error).message)) throw error
    return { agent: await loadAgentModule(file, { alias: packageAliases() }), warnings: [] }
  }
}

async function takeVariables(path: string): Promise<void> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    throw usageError(`--env-from-file ${path}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) process.env[name] = value
}

async function checkFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw usageError(`--working-dir ${path}: there is no such folder`)
  if (!found.isDirectory()) throw usageError(`--working-dir ${path}: is not a folder`)
}
