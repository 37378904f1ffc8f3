import { type AgentCommand, listCommands } from './commands.ts'
import type { Environment } from './environment.ts'
import { expandTemplate } from './expand.ts'
import type { AgentSource } from './read-file.ts'

/** Texts of the served agent, with variables filled in. */
export interface AgentTexts {
  readonly description: string
  readonly commands: readonly AgentCommand[]
}

/** Reads the description and the commands, which may use variables; the instruction is taken as it stands. */
export function readTexts(source: AgentSource, environment: Environment): AgentTexts {
  const path = ['agents', source.served]
  const expand = (text: string, key: string): string => {
    const { text: expanded, unknown } = expandTemplate(text, environment)
    for (const expression of unknown) {
      source.findings.warn(
        [...path, key],
        `${expression} stays as it is: only \${env.NAME} and \${env.NAME || 'text'} are filled in`,
      )
    }
    return expanded
  }
  const { agent: section, file } = source
  const groups = section.use_commands ?? []
  const shared = (typeof groups === 'string' ? [groups] : groups).flatMap((name) => {
    const group = Object.hasOwn(file.commands ?? {}, name) ? file.commands![name] : undefined
    if (group === undefined)
      source.findings.error([...path, 'use_commands'], `there is no group ${name} under commands`)
    return listCommands(group)
  })
  const commands = [...listCommands(section.commands), ...shared].map((command) => {
    const instruction = expand(command.instruction, 'commands')
    if (/!`[^`]+`/.test(instruction)) {
      source.findings.warn(
        [...path, 'commands'],
        `the shell text in command ${command.name} is not run: it is sent to the model as it stands`,
      )
    }
    return { ...command, description: expand(command.description, 'commands'), instruction }
  })
  return { description: expand(section.description ?? '', 'description').trim(), commands }
}
