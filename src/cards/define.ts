import { A2AError } from '../protocol/errors.ts'
import type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  SecurityRequirement,
  SecurityScheme,
} from '../protocol/generated/v1/types.ts'
import { validate } from '../protocol/validate.ts'

/** What an agent says about itself, wherever it is served. */
export interface AgentDescription {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly skills: readonly AgentSkill[]
  readonly inputModes: readonly string[]
  readonly outputModes: readonly string[]
  readonly capabilities: AgentCapabilities
  readonly provider?: AgentProvider
  readonly documentationUrl?: string
  readonly iconUrl?: string
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  readonly securityRequirements?: readonly SecurityRequirement[]
}

/** What the place where an agent is served adds. */
export interface CardOptions {
  /** In order of preference, at least one (§8.3.1). */
  readonly interfaces: readonly AgentInterface[]
  /** Schemes of the server, joined with those of the agent. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  readonly securityRequirements?: readonly SecurityRequirement[]
  /** Extensions that the server brings along, beside those of the agent. */
  readonly extensions?: readonly AgentExtension[]
}

/**
 * The card of an agent (§4.4.1), in canonical form. A card that would break a rule is a `TypeError` that names the fields.
 */
export function defineCard(agent: AgentDescription, options: CardOptions): AgentCard {
  const securitySchemes = { ...agent.securitySchemes, ...options.securitySchemes }
  const securityRequirements = options.securityRequirements ?? agent.securityRequirements ?? []
  const card = checked({
    name: agent.name,
    description: agent.description,
    supportedInterfaces: options.interfaces,
    ...(agent.provider && { provider: agent.provider }),
    version: agent.version,
    ...(agent.documentationUrl !== undefined && { documentationUrl: agent.documentationUrl }),
    capabilities: joinCapabilities(agent.capabilities, options.extensions ?? []),
    ...(Object.keys(securitySchemes).length > 0 && { securitySchemes }),
    ...(securityRequirements.length > 0 && { securityRequirements }),
    defaultInputModes: agent.inputModes,
    defaultOutputModes: agent.outputModes,
    skills: agent.skills,
    ...(agent.iconUrl !== undefined && { iconUrl: agent.iconUrl }),
  })
  const problems = [...undeclaredSchemes(card), ...badUrls(card), ...twice(card)]
  if (problems.length > 0) throw new TypeError(`the agent card is not valid: ${problems.join('; ')}`)
  return card
}

/** The capabilities with further extensions, each URI once; what the agent says of one comes first. */
export function joinCapabilities(own: AgentCapabilities, further: readonly AgentExtension[]): AgentCapabilities {
  const extensions = [...(own.extensions ?? [])]
  for (const extension of further) {
    if (!extensions.some(({ uri }) => uri === extension.uri)) extensions.push(extension)
  }
  const { extensions: _, ...flags } = own
  return { ...flags, ...(extensions.length > 0 && { extensions }) }
}

function checked(card: AgentCard): AgentCard {
  try {
    return validate('AgentCard', card)
  } catch (error) {
    if (!A2AError.is(error)) throw error
    const fields = error.violations.map(({ field, description }) => `${field} ${description}`).join('; ')
    throw new TypeError(`the agent card is not valid: ${fields}`)
  }
}

/** Names of requirements that no scheme has (CARD-23). */
function undeclaredSchemes(card: AgentCard): string[] {
  const requirements = [
    ...(card.securityRequirements ?? []),
    ...card.skills.flatMap((skill) => skill.securityRequirements ?? []),
  ]
  const names = requirements.flatMap(({ schemes }) => Object.keys(schemes ?? {}))
  const missing = names.filter(
    (name) => card.securitySchemes === undefined || !Object.hasOwn(card.securitySchemes, name),
  )
  return [...new Set(missing)].map((name) => `securityRequirements names ${name}, which securitySchemes lacks`)
}

function badUrls(card: AgentCard): string[] {
  const urls: readonly (readonly [string, string | undefined])[] = [
    ['documentationUrl', card.documentationUrl],
    ['iconUrl', card.iconUrl],
    ['provider.url', card.provider?.url],
    ...card.supportedInterfaces.flatMap(({ protocolBinding, url }, index) =>
      protocolBinding === 'GRPC' ? [] : [[`supportedInterfaces[${index}].url`, url] as const],
    ),
  ]
  return urls.flatMap(([field, url]) =>
    url === undefined || URL.canParse(url) ? [] : [`${field} must be an absolute URL`],
  )
}

function twice(card: AgentCard): string[] {
  const ids = card.skills.map(({ id }) => id)
  return [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))].map((id) => `two skills have the id ${id}`)
}
