import { A2AError, type FieldViolation, invalidParams } from '../../errors.ts'
import type { AgentCard } from '../../generated/v1/types.ts'
import { isObject } from '../../reader.ts'
import { validate } from '../../validate.ts'
import { majorMinor } from '../../version-text.ts'
import { type Members, member, type ReadSchemes, readRequirements, readSchemes } from './card-security.ts'

type Warn = (text: string) => void

/**
 * Reads a card that has anything of 0.3: a card of 0.2 or 0.3 in the form of types.ts or of the proto, one of both
 * versions, a draft in between, or a card of 1.0 with some member in its older form. Null counts as absent, unknown
 * members are ignored. Its interfaces say their version; `warn` hears of every flaw, beginning with its path.
 *
 * Throws InvalidParams with the path, as the card has it, of each field that cannot be read.
 */
export function fromCard03(json: unknown, warn: Warn): AgentCard {
  if (!isObject(json)) throw invalidParams([{ field: '', description: 'the card must be an object' }])
  const { schemes, names } = readSecuritySchemes(json, warn)
  const read = {
    ...Object.fromEntries(sameInAll.map((name) => [name, member(json, name)])),
    supportedInterfaces: readInterfaces(json, warn),
    capabilities: readCapabilities(json, warn),
    securitySchemes: schemes,
    securityRequirements: readSecurity(json, { names, path: '', warn }) ?? oldRequirements(json),
    skills: readSkills(json, { names, warn }),
    signatures: readSignatures(json, warn),
  }
  const warnings: string[] = []
  const card = checked(read, { json, warnings })
  for (const text of warnings) warn(asWritten(text, json))
  return card
}

const sameInAll = [
  'name',
  'description',
  'version',
  'provider',
  'documentationUrl',
  'iconUrl',
  'defaultInputModes',
  'defaultOutputModes',
]

function checked(
  read: Members,
  { json, warnings }: { readonly json: Members; readonly warnings: string[] },
): AgentCard {
  try {
    return validate('AgentCard', read, { lenient: true, warnings })
  } catch (error) {
    const { violations } = A2AError.from(error)
    throw invalidParams(violations.map(({ field, description }) => ({ field: asWritten(field, json), description })))
  }
}

/** A path, or a text that begins with one, with the member names that the card uses. */
function asWritten(path: string, card: Members): string {
  return member(card, 'securityRequirements') === undefined
    ? path.replace(/^(skills\[\d+\]\.)?securityRequirements/, '$1security')
    : path
}

/** Whether a card has a list of interfaces as in 1.0. */
function hasInterfaces(card: Members): boolean {
  const listed = member(card, 'supportedInterfaces')
  return listed !== undefined && !(Array.isArray(listed) && listed.length === 0)
}

interface Listed {
  readonly url: unknown
  readonly protocolBinding: unknown
  readonly protocolVersion: string
  readonly tenant?: unknown
}

/** The interfaces of 1.0 in their order, then those of 0.3: the main one, then the additional ones, each once. */
function readInterfaces(card: Members, warn: Warn): unknown {
  const listed = member(card, 'supportedInterfaces')
  if (listed !== undefined && !Array.isArray(listed)) return listed
  const newer = (listed ?? []).map((entry: unknown) => (isObject(entry) ? completed(entry, card) : entry))
  const problems: FieldViolation[] = []
  const older = [...mainInterface(card, { problems, warn }), ...additionalInterfaces(card, { problems, warn })]
  if (problems.length > 0) throw invalidParams(problems)
  const all: unknown[] = [...newer]
  const known = new Set(newer.filter(isObject).map((entry) => keyOf(entry)))
  for (const entry of older) {
    const key = keyOf(entry)
    if (!known.has(key)) all.push(entry)
    known.add(key)
  }
  return all
}

function keyOf(entry: Members | Listed): string {
  const { url, protocolBinding, protocolVersion } = entry as Listed
  const version = majorMinor(textOf(protocolVersion).trim()) ?? protocolVersion
  return JSON.stringify([url, textOf(protocolBinding).toUpperCase(), version])
}

/** An entry of a draft of 1.0: its version may stand at the top of the card, its binding under the older name. */
function completed(entry: Members, card: Members): Members {
  const several = member(card, 'protocolVersions')
  const above = Array.isArray(several) ? several[0] : member(card, 'protocolVersion')
  return {
    url: entry.url,
    tenant: entry.tenant,
    protocolBinding: member(entry, 'protocolBinding') ?? entry.transport,
    protocolVersion: member(entry, 'protocolVersion') ?? (above === undefined ? undefined : spokenVersion(above)),
  }
}

interface Gather {
  readonly problems: FieldViolation[]
  readonly warn: Warn
}

function mainInterface(card: Members, { problems, warn }: Gather): Listed[] {
  const url = member(card, 'url')
  if (url === undefined || url === '') {
    const others = hasInterfaces(card) || Array.isArray(member(card, 'additionalInterfaces'))
    if (!others) problems.push({ field: 'url', description: 'is required; give the absolute URL of the agent' })
    else if (!hasInterfaces(card)) warn('url: is required; give the absolute URL of the agent')
    return []
  }
  const transport = member(card, 'preferredTransport') ?? ''
  if (typeof url !== 'string') problems.push({ field: 'url', description: 'must be a string' })
  if (typeof transport !== 'string') problems.push({ field: 'preferredTransport', description: 'must be a string' })
  const protocolVersion = cardVersion(card, warn)
  return [
    { url, protocolBinding: bindingOf(transport || 'JSONRPC', { path: 'preferredTransport', warn }), protocolVersion },
  ]
}

function additionalInterfaces(card: Members, { problems, warn }: Gather): Listed[] {
  const additional = member(card, 'additionalInterfaces') ?? []
  if (!Array.isArray(additional)) {
    problems.push({ field: 'additionalInterfaces', description: 'must be an array' })
    return []
  }
  return additional.flatMap((entry: unknown, index) => {
    const path = `additionalInterfaces[${index}]`
    if (!isObject(entry)) {
      problems.push({ field: path, description: 'must be an object' })
      return []
    }
    const url = member(entry, 'url')
    const transport = entry.transport ?? member(entry, 'protocolBinding')
    if (typeof url !== 'string' || typeof transport !== 'string' || url === '' || transport === '') {
      warn(`${path}: must have a url and a transport; it was left out`)
      return []
    }
    const own = member(entry, 'protocolVersion')
    const protocolVersion = own === undefined ? '0.3' : spokenVersion(own)
    const tenant = entry.tenant ?? undefined
    const protocolBinding = bindingOf(transport, { path: `${path}.transport`, warn })
    return [{ url, protocolBinding, protocolVersion, ...(tenant !== undefined && { tenant }) }]
  })
}

const bindings = ['JSONRPC', 'HTTP+JSON', 'GRPC']

/** Transports are written in any case by some; names that are not known stay as they are. */
function bindingOf(transport: unknown, { path, warn }: { readonly path: string; readonly warn: Warn }): unknown {
  if (typeof transport !== 'string' || bindings.includes(transport)) return transport
  const plain = (name: string): string => name.toUpperCase().replace(/[^A-Z]/g, '')
  const meant = bindings.find((name) => plain(name) === plain(transport))
  if (meant !== undefined) warn(`${path}: ${JSON.stringify(transport.slice(0, 40))} must be written "${meant}"`)
  return meant ?? transport
}

/** What is spoken where a card of before 1.0 leads: 0.3, whichever patch or older minor it names. */
function cardVersion(card: Members, warn: Warn): string {
  const given = member(card, 'protocolVersion')
  const version = typeof given === 'string' ? majorMinor(given.trim()) : undefined
  if (hasInterfaces(card)) return version === undefined ? '0.3' : spokenVersion(version)
  if (version === '0.3' || given === undefined || given === '') return '0.3'
  if (version?.startsWith('0.')) warn(`protocolVersion: ${version} is older than 0.3; 0.3 is spoken with this agent`)
  else {
    const shown = JSON.stringify(given)?.slice(0, 40)
    warn(`protocolVersion: is ${shown}, yet the card has the form of 0.3; 0.3 is spoken with this agent`)
  }
  return '0.3'
}

function spokenVersion(given: unknown): string {
  const text = textOf(given).trim()
  return text.startsWith('0.') ? '0.3' : text
}

function readCapabilities(card: Members, warn: Warn): unknown {
  const capabilities = member(card, 'capabilities')
  if (capabilities !== undefined && !isObject(capabilities)) return capabilities
  if (capabilities !== undefined && member(capabilities, 'stateTransitionHistory') === true) {
    warn('capabilities.stateTransitionHistory: was left out; 1.0 has nothing like it')
  }
  const extended = member(card, 'supportsAuthenticatedExtendedCard') ?? member(card, 'supportsExtendedAgentCard')
  if (extended === undefined) return capabilities
  const { extended_agent_card, extendedAgentCard = extended_agent_card, ...others } = capabilities ?? {}
  return { ...others, extendedAgentCard: extendedAgentCard ?? extended }
}

function readSecuritySchemes(card: Members, warn: Warn): { schemes: unknown; names: ReadSchemes['names'] } {
  const given = member(card, 'securitySchemes')
  const old = given === undefined ? oldSchemes(card, warn) : given
  return isObject(old) ? readSchemes(old, warn) : { schemes: old, names: new Map() }
}

function readSecurity(
  of: Members,
  { names, path, warn }: { readonly names: ReadSchemes['names']; readonly path: string; readonly warn: Warn },
): unknown {
  const newer = member(of, 'securityRequirements')
  const given = newer ?? member(of, 'security')
  const field = `${path}${newer === undefined ? 'security' : 'securityRequirements'}`
  return readRequirements(given, { names, path: field, warn })
}

function readSkills(card: Members, { names, warn }: { names: ReadSchemes['names']; warn: Warn }): unknown {
  const skills = member(card, 'skills')
  if (!Array.isArray(skills)) return skills
  return skills.map((skill: unknown, index) => {
    if (!isObject(skill)) return skill
    const { security_requirements: _, ...others } = skill
    return { ...others, securityRequirements: readSecurity(skill, { names, path: `skills[${index}].`, warn }) }
  })
}

/** A signature covers the card in the form that it came in; of a card of 0.3 nothing is left to verify. */
function readSignatures(card: Members, warn: Warn): unknown {
  const signatures = member(card, 'signatures')
  if (hasInterfaces(card) || signatures === undefined) return signatures
  if (!Array.isArray(signatures) || signatures.length > 0) {
    warn('signatures: were left out; a card of 0.3 has no canonical form that they could cover')
  }
  return undefined
}

/** Schemes of before 0.2.5 that a name alone describes. */
const bareSchemes = new Set(['basic', 'bearer', 'digest'])

/** The member `authentication` of the first cards: names of HTTP schemes, any of which suffices. */
function authenticationNames(card: Members): string[] {
  const old = member(card, 'authentication')
  const names = isObject(old) && Array.isArray(old.schemes) ? old.schemes : []
  return names.filter((name): name is string => typeof name === 'string')
}

function oldSchemes(card: Members, warn: Warn): Members | undefined {
  const names = authenticationNames(card)
  if (names.length === 0) return undefined
  const known = names.filter((name) => bareSchemes.has(name.toLowerCase()))
  const shown = names.map((name) => name.slice(0, 40)).join(', ')
  warn(`authentication: is called securitySchemes since 0.2.5; ${shown} was read as far as it goes`)
  return Object.fromEntries(known.map((scheme) => [scheme.toLowerCase(), { httpAuthSecurityScheme: { scheme } }]))
}

function oldRequirements(card: Members): unknown {
  if (member(card, 'securitySchemes') !== undefined) return undefined
  const known = authenticationNames(card).filter((name) => bareSchemes.has(name.toLowerCase()))
  return known.map((name) => ({ schemes: { [name.toLowerCase()]: {} } }))
}

/** A text, or what JSON makes of anything else: not every object can be made a text in another way. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
