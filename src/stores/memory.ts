import {
  type Abandoned,
  type Answer,
  type AppendOptions,
  type Claimed,
  type Entry,
  holdLost,
  type IdempotencyKey,
  type Mail,
  type MailState,
  type NewMail,
  type NewTask,
  type PurgeLimits,
  type Scope,
  type Snapshot,
  type Store,
  type StoreHealth,
  type StoreListener,
  type TaskLog,
  type View,
} from '../engine/store.ts'
import { endOfTurn } from '../lib/turn.ts'
import { A2AError } from '../protocol/errors.ts'
import { type Hold, isLive, MemoryData, type Seat } from './memory-data.ts'
import type { ScopeTasks, StoredAnswer } from './memory-scope.ts'
import { MemoryTask } from './memory-task.ts'
import { checkNumbers } from './replay.ts'

const done: Promise<void> = Promise.resolve()

/** A store that forgets everything when the process ends. It serves one process; nothing limits what it holds but `purge`. */
export function openMemoryStore(): Store {
  return new MemoryStore(new MemoryData())
}

/** A database in memory with a store for each of several engines, as if they were processes of their own. */
export interface MemoryDatabase {
  open(): Store
  /** Ends a store as if its process had died: nothing works with it any more, and others may take what it held. */
  kill(store: Store): void
  /** Takes a store for dead, as if its process had been silent for too long. It goes on without what it held, once it has `noticed`: at once, or when the promise resolves. */
  expire(store: Store, noticed?: Promise<void>): void
}

/** Makes an empty database in memory. */
export function createMemoryDatabase(): MemoryDatabase {
  const data = new MemoryData()
  return {
    open: () => new MemoryStore(data, { shared: true }),
    kill: (store) => (store as MemoryStore).kill(),
    expire: (store, noticed) => (store as MemoryStore).expire(noticed),
  }
}

class MemoryStore implements Store {
  readonly #data: MemoryData
  readonly #listeners = new Set<StoreListener>()
  readonly #unpacked: MemoryTask[] = []
  #seat: Seat
  #lastScope: { readonly scope: Scope; readonly tasks: ScopeTasks } | undefined
  #closed = false
  readonly reserve?: NonNullable<Store['reserve']>
  readonly forget?: NonNullable<Store['forget']>

  constructor(data: MemoryData, { shared = false }: { shared?: boolean } = {}) {
    this.#data = data
    this.#seat = data.sit(this.#listeners)
    if (!shared) return
    this.reserve = async (scope, idempotency) => this.#reserve(scope, idempotency)
    this.forget = async (scope, key) => {
      const answers = this.#known(scope)?.answers
      if (answers?.get(key)?.seat === this.#seat) answers.delete(key)
    }
  }

  kill(): void {
    this.#closed = true
    this.#data.leave(this.#seat)
  }

  expire(noticed?: Promise<void>): void {
    this.#data.leave(this.#seat)
    const wake = (): void => {
      this.#seat = this.#data.sit(this.#listeners)
      for (const listener of this.#listeners) listener.lost()
    }
    if (noticed === undefined) wake()
    else void noticed.then(wake)
  }

  create(task: NewTask): TaskLog {
    return this.#log(task, { seat: this.#seat })
  }

  async claim(scope: Scope, id: string): Promise<Claimed | 'held' | undefined> {
    const task = this.#find(scope, id)
    if (task === undefined || isLive(task.hold)) return task && 'held'
    if (!this.#seat.alive) throw holdLost()
    const { hold: before, waiting } = task
    const hold: Hold = { seat: this.#seat }
    task.hold = hold
    this.#data.left.delete(task)
    return {
      log: this.#log(task, hold),
      head: task.head(),
      artifacts: task.artifacts(),
      ...(before !== undefined && { left: waiting ? 'waiting' : 'begun' }),
    }
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
    const stored = this.#known(scope)?.answers.get(key)
    return stored === undefined || isDead(stored) ? undefined : stored.answer
  }

  #reserve(scope: Scope, { key, digest }: IdempotencyKey): Answer | undefined {
    const { answers } = this.#scope(scope)
    const stored = answers.get(key)
    if (stored !== undefined && stored.seat !== this.#seat && !isDead(stored)) return stored.answer
    answers.set(key, { answer: { digest, pending: true }, time: Date.now(), seat: this.#seat })
    return undefined
  }

  async remember(scope: Scope, key: string, answer: Answer): Promise<void> {
    const { answers } = this.#scope(scope)
    if (this.#isOpen(answers.get(key))) answers.set(key, { answer, time: Date.now() })
  }

  /** Whether this process may answer under a key. */
  #isOpen(stored: StoredAnswer | undefined): boolean {
    return stored === undefined || stored.seat === this.#seat || isDead(stored)
  }

  async abandoned(agent: string, limit: number): Promise<readonly Abandoned[]> {
    this.#refuseClosed()
    return this.#data.abandoned(agent, limit)
  }

  async post(scope: Scope, id: string, mail: NewMail): Promise<number | undefined> {
    const task = this.#find(scope, id)
    return task && this.#data.post(task, mail, this.#seat)
  }

  async posted(mail: number): Promise<MailState | undefined> {
    this.#refuseClosed()
    return this.#data.posted(mail)
  }

  async withdraw(mail: number): Promise<boolean> {
    this.#refuseClosed()
    return this.#data.withdraw(mail)
  }

  async mail(): Promise<readonly Mail[]> {
    this.#refuseClosed()
    return this.#data.mailFor(this.#seat)
  }

  async settle(states: readonly (MailState & { readonly mail: number })[]): Promise<void> {
    this.#refuseClosed()
    for (const state of states) this.#data.settle(state, this.#seat)
  }

  async behind(tasks: Parameters<Store['behind']>[0]): ReturnType<Store['behind']> {
    const moved: { readonly id: string; readonly seq: number }[] = []
    for (const { scope, id, seq } of tasks) {
      const now = this.#find(scope, id)?.seq ?? 0
      if (now > seq) moved.push({ id, seq: now })
    }
    return moved
  }

  watch(id: string, changed: () => void): () => void {
    return this.#data.watch(id, { listeners: this.#listeners, changed })
  }

  listen(listener: StoreListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async tenants(agent: string): Promise<readonly string[]> {
    this.#refuseClosed()
    return [...new Set(Array.from(this.#data.scopesOf({ agent }), ({ scope }) => scope.tenant))]
  }

  async purge({ events, answers, tasks }: PurgeLimits): Promise<number> {
    this.#refuseClosed()
    const data = this.#data
    let gone = events === undefined ? 0 : data.dropEvents(events)
    if (tasks !== undefined) {
      for (const task of [...data.scopesOf(tasks)].flatMap((known) => known.older(tasks.before))) {
        if (task.held || !(task.ended || tasks.unfinished)) continue
        data.drop(task)
        gone++
      }
    }
    for (const known of data.scopes.values()) {
      for (const [key, stored] of known.answers) {
        const { answer, time } = stored
        const dangling = 'taskId' in answer && !known.byId.has(answer.taskId)
        if (!dangling && (answers === undefined || time >= answers || 'pending' in answer) && !isDead(stored)) continue
        known.answers.delete(key)
        gone++
      }
    }
    return gone + (answers === undefined ? 0 : data.dropMail(answers))
  }

  async erase(whose: Parameters<Store['erase']>[0]): Promise<number> {
    this.#refuseClosed()
    let gone = 0
    for (const known of this.#data.scopesOf(whose)) {
      for (const task of [...known.byId.values()]) {
        this.#data.drop(task)
        gone++
      }
      known.answers.clear()
    }
    return gone
  }

  async check(): Promise<StoreHealth> {
    this.#refuseClosed()
    return { kind: 'memory', latency: 0 }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#data.leave(this.#seat)
    this.#lastScope = undefined
  }

  #refuseClosed(): void {
    if (this.#closed) throw new A2AError('Unavailable', 'The task store is closed')
  }

  #known(scope: Scope): ScopeTasks | undefined {
    this.#refuseClosed()
    const last = this.#lastScope
    if (last !== undefined && sameScope(last.scope, scope)) return last.tasks
    const tasks = this.#data.known(scope)
    if (tasks !== undefined) this.#lastScope = { scope, tasks }
    return tasks
  }

  #scope(scope: Scope): ScopeTasks {
    return this.#known(scope) ?? this.#data.scope(scope)
  }

  #find(scope: Scope, id: string): MemoryTask | undefined {
    return this.#known(scope)?.byId.get(id)
  }

  #log(origin: NewTask | MemoryTask, hold: Hold): TaskLog {
    let task = origin instanceof MemoryTask ? origin : undefined
    let released = false
    const write = (entries: readonly Entry[], options: AppendOptions): void => {
      this.#refuseClosed()
      if (released) throw new A2AError('Unavailable', 'The task was released: claim it before writing to it again')
      if (!isLive(hold) || (task !== undefined && task.hold !== hold)) throw holdLost()
      checkNumbers(entries, task?.seq ?? 0)
      const { idempotency, release = false, accepted, waiting = false } = options
      if (accepted !== undefined && !this.#data.isThere(accepted)) throw holdLost()
      const { answers } = origin instanceof MemoryTask ? origin.scope : this.#scope(origin.scope)
      if (idempotency !== undefined && !this.#isOpen(answers.get(idempotency.key))) {
        throw new A2AError('Unavailable', 'The idempotency key was used a moment ago')
      }
      if (task === undefined && entries.length > 0) task = this.#insert(origin as NewTask, entries)
      else if (task?.add(entries)) task.scope.move(task)
      released = release !== false
      if (task === undefined) return
      if (idempotency !== undefined) {
        const { key, digest } = idempotency
        answers.set(key, { answer: { digest, taskId: task.id }, time: Date.now() })
      }
      if (accepted !== undefined) this.#data.accept(accepted)
      task.hold = hold
      task.waiting = waiting
      if (release === 'handOver') this.#data.handOver(task)
      else if (release) task.hold = undefined
      if (task.ended) this.#finished(task)
      this.#data.changed(task.id, this.#listeners)
    }
    return {
      append: (entries, options = {}) => {
        try {
          write(entries, options)
          return done
        } catch (error) {
          return Promise.reject(error)
        }
      },
    }
  }

  #finished(task: MemoryTask): void {
    this.#data.replayable.add(task)
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
    const created = ++this.#data.created
    const stored = new MemoryTask(tasks, { id, contextId, created, ...(metadata !== undefined && { metadata }) })
    stored.add(entries)
    tasks.insert(stored)
    return stored
  }
}

/** Whether an answer was to come from a process that is no more. */
function isDead({ seat }: StoredAnswer): boolean {
  return seat?.alive === false
}

function sameScope(left: Scope, right: Scope): boolean {
  return left.owner === right.owner && left.tenant === right.tenant && left.agent === right.agent
}
