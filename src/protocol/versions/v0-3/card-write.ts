import type { AgentCard, AgentSkill, SecurityRequirement } from '../../generated/v1/types.ts'
import type { Note } from '../dialect.ts'
import { type CardForm, type Members, writeRequirement, writeScheme } from './card-security.ts'

/** A card of 0.3 names the whole version, patch number and all. */
const protocolVersion = '0.3.0'

const unheard: Note = () => {}

/**
 * A card in the form of 0.3: its interfaces of that version, or all of them when the card lists none. `note` hears of
 * what 0.3 has no place for.
 */
export function toCard03(card: AgentCard, form: CardForm, note: Note = unheard): Members {
  const interfaces = writeInterfaces(card, note)
  const { extendedAgentCard, ...capabilities } = card.capabilities
  const { securitySchemes } = card
  if (card.signatures !== undefined && card.signatures.length > 0) note('card-signatures')
  return {
    protocolVersion,
    name: card.name,
    description: card.description,
    url: interfaces[0]?.url ?? '',
    preferredTransport: interfaces[0]?.transport ?? 'JSONRPC',
    additionalInterfaces: interfaces,
    ...(card.iconUrl !== undefined && { iconUrl: card.iconUrl }),
    ...(card.provider && { provider: card.provider }),
    version: card.version,
    ...(card.documentationUrl !== undefined && { documentationUrl: card.documentationUrl }),
    capabilities,
    ...(securitySchemes && {
      securitySchemes: mapValues(securitySchemes, (scheme) => writeScheme(scheme, form, note)),
    }),
    ...writeSecurity(card.securityRequirements, form),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map((skill) => writeSkill(skill, form)),
    ...(extendedAgentCard !== undefined && { supportsAuthenticatedExtendedCard: extendedAgentCard }),
  }
}

/**
 * One document that readers of 1.0 and of 0.3 both understand: the members of both, and in each security scheme the
 * `type` of 0.3 beside the member of 1.0 (AMB-62). Strict readers of 1.0 refuse it.
 */
export function mergeCard03(card: AgentCard, note: Note = unheard): Members {
  const { signatures, ...signed } = card
  const older = toCard03(signed, 'json', note)
  const schemes = card.securitySchemes
  return {
    ...older,
    ...card,
    ...(schemes && {
      securitySchemes: mapValues(schemes, (scheme) => ({ ...writeScheme(scheme, 'json', unheard), ...scheme })),
    }),
    skills: card.skills.map((skill) => ({ ...skill, ...writeSkill(skill, 'json') })),
  }
}

interface OldInterface {
  readonly url: string
  readonly transport: string
}

/** The main interface first; 0.3 wants it among the additional ones too. */
function writeInterfaces({ supportedInterfaces }: AgentCard, note: Note): readonly OldInterface[] {
  const own = supportedInterfaces.filter((iface) => iface.protocolVersion.startsWith('0.'))
  const without = (own.length > 0 ? own : supportedInterfaces).filter(({ tenant = '' }) => {
    if (tenant !== '') note('card-tenant')
    return tenant === ''
  })
  const interfaces = new Map<string, OldInterface>()
  for (const { url, protocolBinding: transport } of without) {
    const key = JSON.stringify([url, transport])
    if (!interfaces.has(key)) interfaces.set(key, { url, transport })
  }
  return [...interfaces.values()]
}

function writeSkill({ securityRequirements, ...skill }: AgentSkill, form: CardForm): Members {
  return { ...skill, ...writeSecurity(securityRequirements, form) }
}

function writeSecurity(requirements: readonly SecurityRequirement[] | undefined, form: CardForm): Members {
  if (requirements === undefined || requirements.length === 0) return {}
  return { security: requirements.map((requirement) => writeRequirement(requirement, form)) }
}

function mapValues<V, R>(of: Readonly<Record<string, V>>, change: (value: V) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]))
}
