import type { Messages } from './generated/v1/types.ts'
import { copyBefore, setOwn } from './reader.ts'
import type { FieldDescriptor, Tables } from './schema.ts'
import { zeroOf } from './schema.ts'
import { tables } from './tables.ts'

type Members = Readonly<Record<string, unknown>>

interface Rule {
  /** Whether the default value says no more than absence. */
  readonly dropDefault: boolean
  readonly zero: unknown
  readonly nullable: boolean
  readonly list: boolean
  readonly map: boolean
  /** The rules for the value or its elements, where those are messages. */
  readonly inner: Rules | undefined
}

interface Rules {
  readonly rules: Map<string, Rule>
  /** Fields that are sent even where the value lacks them, with what is sent then. */
  readonly always: (readonly [name: string, zero: unknown])[]
}

/** Gives the form of one version's messages that is sent; `M` are its types by name. */
export type Emit<M> = <T extends keyof M & string>(type: T, value: M[T]) => M[T]

/** The writer of one version's messages; each type is prepared once, when it is first written. */
export function createEmitter<M>(of: Tables): Emit<M> {
  const cache = new Map<string, Rules>()
  const rulesOf = (type: string): Rules => cache.get(type) ?? addRules(type, of, cache)
  return <T extends keyof M & string>(type: T, value: M[T]): M[T] =>
    emitMessage(rulesOf(type), value as Members) as M[T]
}

/** Adds the rules of a type to the cache before those of the types inside, which may lead back to it. */
function addRules(type: string, of: Tables, cache: Map<string, Rules>): Rules {
  const { schema, mayBeEmpty } = of
  const fields = schema.messages[type]
  if (fields === undefined) throw new TypeError(`There is no message type ${type}`)
  const result: Rules = { rules: new Map(), always: [] }
  cache.set(type, result)
  const inner = (name: string) => cache.get(name) ?? addRules(name, of, cache)
  for (const field of fields) {
    const zero = zeroOf(field, schema.enums)
    result.rules.set(field.json, {
      dropDefault: !field.required && !field.optional && field.oneof === undefined,
      zero: field.repeated || field.map ? undefined : zero,
      nullable: field.type === 'value',
      list: field.repeated === true,
      map: field.map === true,
      inner: field.type === 'message' ? inner(field.typeName as string) : undefined,
    })
    if (alwaysSent(field, mayBeEmpty.has(`${type}.${field.json}`))) result.always.push([field.json, zero])
  }
  return result
}

function alwaysSent(field: FieldDescriptor, mayBeEmpty: boolean): boolean {
  return field.required === true && (field.type === 'int32' || field.constant !== undefined || mayBeEmpty)
}

/**
 * The form of a message of 1.0 that is sent: without members that are undefined, null, unknown, or an implicit default;
 * REQUIRED fields, explicitly set fields and oneof members stay, and a page of tasks always has its four members
 * (§5.7, §3.1.4). The same object when nothing changes. Values are taken as they are: `validate` checks them.
 */
export const emit: Emit<Messages> = createEmitter(tables)

function emitMessage({ rules, always }: Rules, value: Members): Members {
  let copy: Record<string, unknown> | undefined
  for (const key in value) {
    const member = value[key]
    const rule = rules.get(key)
    const sent = rule === undefined ? undefined : emitField(rule, member)
    if (sent !== member || sent === undefined) copy ??= copyBefore(value, key)
    if (copy !== undefined && sent !== undefined) copy[key] = sent
  }
  for (const [name, zero] of always) {
    if ((copy ?? value)[name] === undefined) copy = { ...(copy ?? value), [name]: zero }
  }
  return copy ?? value
}

/** What is sent for a field; `undefined` when it is left out. */
function emitField(rule: Rule, value: unknown): unknown {
  if (value === undefined || (value === null && !rule.nullable)) return undefined
  if (rule.list) return emitList(rule, value as readonly unknown[])
  if (rule.map) return emitMap(rule, value as Members)
  if (rule.inner !== undefined) return emitMessage(rule.inner, value as Members)
  return rule.dropDefault && value === rule.zero ? undefined : value
}

function emitList(rule: Rule, list: readonly unknown[]): unknown {
  if (list.length === 0 && rule.dropDefault) return undefined
  if (rule.inner === undefined) return list
  let copy: unknown[] | undefined
  for (let at = 0; at < list.length; at++) {
    const item = emitMessage(rule.inner, list[at] as Members)
    if (copy !== undefined) copy.push(item)
    else if (item !== list[at]) copy = [...list.slice(0, at), item]
  }
  return copy ?? list
}

function emitMap(rule: Rule, map: Members): unknown {
  const keys = Object.keys(map)
  if (keys.length === 0 && rule.dropDefault) return undefined
  if (rule.inner === undefined) return map
  let copy: Record<string, unknown> | undefined
  for (const key of keys) {
    const item = emitMessage(rule.inner, map[key] as Members)
    if (item !== map[key]) copy ??= copyBefore(map, key)
    if (copy !== undefined) setOwn(copy, key, item)
  }
  return copy ?? map
}
