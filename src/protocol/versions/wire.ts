import { A2AError } from '../errors.ts'
import { majorMinor } from '../version-text.ts'
import type { Dialect } from './dialect.ts'
import { grpc03, jsonRpc03, rest03 } from './v0-3/index.ts'
import { v1 } from './v1.ts'

export { majorMinor }

/** One version of the protocol, as each binding speaks it. */
export interface Wire {
  /** `Major.Minor`. */
  readonly version: string
  readonly jsonRpc: Dialect
  readonly rest: Dialect
  readonly grpc: Dialect
}

/** Every version that is spoken, newest first. */
export const wires: readonly Wire[] = [
  { version: v1.version, jsonRpc: v1, rest: v1, grpc: v1 },
  { version: '0.3', jsonRpc: jsonRpc03, rest: rest03, grpc: grpc03 },
]

const byVersion: ReadonlyMap<string, Wire> = new Map(wires.map((wire) => [wire.version, wire]))

/** The version that a request names in so many words, which is what most do. */
export function namedWire(asked: string): Wire | undefined {
  return byVersion.get(asked)
}

/** Where a request belongs, and what is wrong with the version it names, if anything is. */
export interface Recognised<T> {
  readonly wire: Wire
  readonly found: T
  /** VersionNotSupported; what was found serves to answer more urgent errors first. */
  readonly error?: A2AError
}

/** How a request is told apart from those of other versions. */
export interface Recognition<T> {
  /** The version that the request names; `''` for none (§3.6.1). */
  readonly asked: string
  /** The version of a request that names none (§3.6.2, AMB-52). */
  readonly assumed: string
  /** Looks the request up among what a version has. */
  look(wire: Wire): T | undefined
}

/**
 * The version of a request: its method, path or service decides, and the version it names has to agree (§3.6.2).
 * `undefined` when no version has such a thing.
 */
export function recognise<T>(request: Recognition<T>): Recognised<T> | undefined {
  const text = request.asked.trim()
  const named = byVersion.get(text) ?? byVersion.get(majorMinor(text) ?? '')
  const first = named === undefined ? undefined : request.look(named)
  if (named !== undefined && first !== undefined) return { wire: named, found: first }
  for (const wire of wires) {
    const found = wire === named ? undefined : request.look(wire)
    if (found === undefined) continue
    // What only 0.3 has says so by itself: its callers know no header.
    if (text === '' && (wire.version === '0.3' || wire.version === request.assumed)) return { wire, found }
    return { wire, found, error: disagreement(request, { wire, named }) }
  }
  return undefined
}

/** Whether a version text names a spoken version, or none at all. */
export function isSupported(asked: string): boolean {
  if (asked === '' || byVersion.has(asked)) return true
  const text = asked.trim()
  return text === '' || byVersion.has(majorMinor(text) ?? '')
}

/** The error for a version that is not spoken here; says which ones are (VERS-15). */
export function versionError(asked: string): A2AError {
  const text = `A2A-Version ${quote(asked.trim())} is not supported here; supported: ${supported}. Send the header A2A-Version`
  return new A2AError('VersionNotSupported', text, { metadata: { supportedVersions: supported } })
}

const supported = wires.map(({ version }) => version).join(',')

function disagreement(
  { asked, assumed }: Recognition<unknown>,
  { wire, named }: { readonly wire: Wire; readonly named: Wire | undefined },
): A2AError {
  if (named === undefined && asked.trim() !== '') return versionError(asked)
  const { version } = wire
  const text =
    named === undefined
      ? `This is a request of A2A ${version} without A2A-Version, which counts as ${assumed}; send the header A2A-Version: ${version}`
      : `This is a request of A2A ${version}, but its A2A-Version is ${named.version}; ${
          version === '0.3' ? 'leave the header out, or send 0.3' : `send ${version}`
        }`
  return new A2AError('VersionNotSupported', text, { metadata: { supportedVersions: supported } })
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text)
}
