import { A2AError } from '../protocol/errors.ts'
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

/** What is remembered under an idempotency key: the task that was made, the text of the `SendMessageResponse`, or that the first send is still under way. */
export type Answer = { readonly digest: string } & (
  | { readonly taskId: string }
  | { readonly text: string }
  | { readonly pending: true }
)

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

/** What is written in the same commit as the entries of an append. */
export interface AppendOptions {
  /** Gives up the hold: `true` for good, `'handOver'` so that any process takes the task over at once (it is `abandoned`). */
  readonly release?: boolean | 'handOver'
  /** Remembered with the task's id. A reservation of this process is completed by it; anybody else's answer or reservation refuses the append. */
  readonly idempotency?: IdempotencyKey
  /** Mail that these entries take in: the entry that each message became. */
  readonly accepted?: readonly { readonly mail: number; readonly seq: number }[]
  /** Marks that the run of the task has not begun; every append without it takes the mark away. */
  readonly waiting?: boolean
}

/** The one writer's hold on a task. */
export interface TaskLog {
  /**
   * Adds entries. The promise settles once they are durable; calls take effect in order, and may be committed together.
   * Rejects with `A2AError` Unavailable when nothing was written; `isHoldLost` tells whether another may hold the task now, so that
   * nothing can be written with this log any more.
   */
  append(entries: readonly Entry[], options?: AppendOptions): Promise<void>
}

const lost: unique symbol = Symbol('hold lost')

/** The error of an append by a process that does not hold the task any more: it was silent for so long that another may have taken it, or the task is gone. */
export function holdLost(
  text = 'This process no longer holds the task: it was silent for so long that another took over',
): A2AError {
  return new A2AError('Unavailable', text, { cause: lost, retryAfter: 1 })
}

/** Whether an append was refused because the hold is lost. */
export function isHoldLost(error: unknown): boolean {
  return A2AError.is(error) && error.cause === lost
}

/** A task taken over for writing. */
export interface Claimed {
  readonly log: TaskLog
  readonly head: TaskHead
  /** Artifacts by position; `closed` after `lastChunk`. */
  readonly artifacts: readonly { readonly artifactId: string; readonly closed: boolean }[]
  /** Set when the holder before died or handed the task over: whether a run had begun, as far as the store knows. */
  readonly left?: 'waiting' | 'begun'
}

/** What a process asks of the one that holds a task. */
export interface NewMail {
  readonly kind: 'message' | 'cancel'
  /** JSON text; the store does not read it. */
  readonly text: string
}

/** Mail as the holder of the task sees it. */
export interface Mail extends NewMail {
  readonly id: number
  readonly taskId: string
  /** The entry that it became, when an earlier holder took it in and died. */
  readonly seq?: number
}

/** What became of mail, as its sender sees it. */
export interface MailState {
  /** The entry that it became, once the holder has taken it in. */
  readonly seq?: number
  /** Number of the last entry before a run took the message. */
  readonly startedAt?: number
  /** JSON text of how it ended; the store does not read it. */
  readonly outcome?: string
}

/** What the store tells an engine of by itself. Hints: what one of them would tell is found by asking, too. */
export interface StoreListener {
  /** Mail may have come for a task that is held here. */
  mail(): void
  /** Tasks may have been left by a process that ended. */
  abandoned(): void
  /** This process was silent for so long that others may have taken every task that it held: nothing can be written with their logs any more. */
  lost(): void
}

/** A held task whose holder is gone. */
export interface Abandoned {
  readonly scope: Scope
  readonly id: string
}

/** What `purge` drops; milliseconds since 1970. */
export interface PurgeLimits {
  /** Numbered events of tasks of any agent that ended before this. */
  readonly events?: number
  /** Answers older than this, and settled mail. */
  readonly answers?: number
  /** Whole tasks of one agent (and of one tenant) whose status was recorded before this. */
  readonly tasks?: {
    readonly agent: string
    readonly tenant?: string
    readonly before: number
    /** Also tasks that have not ended, when nobody holds them: their conversation was left. */
    readonly unfinished?: boolean
  }
}

/** How a store is. */
export interface StoreHealth {
  /** `memory`, `sqlite`, `postgres`. */
  readonly kind: string
  /** Milliseconds that a trivial question took. */
  readonly latency: number
}

/**
 * Where tasks live. Every implementation passes the suite in `stores/testing.ts`.
 * What it hands out is never changed afterwards. Errors are `A2AError`.
 */
export interface Store {
  /** Begins a task, held by the caller. Nothing is stored before the first append. */
  create(task: NewTask): TaskLog
  /** Takes hold of a stored task, also of one whose holder died or handed it over. Undefined: no such task in this scope. `'held'`: a living process (this one too) holds it. */
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
  /** What is remembered under a key. A reservation whose process died is nothing. */
  answer(scope: Scope, key: string): Promise<Answer | undefined>
  /**
   * Takes a key for a send that begins here. Undefined: it is this process' own, until an append or `remember` completes it, `forget` gives it
   * back, or this process dies. Else what is known under the key. Absent where only one process uses the store: then the engine keeps order itself.
   */
  reserve?(scope: Scope, idempotency: IdempotencyKey): Promise<Answer | undefined>
  /** Gives a reserved key back, as the send came to nothing. */
  forget?(scope: Scope, key: string): Promise<void>
  /** Remembers an answer that made no task. */
  remember(scope: Scope, key: string, answer: Answer): Promise<void>
  /** Held tasks of this agent whose holder died or handed them over, at most `limit`. */
  abandoned(agent: string, limit: number): Promise<readonly Abandoned[]>

  /** Leaves mail for the living process that holds a task, and tells its number. Undefined: no other process holds it (any more): claim it. */
  post(scope: Scope, id: string, mail: NewMail): Promise<number | undefined>
  /** What became of mail; undefined when nothing is known of it any more. */
  posted(mail: number): Promise<MailState | undefined>
  /** Takes mail back: true when it has not become an entry, no holder has it in hand, and now none will. */
  withdraw(mail: number): Promise<boolean>
  /** Hands out unsettled mail for the tasks that this process holds, oldest first, each once under one hold: until that ends, its sender cannot take it back. */
  mail(): Promise<readonly Mail[]>
  /** Tells senders what became of mail that this process has in hand. Settled mail (with an outcome) is kept for a while, then dropped by `purge`. */
  settle(states: readonly (MailState & { readonly mail: number })[]): Promise<void>

  /** Those of some tasks that have entries after `seq` which another process may have written, and the number of the last one. Cheap when nothing changed. */
  behind(
    tasks: readonly { readonly scope: Scope; readonly id: string; readonly seq: number }[],
  ): Promise<readonly { readonly id: string; readonly seq: number }[]>
  /** Calls back when a task, or the mail that was left for it, may have changed by another process; a hint. Until the returned function is called. */
  watch(id: string, changed: () => void): () => void
  /** Registers an engine for what the store tells by itself; the returned function ends that. */
  listen(listener: StoreListener): () => void

  /** Tenants for which this agent has stored anything. */
  tenants(agent: string): Promise<readonly string[]>
  /** Drops what is old, in small steps; tells how many rows went. */
  purge(before: PurgeLimits): Promise<number>
  /** Drops everything of one owner (in all tenants, or one), or all of a tenant: tasks, answers, mail. Runs on such tasks cannot write any more. Tells how many tasks went. */
  erase(whose: { readonly agent: string; readonly tenant?: string; readonly owner?: string }): Promise<number>
  /** Whether the store answers now: resolves with what a person should know (rejects with Unavailable when it does not). */
  check(): Promise<StoreHealth>
  /** Waits for what was appended, then frees everything. */
  close(): Promise<void>
}
