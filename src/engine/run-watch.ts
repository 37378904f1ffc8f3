import { silent } from '../lib/log.ts'
import type { Span } from '../lib/trace.ts'
import { spanTable } from '../observe/span-table.ts'
import type { Job } from './jobs.ts'
import type { Live } from './live.ts'

/** What is told of a run as it goes: measures, a span, and a line of the log at its end. */
export interface RunWatch {
  /** The run's span, from its beginning on. */
  readonly span: Span | undefined
  began(): void
  /** Does the run's work as part of its span. */
  within<T>(work: () => T): T
  /** `outcome` is one of few words: what the run left behind. */
  ended(outcome: string): void
}

const unwatched: RunWatch = { span: undefined, began: () => {}, within: (work) => work(), ended: () => {} }

/** Watches a run, where anybody wants to know. */
export function watchRun(live: Live, job: Job): RunWatch {
  const { telemetry, log } = live.core
  if (telemetry.meter === undefined && telemetry.tracer === undefined && log === silent) return unwatched
  return new Watch(live, job)
}

/** Tells the log why an agent failed, which callers are not told. */
export function tellFailure({ core, names }: Live, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  core.log.error('An agent failed', { ...names, error: text })
}

/** Shorter waits are no waits, milliseconds. */
const shortestWait = 5

class Watch implements RunWatch {
  span: Span | undefined
  readonly #live: Live
  readonly #job: Job
  readonly #made: number
  #began: number | undefined

  constructor(live: Live, job: Job) {
    this.#live = live
    this.#job = job
    this.#made = live.core.now()
  }

  began(): void {
    const { telemetry, now } = this.#live.core
    const began = now()
    const since = this.#job.receivedAt ?? this.#made
    this.#began = began
    if (telemetry.logContent === true) this.#tellMessage()
    telemetry.meter?.add('parlance_runs_started_total')
    telemetry.meter?.record('parlance_run_wait_seconds', Math.max(0, began - since) / 1_000)
    if (telemetry.tracer === undefined) return
    if (began - since >= shortestWait) this.#tellWait(since)
    this.#start()
  }

  within<T>(work: () => T): T {
    return this.span === undefined ? work() : this.span.run(work)
  }

  ended(outcome: string): void {
    const { core, id } = this.#live
    const took = this.#began === undefined ? undefined : core.now() - this.#began
    // Unless it began, it is only now that it is known to have been a run.
    if (took !== undefined) {
      core.telemetry.meter?.add('parlance_runs_ended_total', 1, outcome)
      core.telemetry.meter?.record('parlance_run_duration_seconds', Math.max(0, took) / 1_000)
    }
    const ids = this.#live.names
    core.log.info('A run ended', { ...ids, state: outcome, ...(took !== undefined && { milliseconds: took }) })
    const { span } = this
    if (span === undefined) return
    span.set({ 'a2a.task.state': outcome, ...(this.#live.state !== undefined && { 'a2a.task.id': id }) })
    if (outcome === 'failed' || outcome === 'lost' || outcome === 'refused') span.fail(outcome)
    span.end()
  }

  #tellMessage(): void {
    const { core, names } = this.#live
    core.log.info('A run begins', { ...names, parts: this.#job.message.parts })
  }

  #tellWait(since: number): void {
    const { queue } = spanTable
    const parent = this.#job.trace ?? 'none'
    const attributes = { 'a2a.task.id': this.#live.id }
    this.#live.core.telemetry.tracer
      ?.start(queue.name, { kind: queue.kind, parent, startTime: since, attributes })
      .end()
  }

  #start(): void {
    const { core, contextId, id } = this.#live
    const { agent } = core
    const { name, kind } = spanTable.run
    this.span = core.telemetry.tracer?.start(
      name.replace('{agent}', () => agent.name),
      {
        kind,
        parent: this.#job.trace ?? 'none',
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': agent.name,
          'gen_ai.agent.version': agent.version,
          'gen_ai.conversation.id': contextId,
          'a2a.context.id': contextId,
          'a2a.message.id': this.#job.message.messageId,
          ...(this.#live.state !== undefined && { 'a2a.task.id': id }),
          ...(this.#job.resumed === true && { 'parlance.resumed': true }),
        },
      },
    )
    this.#live.span = this.span
  }
}
