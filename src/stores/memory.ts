import { TaskRecord } from '../engine/record.ts'
import type { Answer, Claimed, Entry, NewTask, Scope, Snapshot, Store, TaskLog, View } from '../engine/store.ts'
import { A2AError } from '../protocol/errors.ts'
import { isTerminal } from '../protocol/task.ts'
import { ScopeTasks, type StoredTask } from './memory-scope.ts'
import { checkNumbers, fold, withHeads } from './replay.ts'
import { scopeKey } from './scope-key.ts'

const done: Promise<void> = Promise.resolve()

/** A store that forgets everything when the process ends. It serves one process; nothing limits what it holds but `purge`. */
export function openMemoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  readonly #scopes = new Map<string, ScopeTasks>()
  /** Ended tasks, in the order in which they ended: first those whose events are kept, then the others. */
  readonly #replayable = new Set<StoredTask>()
  readonly #ended = new Set<StoredTask>()
  #created = 0
  #closed = false

  create(task: NewTask): TaskLog {
    return this.#log(task)
  }

  async claim(scope: Scope, id: string): Promise<Claimed | 'held' | undefined> {
    const task = this.#find(scope, id)
    if (task === undefined || task.held) return task && 'held'
    task.held = true
    const artifacts = task.record.artifacts.map(({ head, closed }) => ({
      artifactId: (JSON.parse(head) as { artifactId: string }).artifactId,
      closed,
    }))
    return { log: this.#log(task), head: task.record.head(true), artifacts }
  }

  async head(scope: Scope, id: string): Promise<Snapshot['head'] | undefined> {
    const task = this.#find(scope, id)
    return task?.record.head(task.held)
  }

  async read(scope: Scope, id: string, view: View): Promise<Snapshot | undefined> {
    const task = this.#find(scope, id)
    if (task === undefined) return undefined
    const { record, entries, held } = task
    if (view.at === undefined || view.at === record.seq) return { text: record.text(view), head: record.head(held) }
    if (entries === undefined || view.at < 1 || view.at > record.seq) return undefined
    return fold(record, entries.slice(0, view.at), { view, held })
  }

  async list(scope: Scope, query: Parameters<Store['list']>[1]): ReturnType<Store['list']> {
    return this.#known(scope)?.list(query) ?? { tasks: [], total: 0 }
  }

  async entries(
    scope: Scope,
    id: string,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly Entry[] | undefined> {
    const all = this.#find(scope, id)?.entries
    if (all === undefined) return undefined
    return withHeads(all.slice(range.after, range.after + range.limit), (chunk) => {
      for (let index = chunk.seq - 2; index >= 0; index--) {
        const entry = all[index]!
        if (entry.kind === 'chunk' && entry.artifact === chunk.artifact && entry.head !== undefined) return entry.head
      }
      return undefined
    })
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
      if (endOf(task) >= before) break
      gone += task.entries?.length ?? 0
      task.entries = undefined
      this.#replayable.delete(task)
      this.#ended.add(task)
    }
    return gone
  }

  #dropTasks(before: number): number {
    let gone = 0
    for (const task of this.#ended) {
      if (task.held) continue
      if (endOf(task) >= before) break
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
  }

  #known(scope: Scope): ScopeTasks | undefined {
    if (this.#closed) throw new A2AError('Unavailable', 'The task store is closed')
    return this.#scopes.get(scopeKey(scope))
  }

  #scope(scope: Scope): ScopeTasks {
    let tasks = this.#known(scope)
    if (tasks === undefined) {
      tasks = new ScopeTasks()
      this.#scopes.set(scopeKey(scope), tasks)
    }
    return tasks
  }

  #find(scope: Scope, id: string): StoredTask | undefined {
    return this.#known(scope)?.byId.get(id)
  }

  #log(origin: NewTask | StoredTask): TaskLog {
    let task = 'record' in origin ? origin : undefined
    let released = false
    return {
      append: (entries, options = {}) => {
        try {
          if (this.#closed) throw new A2AError('Unavailable', 'The task store is closed')
          if (released) throw new A2AError('Unavailable', 'The task was released: claim it before writing to it again')
          checkNumbers(entries, task?.record.seq ?? 0)
          const { idempotency, release = false } = options
          const { answers } = 'record' in origin ? origin.scope : this.#scope(origin.scope)
          if (idempotency !== undefined && answers.has(idempotency.key)) {
            throw new A2AError('Unavailable', 'The idempotency key was used a moment ago')
          }
          if (task === undefined && entries.length > 0) task = this.#insert(origin as NewTask, entries)
          else if (task !== undefined) addEntries(task, entries)
          if (task !== undefined) {
            if (idempotency !== undefined) {
              const { key, digest } = idempotency
              answers.set(key, { answer: { digest, taskId: task.id }, time: Date.now() })
            }
            if (release) task.held = false
            if (isTerminal(task.record.head(true).state)) this.#replayable.add(task)
          }
          released = release
          return done
        } catch (error) {
          return Promise.reject(error)
        }
      },
    }
  }

  #insert({ scope, id, contextId, metadata }: NewTask, entries: readonly Entry[]): StoredTask {
    const tasks = this.#scope(scope)
    if (tasks.byId.has(id)) throw new A2AError('Unavailable', `A task with the id ${id} is stored already`)
    const record = new TaskRecord(id, contextId, metadata)
    for (const entry of entries) record.add(entry)
    const created = ++this.#created
    const stored: StoredTask = {
      id,
      scope: tasks,
      record,
      created,
      state: undefined,
      time: 0,
      held: true,
      entries: [...entries],
    }
    tasks.insert(stored)
    return stored
  }
}

function endOf({ record }: StoredTask): number {
  return record.status?.time ?? 0
}

function addEntries(task: StoredTask, entries: readonly Entry[]): void {
  for (const entry of entries) {
    task.record.add(entry)
    task.entries?.push(entry)
    if (entry.kind === 'status') task.scope.move(task)
  }
}
