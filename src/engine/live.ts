import { Outcome } from '../lib/deferred.ts'
import { newId } from '../lib/ids.ts'
import type { JsonValue } from '../lib/json.ts'
import type { Span } from '../lib/trace.ts'
import { endOfTurn, nextTurn } from '../lib/turn.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, Part, TaskState } from '../protocol/generated/v1/types.ts'
import type { Core } from './core.ts'
import { type Feed, Frame } from './feed.ts'
import { type Job, Jobs } from './jobs.ts'
import { Run } from './run.ts'
import { shuttingDown } from './stop-reason.ts'
import {
  type AppendOptions,
  type Claimed,
  type Entry,
  holdLost,
  type IdempotencyKey,
  isHoldLost,
  type Scope,
  type Snapshot,
  type StatusEntry,
  type TaskLog,
} from './store.ts'
import { statusText, taskText } from './text.ts'

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
  readonly jobs: Jobs = new Jobs()
  /** Resolves once the task is given up and the last entry is committed. */
  readonly ended: Outcome<void> = new Outcome()
  state: TaskState | undefined
  seq = 0
  inFlight = 0
  releasing = false
  run: Run | undefined
  /** Whether the run that the task is stored for has not begun. */
  waiting = false
  /** The span of the run at work, or of the last one. */
  span: Span | undefined
  readonly #log: TaskLog
  /** Number of the last entry that others may see. */
  published = 0
  #time = 0
  #lastFrame = 0
  #first: { readonly message: string; readonly status: string } | undefined
  #failure: A2AError | undefined
  /** The heads of artifacts as the last published chunk gave them. */
  readonly #heads: string[] = []
  /** Entries that wait for the end of the turn, so that all of a turn are one append. */
  #gathered: Entry[] = []
  #gatheredKey: IdempotencyKey | undefined
  #gatheredMail: { readonly mail: number; readonly seq: number }[] = []
  #handOver = false
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

  /** What the log calls this task. */
  get names(): Readonly<Record<string, string>> {
    const { id, contextId, span } = this
    return { taskId: id, contextId, ...(span?.recording === true && { traceId: span.traceId }) }
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
  append(entry: Entry, options: Omit<AppendOptions, 'waiting'> = {}): void {
    this.#append([entry], options)
  }

  #append(entries: readonly Entry[], { release = false, idempotency, accepted }: Omit<AppendOptions, 'waiting'>): void {
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
    if (accepted !== undefined) this.#gatheredMail.push(...accepted)
    if (release !== false) this.releasing = true
    if (release === 'handOver') this.#handOver = true
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
    const accepted = this.#gatheredMail
    this.#gathered = []
    this.#gatheredKey = undefined
    this.#scheduled = false
    if (accepted.length > 0) this.#gatheredMail = []
    const options: AppendOptions = {
      release: this.#handOver ? 'handOver' : release,
      ...(idempotency && { idempotency }),
      ...(accepted.length > 0 && { accepted }),
      ...(this.waiting && { waiting: true }),
    }
    const append = (): Promise<void> => this.#log.append(entries, options)
    const appended = this.span === undefined ? append() : this.span.run(append)
    appended.then(
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
    for (const entry of entries) if (entry.kind === 'status') this.jobs.settle(entry)
    if (released) this.#end()
  }

  #end(): void {
    this.jobs.settleActive()
    if (this.core.lives.get(this.id) === this) this.core.lives.delete(this.id)
    const feed = this.#feed
    if (feed !== undefined) {
      if (!this.left) feed.idleAt = this.#lastFrame
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

  /**
   * Takes a message for a task that exists: at once when nothing runs, else after what runs. `mail` is the number of the mail that it came by.
   * Throws ResourceExhausted, and has done nothing, when too much waits already.
   */
  accept(job: Job, { idempotency, mail }: { idempotency?: IdempotencyKey | undefined; mail?: number } = {}): void {
    const { queue } = this.jobs
    if (queue.length >= this.core.limits.queue) {
      const text = `${queue.length} messages wait for this task already; try again later`
      throw new A2AError('ResourceExhausted', text, { retryAfter: 1 })
    }
    const run = this.run === undefined ? this.#enter(job) : undefined
    const seq = this.seq + 1
    const entry: Entry = { kind: 'message', seq, text: this.#messageText(job.message) }
    this.append(entry, {
      ...(idempotency && { idempotency }),
      ...(mail !== undefined && { accepted: [{ mail, seq }] }),
    })
    if (run !== undefined) this.#begin(run)
    else {
      queue.push(job)
      this.jobs.wake(this.seq)
    }
  }

  /** Runs a message that is part of the task, or (a new task) becomes so when the task is made. Throws ResourceExhausted when too many runs wait, unless the message has been acknowledged. */
  begin(
    job: Job,
    { idempotency, acknowledged }: { idempotency?: IdempotencyKey | undefined; acknowledged?: true } = {},
  ): Run {
    const run = this.#enter(job, acknowledged)
    run.idempotency = idempotency
    this.#begin(run)
    return run
  }

  #enter(job: Job, acknowledged?: true): Run {
    const run = new Run(this, job)
    run.enter(acknowledged)
    return run
  }

  #begin(run: Run): void {
    const feed = this.#feed
    if (feed !== undefined) feed.idleAt = undefined
    this.run = run
    run.begin()
  }

  /** Stores that the run of the task begins, before it does. */
  async leaveWaiting(): Promise<void> {
    this.waiting = false
    this.#append([], {})
    await this.committed()
  }

  /** After a run: the next message, or giving the task up. */
  next(): void {
    this.run = undefined
    if (this.releasing) return
    const { queue } = this.jobs
    if (queue.length === 0) this.#append([], { release: true })
    else if (this.core.stopping) {
      this.waiting = true
      this.handOver()
    } else this.begin(queue.shift() as Job, { acknowledged: true })
  }

  /** Leaves the task to whichever process takes it over, as this one ends. */
  handOver(): void {
    this.jobs.refuseActive(shuttingDown())
    this.jobs.refuseQueued(shuttingDown())
    this.#append([], { release: 'handOver' })
  }

  /** Tells the run to stop; a task that nothing works on is CANCELED at once (§3.1.5). */
  cancel(metadata: Readonly<Record<string, unknown>> | undefined): void {
    if (this.run !== undefined) this.run.cancel(metadata)
    else this.append(this.status('TASK_STATE_CANCELED'), { release: true })
  }

  /** Whether the task goes on in another process. */
  get left(): boolean {
    return this.#handOver || isHoldLost(this.#failure)
  }

  /** Drops a task of which nothing was stored, as a message answered instead. */
  discard(): void {
    this.releasing = true
    this.#end()
  }

  /** Stops all work on a task that another process may have taken over. Its readers stay, and see what that one writes. */
  lose(): void {
    this.#fail(holdLost(), 0)
  }

  #fail(error: A2AError, entries: number): void {
    this.inFlight -= entries
    if (this.#failure !== undefined) return
    this.#failure = error
    this.releasing = true
    const taken = isHoldLost(error)
    const reason = taken ? error.message : String(error.cause ?? error.message)
    this.core.log.error('A task could not be stored', { ...this.names, error: reason })
    this.jobs.refuseActive(error)
    this.jobs.refuseQueued(error)
    this.run?.abort(error)
    if (taken) {
      this.#end()
      void this.#tellReaders()
    } else {
      this.#feed?.fail(error)
      void this.#mend()
    }
  }

  /** A task that is gone altogether gives its readers nothing more. */
  async #tellReaders(): Promise<void> {
    const head = await this.core.store.head(this.scope, this.id).catch(() => null)
    if (head === undefined) this.#feed?.fail(new A2AError('TaskNotFound', 'The task was deleted'))
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
        const done = await this.#log.append([entry], { release: true }).then(() => true, isHoldLost)
        if (done) break
      }
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
    this.#end()
  }
}
