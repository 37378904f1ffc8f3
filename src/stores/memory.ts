import type { Answer, Claimed, Entry, NewTask, Scope, Snapshot, Store, TaskLog, View } from '../engine/store.ts'
import { endOfTurn } from '../lib/turn.ts'
import { A2AError } from '../protocol/errors.ts'
import { ScopeTasks } from './memory-scope.ts'
import { MemoryTask } from './memory-task.ts'
import { checkNumbers } from './replay.ts'
import { scopeKey } from './scope-key.ts'

const done: Promise<void> = Promise.resolve()

/** A store that forgets everything when the process ends. It serves one process; nothing limits what it holds but `purge`. */
export function openMemoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  readonly #scopes = new Map<string, ScopeTasks>()
  /** Ended tasks, in the order in which they ended: first those whose events are kept, then the others. */
  readonly #replayable = new Set<MemoryTask>()
  readonly #ended = new Set<MemoryTask>()
  readonly #unpacked: MemoryTask[] = []
  #lastScope: { readonly scope: Scope; readonly tasks: ScopeTasks } | undefined
  #created = 0
  #closed = false

  create(task: NewTask): TaskLog {
    return this.#log(task)
  }

  async claim(scope: Scope, id: string): Promise<Claimed | 'held' | undefined> {
    const task = this.#find(scope, id)
    if (task === undefined || task.held) return task && 'held'
    task.held = true
    return { log: this.#log(task), head: task.head(), artifacts: task.artifacts() }
  }

  async head(scope: Scope, id: string): Promise<Snapshot['head'] | undefined> {
    return this.#find(scope, id)?.head()
  }

  async read(scope: Scope, id: string, view: View): Promise<Snapshot | undefined> {
    return this.#find(scope, id)?.read(view)
  }

  async list(scope: Scope, query: Parameters<Store['list']>[1]): ReturnType<Store['list']> {
    return this.#known(scope)?.list(query) ?? { tasks: [], total: 0 }
  }

  async entries(
    scope: Scope,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly Entry[] | undefined> {
    return this.#find(scope, id)?.entries(range)
  }

  async answer(scope: Scope, key: string): Promise<Answer | undefined> {
    return this.#known(scope)?.answers.get(key)?.answer
  }

  async remember(scope: Scope, key: string, answer: Answer): Promise<void> {
    const { answers } = this.#scope(scope)
    if (!answers.has(key)) answers.set(key, { answer, time: Date.now() })
  }

  async abandoned(): Promise<readonly []> {
    return []
  }

  async purge(before: Parameters<Store['purge']>[0]): Promise<number> {
    let gone = this.#dropEvents(Math.max(before.events ?? 0, before.tasks ?? 0)) + this.#dropTasks(before.tasks ?? 0)
    for (const tasks of this.#scopes.values()) {
      for (const [key, { answer, time }] of tasks.answers) {
        const dangling = 'taskId' in answer && !tasks.byId.has(answer.taskId)
        if (!dangling && (before.answers === undefined || time >= before.answers)) continue
        tasks.answers.delete(key)
        gone++
      }
    }
    return gone
  }

  #dropEvents(before: number): number {
    let gone = 0
    for (const task of this.#replayable) {
      if (task.held) continue
      if (task.time >= before) break
      gone += task.seq
      task.replayable = false
      this.#replayable.delete(task)
      this.#ended.add(task)
    }
    return gone
  }

  #dropTasks(before: number): number {
    let gone = 0
    for (const task of this.#ended) {
      if (task.held) continue
      if (task.time >= before) break
      task.scope.delete(task)
      this.#ended.delete(task)
      gone++
    }
    return gone
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#replayable.clear()
    this.#ended.clear()
    this.#scopes.clear()
    this.#lastScope = undefined
  }

  #known(scope: Scope): ScopeTasks | undefined {
    if (this.#closed) throw new A2AError('Unavailable', 'The task store is closed')
    const last = this.#lastScope
    if (last !== undefined && sameScope(last.scope, scope)) return last.tasks
    const tasks = this.#scopes.get(scopeKey(scope))
    if (tasks !== undefined) this.#lastScope = { scope, tasks }
    return tasks
  }

  #scope(scope: Scope): ScopeTasks {
    let tasks = this.#known(scope)
    if (tasks === undefined) {
      tasks = new ScopeTasks()
      this.#scopes.set(scopeKey(scope), tasks)
    }
    return tasks
  }

  #find(scope: Scope, id: string): MemoryTask | undefined {
    return this.#known(scope)?.byId.get(id)
  }

  #log(origin: NewTask | MemoryTask): TaskLog {
    let task = origin instanceof MemoryTask ? origin : undefined
    let released = false
    return {
      append: (entries, options = {}) => {
        try {
          if (this.#closed) throw new A2AError('Unavailable', 'The task store is closed')
          if (released) throw new A2AError('Unavailable', 'The task was released: claim it before writing to it again')
          checkNumbers(entries, task?.seq ?? 0)
          const { idempotency, release = false } = options
          const { answers } = origin instanceof MemoryTask ? origin.scope : this.#scope(origin.scope)
          if (idempotency !== undefined && answers.has(idempotency.key)) {
            throw new A2AError('Unavailable', 'The idempotency key was used a moment ago')
          }
          if (task === undefined && entries.length > 0) task = this.#insert(origin as NewTask, entries)
          else if (task?.add(entries)) task.scope.move(task)
          if (task !== undefined) {
            if (idempotency !== undefined) {
              const { key, digest } = idempotency
              answers.set(key, { answer: { digest, taskId: task.id }, time: Date.now() })
            }
            if (release) task.held = false
            if (task.ended) this.#finished(task)
          }
          released = release
          return done
        } catch (error) {
          return Promise.reject(error)
        }
      },
    }
  }

  #finished(task: MemoryTask): void {
    this.#replayable.add(task)
    // The caller that waits for the task reads it in this turn, from the objects that are there.
    if (this.#unpacked.length === 0) endOfTurn(() => this.#pack())
    this.#unpacked.push(task)
  }

  #pack(): void {
    for (const task of this.#unpacked.splice(0)) task.pack()
  }

  #insert({ scope, id, contextId, metadata }: NewTask, entries: readonly Entry[]): MemoryTask {
    const tasks = this.#scope(scope)
    if (tasks.byId.has(id)) throw new A2AError('Unavailable', `A task with the id ${id} is stored already`)
    const created = ++this.#created
    const stored = new MemoryTask(tasks, { id, contextId, created, ...(metadata !== undefined && { metadata }) })
    stored.add(entries)
    tasks.insert(stored)
    return stored
  }
}

function sameScope(left: Scope, right: Scope): boolean {
  return left.owner === right.owner && left.tenant === right.tenant && left.agent === right.agent
}
