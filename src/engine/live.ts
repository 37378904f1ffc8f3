import { Outcome } from '../lib/deferred.ts'
import { newId } from '../lib/ids.ts'
import type { JsonValue } from '../lib/json.ts'
import { endOfTurn, nextTurn } from '../lib/turn.ts'
import type { CallContext } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, Part, TaskState } from '../protocol/generated/v1/types.ts'
import { isInterrupted, isTerminal } from '../protocol/task.ts'
import type { Core } from './core.ts'
import { type Feed, Frame } from './feed.ts'
import { Run } from './run.ts'
import type { Claimed, Entry, IdempotencyKey, Scope, Snapshot, StatusEntry, TaskLog } from './store.ts'
import { statusText, taskText } from './text.ts'

/** A user's message on its way through a task, and what came with it. */
export interface Job {
  readonly message: Message
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly acceptedOutputModes: readonly string[]
  readonly extensions: readonly string[]
  readonly resumed?: boolean
  /** Number of the last entry before a run took the message; undefined while it waits. */
  startedAt?: number
  /** Settles when the task is terminal, interrupted, or no run works on it any more (§3.2.2). */
  readonly settled: Outcome<void>
  /** Who waits for that; told to leave when it goes away. */
  readonly caller?: CallContext
  /** Whether it is being listened for. */
  listening?: boolean
}

/** What is known of an artifact of a task at work. */
export interface ArtifactState {
  readonly index: number
  closed: boolean
  /** Its head as the last event gave it; undefined when an earlier run of the task gave it. */
  head: string | undefined
}

/**
 * A task that this process holds: the only place where its entries are numbered and appended.
 * Entries are seen by others once they are committed, not before.
 */
export class Live {
  readonly core: Core
  readonly scope: Scope
  readonly id: string
  readonly contextId: string
  readonly artifacts: Map<string, ArtifactState> = new Map()
  readonly queue: Job[] = []
  /** Resolves once the task is given up and the last entry is committed. */
  readonly ended: Outcome<void> = new Outcome()
  state: TaskState | undefined
  seq = 0
  inFlight = 0
  releasing = false
  run: Run | undefined
  readonly #log: TaskLog
  /** Number of the last entry that others may see. */
  published = 0
  readonly #active: Job[] = []
  #time = 0
  #lastFrame = 0
  #first: { readonly message: string; readonly status: string } | undefined
  #failure: A2AError | undefined
  /** The heads of artifacts as the last published chunk gave them. */
  readonly #heads: string[] = []
  /** Entries that wait for the end of the turn, so that all of a turn are one append. */
  #gathered: Entry[] = []
  #gatheredKey: IdempotencyKey | undefined
  /** Settles when what is gathered, or was appended last, is committed or has failed. */
  #written: Outcome<void> | undefined
  #creation: Outcome<void> | undefined
  #scheduled = false

  constructor(core: Core, scope: Scope, start: { id: string; contextId: string; log: TaskLog; claimed?: Claimed }) {
    this.core = core
    this.scope = scope
    this.id = start.id
    this.contextId = start.contextId
    this.#log = start.log
    core.lives.set(this.id, this)
    if (start.claimed !== undefined) this.#take(start.claimed)
  }

  #take({ head, artifacts }: Claimed): void {
    this.state = head.state
    this.seq = head.seq
    this.#time = head.time
    this.#lastFrame = head.seq
    for (const [index, { artifactId, closed }] of artifacts.entries()) {
      this.artifacts.set(artifactId, { index, closed, head: undefined })
    }
    this.published = head.seq
    const feed = this.#feed
    if (feed === undefined) return
    this.core.feeds.unwatch(feed)
    if (feed.committed !== head.seq) feed.skip(head.seq)
  }

  /** Where readers of this task listen; undefined while there are none. */
  get #feed(): Feed | undefined {
    return this.core.feeds.find(this.id)
  }

  /** Entries of a status; its message gets the ids and the role of the agent (DM-18, DM-19). */
  status(state: TaskState, parts?: readonly Part[], metadata?: Readonly<Record<string, JsonValue>>): StatusEntry {
    // A clock that is set back must not make a status older than the one before (TASK-10).
    this.#time = Math.max(this.core.now(), this.#time)
    const { contextId, id } = this
    const message: Message | undefined =
      parts === undefined ? undefined : { messageId: newId(), contextId, taskId: id, role: 'ROLE_AGENT', parts }
    return {
      kind: 'status',
      seq: this.seq + 1,
      state,
      time: this.#time,
      ...(message && { message: JSON.stringify(message) }),
      ...(metadata && { metadata: JSON.stringify(metadata) }),
    }
  }

  /** Appends one numbered entry; `release` gives the task up in the same commit. */
  append(entry: Entry, options: { readonly release?: boolean; readonly idempotency?: IdempotencyKey } = {}): void {
    this.#append([entry], options)
  }

  #append(
    entries: readonly Entry[],
    { release = false, idempotency }: { readonly release?: boolean; readonly idempotency?: IdempotencyKey },
  ): void {
    if (this.#failure !== undefined) return
    if (idempotency !== undefined) {
      if (this.#gatheredKey !== undefined) this.#write()
      this.#gatheredKey = idempotency
    }
    for (const entry of entries) {
      this.seq = entry.seq
      if (entry.kind === 'status') this.state = entry.state
      if (entry.kind !== 'message') this.#lastFrame = entry.seq
      this.#gathered.push(entry)
    }
    if (release) this.releasing = true
    this.inFlight += entries.length
    if (this.#scheduled) return
    this.#scheduled = true
    this.#written = new Outcome()
    endOfTurn(() => {
      if (this.#scheduled) this.#write()
    })
  }

  #write(): void {
    const entries = this.#gathered
    const idempotency = this.#gatheredKey
    const written = this.#written as Outcome<void>
    const release = this.releasing
    this.#gathered = []
    this.#gatheredKey = undefined
    this.#scheduled = false
    this.#log.append(entries, { release, ...(idempotency && { idempotency }) }).then(
      () => {
        this.#publish(entries, release)
        written.resolve()
      },
      (error: unknown) => {
        this.#fail(A2AError.from(error), entries.length)
        written.resolve()
      },
    )
  }

  #publish(entries: readonly Entry[], released: boolean): void {
    this.inFlight -= entries.length
    if (this.#failure !== undefined) return
    this.published = entries.at(-1)?.seq ?? this.published
    const feed = this.#feed
    const frames: Frame[] = []
    for (const entry of entries) {
      if (entry.kind === 'chunk' && entry.head !== undefined) this.#heads[entry.artifact] = entry.head
      if (feed === undefined || entry.kind === 'message') continue
      frames.push(new Frame(feed.ids, entry, entry.kind === 'chunk' ? this.#heads[entry.artifact] : undefined))
    }
    feed?.publish(frames, this.published)
    for (const entry of entries) if (entry.kind === 'status') this.#settle(entry)
    if (released) this.#end()
  }

  #settle({ state, seq }: StatusEntry): void {
    if (isTerminal(state)) {
      this.#refuseQueued()
      this.#settleActive()
    } else if (isInterrupted(state)) {
      for (const job of [...this.#active]) if ((job.startedAt ?? seq) < seq) this.#settled(job)
    }
  }

  #settled(job: Job): void {
    this.#active.splice(this.#active.indexOf(job), 1)
    job.settled.resolve()
  }

  #settleActive(): void {
    for (const job of this.#active.splice(0)) job.settled.resolve()
  }

  #refuseQueued(): void {
    for (const job of this.queue.splice(0)) {
      job.settled.reject(
        new A2AError('UnsupportedOperation', 'The task ended before it came to this message; send it as a new task'),
      )
    }
  }

  #end(): void {
    this.#settleActive()
    if (this.core.lives.get(this.id) === this) this.core.lives.delete(this.id)
    const feed = this.#feed
    if (feed !== undefined) {
      feed.idleAt = this.#lastFrame
      feed.wake()
      if (!feed.closed) this.core.feeds.watch(feed, this.scope)
    }
    this.ended.resolve()
  }

  /** Waits until few entries are uncommitted, so that a run ahead of the disk stays bounded. */
  async room(): Promise<void> {
    if (this.inFlight >= 1024) await this.#written?.wait()
  }

  /** Waits until everything that was appended is committed; throws when that failed. */
  async committed(): Promise<void> {
    await this.#written?.wait()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** The message with the ids of its task, which the caller may have left out. */
  #messageText(message: Message): string {
    const { contextId, id } = this
    if (message.contextId !== undefined || message.taskId !== undefined) {
      return JSON.stringify({ ...message, contextId, taskId: id })
    }
    return `${JSON.stringify(message).slice(0, -1)},"contextId":${JSON.stringify(contextId)},"taskId":"${id}"}`
  }

  /** Waits until the task exists for others; throws when it could not be stored. */
  async created(): Promise<void> {
    await this.#creation?.wait()
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Writes the task's first entries: the message and SUBMITTED. */
  create(job: Job, idempotency?: IdempotencyKey): void {
    const text = this.#messageText(job.message)
    this.seq = 1
    const submitted = this.status('TASK_STATE_SUBMITTED')
    this.#first = { message: text, status: statusText(submitted) }
    this.#append([{ kind: 'message', seq: 1, text }, submitted], idempotency === undefined ? {} : { idempotency })
    this.#creation = this.#written
  }

  /** The task as its first frame shows it. */
  firstSnapshot(historyLength: number | undefined): Snapshot {
    const { id, contextId } = this
    const { message = '', status = '' } = this.#first ?? {}
    const text = taskText({ id, contextId, status, history: historyLength === 0 ? [] : [message], artifacts: [] })
    return { text, head: { id, contextId, state: 'TASK_STATE_SUBMITTED', time: 0, seq: 2, held: true } }
  }

  /** Takes a message for a task that exists: at once when nothing runs, else after what runs. */
  accept(job: Job, idempotency?: IdempotencyKey): void {
    if (this.queue.length >= this.core.limits.queue) {
      throw new A2AError(
        'ResourceExhausted',
        `${this.queue.length} messages wait for this task already; try again later`,
        {
          retryAfter: 1,
        },
      )
    }
    const text = this.#messageText(job.message)
    this.append({ kind: 'message', seq: this.seq + 1, text }, idempotency === undefined ? {} : { idempotency })
    if (this.run === undefined) this.begin(job)
    else {
      this.queue.push(job)
      this.run.wake()
    }
  }

  /** Marks that a run has taken a message. */
  started(job: Job): void {
    job.startedAt = this.seq
    this.#active.push(job)
  }

  /** Lets one more caller wait for what the run at work comes to. */
  join(job: Job): void {
    this.#active.push(job)
  }

  begin(job: Job): Run {
    const feed = this.#feed
    if (feed !== undefined) feed.idleAt = undefined
    this.started(job)
    const run = new Run(this, job)
    this.run = run
    void run.drive()
    return run
  }

  /** After a run: the next message, or giving the task up. */
  next(): void {
    this.run = undefined
    if (this.releasing) return
    const job = this.queue.shift()
    if (job !== undefined) this.begin(job)
    else this.#append([], { release: true })
  }

  /** Lets callers that have waited for a while leave when they go away; a signal for each quick one would cost too much. */
  listen(): void {
    for (const job of [...this.#active, ...this.queue]) {
      if (job.caller === undefined || job.listening === true) continue
      job.listening = true
      const { signal } = job.caller
      const leave = (): void => job.settled.reject(new A2AError('Cancelled'))
      if (signal?.aborted) leave()
      signal?.addEventListener('abort', leave, { once: true })
      job.settled.wait().then(
        () => signal?.removeEventListener('abort', leave),
        () => signal?.removeEventListener('abort', leave),
      )
    }
  }

  /** Drops a task of which nothing was stored, as a message answered instead. */
  discard(): void {
    this.releasing = true
    this.#end()
  }

  /** Refuses whoever waits for the task's outcome, as the agent broke the protocol. */
  refuse(error: A2AError): void {
    for (const job of this.#active.splice(0)) job.settled.reject(error)
  }

  #fail(error: A2AError, entries: number): void {
    this.inFlight -= entries
    if (this.#failure !== undefined) return
    this.#failure = error
    this.releasing = true
    this.core.log.error('A task could not be stored', { taskId: this.id, error: String(error.cause ?? error.message) })
    this.refuse(error)
    for (const job of this.queue.splice(0)) job.settled.reject(error)
    this.run?.abort(error)
    this.#feed?.fail(error)
    void this.#mend()
  }

  /** Ends the task in the store as soon as the store can be written again. */
  async #mend(): Promise<void> {
    for (let wait = 100; ; wait = Math.min(wait * 2, 10_000)) {
      await nextTurn()
      const head = await this.core.store.head(this.scope, this.id).catch(() => null)
      if (head === undefined || this.core.stopping) break
      if (head !== null) {
        this.seq = head.seq
        const entry = this.status('TASK_STATE_FAILED', [{ text: 'The task could not be stored, so it was stopped.' }])
        const done = await this.#log.append([entry], { release: true }).then(
          () => true,
          () => false,
        )
        if (done) break
      }
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
    this.#end()
  }
}
