import type { JsonValue } from '../lib/json.ts'
import type { Logger } from '../lib/log.ts'
import type {
  AgentCapabilities,
  AgentProvider,
  AgentSkill,
  Artifact,
  Message,
  Part,
  SecurityRequirement,
  SecurityScheme,
  Task,
} from '../protocol/generated/v1/types.ts'

/** The states an executor may name in a status event. */
export type ExecutorState =
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_AUTH_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_REJECTED'

type Metadata = Readonly<Record<string, JsonValue>>

/** A new status. The message is given by its parts; ids, role and time are filled in. */
export interface StatusEvent {
  readonly kind: 'status'
  readonly state: ExecutorState
  readonly parts?: readonly Part[]
  readonly metadata?: Metadata
}

/** A new artifact, or (`append`) more of one that was sent before (§4.2.2). */
export interface ArtifactEvent {
  readonly kind: 'artifact'
  readonly artifact: Artifact
  readonly append?: boolean
  readonly lastChunk?: boolean
  readonly metadata?: Metadata
}

/** An answer without a task (first event), or the text with which a task completes (later). */
export interface MessageEvent {
  readonly kind: 'message'
  readonly parts: readonly Part[]
  readonly metadata?: Metadata
  readonly extensions?: readonly string[]
}

/** Ends the run and leaves the task in the state it has. */
export interface LeaveOpenEvent {
  readonly kind: 'leaveOpen'
}

export type AgentEvent = StatusEvent | ArtifactEvent | MessageEvent | LeaveOpenEvent

/** What an executor may yield: an event, or a string or part that is appended to the answer artifact of the run. */
export type Yielded = AgentEvent | string | Part

/** The conversation that a task belongs to. */
export interface TaskConversation {
  readonly id: string
  /** Earlier tasks of the conversation, oldest first, with their messages and artifacts; at most `limit` of the newest (default 100). */
  tasks(limit?: number): Promise<readonly Task[]>
}

/** All that a run is given. */
export interface TaskContext {
  readonly id: string
  readonly contextId: string
  /** The message that started this run. */
  readonly message: Message
  /** Messages that arrive while this run works; each one taken here starts no run of its own. Ends when the run ends. */
  readonly messages: AsyncIterable<Message>
  /** Earlier messages of this task, oldest first, without `message`. */
  readonly history: readonly Message[]
  readonly context: TaskConversation
  /** The tasks that `message.referenceTaskIds` names, as far as the caller may see them (§3.4.3). */
  references(): Promise<readonly Task[]>
  /** The task as it is stored, with the artifacts of earlier runs. */
  task(): Promise<Task>
  /** Aborted by a cancel, a limit or a shutdown; `signal.reason` says which. */
  readonly signal: AbortSignal
  readonly log: Logger
  /** Media types that the caller takes; empty means any (§3.2.2). */
  readonly acceptedOutputModes: readonly string[]
  /** `metadata` of the request, apart from that of the message (§3.2.5). */
  readonly metadata: Metadata
  /** Extension URIs active for this call. */
  readonly extensions: readonly string[]
  readonly tenant: string
  readonly owner: string
  /** True when an earlier run of the same message was cut off by a crash. */
  readonly resumed: boolean
}

/** An agent's work: each thing it yields is one event and one frame on the wire. */
export type Executor = (task: TaskContext) => AsyncIterable<Yielded>

/** An extension that the agent supports. */
export interface Extension {
  readonly uri: string
  readonly description?: string
  readonly required?: boolean
  readonly params?: Metadata
}

/** What the author of an agent states. */
export interface AgentOptions {
  readonly name: string
  readonly description: string
  /** Version of the agent, not of the protocol. */
  readonly version: string
  /** At least one; a skill without tags gets its id as tag. */
  readonly skills?: readonly (Omit<AgentSkill, 'tags'> & { readonly tags?: readonly string[] })[]
  readonly run: Executor
  /** Whether a run that a crash cut off may be run again from its message. */
  readonly resumable?: boolean
  /** Media types taken and given; default `text/plain`. */
  readonly inputModes?: readonly string[]
  readonly outputModes?: readonly string[]
  readonly streaming?: boolean
  readonly extensions?: readonly Extension[]
  readonly provider?: AgentProvider
  readonly documentationUrl?: string
  readonly iconUrl?: string
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  readonly securityRequirements?: readonly SecurityRequirement[]
}

/** An agent: what its card says, and how it works. */
export interface Agent {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly skills: readonly AgentSkill[]
  readonly run: Executor
  readonly resumable: boolean
  readonly inputModes: readonly string[]
  readonly outputModes: readonly string[]
  readonly capabilities: AgentCapabilities
  readonly provider?: AgentProvider
  readonly documentationUrl?: string
  readonly iconUrl?: string
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>
  readonly securityRequirements?: readonly SecurityRequirement[]
}

/** Makes an agent from what its author states. A missing or empty field is a `TypeError` that names it. */
export function agent(options: AgentOptions): Agent {
  for (const field of ['name', 'description', 'version'] as const) {
    if (typeof options[field] !== 'string' || options[field] === '') {
      throw new TypeError(`agent({ ${field} }) must be a non-empty string`)
    }
  }
  if (typeof options.run !== 'function') throw new TypeError('agent({ run }) must be an async generator function')
  const {
    name,
    description,
    version,
    run,
    provider,
    documentationUrl,
    iconUrl,
    securitySchemes,
    securityRequirements,
  } = options
  const given = options.skills ?? []
  const skills = (given.length > 0 ? given : [{ id: skillId(name), name, description }]).map(withTags)
  return {
    name,
    description,
    version,
    skills,
    run,
    resumable: options.resumable ?? false,
    inputModes: nonEmpty(options.inputModes),
    outputModes: nonEmpty(options.outputModes),
    capabilities: {
      streaming: options.streaming ?? true,
      pushNotifications: false,
      ...(options.extensions !== undefined && options.extensions.length > 0 && { extensions: options.extensions }),
    },
    ...(provider && { provider }),
    ...(documentationUrl !== undefined && { documentationUrl }),
    ...(iconUrl !== undefined && { iconUrl }),
    ...(securitySchemes && { securitySchemes }),
    ...(securityRequirements && { securityRequirements }),
  }
}

function nonEmpty(modes: readonly string[] | undefined): readonly string[] {
  return modes !== undefined && modes.length > 0 ? modes : ['text/plain']
}

function skillId(name: string): string {
  return (
    name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'agent'
  )
}

function withTags(skill: Omit<AgentSkill, 'tags'> & { readonly tags?: readonly string[] }): AgentSkill {
  for (const field of ['id', 'name', 'description'] as const) {
    if (!skill[field]) throw new TypeError(`agent({ skills }): each skill needs a non-empty ${field}`)
  }
  return { ...skill, tags: skill.tags !== undefined && skill.tags.length > 0 ? skill.tags : [skill.id] }
}

function status(state: ExecutorState, text?: string | readonly Part[]): StatusEvent {
  if (text === undefined) return { kind: 'status', state }
  return { kind: 'status', state, parts: typeof text === 'string' ? [{ text }] : text }
}

/** The task is being worked on; the text, if any, becomes its status message. */
export function working(text?: string | readonly Part[]): StatusEvent {
  return status('TASK_STATE_WORKING', text)
}

/** The agent needs an answer from the caller: the run ends, the next message to the task starts another (§3.4.3). */
export function inputRequired(text: string | readonly Part[]): StatusEvent {
  return status('TASK_STATE_INPUT_REQUIRED', text)
}

/** The agent needs an authorisation, which the text explains (§7.6.1). The run may go on after it. */
export function authRequired(text: string | readonly Part[]): StatusEvent {
  return status('TASK_STATE_AUTH_REQUIRED', text)
}

/** The agent will not do this work. */
export function reject(text?: string | readonly Part[]): StatusEvent {
  return status('TASK_STATE_REJECTED', text)
}

/** The work is done. Returning from the executor says the same. */
export function completed(text?: string | readonly Part[]): StatusEvent {
  return status('TASK_STATE_COMPLETED', text)
}

/** The work failed; the text is shown to the caller. */
export function failed(text?: string | readonly Part[]): StatusEvent {
  return status('TASK_STATE_FAILED', text)
}

/** What an artifact event may carry besides its content. */
export interface ArtifactOptions {
  /** Default: a new id each time. */
  readonly artifactId?: string
  readonly name?: string
  readonly description?: string
  readonly metadata?: Metadata
  readonly extensions?: readonly string[]
  readonly append?: boolean
  readonly lastChunk?: boolean
}

/** A whole artifact, or with `append` more of the one with the same `artifactId`. */
export function artifact(content: string | Part | readonly Part[], options: ArtifactOptions = {}): ArtifactEvent {
  const parts = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [content as Part]
  const { artifactId = crypto.randomUUID(), append, lastChunk, ...head } = options
  return {
    kind: 'artifact',
    artifact: { artifactId, ...head, parts },
    ...(append !== undefined && { append }),
    ...(lastChunk !== undefined && { lastChunk }),
  }
}

/** An answer without a task when it comes first; later, the text with which the task completes. */
export function message(content: string | Part | readonly Part[]): MessageEvent {
  const parts = typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? content : [content as Part]
  return { kind: 'message', parts }
}

/** Ends the run and leaves the task as it is, to go on by a later message or by hand. */
export function leaveOpen(): LeaveOpenEvent {
  return { kind: 'leaveOpen' }
}
