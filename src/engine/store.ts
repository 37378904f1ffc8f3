import type { TaskState } from '../protocol/generated/v1/types.ts'

/** Whose tasks: every call to a store names it, and what lies outside it does not exist for the caller. */
export interface Scope {
  /** Identity of the served agent, so that several agents can share one database. */
  readonly agent: string
  readonly tenant: string
  readonly owner: string
}

/** A message that joined the task's history. It has a number, but no frame of its own. */
export interface MessageEntry {
  readonly kind: 'message'
  readonly seq: number
  /** JSON text of the `Message`. */
  readonly text: string
}

/** A status. Its message joins the history when the next status comes. */
export interface StatusEntry {
  readonly kind: 'status'
  readonly seq: number
  readonly state: TaskState
  /** Milliseconds since 1970. */
  readonly time: number
  /** JSON text of `status.message`. */
  readonly message?: string
  /** JSON text of the event's `metadata`. */
  readonly metadata?: string
}

/** A piece of an artifact. The chunks are the artifact: there is no second copy of its content. */
export interface ChunkEntry {
  readonly kind: 'chunk'
  readonly seq: number
  /** Position of the artifact in the task, from 0. */
  readonly artifact: number
  /** JSON text of the `Artifact` as this event gave it, without `parts`; absent when equal to that of the chunk before. */
  readonly head?: string
  /** Adds to the artifact; false replaces all that it held. */
  readonly append: boolean
  readonly lastChunk: boolean
  /** True: `parts` is the inside of one JSON string (no quotes), the whole content being one plain text part. False: `parts` is the inside of the JSON array. */
  readonly plain: boolean
  readonly parts: string
  /** JSON text of the event's `metadata`. */
  readonly metadata?: string
}

/** One line of a task's numbered log. Numbers rise by one within a task, from 1. */
export type Entry = MessageEntry | StatusEntry | ChunkEntry

/** A task that is about to be written for the first time. */
export interface NewTask {
  readonly scope: Scope
  readonly id: string
  readonly contextId: string
  /** JSON text of `Task.metadata`. */
  readonly metadata?: string
}

/** A caller's `Idempotency-Key` and a digest of what it sent. */
export interface IdempotencyKey {
  readonly key: string
  readonly digest: string
}

/** What is remembered under an idempotency key: the task that was made, or the text of the `SendMessageResponse`. */
export type Answer = { readonly digest: string } & ({ readonly taskId: string } | { readonly text: string })

/** The row of a task, without its content. */
export interface TaskHead {
  readonly id: string
  readonly contextId: string
  readonly state: TaskState
  /** When the state was recorded, milliseconds. */
  readonly time: number
  /** Number of the last entry. */
  readonly seq: number
  /** Whether some process holds the task to write to it. */
  readonly held: boolean
}

/** Which part of a task to read. */
export interface View {
  /** At most so many of the newest messages; absent means all, 0 means no `history` member (§3.2.4). */
  readonly historyLength?: number
  readonly artifacts: boolean
  /** The task as it stood after entry `at`. Undefined is answered when that cannot be told any more. */
  readonly at?: number
}

/** A task as JSON text, and the number of the last entry in it. */
export interface Snapshot {
  readonly text: string
  readonly head: TaskHead
}

/** Where a page ended: the keys of its last row, valid also when that row is changed or gone. */
export type Cursor = readonly [time: number, tie: number | string]

export interface ListQuery {
  readonly contextId?: string
  readonly state?: TaskState
  /** Only tasks whose status was recorded at or after this time, milliseconds. */
  readonly since?: number
  readonly pageSize: number
  readonly cursor?: Cursor
  readonly view: View
  /** Default: newest status first, ties by id, descending (§3.1.4). `created`: newest task first. */
  readonly order?: 'status' | 'created'
}

export interface TaskPage {
  readonly tasks: readonly Snapshot[]
  /** Absent on the last page. */
  readonly next?: Cursor
  /** Number of tasks that match, before paging. */
  readonly total: number
}

/** The one writer's hold on a task. */
export interface TaskLog {
  /**
   * Adds entries. The promise settles once they are durable; calls take effect in order, and may be committed together.
   * In the same commit `release` gives up the hold, and `idempotency` is remembered with the task's id. Rejects with `A2AError` Unavailable when nothing was written.
   */
  append(
    entries: readonly Entry[],
    options?: { readonly release?: boolean; readonly idempotency?: IdempotencyKey },
  ): Promise<void>
}

/** A task taken over for writing. */
export interface Claimed {
  readonly log: TaskLog
  readonly head: TaskHead
  /** Artifacts by position; `closed` after `lastChunk`. */
  readonly artifacts: readonly { readonly artifactId: string; readonly closed: boolean }[]
}

/** A held task whose holder is gone. */
export interface Abandoned {
  readonly scope: Scope
  readonly id: string
}

/**
 * Where tasks live. Every implementation passes the suite in `stores/testing.ts`.
 * What it hands out is never changed afterwards. Errors are `A2AError`.
 */
export interface Store {
  /** Begins a task, held by the caller. Nothing is stored before the first append. */
  create(task: NewTask): TaskLog
  /** Takes hold of a stored task. Undefined: no such task in this scope. `'held'`: a living process (this one too) holds it. */
  claim(scope: Scope, id: string): Promise<Claimed | 'held' | undefined>
  head(scope: Scope, id: string): Promise<TaskHead | undefined>
  read(scope: Scope, id: string, view: View): Promise<Snapshot | undefined>
  list(scope: Scope, query: ListQuery): Promise<TaskPage>
  /**
   * Entries with a number above `after`, in order, at most `limit`. Undefined when they were dropped (replay window) or no such task is there.
   * The first chunk of each artifact in an answer carries the head that holds for it, also where the log left it out.
   */
  entries(
    scope: Scope,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly Entry[] | undefined>
  answer(scope: Scope, key: string): Promise<Answer | undefined>
  /** Remembers an answer that made no task. */
  remember(scope: Scope, key: string, answer: Answer): Promise<void>
  /** Held tasks of this agent whose holder died, at most `limit`. */
  abandoned(agent: string, limit: number): Promise<readonly Abandoned[]>
  /** Drops the numbered events of tasks that ended before `events`, whole ended tasks older than `tasks`, answers older than `answers` (milliseconds since 1970), in small steps; tells how many rows went. */
  purge(before: { readonly events?: number; readonly tasks?: number; readonly answers?: number }): Promise<number>
  /** Waits for what was appended, then frees everything. */
  close(): Promise<void>
}
