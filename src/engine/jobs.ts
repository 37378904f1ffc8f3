import type { Outcome } from '../lib/deferred.ts'
import type { JsonValue } from '../lib/json.ts'
import type { TraceParent } from '../lib/trace.ts'
import type { CallContext } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message } from '../protocol/generated/v1/types.ts'
import { isInterrupted, isTerminal } from '../protocol/task.ts'
import type { StatusEntry } from './store.ts'

/** A user's message on its way through a task, and what came with it. */
export interface Job {
  readonly message: Message
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly acceptedOutputModes: readonly string[]
  readonly extensions: readonly string[]
  readonly resumed?: boolean
  /** When it came, milliseconds since 1970. */
  readonly receivedAt?: number
  /** The trace that it belongs to. */
  readonly trace?: TraceParent
  /** Number of the last entry before a run took the message; undefined while it waits. */
  startedAt?: number
  /** Settles when the task is terminal, interrupted, or no run works on it any more (§3.2.2). */
  readonly settled: Outcome<void>
  /** Told when a run takes the message. */
  readonly onStart?: (seq: number) => void
  /** Who waits for that; told to leave when it goes away. */
  readonly caller?: CallContext
  /** Whether it is being listened for. */
  listening?: boolean
}

/** What an executor gets when its run has ended. */
export const noMessage: IteratorResult<Message> = { value: undefined, done: true }

/** The messages of a task at work: those that wait for a run, and those whose senders wait for what a run comes to. */
export class Jobs {
  readonly queue: Job[] = []
  readonly #active: Job[] = []
  /** An executor that has asked for the next message. */
  readonly #readers: ((message: IteratorResult<Message>) => void)[] = []

  /** A run has taken a message, after entry `seq`. */
  started(job: Job, seq: number): void {
    job.startedAt = seq
    this.#active.push(job)
    job.onStart?.(seq)
  }

  /** Lets one more caller wait for what the run at work comes to. */
  join(job: Job): void {
    this.#active.push(job)
  }

  /** A status is stored: it may be what some senders wait for. */
  settle({ state, seq }: StatusEntry): void {
    if (isTerminal(state)) {
      // An error costs far more than the rest, and next to no task ends with messages in its queue.
      if (this.queue.length > 0) {
        const text = 'The task ended before it came to this message; send it as a new task'
        this.refuseQueued(new A2AError('UnsupportedOperation', text))
      }
      this.settleActive()
    } else if (isInterrupted(state)) {
      for (const job of [...this.#active]) {
        if ((job.startedAt ?? seq) >= seq) continue
        this.#active.splice(this.#active.indexOf(job), 1)
        job.settled.resolve()
      }
    }
  }

  settleActive(): void {
    for (const job of this.#active.splice(0)) job.settled.resolve()
  }

  refuseActive(error: A2AError): void {
    for (const job of this.#active.splice(0)) job.settled.reject(error)
  }

  refuseQueued(error: A2AError): void {
    for (const job of this.queue.splice(0)) job.settled.reject(error)
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

  /** The next message that waits; done when the run ends. `seq` is the number of the last entry. */
  nextMessage(seq: number): Promise<IteratorResult<Message>> {
    return new Promise((resolve) => {
      this.#readers.push(resolve)
      this.wake(seq)
    })
  }

  /** Hands waiting messages to the executor, if it asked for some. */
  wake(seq: number): void {
    while (this.#readers.length > 0 && this.queue.length > 0) {
      const job = this.queue.shift() as Job
      this.started(job, seq)
      this.#readers.shift()?.({ value: job.message, done: false })
    }
  }

  /** The run has ended: it gets no more messages. */
  endReaders(): void {
    for (const reader of this.#readers.splice(0)) reader(noMessage)
  }
}
