import type { Command, Commands } from './file.ts'

/** A command of an agent. */
export interface AgentCommand {
  readonly name: string
  readonly description: string
  readonly instruction: string
}

/** The commands of either form, in the order of the file. */
export function listCommands(commands: Commands | null | undefined): readonly AgentCommand[] {
  const groups = Array.isArray(commands) ? commands : [commands ?? {}]
  return groups.flatMap((group: Readonly<Record<string, Command>>) =>
    Object.entries(group).map(([name, command]) =>
      typeof command === 'string'
        ? { name, description: '', instruction: command }
        : { name, description: command.description ?? '', instruction: command.instruction ?? '' },
    ),
  )
}

/**
 * A message `/name words` becomes the instruction of the command: `$1` to `$9` are its words; without them the words are added
 * at the end. Shell text in an instruction is never run, as the message comes from somewhere else.
 */
export function expandCommand(text: string, commands: readonly AgentCommand[]): string {
  const match = /^\s*\/(\S+)(?:\s+([\s\S]*))?$/.exec(text)
  if (match === null) return text
  const command = commands.find((each) => each.name === match[1])
  if (command === undefined || command.instruction === '') return text
  const rest = (match[2] ?? '').trim()
  const words = rest === '' ? [] : rest.split(/\s+/)
  if (/\$[1-9]/.test(command.instruction))
    return command.instruction.replace(/\$([1-9])/g, (_, index) => words[Number(index) - 1] ?? '')
  return rest === '' ? command.instruction : `${command.instruction}\n\n${rest}`
}
