import type { Findings, Path } from './finding.ts'

/** The newest version of the agent-file schema that is known. */
export const newestVersion = 16

type Mapping = Record<string, unknown>

/** A file in the form of the newest schema, and where each moved part came from. */
export interface Upgraded {
  readonly value: unknown
  /** The place in the file as written, for a path of the upgraded value. */
  original(path: Path): Path
}

/** Brings a file of any schema version into the newest form. A missing version means the newest. */
export function upgrade(value: unknown, findings: Findings): Upgraded {
  const unchanged: Upgraded = { value, original: (path) => path }
  if (!isMapping(value)) return unchanged
  const version = versionOf(value.version)
  if (version === undefined) {
    findings.error(
      ['version'],
      `must be a schema version from 0 to ${newestVersion}, is ${JSON.stringify(value.version)}`,
    )
    return unchanged
  }
  return version === 0 ? upgradeFirst(value) : unchanged
}

function versionOf(given: unknown): number | undefined {
  if (given === undefined || given === null) return newestVersion
  const text = String(given).replace(/^v/, '')
  if (!/^\d{1,2}$/.test(text)) return undefined
  const version = Number(text)
  return version <= newestVersion ? version : undefined
}

/** Version 0: `type` of a model is `provider`; `think`, `todo` and `memory` of an agent are toolsets. */
function upgradeFirst(file: Mapping): Upgraded {
  const moved = new Map<string, Path>()
  const models = mapEntries(file.models, (model, name) => {
    if (!('type' in model) || 'provider' in model) return model
    const { type, ...rest } = model
    moved.set(keyOf(['models', name, 'provider']), ['models', name, 'type'])
    return { provider: type, ...rest }
  })
  const agents = mapEntries(file.agents, (agent, name) => {
    const { think, todo, memory, ...rest } = agent
    const given = Array.isArray(rest.toolsets) ? rest.toolsets : []
    const toolsets: unknown[] = [...given]
    const add = (key: string, toolset: Mapping): void => {
      moved.set(keyOf(['agents', name, 'toolsets', toolsets.length]), ['agents', name, key])
      toolsets.push(toolset)
    }
    if (think === true) add('think', { type: 'think' })
    if (todo === true) add('todo', { type: 'todo' })
    else if (isMapping(todo)) add('todo', { type: 'todo', ...todo })
    if (isMapping(memory)) add('memory', { type: 'memory', ...memory })
    return toolsets.length > given.length ? { ...rest, toolsets } : rest
  })
  return {
    value: { ...file, ...(models !== undefined && { models }), ...(agents !== undefined && { agents }) },
    original(path) {
      for (let length = path.length; length > 0; length--) {
        const from = moved.get(keyOf(path.slice(0, length)))
        if (from !== undefined) return [...from, ...path.slice(length)]
      }
      return path
    },
  }
}

function mapEntries(value: unknown, change: (entry: Mapping, name: string) => Mapping): Mapping | undefined {
  if (!isMapping(value)) return undefined
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, isMapping(entry) ? change(entry, name) : entry]),
  )
}

function keyOf(path: Path): string {
  return JSON.stringify(path)
}

function isMapping(value: unknown): value is Mapping {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
