import type { JsonValue } from '../lib/json.ts'
import type { Logger } from '../lib/log.ts'
import type { Message, Task } from '../protocol/generated/v1/types.ts'
import type { TaskContext, TaskConversation } from './executor.ts'
import type { Job } from './jobs.ts'
import type { Live } from './live.ts'
import type { Run } from './run.ts'
import type { Cursor } from './store.ts'

const pageSize = 100

/** What a run is given to work with; whatever costs something is made when it is first asked for. */
export class RunContext implements TaskContext {
  readonly id: string
  readonly contextId: string
  readonly message: Message
  readonly history: readonly Message[]
  readonly acceptedOutputModes: readonly string[]
  readonly metadata: Readonly<Record<string, JsonValue>>
  readonly extensions: readonly string[]
  readonly tenant: string
  readonly owner: string
  readonly resumed: boolean
  readonly #live: Live
  readonly #run: Run

  constructor(run: Run, job: Job, history: readonly Message[]) {
    const { live } = run
    this.#live = live
    this.#run = run
    this.id = live.id
    this.contextId = live.contextId
    this.message = job.message
    this.history = history
    this.acceptedOutputModes = job.acceptedOutputModes
    this.metadata = job.metadata
    this.extensions = job.extensions
    this.tenant = live.scope.tenant
    this.owner = live.scope.owner
    this.resumed = job.resumed ?? false
  }

  get signal(): AbortSignal {
    return this.#run.signal
  }

  get log(): Logger {
    const { log } = this.#live.core
    const ids = { taskId: this.id, contextId: this.contextId }
    return {
      info: (text, fields) => log.info(text, { ...ids, ...fields }),
      warn: (text, fields) => log.warn(text, { ...ids, ...fields }),
      error: (text, fields) => log.error(text, { ...ids, ...fields }),
    }
  }

  get messages(): AsyncIterable<Message> {
    const run = this.#run
    return { [Symbol.asyncIterator]: () => ({ next: () => run.nextMessage() }) }
  }

  get context(): TaskConversation {
    return { id: this.contextId, tasks: (limit = pageSize) => this.#earlierTasks(limit) }
  }

  async #earlierTasks(limit: number): Promise<readonly Task[]> {
    const { core, scope, contextId, id } = this.#live
    const tasks: Task[] = []
    let cursor: Cursor | undefined
    do {
      const page = await core.store.list(scope, {
        contextId,
        pageSize: Math.min(limit + 1, pageSize),
        order: 'created',
        view: { artifacts: true },
        ...(cursor && { cursor }),
      })
      for (const { head, text } of page.tasks) {
        if (head.id !== id && tasks.length < limit) tasks.push(JSON.parse(text) as Task)
      }
      cursor = page.next
    } while (cursor !== undefined && tasks.length < limit)
    return tasks.reverse()
  }

  async references(): Promise<readonly Task[]> {
    const { core, scope } = this.#live
    const ids = this.message.referenceTaskIds ?? []
    const snapshots = await Promise.all(ids.map((id) => core.store.read(scope, id, { artifacts: true })))
    return snapshots.flatMap((snapshot) => (snapshot === undefined ? [] : [JSON.parse(snapshot.text) as Task]))
  }

  async task(): Promise<Task> {
    const { core, scope, id } = this.#live
    this.#run.decide()
    await this.#live.committed()
    const snapshot = await core.store.read(scope, id, { artifacts: true })
    return JSON.parse(snapshot?.text ?? '{}') as Task
  }
}
