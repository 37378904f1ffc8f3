import { schema } from './generated/v1/schema.ts'
import type { Messages } from './generated/v1/types.ts'
import { copyBefore, setOwn } from './reader.ts'
import type { FieldDescriptor } from './schema.ts'
import { mayBeEmpty, zeroOf } from './schema.ts'

type Members = Readonly<Record<string, unknown>>

interface Rule {
  /** Whether the default value says no more than absence. */
  readonly dropDefault: boolean
  readonly zero: unknown
  readonly nullable: boolean
  readonly list: boolean
  readonly map: boolean
  /** The message type of the value or of its elements. */
  readonly inner: string | undefined
}

interface Rules {
  readonly rules: ReadonlyMap<string, Rule>
  /** Fields that are sent even where the value lacks them, with what is sent then. */
  readonly always: readonly (readonly [name: string, zero: unknown])[]
}

const cache = new Map<string, Rules>()

function rulesOf(type: string): Rules {
  const known = cache.get(type)
  if (known !== undefined) return known
  const fields = schema.messages[type]
  if (fields === undefined) throw new TypeError(`There is no message type ${type}`)
  const alwaysSent = (field: FieldDescriptor) =>
    field.required && (field.type === 'int32' || mayBeEmpty.has(`${type}.${field.json}`))
  const result: Rules = {
    rules: new Map(fields.map((field) => [field.json, ruleOf(field)])),
    always: fields.filter(alwaysSent).map((field) => [field.json, zeroOf(field, schema)]),
  }
  cache.set(type, result)
  return result
}

function ruleOf(field: FieldDescriptor): Rule {
  return {
    dropDefault: !field.required && !field.optional && field.oneof === undefined,
    zero: field.repeated || field.map ? undefined : zeroOf(field, schema),
    nullable: field.type === 'value',
    list: field.repeated === true,
    map: field.map === true,
    inner: field.type === 'message' ? field.typeName : undefined,
  }
}

/**
 * The form of a message that is sent: without members that are undefined, null, unknown, or an implicit default;
 * REQUIRED fields, explicitly set fields and oneof members stay, and a page of tasks always has its four members
 * (§5.7, §3.1.4). The same object when nothing changes. Values are taken as they are: `validate` checks them.
 */
export function emit<T extends keyof Messages>(type: T, value: Messages[T]): Messages[T] {
  return emitMessage(type, value as Members) as Messages[T]
}

function emitMessage(type: string, value: Members): Members {
  const { rules, always } = rulesOf(type)
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
