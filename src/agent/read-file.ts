import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { checkKeys } from './check-keys.ts'
import type { AgentFile, AgentSection } from './file.ts'
import { checkShape } from './file-schema.ts'
import { AgentFileError, closest, createFindings, type Finding, type Findings } from './finding.ts'
import { upgrade } from './upgrade.ts'
import { parseYaml } from './yaml-source.ts'

/** An agent file that was read and whose shape is sound. */
export interface AgentSource {
  /** As it was given; this is how findings name it. */
  readonly path: string
  readonly text: string
  readonly file: AgentFile
  /** Name of the agent that is served. */
  readonly served: string
  readonly agent: AgentSection
  readonly findings: Findings
}

/** Reads an agent file and checks every key. Syntax and shape errors are thrown; everything else is in the findings. */
export async function readAgentFile(path: string, agentName?: string): Promise<AgentSource> {
  const text = await readText(path)
  const source = parseYaml(text, path)
  const plain = createFindings(path, (at) => source.at(at))
  const upgraded = upgrade(source.value, plain)
  const findings = createFindings(path, (at) => source.at(upgraded.original(at)))
  if (upgraded.value === null || upgraded.value === undefined) {
    findings.error([], 'the file is empty: it needs at least agents, with a name and an instruction')
  }
  throwErrors([...plain.list, ...findings.list])
  const file = checkShape(upgraded.value, findings)
  throwErrors(findings.list)
  if (file === undefined) throw new TypeError('a file without errors has a shape')

  const names = source.keys(['agents'])
  if (names.length === 0) findings.error(['agents'], 'must not be empty: give at least one agent')
  const served = agentName ?? (names.includes('root') ? 'root' : (names[0] ?? ''))
  const agent = Object.hasOwn(file.agents, served) ? file.agents[served] : undefined
  if (agent === undefined && names.length > 0) {
    const guess = closest(served, names)
    findings.error(
      ['agents'],
      `there is no agent ${served}${guess === undefined ? '' : ` (did you mean ${guess}?)`}: the file has ${names.join(', ')}`,
    )
  }
  if (agent === undefined) throw new AgentFileError(findings.list)
  checkKeys(file, { served, findings })
  checkSafety(file, { served, findings })
  return { path, text, file, served, agent, findings }
}

async function readText(path: string): Promise<string> {
  const stop = (message: string): never => {
    throw new AgentFileError([{ severity: 'error', file: path, line: 1, column: 1, path: '', message }])
  }
  if (extname(path) === '.hcl') stop('HCL agent files are not supported: write the same in YAML')
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EISDIR') return stop('is a folder: give the path of a YAML file')
    if (code !== 'ENOENT') return stop(`cannot be read: ${message}`)
    if (/^https?:\/\//.test(path))
      return stop('agent files are not fetched from the web: download the file and give its path')
    return stop(
      `there is no such file${extname(basename(path)) === '' ? ' (registry references and aliases are not supported)' : ''}`,
    )
  }
}

function checkSafety(file: AgentFile, options: { readonly served: string; readonly findings: Findings }): void {
  const { served, findings } = options
  const text =
    'autonomous cannot be set in a file, as it lets tools run unasked: start with --safety autonomous instead'
  if (file.agents[served]?.safety === 'autonomous') findings.error(['agents', served, 'safety'], text)
  if (file.runtime?.safety === 'autonomous') findings.error(['runtime', 'safety'], text)
}

/** Throws the errors among findings, if there are any; `strict` makes every warning an error. */
export function throwErrors(findings: readonly Finding[], strict = false): void {
  const errors = strict ? findings : findings.filter((finding) => finding.severity === 'error')
  if (errors.length > 0) throw new AgentFileError(errors.map((finding) => ({ ...finding, severity: 'error' })))
}
