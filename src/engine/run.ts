import { Outcome } from '../lib/deferred.ts'
import { newId } from '../lib/ids.ts'
import { backgroundTimer, endOfTurn, nextTurn } from '../lib/turn.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, Part, TaskState } from '../protocol/generated/v1/types.ts'
import { illegalTransition, isInterrupted, isTerminal } from '../protocol/task.ts'
import type { Place } from './admission.ts'
import { RunContext } from './context.ts'
import type { MessageEvent, StatusEvent, Yielded } from './executor.ts'
import { historyBefore } from './history.ts'
import { type Job, noMessage } from './jobs.ts'
import type { Live } from './live.ts'
import { type RunWatch, tellFailure, watchRun } from './run-watch.ts'
import { type StopReason, shuttingDown, stopReason } from './stop-reason.ts'
import type { IdempotencyKey } from './store.ts'
import { checkParts, chunkOf, IllegalYield, readYield, TextPieces, textChunk } from './yields.ts'

/** How an exchange turned out: a task that is stored, or an answer without one. */
export type Decision = { readonly kind: 'task' } | { readonly kind: 'message'; readonly message: Message }

/** Events that one run may give before others get their turn. */
const eventsPerTurn = 32

/** One user message at work: pulls events out of the executor and puts them into the task's log. */
export class Run {
  readonly live: Live
  readonly job: Job
  readonly decision: Outcome<Decision> = new Outcome()
  /** Kept until the task is made. */
  idempotency: IdempotencyKey | undefined
  /** When the executor began; undefined while the run waits for its place. */
  startedAt: number | undefined
  lastEventAt = 0
  #decided: boolean
  #over = false
  #place: Place | undefined
  #admitted = false
  #ready = false
  #canceled = false
  /** Whether the last status of this run asks for something; that of an earlier run says nothing about this one. */
  #interrupted = false
  #controller: AbortController | undefined
  #stopReason: StopReason | undefined
  #iterator: AsyncIterator<Yielded> | undefined
  #forceTimer: { stop(): void } | undefined
  #answer: string | undefined
  #held: string | undefined
  #heldTurn = false
  #thisTurn = 0
  readonly #pieces = new TextPieces()
  readonly #watch: RunWatch

  constructor(live: Live, job: Job) {
    this.live = live
    this.job = job
    this.#decided = live.state !== undefined
    this.#watch = watchRun(live, job)
    if (this.#decided) this.decision.resolve({ kind: 'task' })
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#stopReason !== undefined) this.#controller.abort(this.#stopReason)
    }
    return this.#controller.signal
  }

  get decided(): boolean {
    return this.#decided
  }

  /** Makes the task, unless the agent has answered without one. */
  decide(): void {
    if (this.#decided) return
    this.#decided = true
    this.live.create(this.job, this.idempotency)
    this.decision.resolve({ kind: 'task' })
  }

  /** Takes a place among the runs of this process; throws ResourceExhausted when too many wait for one, unless the message has been acknowledged. */
  enter(acknowledged?: true): void {
    const { core, scope } = this.live
    const begin = (): void => {
      this.#admitted = true
      if (this.#ready) void this.#unpark()
    }
    this.#place = core.admission.enter(scope, begin, acknowledged && { acknowledged })
  }

  /** Begins the work, or waits for the place; a task that waits is stored. */
  begin(): void {
    this.#ready = true
    if (this.#admitted) {
      void (this.live.waiting ? this.#unpark() : this.#drive())
      return
    }
    this.live.waiting = true
    this.decide()
  }

  async #unpark(): Promise<void> {
    if (this.#over) return
    try {
      await this.live.leaveWaiting()
    } catch {
      // A log that cannot be written has ended the run already.
      return
    }
    if (!this.#over) await this.#drive()
  }

  #drive(): Promise<void> {
    const { live } = this
    this.startedAt = live.core.now()
    this.lastEventAt = this.startedAt
    this.#watch.began()
    live.jobs.started(this.job, live.seq)
    return this.#watch.within(() => this.#work())
  }

  async #work(): Promise<void> {
    const { live } = this
    try {
      const history = live.seq > 1 ? await historyBefore(live, [this.job, ...live.jobs.queue]) : []
      if (this.#over) return
      const iterator = live.core.agent.run(new RunContext(this, this.job, history))[Symbol.asyncIterator]()
      this.#iterator = iterator
      for (;;) {
        const step = await iterator.next()
        if (this.#over) return
        if (step.done) break
        this.lastEventAt = live.core.now()
        if (!this.#take(step.value)) {
          this.#stopIterator()
          return
        }
        this.#thisTurn += 1
        if (this.#thisTurn >= eventsPerTurn) {
          // Readers get the beginning of a busy run at once; only then does the run get ahead of the disk.
          await live.created()
          await nextTurn()
          this.#thisTurn = 0
        }
        if (live.inFlight >= 1024) await live.room()
        if (this.#over) return
      }
      this.#returned()
    } catch (error) {
      if (this.#over) return
      if (error instanceof IllegalYield) this.#illegal(error.message)
      else this.#threw(error)
      this.#stopIterator()
    }
  }

  /** Puts one yielded thing into the log; false ends the run. */
  #take(value: Yielded): boolean {
    if (typeof value === 'string') {
      this.#text(value)
      return true
    }
    const event = readYield(value)
    switch (event.kind) {
      case 'part':
        this.#flush()
        this.#answerPart(event.part)
        return true
      case 'status':
        return this.#status(event)
      case 'artifact':
        this.#flush()
        this.decide()
        this.live.append(this.#sized(chunkOf(this.live, event)))
        return true
      case 'message':
        return this.#message(event)
      default:
        this.#flush()
        this.decide()
        this.#finish()
        return false
    }
  }

  /**
   * A chunk waits for the next event or the end of the turn, whichever comes first: only then is it known whether it is
   * the last one.
   */
  #text(text: string): void {
    const piece = this.#pieces.add(text)
    if (piece === '') return
    this.#flush()
    this.#held = piece
    if (this.#heldTurn) return
    this.#heldTurn = true
    endOfTurn(() => {
      this.#heldTurn = false
      this.#thisTurn = 0
      if (!this.#over) this.#flush()
    })
  }

  #flush(lastChunk = false): void {
    const text = this.#held
    if (text === undefined) return
    this.#held = undefined
    this.decide()
    this.#answer ??= newId()
    this.live.append(this.#sized(textChunk(this.live, this.#answer, { text, lastChunk })))
  }

  #answerPart(part: Part): void {
    this.decide()
    this.#answer ??= newId()
    const artifact = { artifactId: this.#answer, parts: [part] }
    this.live.append(this.#sized(chunkOf(this.live, { kind: 'artifact', artifact, append: true })))
  }

  #sized<E extends { readonly parts: string }>(entry: E): E {
    const { eventSize } = this.live.core.limits
    if (entry.parts.length > eventSize) throw new IllegalYield(`one event may hold ${eventSize} characters at most`)
    return entry
  }

  #status({ state, parts, metadata }: StatusEvent): boolean {
    this.#flush(isTerminal(state))
    const checked = checkParts(parts)
    this.decide()
    const problem = illegalTransition(this.live.state, state)
    if (problem !== undefined) throw new IllegalYield(problem)
    if (isTerminal(state)) {
      this.#finish(state, checked, metadata)
      return false
    }
    this.#interrupted = isInterrupted(state)
    this.live.append(this.live.status(state, checked, metadata))
    return true
  }

  #message({ parts, metadata, extensions }: MessageEvent): boolean {
    this.#flush(true)
    const checked = checkParts(parts) as readonly Part[]
    if (this.#decided) {
      this.#finish('TASK_STATE_COMPLETED', checked, metadata)
      return false
    }
    this.#decided = true
    const message: Message = {
      messageId: newId(),
      contextId: this.live.contextId,
      role: 'ROLE_AGENT',
      parts: checked,
      ...(metadata && { metadata }),
      ...(extensions && { extensions }),
    }
    this.#close('message')
    this.live.run = undefined
    this.decision.resolve({ kind: 'message', message })
    this.live.discard()
    return false
  }

  #returned(): void {
    this.#endText()
    this.decide()
    if (this.#canceled) this.#finish('TASK_STATE_CANCELED')
    else if (this.#interrupted || this.live.jobs.queue.length > 0) this.#finish()
    else this.#finish('TASK_STATE_COMPLETED')
  }

  #endText(): void {
    const rest = this.#pieces.end()
    if (rest !== '') this.#held = (this.#held ?? '') + rest
    this.#flush(true)
  }

  #threw(error: unknown): void {
    const known = A2AError.is(error)
    if (!this.#decided && known) {
      this.#decided = true
      this.#close('refused')
      this.live.run = undefined
      this.decision.reject(error)
      this.live.discard()
      return
    }
    this.#endText()
    this.decide()
    if (this.#canceled) {
      this.#finish('TASK_STATE_CANCELED')
      return
    }
    tellFailure(this.live, error)
    this.#finish('TASK_STATE_FAILED', [
      { text: known ? error.message : 'The agent failed while it worked on this task.' },
    ])
  }

  #illegal(reason: string): void {
    const text = `The agent gave an answer that the protocol does not allow: ${reason}`
    const error = new A2AError('InvalidAgentResponse', text, { metadata: { taskId: this.live.id } })
    this.live.core.log.error('An agent broke the protocol', { ...this.live.names, reason })
    const decided = this.#decided
    this.#held = undefined
    if (!decided) this.decision.reject(error)
    this.decide()
    this.live.jobs.refuseActive(error)
    this.#finish('TASK_STATE_FAILED', [{ text }])
  }

  /** Ends the run: with a terminal state, or leaving the state as it is. */
  #finish(state?: TaskState, parts?: readonly Part[], metadata?: StatusEvent['metadata']): void {
    const left = state ?? (this.#interrupted ? this.live.state : undefined)
    this.#close(left === undefined ? 'open' : left.slice('TASK_STATE_'.length).toLowerCase())
    if (state !== undefined) this.live.append(this.live.status(state, parts, metadata), { release: true })
    this.live.next()
  }

  #close(outcome: string): void {
    this.#over = true
    this.#watch.ended(outcome)
    this.live.waiting = false
    this.#place?.leave()
    this.#forceTimer?.stop()
    this.live.jobs.endReaders()
  }

  #stopIterator(): void {
    // An executor that does not listen may never come back from this, so nobody waits for it.
    const stop = async (): Promise<unknown> => this.#iterator?.return?.()
    stop().catch(() => {})
  }

  /** Stops listening to the executor and ends the task at once. */
  force(state: TaskState, text?: string): void {
    if (this.#over) return
    this.#endText()
    this.decide()
    this.#finish(state, text === undefined ? undefined : [{ text }])
    this.#stopIterator()
  }

  /** Asks the executor to stop; after the grace time CANCELED is forced (§3.1.5). */
  cancel(metadata?: StopReason['metadata']): void {
    if (this.#canceled || this.#over) return
    this.#canceled = true
    this.#stop(stopReason('cancel', 'The task was canceled', metadata))
    if (this.startedAt === undefined) {
      this.force('TASK_STATE_CANCELED')
      return
    }
    this.#forceTimer = backgroundTimer(() => this.force('TASK_STATE_CANCELED'), this.live.core.limits.cancelGrace)
  }

  /** Ends the run because a limit is passed. */
  limit(text: string): void {
    this.#stop(stopReason('limit', text))
    this.force('TASK_STATE_FAILED', text)
  }

  /** Ends the run because the process stops: handed over when it can be run again or has not begun, else failed with the reason. */
  shutdown(): void {
    if (this.#over) return
    const begun = this.startedAt !== undefined
    this.#stop(stopReason('shutdown', 'The server is shutting down'))
    if (!this.#decided) {
      this.#decided = true
      this.#close('refused')
      this.live.run = undefined
      this.decision.reject(shuttingDown())
      this.live.discard()
    } else if (this.live.core.agent.resumable || !begun) {
      this.#close('handed_over')
      this.live.waiting = !begun
      this.live.handOver()
    } else this.force('TASK_STATE_FAILED', 'The server shut down before this task was done.')
    this.#stopIterator()
  }

  /** Drops the run without another entry, as none can be stored. */
  abort(error: Error): void {
    if (this.#over) return
    this.#close('lost')
    this.decision.reject(error)
    this.#stop(stopReason('failure', 'The task could not be stored'))
    this.#stopIterator()
  }

  #stop(reason: StopReason): void {
    this.#stopReason = reason
    this.#controller?.abort(reason)
  }

  /** The next message that waits for the task; done when the run ends. */
  nextMessage(): Promise<IteratorResult<Message>> {
    return this.#over ? Promise.resolve(noMessage) : this.live.jobs.nextMessage(this.live.seq)
  }
}
