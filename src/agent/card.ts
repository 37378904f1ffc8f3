import { createHash } from 'node:crypto'
import { basename, extname } from 'node:path'
import type { AgentOptions } from '../engine/executor.ts'
import type { AgentProvider } from '../protocol/generated/v1/types.ts'
import type { AgentCommand } from './commands.ts'
import { imageInputModes, textInputModes } from './parts.ts'
import type { AgentSource } from './read-file.ts'

/** What a card says besides what the file says. */
export interface CardOptions {
  readonly description: string
  readonly commands: readonly AgentCommand[]
  readonly image: boolean
  readonly pdf: boolean
  readonly outputModes: readonly string[]
}

/** What the card of an agent from a file says (§4.4.1): the agent is its first skill, each described command is one more. */
export function cardOf(source: AgentSource, options: CardOptions): Omit<AgentOptions, 'run'> {
  const { metadata } = source.file
  const name = basename(source.path, extname(source.path)) || source.served
  const description = options.description || metadata?.description?.trim() || `Agent ${name}`
  const provider = providerOf(metadata?.author)
  const tags = metadata?.tags ?? []
  const ids = new Set<string>()
  const skill = (label: string, about: string, example?: string): NonNullable<AgentOptions['skills']>[number] => {
    let id = cleanId(label)
    for (let number = 2; ids.has(id); number++) id = `${cleanId(label)}-${number}`
    ids.add(id)
    return {
      id,
      name: label,
      description: about,
      ...(tags.length > 0 && { tags }),
      ...(example !== undefined && { examples: [example] }),
    }
  }
  return {
    name,
    description,
    version:
      metadata?.version === undefined || metadata.version === ''
        ? contentVersion(source.text)
        : String(metadata.version),
    skills: [
      skill(name, description),
      ...options.commands
        .filter((command) => command.description.trim() !== '')
        .map((command) => skill(command.name, command.description.trim(), `/${command.name}`)),
    ],
    inputModes: [
      ...textInputModes,
      ...(options.image ? imageInputModes : []),
      ...(options.pdf ? ['application/pdf'] : []),
    ],
    outputModes: options.outputModes,
    ...(provider !== undefined && { provider }),
  }
}

function contentVersion(text: string): string {
  return `0.0.0+${createHash('sha256').update(text).digest('hex').slice(0, 12)}`
}

/** A card's provider needs a name and an address (§4.4.2), so an author without an address gives none. */
function providerOf(author: string | undefined): AgentProvider | undefined {
  const match = /^\s*(.*?)\s*[<(]?(https?:\/\/[^\s<>()]+)[>)]?\s*$/.exec(author ?? '')
  if (match === null || !URL.canParse(match[2]!)) return undefined
  return { organization: match[1] || new URL(match[2]!).host, url: match[2]! }
}

function cleanId(label: string): string {
  return (
    label
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '') || 'agent'
  )
}
