import type { SecurityRequirement, SecurityScheme } from '../../generated/v1/types.ts'
import { isObject } from '../../reader.ts'
import type { Note } from '../dialect.ts'

/** A JSON object of which nothing is known yet. */
export type Members = Readonly<Record<string, unknown>>

/** The form of types.ts, or ProtoJSON of `a2a.v1`. */
export type CardForm = 'json' | 'proto'

/** A member by its name in camelCase or snake_case; null counts as absent. */
export function member(of: Members, name: string): unknown {
  return of[name] ?? of[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? undefined
}

/** The `type` of 0.3 and the member of 1.0 that mean the same. */
const kinds: readonly (readonly [type: string, key: keyof SecurityScheme & string])[] = [
  ['apiKey', 'apiKeySecurityScheme'],
  ['http', 'httpAuthSecurityScheme'],
  ['oauth2', 'oauth2SecurityScheme'],
  ['openIdConnect', 'openIdConnectSecurityScheme'],
  ['mutualTLS', 'mtlsSecurityScheme'],
]

const oauth2 = 'oauth2SecurityScheme'

/** OAuth flows; where a scheme has several, the first of these keeps its name. */
const flowNames = ['authorizationCode', 'clientCredentials', 'implicit', 'password', 'deviceCode'] as const

/** More alternatives than that are not made out of one requirement. */
const mostAlternatives = 64

/** Schemes in the form of 1.0, and the names that each of the card's schemes has now. */
export interface ReadSchemes {
  readonly schemes: Members
  readonly names: ReadonlyMap<string, readonly string[]>
}

/**
 * Reads security schemes of any version. A scheme with several OAuth flows becomes several, as 1.0 has one flow in each
 * (§4.5.7): `x`, `x_clientCredentials` and so on. What is of no known kind is left out, with a warning.
 */
export function readSchemes(given: Members, warn: (text: string) => void): ReadSchemes {
  const schemes: [string, unknown][] = []
  const names = new Map<string, readonly string[]>()
  for (const [name, scheme] of Object.entries(given)) {
    const read = isObject(scheme)
      ? readScheme(scheme, { path: `securitySchemes.${name}`, warn })
      : (scheme ?? undefined)
    if (read === undefined) continue
    const flows = isObject(read) ? splitFlows(read) : []
    const all = flows.length > 1 ? flows : [['', read] as const]
    const named = all.map(([flow, one], index): [string, unknown] => [
      index === 0 ? name : freeName(`${name}_${flow}`, { given, schemes }),
      one,
    ])
    schemes.push(...named)
    names.set(
      name,
      named.map(([own]) => own),
    )
  }
  return { schemes: Object.fromEntries(schemes), names }
}

function freeName(
  wanted: string,
  { given, schemes }: { readonly given: Members; readonly schemes: readonly (readonly [string, unknown])[] },
): string {
  let name = wanted
  for (let number = 2; Object.hasOwn(given, name) || schemes.some(([taken]) => taken === name); number++) {
    name = `${wanted}_${number}`
  }
  return name
}

function readScheme(
  scheme: Members,
  { path, warn }: { readonly path: string; readonly warn: (text: string) => void },
): Members | undefined {
  const wrapped = kinds.flatMap(([, key]) => (member(scheme, key) === undefined ? [] : [[key, member(scheme, key)]]))
  const key = wrapped.length > 0 ? (wrapped[0]?.[0] as string) : kindOf(scheme)
  if (key === undefined) {
    const found = typeof scheme.type === 'string' ? `the type ${JSON.stringify(scheme.type.slice(0, 40))}` : 'no type'
    warn(`${path}: has ${found}, which is not known, and was left out; use ${kinds.map(([type]) => type).join(', ')}`)
    return undefined
  }
  return wrapped.length > 0
    ? Object.fromEntries(wrapped)
    : { [key]: { ...scheme, location: scheme.location ?? scheme.in } }
}

/** The kind of a flat scheme, by its type or, without one, by what only that kind has. */
function kindOf(scheme: Members): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '')
  if (typeof scheme.type === 'string') {
    const wanted = plain(scheme.type)
    const found = kinds.find(([type]) => plain(type) === wanted)
    return found?.[1] ?? (wanted === 'mtls' ? 'mtlsSecurityScheme' : undefined)
  }
  if (member(scheme, 'flows') !== undefined) return oauth2
  if (member(scheme, 'openIdConnectUrl') !== undefined) return 'openIdConnectSecurityScheme'
  if (scheme.name !== undefined && (scheme.in ?? scheme.location) !== undefined) return 'apiKeySecurityScheme'
  return typeof scheme.scheme === 'string' ? 'httpAuthSecurityScheme' : undefined
}

/** One scheme for each flow. */
function splitFlows(scheme: Members): (readonly [flow: string, scheme: Members])[] {
  const inner = scheme[oauth2]
  const flows = isObject(inner) ? member(inner, 'flows') : undefined
  if (!isObject(inner) || !isObject(flows)) return []
  return flowNames.flatMap((name) => {
    const flow = member(flows, name)
    return flow === undefined ? [] : [[name, { ...scheme, [oauth2]: { ...inner, flows: { [name]: flow } } }] as const]
  })
}

/**
 * Reads security requirements of any version: `{name: [scopes]}`, wrapped in `schemes`, or a mixture. A requirement of a
 * scheme that was split becomes one alternative for each part.
 */
export function readRequirements(
  given: unknown,
  { names, path, warn }: { names: ReadSchemes['names']; path: string; warn: (text: string) => void },
): unknown {
  if (!Array.isArray(given)) return given
  return given.flatMap((requirement: unknown, index) => {
    if (!isObject(requirement)) return [requirement]
    const wrapped = isObject(requirement.schemes) ? requirement.schemes : requirement
    const schemes = Object.entries(wrapped).map(([name, scopes]) => {
      const list = Array.isArray(scopes) ? { list: scopes } : (scopes ?? {})
      return (names.get(name) ?? [name]).map((own) => [own, list] as const)
    })
    const count = schemes.reduce((product, { length }) => product * length, 1)
    if (count > mostAlternatives) warn(`${path}[${index}]: stands for ${count} alternatives; only the first is used`)
    const choices = count > mostAlternatives ? schemes.map((all) => all.slice(0, 1)) : schemes
    let alternatives: (readonly (readonly [string, unknown])[])[] = [[]]
    for (const choice of choices) alternatives = alternatives.flatMap((some) => choice.map((one) => [...some, one]))
    return alternatives.map((all) => ({ schemes: Object.fromEntries(all) }))
  })
}

/** A security requirement in the form of 0.3. */
export function writeRequirement({ schemes = {} }: SecurityRequirement, form: CardForm): object {
  if (form === 'proto') return { schemes }
  return Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list]))
}

/** A security scheme in the form of 0.3; `note` hears of a device code flow and of `pkceRequired`, which it has no place for. */
export function writeScheme(scheme: SecurityScheme, form: CardForm, note: Note): object {
  const [type, key] = kinds.find(([, name]) => scheme[name] !== undefined) as (typeof kinds)[number]
  const inner = withoutLosses(scheme[key] as unknown as Members, note)
  if (form === 'proto') return { [key]: inner }
  const { location, ...rest } = inner
  return { type, ...(location !== undefined && { in: location }), ...rest }
}

function withoutLosses(inner: Members, note: Note): Members {
  if (!isObject(inner.flows)) return inner
  const flows = Object.entries(inner.flows).flatMap(([name, flow]) => {
    if (name === 'deviceCode') {
      note('card-device-code')
      return []
    }
    const { pkceRequired, ...rest } = flow as Members
    if (pkceRequired === true) note('card-pkce')
    return [[name, { ...rest, scopes: rest.scopes ?? {} }] as const]
  })
  return { ...inner, flows: Object.fromEntries(flows) }
}
