import type { AgentFile, AgentSection } from './file.ts'
import { closest, type Findings, type Path } from './finding.ts'
import * as tables from './keys.ts'

/** What `checkKeys` needs to know besides the file. */
export interface CheckKeysOptions {
  /** The agent that is served: only what concerns it is said about keys that are allowed but change nothing. */
  readonly served: string
  readonly findings: Findings
}

/** Looks at every key of a file: unknown keys, keys that change nothing, keys that must stop the start, tools that will be absent. */
export function checkKeys(file: AgentFile, options: CheckKeysOptions): void {
  const { served, findings } = options
  const check = (value: unknown, path: Path, table: tables.KeyTable, unknownOnly = false): void =>
    checkMapping(value, path, { table, findings, unknownOnly })

  check(file, [], tables.fileKeys)
  check(file.metadata, ['metadata'], tables.metadataKeys)
  check(file.runtime, ['runtime'], tables.runtimeKeys)
  check((file as { permissions?: unknown }).permissions, ['permissions'], tables.permissionKeys)
  for (const [name, model] of Object.entries(file.models ?? {})) {
    check(model, ['models', name], tables.modelKeys)
    check(model.capabilities, ['models', name, 'capabilities'], tables.capabilityKeys)
  }
  for (const [name, provider] of Object.entries(file.providers ?? {})) {
    if (name.includes('/')) findings.error(['providers', name], 'the name of a provider cannot contain /')
    check(provider, ['providers', name], tables.providerKeys)
  }
  for (const [name, agent] of Object.entries(file.agents)) {
    const path = ['agents', name]
    const other = name !== served
    check(agent, path, tables.agentKeys, other)
    check(agent.structured_output, [...path, 'structured_output'], tables.structuredOutputKeys, other)
    check(agent.fallback, [...path, 'fallback'], tables.fallbackKeys, other)
    check(agent.hooks, [...path, 'hooks'], tables.hookKeys, other)
    for (const [index, toolset] of (agent.toolsets ?? []).entries()) {
      check(toolset, [...path, 'toolsets', index], tables.toolsetKeys(toolset.type), other)
    }
    if (!other) checkServed(agent, path, findings)
  }
}

function checkServed(agent: AgentSection, path: Path, findings: Findings): void {
  for (const [index, toolset] of (agent.toolsets ?? []).entries()) {
    const at = [...path, 'toolsets', index]
    const type = String(toolset.type)
    if (toolset.type === undefined) {
      findings.warn(at, `a toolset needs a type, one of ${tables.toolsetTypes.join(', ')}`)
    } else if (!tables.toolsetTypes.includes(type)) {
      findings.warn(at, `toolset ${type} is not known${meant(type, tables.toolsetTypes)}: its tools are absent`)
    } else {
      const name = typeof toolset.name === 'string' ? ` "${toolset.name}"` : ''
      findings.warn(
        at,
        `toolset ${type}${name} is not supported yet: its tools are absent, the agent answers without them`,
      )
    }
  }
  for (const key of ['sub_agents', 'handoffs'] as const) {
    const names = agent[key] ?? []
    if (names.length === 0) continue
    findings.warn([...path, key], `${key} are not supported yet: the agent answers without ${names.join(', ')}`)
  }
  if (agent.structured_output?.mode === 'tool') {
    findings.warn([...path, 'structured_output', 'mode'], 'has no effect: the model is asked for JSON itself (native)')
  }
  if (agent.harness !== undefined && agent.harness !== null) {
    findings.error(
      [...path, 'harness'],
      'an agent that runs in a harness cannot be served: give it a model, or serve another agent with -a',
    )
  }
}

interface Check {
  readonly table: tables.KeyTable
  readonly findings: Findings
  readonly unknownOnly: boolean
}

function checkMapping(value: unknown, path: Path, check: Check): void {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return
  for (const [key, given] of Object.entries(value)) {
    const note = Object.hasOwn(check.table, key) ? check.table[key]! : undefined
    const at = [...path, key]
    if (note === undefined) check.findings.warn(at, unknownKey(key, Object.keys(check.table)))
    else if (note.mark === 'used' || check.unknownOnly || isOff(given)) continue
    else if (note.mark === 'ignored') check.findings.warn(at, `has no effect: ${note.why}`)
    else check.findings.error(at, note.why)
  }
}

/** Whether a key is given in a way that asks for nothing. */
function isOff(given: unknown): boolean {
  return given === null || given === false || (Array.isArray(given) && given.length === 0)
}

function unknownKey(key: string, known: readonly string[]): string {
  const guess = meant(key, known)
  return guess === '' ? `unknown key; known here: ${known.join(', ')}` : `unknown key${guess}`
}

function meant(word: string, known: readonly string[]): string {
  const guess = closest(word, known)
  return guess === undefined ? '' : ` (did you mean ${guess}?)`
}
