import { type Members, member } from '../protocol/versions/v0-3/card-security.ts'

/** How a card tells which protocol it belongs to. */
export interface CardSigns {
  /** The form: interfaces of 1.0, a URL at the top as in 0.3 and before, or both in one document (AMB-62). */
  readonly shape: '1.0' | '0.3' | 'merged'
  /**
   * Whether a card of 0.3 has anything of the drafts that came after it: security schemes without `type`, wrapped security
   * requirements, or `supportsExtendedAgentCard`. Software that speaks 0.3 with the names of 1.0 writes such cards.
   */
  readonly draft: boolean
}

/** Members that stand at the top of cards of before 1.0 only. */
const oldNames = ['url', 'preferredTransport', 'additionalInterfaces', 'protocolVersion', 'authentication'] as const

function members(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

/** Which version a card is of, by what it holds; a card that holds nothing of either counts as 1.0. */
export function recognizeCard(json: unknown): CardSigns {
  const card = members(json)
  const listed = member(card, 'supportedInterfaces')
  const none = listed === undefined || (Array.isArray(listed) && listed.length === 0)
  const old = oldNames.some((name) => member(card, name) !== undefined)
  if (none && old) return { shape: '0.3', draft: hasDraftSigns(card) }
  return { shape: typeof card.url === 'string' && card.url !== '' ? 'merged' : '1.0', draft: false }
}

function hasDraftSigns(card: Members): boolean {
  if (member(card, 'supportsExtendedAgentCard') !== undefined) return true
  const schemes = Object.values(members(member(card, 'securitySchemes'))).map(members)
  const wrapped = schemes.some(
    (scheme) => !isFlat(scheme) && wrappers.some((name) => member(scheme, name) !== undefined),
  )
  return wrapped || list(card.security).some((requirement) => Object.keys(members(requirement.schemes)).length > 0)
}

const wrappers = [
  'apiKeySecurityScheme',
  'httpAuthSecurityScheme',
  'oauth2SecurityScheme',
  'openIdConnectSecurityScheme',
  'mtlsSecurityScheme',
]

/** What in a card of 1.0 has the form of another version, each with its path and what 1.0 says in its place. */
export function oldParts(json: unknown): readonly string[] {
  const card = members(json)
  return [
    ...interfaceParts(card),
    ...renamed(card, { name: 'security', now: 'securityRequirements' }),
    ...list(card.skills).flatMap((skill, index) =>
      renamed(skill, { path: `skills[${index}].`, name: 'security', now: 'securityRequirements' }),
    ),
    ...Object.entries(members(member(card, 'securitySchemes'))).flatMap(([name, scheme]) =>
      isFlat(members(scheme))
        ? [
            `securitySchemes.${name}: has the form of 0.3, with type; 1.0 has a member such as apiKeySecurityScheme instead`,
          ]
        : [],
    ),
    ...renamed(card, { name: 'supportsAuthenticatedExtendedCard', now: 'capabilities.extendedAgentCard' }),
    ...renamed(card, { name: 'supportsExtendedAgentCard', now: 'capabilities.extendedAgentCard' }),
  ]
}

function list(of: unknown): readonly Members[] {
  return Array.isArray(of) ? of.map(members) : []
}

function isFlat(scheme: Members): boolean {
  return typeof scheme.type === 'string' && !wrappers.some((name) => member(scheme, name) !== undefined)
}

function renamed(
  of: Members,
  { path = '', name, now }: { readonly path?: string; readonly name: string; readonly now: string },
): string[] {
  return member(of, name) === undefined ? [] : [`${path}${name}: is called ${now} in 1.0`]
}

/** Drafts had the version once for the whole card, and the binding under the name that it had in 0.3. */
function interfaceParts(card: Members): string[] {
  const above = member(card, 'protocolVersions') ?? member(card, 'protocolVersion')
  return list(member(card, 'supportedInterfaces')).flatMap((entry, index) => {
    const path = `supportedInterfaces[${index}].`
    const version =
      above !== undefined && member(entry, 'protocolVersion') === undefined
        ? [`${path}protocolVersion: is missing; that of the whole card was used`]
        : []
    const binding =
      member(entry, 'protocolBinding') === undefined
        ? renamed(entry, { path, name: 'transport', now: 'protocolBinding' })
        : []
    return [...version, ...binding]
  })
}
