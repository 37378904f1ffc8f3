import type {
  Artifact,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskStatus,
  TaskStatusUpdateEvent,
} from '../../generated/v1/types.ts'
import type { Note } from '../dialect.ts'
import type { CardForm } from './card.ts'
import type { Bytes } from './read.ts'

/** The two forms of 0.3: that of its JSON-RPC binding, and that of its protobuf. */
export type Form = CardForm

/** How something is written. */
export interface Writing {
  readonly form: Form
  readonly note: Note
  /** `plain` unless given. */
  readonly bytes?: Bytes
}

const words: Readonly<Record<string, string>> = {
  TASK_STATE_UNSPECIFIED: 'unknown',
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
}

/** A state of 1.0 as 0.3 spells it. */
export function writeState(state: string, form: Form): string {
  if (form === 'json') return words[state] ?? 'unknown'
  return state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state
}

function withKind(kind: string, form: Form): object {
  return form === 'json' ? { kind } : {}
}

export function writeTask(task: Task, writing: Writing): object {
  const { status, history, artifacts, ...rest } = task
  return {
    ...withKind('task', writing.form),
    ...rest,
    status: writeStatus(status, writing),
    ...(artifacts && { artifacts: artifacts.map((artifact) => writeArtifact(artifact, writing)) }),
    ...(history && { history: history.map((message) => writeMessage(message, writing)) }),
  }
}

function writeStatus({ state, message, ...rest }: TaskStatus, writing: Writing): object {
  return {
    state: writeState(state, writing.form),
    ...(message && { message: writeMessage(message, writing) }),
    ...rest,
  }
}

export function writeMessage(message: Message, writing: Writing): object {
  const { role, parts, referenceTaskIds, ...rest } = message
  const written = parts.map((part) => writePart(part, writing))
  if (writing.form === 'json') {
    return {
      kind: 'message',
      ...rest,
      role: role === 'ROLE_USER' ? 'user' : 'agent',
      parts: written,
      ...(referenceTaskIds && { referenceTaskIds }),
    }
  }
  if (referenceTaskIds !== undefined) writing.note('reference-tasks')
  return { ...rest, role, content: written }
}

function writeArtifact({ parts, ...rest }: Artifact, writing: Writing): object {
  return { ...rest, parts: parts.map((part) => writePart(part, writing)) }
}

function writePart(part: Part, { form, note, bytes }: Writing): object {
  const { text, raw, url, data, metadata, filename, mediaType } = part
  const rest = metadata === undefined ? {} : { metadata }
  if (raw !== undefined || url !== undefined) {
    const about = { ...(mediaType && { mimeType: mediaType }), ...(filename && { name: filename }) }
    const content =
      form === 'json'
        ? { ...(raw !== undefined ? { bytes: raw } : { uri: url }) }
        : {
            ...(raw !== undefined
              ? { fileWithBytes: bytes === 'text' || bytes === 'guess' ? btoa(raw) : raw }
              : { fileWithUri: url }),
          }
    return { ...withKind('file', form), file: { ...content, ...about }, ...rest }
  }
  if (mediaType) note('part-media-type')
  if (filename) note('part-filename')
  if (text !== undefined) return { ...withKind('text', form), text, ...rest }
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) {
    return form === 'json' ? { kind: 'data', data, ...rest } : { data: { data }, ...rest }
  }
  note('part-data')
  const wrapped = { value: data ?? null }
  return {
    ...(form === 'json' ? { kind: 'data', data: wrapped } : { data: { data: wrapped } }),
    metadata: { ...metadata, data_part_compat: true },
  }
}

/** `final` says that no further status is to come on the stream. */
export function writeStatusUpdate(
  { status, ...rest }: TaskStatusUpdateEvent,
  writing: Writing & { readonly final: boolean },
): object {
  const { form, final } = writing
  return {
    ...withKind('status-update', form),
    ...rest,
    status: writeStatus(status, writing),
    ...((final || form === 'json') && { final }),
  }
}

export function writeArtifactUpdate({ artifact, ...rest }: TaskArtifactUpdateEvent, writing: Writing): object {
  return { ...withKind('artifact-update', writing.form), ...rest, artifact: writeArtifact(artifact, writing) }
}

/** One event, bare in the JSON form. */
export function writeEvent(event: StreamResponse, writing: Writing & { readonly final: boolean }): object {
  const { task, message, statusUpdate, artifactUpdate } = event
  const [name, value] =
    task !== undefined
      ? ['task', writeTask(task, writing)]
      : message !== undefined
        ? ['message', writeMessage(message, writing)]
        : statusUpdate !== undefined
          ? ['statusUpdate', writeStatusUpdate(statusUpdate, writing)]
          : ['artifactUpdate', writeArtifactUpdate(artifactUpdate as TaskArtifactUpdateEvent, writing)]
  return writing.form === 'json' ? (value as object) : { [name as string]: value }
}

/** The configuration itself, without the ids around it. */
export function writePushConfig({ id, url, token, authentication }: TaskPushNotificationConfig): object {
  return {
    ...(id && { id }),
    url,
    ...(token && { token }),
    ...(authentication && {
      authentication: {
        schemes: [authentication.scheme],
        ...(authentication.credentials && { credentials: authentication.credentials }),
      },
    }),
  }
}

export function writePush(config: TaskPushNotificationConfig, { form }: Writing): object {
  const pushNotificationConfig = writePushConfig(config)
  if (form === 'json') return { taskId: config.taskId, pushNotificationConfig }
  return { name: configName(config), pushNotificationConfig }
}

export function taskName(id: string): string {
  return `tasks/${id}`
}

export function configName({ taskId, id }: { readonly taskId?: string; readonly id?: string }): string {
  return `tasks/${taskId ?? ''}/pushNotificationConfigs/${id ?? ''}`
}
