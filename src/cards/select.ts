import { A2AError } from '../protocol/errors.ts'
import type { AgentCard, AgentInterface } from '../protocol/generated/v1/types.ts'
import { majorMinor } from '../protocol/version-text.ts'
import { readAddress } from './address.ts'

export interface SelectOptions {
  /** Bindings that can be used, such as `JSONRPC`. */
  readonly bindings: readonly string[]
  /** Protocol versions that can be used, as Major.Minor, the preferred one first. */
  readonly versions: readonly string[]
  /** Where the card came from; relative and unspecified addresses are read against it. */
  readonly cardUrl?: string
  /** Receives what was accepted in spite of a flaw. */
  readonly warnings: string[]
}

/**
 * The interfaces of a card that can be used: those of the preferred version first (AMB-88), and in each version the
 * card's order; unknown bindings and versions are skipped (§8.3.2). Each keeps its URL and tenant as the card has them.
 *
 * Throws InvalidAgentResponse when the card lists none, VersionNotSupported or UnsupportedOperation, with what the card
 * offers, when none can be used.
 */
export function selectInterfaces(card: AgentCard, options: SelectOptions): AgentInterface[] {
  const usable: AgentInterface[] = []
  const skipped: string[] = []
  let otherVersion = false
  for (const [at, listed] of card.supportedInterfaces.entries()) {
    const path = `supportedInterfaces[${at}]`
    const binding = bindingOf(listed.protocolBinding, { path, options })
    const version = versionOf(listed.protocolVersion, { path, options })
    const url = binding && readAddress(listed.url, { ...options, path: `${path}.url`, binding })
    if (binding !== undefined && version !== undefined && url !== undefined) {
      usable.push({ ...listed, url, protocolBinding: binding, protocolVersion: version })
      continue
    }
    if (binding !== undefined && version === undefined) otherVersion = true
    const offered = `${listed.protocolBinding || 'no binding'} ${listed.protocolVersion}`.trim()
    skipped.push(`${path} (${offered} at ${listed.url || 'no url'})`)
  }
  if (usable.length > 0) {
    const rank = ({ protocolVersion }: AgentInterface): number => options.versions.indexOf(protocolVersion)
    return usable.sort((one, other) => rank(one) - rank(other))
  }
  if (skipped.length === 0) {
    const text =
      'The agent card lists no interface: supportedInterfaces: is required; it must have at least one element'
    const description = 'is required; it must have at least one element'
    throw new A2AError('InvalidAgentResponse', text, { violations: [{ field: 'supportedInterfaces', description }] })
  }
  const spoken = `${options.bindings.join(', ')} with version ${options.versions.join(', ')}`
  throw new A2AError(
    otherVersion ? 'VersionNotSupported' : 'UnsupportedOperation',
    `None of the card's interfaces can be used: ${skipped.join('; ')}. Spoken here: ${spoken}`,
    { metadata: { supportedVersions: options.versions.join(',') } },
  )
}

interface Place {
  readonly path: string
  readonly options: SelectOptions
}

function bindingOf(listed: string, { path, options }: Place): string | undefined {
  const plain = (name: string): string => name.toUpperCase().replace(/[^A-Z]/g, '')
  if (options.bindings.includes(listed)) return listed
  const meant = options.bindings.find((name) => plain(name) === plain(listed))
  if (meant !== undefined) options.warnings.push(`${path}.protocolBinding: "${listed}" must be written "${meant}"`)
  return meant
}

function versionOf(listed: string, { path, options }: Place): string | undefined {
  const field = `${path}.protocolVersion`
  if (listed === '') {
    options.warnings.push(`${field}: is missing; ${options.versions[0]} is assumed`)
    return options.versions[0]
  }
  const version = majorMinor(listed.trim())
  if (version === undefined || !options.versions.includes(version)) return undefined
  if (version !== listed) options.warnings.push(`${field}: "${listed}" must be Major.Minor: "${version}"`)
  return version
}
