import assert from 'node:assert/strict'
import type {
  ChunkEntry,
  Entry,
  IdempotencyKey,
  MessageEntry,
  NewTask,
  Scope,
  StatusEntry,
  Store,
  TaskLog,
  View,
} from '../engine/store.ts'
import { A2AError } from '../protocol/errors.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'

/** The scope of the suite's tasks. */
export const scope: Scope = { agent: 'agent', tenant: '', owner: 'ada' }

/** All of a task. */
export const whole: View = { artifacts: true }

/** JSON text of a message with one text part. */
export function messageText(text: string, role: 'ROLE_USER' | 'ROLE_AGENT' = 'ROLE_USER'): string {
  return JSON.stringify({ messageId: `m-${text}`, role, parts: [{ text }] })
}

export function message(seq: number, text: string): MessageEntry {
  return { kind: 'message', seq, text: messageText(text) }
}

export function status(seq: number, state: TaskState, options: { time: number; text?: string }): StatusEntry {
  return {
    kind: 'status',
    seq,
    state,
    time: options.time,
    ...(options.text !== undefined && { message: messageText(options.text, 'ROLE_AGENT') }),
  }
}

/** A plain text chunk; the first of an artifact has a head. */
export function chunk(seq: number, text: string, options: Partial<ChunkEntry> = {}): ChunkEntry {
  const parts = JSON.stringify(text).slice(1, -1)
  return { kind: 'chunk', seq, artifact: 0, append: true, lastChunk: false, plain: true, parts, ...options }
}

/** The chunk that begins an artifact. */
export function firstChunk(seq: number, text: string, options: Partial<ChunkEntry> = {}): ChunkEntry {
  return chunk(seq, text, { append: false, head: `{"artifactId":"artifact-${options.artifact ?? 0}"}`, ...options })
}

/** A usual life: asked at `time`, answered and completed 2 ms later. */
export function usual(time: number, answer = 'hello'): Entry[] {
  return [
    message(1, 'hi'),
    status(2, 'TASK_STATE_SUBMITTED', { time }),
    firstChunk(3, answer),
    status(4, 'TASK_STATE_COMPLETED', { time: time + 2 }),
  ]
}

export interface StoreTask extends Omit<Partial<NewTask>, 'id'> {
  readonly entries: readonly Entry[]
  readonly idempotency?: IdempotencyKey
  /** Default true. */
  readonly release?: boolean
}

/** Stores a task and tells its log. */
export async function storeTask(store: Store, id: string, options: StoreTask): Promise<TaskLog> {
  const { entries, idempotency, release = true, ...rest } = options
  const log = store.create({ scope, contextId: `context-${id}`, ...rest, id })
  await log.append(entries, { release, ...(idempotency !== undefined && { idempotency }) })
  return log
}

/** The task as the protocol's JSON. */
export async function taskOf(store: Store, id: string, view: View = whole): Promise<Record<string, unknown>> {
  const snapshot = await store.read(scope, id, view)
  assert.ok(snapshot, `task ${id} is stored`)
  return JSON.parse(snapshot.text) as Record<string, unknown>
}

/** Texts of the messages in a task's history. */
export async function historyOf(store: Store, id: string, historyLength?: number): Promise<string[] | undefined> {
  const view = { artifacts: false, ...(historyLength !== undefined && { historyLength }) }
  const { history } = (await taskOf(store, id, view)) as { history?: { parts: { text: string }[] }[] }
  return history?.map(({ parts }) => parts[0]!.text)
}

/** Passes when the promise rejects with A2AError Unavailable. */
export async function refuses(promise: Promise<unknown>, text?: RegExp): Promise<void> {
  await assert.rejects(promise, (error) => {
    assert.ok(A2AError.is(error), `an A2AError, not ${String(error)}`)
    assert.equal(error.code, 'Unavailable')
    if (text !== undefined) assert.match(error.message, text)
    return true
  })
}

/** One sentence of the contract. */
export interface StoreCase {
  readonly name: string
  readonly run: (opened: OpenedStore) => Promise<void>
}

/** A store that a case may use up, and a way to close it and open its data again, for stores that outlive their process. */
export interface OpenedStore {
  readonly store: Store
  readonly reopen?: () => Promise<Store>
}
