import { A2AError } from '../../protocol/errors.ts'
import type { HttpRule } from '../../protocol/schema.ts'
import type { WireOperation } from '../../protocol/versions/dialect.ts'

/** Where a request leads: an operation, and what its path says. */
export interface Route {
  readonly row: WireOperation
  readonly rule: HttpRule
  /** Values of the path variables by JSON name, decoded. */
  readonly path: Readonly<Record<string, string>>
}

/** A path that exists, but not for the verb that was used. */
export interface WrongVerb {
  readonly allow: readonly string[]
}

interface Entry {
  readonly row: WireOperation
  readonly rule: HttpRule
  /** Names of the variables, in the order of the path. */
  readonly names: readonly string[]
}

/** Entries by the verb behind the last colon, such as `cancel` or `''`, then by HTTP verb. */
type Ends = Map<string, Map<string, Entry>>

interface Node {
  readonly literals: Map<string, Node>
  variable?: { readonly isTenant: boolean; readonly node: Node }
  readonly ends: Ends
}

function createNode(): Node {
  return { literals: new Map(), ends: new Map() }
}

/** Finds the route of an HTTP verb and a path; undefined when no operation has that path. */
export type Router = (verb: string, path: string) => Route | WrongVerb | undefined

/**
 * Makes a router from the rules of the operations (§11.3). Literal segments win over variables; a `{tenant}` matches
 * declared tenants only. The verb is what follows the last colon of the last segment, if it is one that is known there.
 */
export function createRouter(operations: readonly WireOperation[], tenants: ReadonlySet<string>): Router {
  const root = createNode()
  for (const row of operations) for (const rule of row.http) addRule(root, { row, rule })
  return (verb, path) => {
    const segments = path.slice(1).split('/')
    if (segments.length > 1 && segments.at(-1) === '') segments.pop()
    return walk(root, { segments, verb, tenants, values: [] }, 0)
  }
}

function addRule(root: Node, { row, rule }: Omit<Entry, 'names'>): void {
  let node = root
  let suffix = ''
  const names: string[] = []
  for (const segment of rule.path.slice(1).split('/')) {
    const variable = /^\{(\w+)\}(?::(\w+))?$/.exec(segment)
    if (variable === null) {
      const next = node.literals.get(segment) ?? createNode()
      node.literals.set(segment, next)
      node = next
    } else {
      const [, name = '', verb = ''] = variable
      const isTenant = name === 'tenant'
      node.variable ??= { isTenant, node: createNode() }
      if (node.variable.isTenant !== isTenant) throw new TypeError(`a tenant and another variable meet in ${rule.path}`)
      names.push(name)
      node = node.variable.node
      suffix = verb
    }
  }
  const verbs = node.ends.get(suffix) ?? new Map()
  node.ends.set(suffix, verbs)
  verbs.set(rule.verb, { row, rule, names })
}

interface Walk {
  readonly segments: readonly string[]
  readonly verb: string
  readonly tenants: ReadonlySet<string>
  readonly values: readonly string[]
}

function walk(node: Node, at: Walk, index: number): Route | WrongVerb | undefined {
  const segment = at.segments[index]
  if (segment === undefined) return end(node, '', at)
  const plain = decode(segment)
  const literal = node.literals.get(plain)
  if (literal !== undefined) {
    const found = walk(literal, at, index + 1)
    if (found !== undefined) return found
  }
  const { variable } = node
  if (variable === undefined || plain === '') return undefined
  const last = index === at.segments.length - 1
  if (last) {
    const split = splitVerb(variable.node.ends, { segment, plain, verb: at.verb })
    if (split !== undefined) {
      return end(variable.node, split.suffix, { ...at, values: [...at.values, split.value] })
    }
  }
  if (variable.isTenant && !at.tenants.has(plain)) return undefined
  return walk(variable.node, { ...at, values: [...at.values, plain] }, index + 1)
}

/** A colon that was percent-encoded counts only where the HTTP verb is served, so that an id may end in `%3Acancel`. */
function splitVerb(
  ends: Ends,
  { segment, plain, verb }: { readonly segment: string; readonly plain: string; readonly verb: string },
): { readonly value: string; readonly suffix: string } | undefined {
  const raw = segment.lastIndexOf(':')
  if (raw > 0) {
    const suffix = decode(segment.slice(raw + 1))
    if (suffix !== '' && ends.has(suffix)) return { value: decode(segment.slice(0, raw)), suffix }
  }
  const colon = plain.lastIndexOf(':')
  if (colon > 0) {
    const suffix = plain.slice(colon + 1)
    if (suffix !== '' && ends.get(suffix)?.has(verb)) return { value: plain.slice(0, colon), suffix }
  }
  return undefined
}

function end(node: Node, suffix: string, at: Walk): Route | WrongVerb | undefined {
  const verbs = node.ends.get(suffix)
  if (verbs === undefined) return undefined
  const entry = verbs.get(at.verb)
  if (entry === undefined) return { allow: [...verbs.keys()].sort() }
  const { row, rule, names } = entry
  return { row, rule, path: Object.fromEntries(names.map((name, index) => [name, at.values[index] ?? ''])) }
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new A2AError('InvalidRequest', 'The path is not valid percent-encoded UTF-8')
  }
}
