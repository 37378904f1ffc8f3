import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from '../engine/executor.ts'

/** What loading an agent written in code may be told. */
export interface AgentModuleOptions {
  /** Files that package names stand for where the module itself cannot find them, such as this package when it is not installed beside it. */
  readonly alias?: Readonly<Record<string, string>>
}

/**
 * Loads the agent that a module exports as `agent`: `.js`, `.mjs`, or TypeScript. A module without such an export, or with
 * one that is no agent, is a `TypeError` that says what to write.
 */
export async function loadAgentModule(path: string, options: AgentModuleOptions = {}): Promise<Agent> {
  const file = resolve(path)
  try {
    await access(file)
  } catch {
    throw new TypeError(`${path}: there is no such file`)
  }
  const exported = await importModule(file, options)
  const found = exported.agent
  if (found === undefined) {
    const names = Object.keys(exported).filter((name) => name !== 'default')
    const has = names.length === 0 ? 'it exports nothing by name' : `it exports ${names.join(', ')}`
    throw new TypeError(
      `${path} must export its agent by the name agent (${has}): export const agent = agent({ name, description, version, run })`,
    )
  }
  const wrong = missingField(found)
  if (wrong !== undefined) {
    throw new TypeError(
      `${path}: the export agent is no agent (${wrong}): make it with agent({ name, description, version, run })`,
    )
  }
  return found as Agent
}

async function importModule(file: string, { alias = {} }: AgentModuleOptions): Promise<Record<string, unknown>> {
  const typescript = /\.[cm]?tsx?$/.test(file)
  try {
    if (typescript && !stripsTypes()) return await transpile(file)
    return (await import(/* @vite-ignore */ pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    if (missesOneOf(Object.keys(alias), error)) return await transpile(file, alias)
    if (typescript && needsTranspiler(error)) return await transpile(file)
    throw error
  }
}

async function transpile(file: string, alias: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
  const { createJiti } = await import('jiti')
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    interopDefault: false,
    alias: { ...alias },
  })
  return await jiti.import<Record<string, unknown>>(file)
}

function missesOneOf(names: readonly string[], error: unknown): boolean {
  const { code, message = '' } = error as { code?: string; message?: string }
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return false
  // Inside this package the name is found, but leads to a folder that is only there after a build.
  const found = message.replaceAll('\\', '/')
  return names.some(
    (name) => found.includes(`'${name}'`) || found.includes(`'${name.split('/')[0]}'`) || found.includes('/dist/'),
  )
}

/** Node runs TypeScript by itself from 22.18 on. */
function stripsTypes(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 18)
}

function needsTranspiler(error: unknown): boolean {
  const { code } = error as { code?: string }
  return (
    code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX' ||
    code === 'ERR_UNKNOWN_FILE_EXTENSION' ||
    code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'
  )
}

/** What an agent must have and this value has not. */
function missingField(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return 'it is not an object'
  const agent = value as Record<string, unknown>
  for (const field of ['name', 'description', 'version'])
    if (typeof agent[field] !== 'string' || agent[field] === '') return `${field} is missing`
  if (typeof agent.run !== 'function') return 'run is missing'
  for (const field of ['skills', 'inputModes', 'outputModes'])
    if (!Array.isArray(agent[field])) return `${field} is missing`
  return agent.capabilities === undefined ? 'capabilities is missing' : undefined
}
