import { type FieldViolation, invalidParams } from '../../errors.ts'
import { normalizeTimestamp } from '../../scalars.ts'
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

/** What is wrong with parts and times, which the tables cannot tell. */
export type Problems = FieldViolation[]

/** Throws what is wrong with parts, if anything is. */
export function raise(problems: Problems): void {
  if (problems.length > 0) throw invalidParams(problems)
}

/** Where an object stands, where to note what is wrong with it, and what its sender means by the bytes of protobuf. */
export interface Place {
  /** Path with the dot at its end, or `''`. */
  readonly at: string
  readonly problems: Problems
  readonly bytes: Bytes
}

function below(place: Place, name: string): Place {
  return { ...place, at: `${place.at}${name}.` }
}

/** A task. The values given to this and the functions below are in the spelling that `readShape` gives. */
export function readTask({ kind: _, status, history, artifacts, ...rest }: Members, place: Place): object {
  return {
    ...rest,
    status: readStatus(status as Members, below(place, 'status')),
    ...(artifacts !== undefined && {
      artifacts: (artifacts as Members[]).map((one, at) => readArtifact(one, below(place, `artifacts[${at}]`))),
    }),
    ...(history !== undefined && {
      history: (history as Members[]).map((one, at) => readMessage(one, below(place, `history[${at}]`))),
    }),
  }
}

function readStatus({ state, message, timestamp }: Members, place: Place): object {
  const time = timestamp === undefined || timestamp === '' ? undefined : readTime(timestamp as string)
  if (timestamp && time === undefined) {
    const description = 'must be a time of ISO 8601, such as 2025-01-31T12:00:00Z'
    place.problems.push({ field: `${place.at}timestamp`, description })
  }
  return {
    state: readState(state),
    ...(time !== undefined && { timestamp: time }),
    ...(message !== undefined && { message: readMessage(message as Members, below(place, 'message')) }),
  }
}

/** A time of ISO 8601 as 1.0 has it. One without a zone counts as UTC: samples of 0.3 leave it out, and so do peers. */
function readTime(given: string): string | undefined {
  const text = given.trim().replace(' ', 'T')
  const exact = normalizeTimestamp(text) ?? normalizeTimestamp(`${text}Z`)
  if (exact !== undefined || !/^\d{4}-\d\d-\d\dT/.test(text)) return exact
  const instant = new Date(/[Zz]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text}Z`)
  return Number.isNaN(instant.getTime()) ? undefined : normalizeTimestamp(instant.toISOString())
}

export function readMessage({ kind: _, role, parts, ...rest }: Members, place: Place): object {
  return { ...rest, role: roles[role as string], parts: readParts(parts, place) }
}

function readArtifact({ parts, ...rest }: Members, place: Place): object {
  return { ...rest, parts: readParts(parts, place) }
}

function readParts(parts: unknown, { at, problems, bytes }: Place): object[] {
  return ((parts ?? []) as Members[]).map((part, index) => {
    const { value, problem } = readPart(part, bytes)
    if (problem !== undefined) problems.push({ ...problem, field: `${at}parts[${index}]${problem.field}` })
    return value
  })
}

const contents = ['text', 'file', 'data'] as const

interface ReadPart {
  readonly value: object
  /** `field` is below the part. */
  readonly problem?: FieldViolation
}

function readPart(part: Members, written: Bytes): ReadPart {
  const { kind, metadata } = part
  const given = contents.filter((name) => part[name] !== undefined)
  // Beside what its kind names a part may have members that mean nothing.
  const content = given.find((name) => name === kind) ?? given[0]
  const rest = metadata === undefined ? {} : { metadata }
  if (content === undefined || (given.length > 1 && content !== kind)) {
    const problem = { field: '', description: 'must have exactly one of text, file, data' }
    return { value: { text: part.text ?? '', ...rest }, problem }
  }
  const wrongKind = { field: '.kind', description: `must be "${content}", as that is what the part holds` }
  const kinds = kind === undefined || kind === content ? {} : { problem: wrongKind }
  if (content === 'text') return { value: { text: part.text, ...rest }, ...kinds }
  if (content === 'data') return { value: readData(part), ...kinds }
  const { bytes, uri, mimeType, name } = part.file as Members
  const decoded = kind === undefined ? readBytes(bytes, written) : bytes
  const value = {
    ...(bytes === undefined ? { url: uri ?? '' } : { raw: decoded }),
    ...optional('mediaType', mimeType),
    ...optional('filename', name),
    ...rest,
  }
  if ((bytes === undefined) === (uri === undefined)) {
    return { value, problem: { field: '.file', description: 'must have exactly one of bytes, uri' } }
  }
  if (decoded !== bytes && written === 'guess') return { value, problem: { field: '.file', description: guessed } }
  return { value, ...kinds }
}

/**
 * What a peer has where protobuf has the bytes of a file: the bytes; or, as the SDKs for Python and Go do it, their base64
 * text, so that it comes encoded twice. `guess`: nobody knows; most peers have text, so that is what is written, and what
 * can hardly be anything else is taken for it.
 */
export type Bytes = 'plain' | 'text' | 'guess'

const guessed = 'was encoded twice in base64, as the SDKs for Python and Go do it; it was decoded once more'
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
/** So many characters without a blank are no words. */
const surelyEncoded = 64

function readBytes(bytes: unknown, written: Bytes): unknown {
  if (written === 'plain' || typeof bytes !== 'string' || bytes === '') return bytes
  if (!/^[A-Za-z0-9+/]+=*$/.test(atob(bytes.slice(0, 64)))) return bytes
  const inner = atob(bytes)
  if (inner.length % 4 !== 0 || !base64.test(inner)) return bytes
  return written === 'text' || /[+/=]/.test(inner) || inner.length >= surelyEncoded ? inner : bytes
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
  place: Place,
): { readonly statusUpdate: object; readonly final: boolean } {
  return {
    statusUpdate: { ...rest, status: readStatus(status as Members, below(place, 'status')) },
    final: final === true,
  }
}

/** An artifact update. */
export function readArtifactUpdate({ kind: _, artifact, ...rest }: Members, place: Place): object {
  return { ...rest, artifact: readArtifact(artifact as Members, below(place, 'artifact')) }
}

/** What an object of an answer may be. */
export type Kind = 'task' | 'message' | 'status-update' | 'artifact-update'

/** What tells the kinds of a bare object apart where `kind` is missing. */
export function kindOf(value: unknown): Kind | undefined {
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
  // Drafts have the bare id of the task under either name.
  const bare = config === value ? undefined : value.id || value.name
  const taskId = value.taskId || inner.taskId || names.map((name) => name.task).find(Boolean) || bare
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
