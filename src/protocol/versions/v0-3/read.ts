import { type FieldViolation, invalidParams } from '../../errors.ts'
import { createValidator, type ValidateOptions } from '../../validate.ts'
import type { Note } from '../dialect.ts'
import { isObject, type Members, tables } from './shapes.ts'

const validator = createValidator<Record<string, Members>>(tables)

/** One of the shapes in its own spelling, whichever form and names it came in; throws InvalidParams. */
export function readShape(shape: string, input: unknown, options: ValidateOptions = {}): Members {
  return validator.validate(shape, input, options)
}

/** The same of a query string. */
export function readQuery(shape: string, query: URLSearchParams, options: ValidateOptions = {}): Members {
  return validator.validateQuery(shape, query, options)
}

const states: Readonly<Record<string, string>> = {
  unknown: 'TASK_STATE_UNSPECIFIED',
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  rejected: 'TASK_STATE_REJECTED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
}

/** A state of 0.3 as 1.0 spells it. */
export function readState(state: unknown): string | undefined {
  return states[state as string]
}

const roles: Readonly<Record<string, string>> = {
  user: 'ROLE_USER',
  agent: 'ROLE_AGENT',
  unspecified: 'ROLE_UNSPECIFIED',
}

/** What is wrong with parts, which the tables cannot tell. */
export type Problems = FieldViolation[]

/** Throws what is wrong with parts, if anything is. */
export function raise(problems: Problems): void {
  if (problems.length > 0) throw invalidParams(problems)
}

/** A task. The values given to this and the functions below are in the spelling that `readShape` gives. */
export function readTask({ kind: _, status, history, artifacts, ...rest }: Members, problems: Problems = []): object {
  return {
    ...rest,
    status: readStatus(status as Members, problems),
    ...(artifacts !== undefined && {
      artifacts: (artifacts as Members[]).map((artifact, at) => readArtifact(artifact, problems, `artifacts[${at}].`)),
    }),
    ...(history !== undefined && {
      history: (history as Members[]).map((message, at) => readMessage(message, problems, { at: `history[${at}].` })),
    }),
  }
}

function readStatus({ state, message, ...rest }: Members, problems: Problems): object {
  return {
    state: readState(state),
    ...rest,
    ...(message !== undefined && { message: readMessage(message as Members, problems, { at: 'status.message.' }) }),
  }
}

/** Where parts stand, for what is wrong with them, and what their sender means by the bytes of protobuf. */
export interface PartsAt {
  readonly at?: string
  /** Whether they are those of the file; else they may be its base64 text. */
  readonly plainBytes?: boolean
}

export function readMessage(
  { kind: _, role, parts, ...rest }: Members,
  problems: Problems = [],
  place: PartsAt = {},
): object {
  return { ...rest, role: roles[role as string], parts: readParts(parts, problems, place) }
}

function readArtifact({ parts, ...rest }: Members, problems: Problems, at: string): object {
  return { ...rest, parts: readParts(parts, problems, { at }) }
}

function readParts(parts: unknown, problems: Problems, { at = '', plainBytes = false }: PartsAt): object[] {
  return ((parts ?? []) as Members[]).map((part, index) => {
    const { value, problem } = readPart(part, plainBytes)
    if (problem !== undefined) problems.push({ field: `${at}parts[${index}]`, description: problem })
    return value
  })
}

const contents = ['text', 'file', 'data'] as const

function readPart(part: Members, plainBytes: boolean): { readonly value: object; readonly problem?: string } {
  const { kind, metadata } = part
  const given = contents.filter((name) => part[name] !== undefined)
  const [content] = given
  const rest = metadata === undefined ? {} : { metadata }
  if (given.length !== 1 || content === undefined) {
    return { value: { text: part.text ?? '', ...rest }, problem: 'must have exactly one of text, file, data' }
  }
  const kinds =
    kind === undefined || kind === content
      ? {}
      : { problem: `kind must be "${content}", as that is what the part holds` }
  if (content === 'text') return { value: { text: part.text, ...rest }, ...kinds }
  if (content === 'data') return { value: readData(part), ...kinds }
  const { bytes, uri, mimeType, name } = part.file as Members
  const value = {
    ...(bytes !== undefined ? { raw: kind === undefined && !plainBytes ? encodedOnce(bytes) : bytes } : { url: uri ?? '' }),
    ...optional('mediaType', mimeType),
    ...optional('filename', name),
    ...rest,
  }
  if ((bytes === undefined) === (uri === undefined))
    return { value, problem: 'file must have exactly one of bytes, uri' }
  return { value, ...kinds }
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * The SDKs for Python and Go put base64 text where protobuf has the bytes themselves; what reads like such text is taken
 * for what it encodes.
 */
function encodedOnce(bytes: unknown): unknown {
  if (typeof bytes !== 'string' || bytes === '' || !/^[A-Za-z0-9+/]+=*$/.test(atob(bytes.slice(0, 64)))) return bytes
  const inner = atob(bytes)
  return inner.length % 4 === 0 && base64.test(inner) ? inner : bytes
}

/** Protobuf has one more level around data than the JSON form; a value that is no object was wrapped by its sender. */
function readData({ kind, data, metadata }: Members): object {
  const outer = data as Members
  const nested = kind === undefined && Object.keys(outer).length === 1 && isObject(outer.data)
  const value = nested ? (outer.data as Members) : outer
  const { data_part_compat: wrapped, ...others } = (metadata ?? {}) as Members
  if (wrapped === true && Object.keys(value).length === 1 && 'value' in value) {
    return { data: value.value, ...(Object.keys(others).length > 0 && { metadata: others }) }
  }
  return { data: value, ...(metadata !== undefined && { metadata }) }
}

/** A status update, and whether it says that the stream ends there. */
export function readStatusUpdate(
  { kind: _, final, status, ...rest }: Members,
  problems: Problems = [],
): { readonly statusUpdate: object; readonly final: boolean } {
  return { statusUpdate: { ...rest, status: readStatus(status as Members, problems) }, final: final === true }
}

/** An artifact update. */
export function readArtifactUpdate({ kind: _, artifact, ...rest }: Members, problems: Problems = []): object {
  return { ...rest, artifact: readArtifact(artifact as Members, problems, 'artifact.') }
}

/** What tells the kinds of a bare object apart where `kind` is missing. */
export function kindOf(value: unknown): 'task' | 'message' | 'status-update' | 'artifact-update' | undefined {
  if (!isObject(value)) return undefined
  const { kind } = value
  if (kind === 'task' || kind === 'message' || kind === 'status-update' || kind === 'artifact-update') return kind
  if ('artifact' in value) return 'artifact-update'
  if ('status' in value) return 'id' in value ? 'task' : 'status-update'
  return 'parts' in value || 'content' in value || 'role' in value ? 'message' : undefined
}

/** A push configuration, from any of the forms it may have; ids of resource names count where no others are given. */
export function readPush(value: Members, note?: Note): object {
  const inner = (value.config ?? {}) as Members
  const config = (value.pushNotificationConfig ?? inner.pushNotificationConfig ?? value) as Members
  const names = [value.name, inner.name, value.parent].map(readName)
  const nested = config !== value
  const taskId =
    value.taskId || inner.taskId || names.map((name) => name.task).find(Boolean) || (nested ? value.id : undefined)
  const id = config.id || value.configId || names.map((name) => name.config).find(Boolean)
  return {
    ...optional('id', id),
    ...optional('taskId', taskId),
    ...readPushConfig(config, note),
  }
}

/** The configuration itself, without the ids around it. */
export function readPushConfig({ id, url, token, authentication }: Members, note?: Note): object {
  const { schemes = [], credentials } = (authentication ?? {}) as { schemes?: readonly string[]; credentials?: string }
  if (schemes.length > 1) note?.('push-schemes')
  const scheme = schemes[0] || (credentials ? 'Bearer' : undefined)
  return {
    ...optional('id', id),
    url: url ?? '',
    ...optional('token', token),
    ...(scheme && { authentication: { scheme, ...(credentials && { credentials }) } }),
  }
}

/** The ids in `tasks/{task}/pushNotificationConfigs/{config}`, or in a part of it. */
export function readName(name: unknown): { readonly task?: string; readonly config?: string } {
  const [, task, config] = /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/(.+))?$/.exec(String(name ?? '')) ?? []
  return { ...(task !== undefined && { task }), ...(config !== undefined && { config }) }
}

/** A member that is there when it says something. */
function optional(name: string, value: unknown): Members {
  return value === undefined || value === '' ? {} : { [name]: value }
}
