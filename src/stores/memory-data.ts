import type { Abandoned, Mail, MailState, NewMail, Scope, StoreListener } from '../engine/store.ts'
import { ScopeTasks } from './memory-scope.ts'
import type { MemoryTask } from './memory-task.ts'
import { scopeKey } from './scope-key.ts'

/** A process on a database in memory: what holds tasks, until it ends or is taken for dead. */
export interface Seat {
  alive: boolean
  readonly listeners: ReadonlySet<StoreListener>
}

/** One writer's hold on a task. Its task is left when the seat is no more; one without a seat was handed over. */
export interface Hold {
  readonly seat: Seat | undefined
}

/** Whether a hold keeps others out. */
export function isLive(hold: Hold | undefined): hold is Hold & { readonly seat: Seat } {
  return hold?.seat?.alive === true
}

interface StoredMail extends NewMail {
  readonly id: number
  readonly task: MemoryTask
  readonly time: number
  state: MailState
  /** The hold under which it was taken in last. */
  takenBy: Hold | undefined
}

/** Somebody who waits for changes by others: its listeners tell who it is, also after its seat has changed. */
interface Watcher {
  readonly listeners: Seat['listeners']
  readonly changed: () => void
}

/** What the stores of one database in memory share. */
export class MemoryData {
  readonly scopes: Map<string, ScopeTasks> = new Map()
  /** Ended tasks whose events are kept, in the order in which they ended. */
  readonly replayable: Set<MemoryTask> = new Set()
  /** Tasks whose holder is gone. */
  readonly left: Set<MemoryTask> = new Set()
  readonly #seats = new Set<Seat>()
  readonly #mail = new Map<number, StoredMail>()
  readonly #watchers = new Map<string, Set<Watcher>>()
  #lastMail = 0
  created = 0

  known(scope: Scope): ScopeTasks | undefined {
    return this.scopes.get(scopeKey(scope))
  }

  /** The tasks of a scope in which nothing is stored yet. */
  scope(scope: Scope): ScopeTasks {
    const tasks = new ScopeTasks(scope)
    this.scopes.set(scopeKey(scope), tasks)
    return tasks
  }

  /** The scopes of an agent, all or some. */
  *scopesOf(whose: { agent: string; tenant?: string | undefined; owner?: string | undefined }): Iterable<ScopeTasks> {
    for (const tasks of this.scopes.values()) {
      const { agent, tenant, owner } = tasks.scope
      if (agent !== whose.agent || (whose.tenant ?? tenant) !== tenant || (whose.owner ?? owner) !== owner) continue
      yield tasks
    }
  }

  /** Lets everything that a seat holds be taken over. */
  leave(seat: Seat): void {
    seat.alive = false
    this.#seats.delete(seat)
    for (const { byId } of this.scopes.values()) {
      for (const task of byId.values()) if (task.hold?.seat === seat) this.left.add(task)
    }
    this.#tellAbandoned()
  }

  handOver(task: MemoryTask): void {
    task.hold = { seat: undefined }
    this.left.add(task)
    this.#tellAbandoned()
  }

  #tellAbandoned(): void {
    for (const { listeners } of this.#seats) {
      for (const listener of listeners) queueMicrotask(() => listener.abandoned())
    }
  }

  /** Lets a store take part; who looks after it is told what happens to its tasks. */
  sit(listeners: Seat['listeners']): Seat {
    const seat: Seat = { alive: true, listeners }
    this.#seats.add(seat)
    return seat
  }

  abandoned(agent: string, limit: number): readonly Abandoned[] {
    const found: Abandoned[] = []
    for (const task of this.left) {
      const { scope } = task.scope
      if (scope.agent === agent && found.push({ scope, id: task.id }) === limit) break
    }
    return found
  }

  /** Forgets the numbered events of tasks that ended before a time; tells how many. */
  dropEvents(before: number): number {
    let gone = 0
    for (const task of this.replayable) {
      if (task.held) continue
      if (task.time >= before) break
      gone += task.seq
      task.replayable = false
      this.replayable.delete(task)
    }
    return gone
  }

  drop(task: MemoryTask): void {
    task.hold = undefined
    task.scope.delete(task)
    this.replayable.delete(task)
    this.left.delete(task)
    for (const [id, mail] of this.#mail) if (mail.task === task) this.#mail.delete(id)
  }

  watch(id: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(id) ?? new Set()
    this.#watchers.set(id, watchers.add(watcher))
    return () => {
      watchers.delete(watcher)
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id)
    }
  }

  /** Tells those who watch a task from other seats. */
  changed(id: string, by: Seat['listeners']): void {
    if (this.#watchers.size === 0) return
    for (const { listeners, changed } of this.#watchers.get(id) ?? []) if (listeners !== by) queueMicrotask(changed)
  }

  post(task: MemoryTask, mail: NewMail, from: Seat): number | undefined {
    const { hold } = task
    if (!isLive(hold) || hold.seat === from) return undefined
    const id = ++this.#lastMail
    this.#mail.set(id, { ...mail, id, task, time: Date.now(), state: {}, takenBy: undefined })
    for (const listener of hold.seat.listeners) queueMicrotask(() => listener.mail())
    return id
  }

  posted(id: number): MailState | undefined {
    return this.#mail.get(id)?.state
  }

  withdraw(id: number): boolean {
    const mail = this.#mail.get(id)
    if (mail === undefined) return false
    const { state, takenBy, task } = mail
    if (state.seq !== undefined || state.outcome !== undefined) return false
    if (takenBy === task.hold && isLive(takenBy)) return false
    return this.#mail.delete(id)
  }

  mailFor(seat: Seat): readonly Mail[] {
    const found: Mail[] = []
    for (const mail of this.#mail.values()) {
      const { id, kind, text, task, state } = mail
      if (task.hold?.seat !== seat || mail.takenBy === task.hold || state.outcome !== undefined) continue
      mail.takenBy = task.hold
      found.push({ id, kind, text, taskId: task.id, ...(state.seq !== undefined && { seq: state.seq }) })
    }
    return found
  }

  settle({ mail: id, ...state }: MailState & { readonly mail: number }, by: Seat): void {
    const mail = this.#mail.get(id)
    if (mail?.takenBy?.seat !== by || !by.alive) return
    mail.state = { ...mail.state, ...state }
    this.changed(mail.task.id, by.listeners)
  }

  /** Whether mail that entries take in is still there. */
  isThere(accepted: readonly { readonly mail: number }[]): boolean {
    return accepted.every(({ mail }) => this.#mail.has(mail))
  }

  /** Mail becomes entries of its task. */
  accept(accepted: readonly { readonly mail: number; readonly seq: number }[]): void {
    for (const { mail: id, seq } of accepted) {
      const mail = this.#mail.get(id)
      if (mail !== undefined) mail.state = { ...mail.state, seq }
    }
  }

  dropMail(before: number): number {
    let gone = 0
    for (const [id, { state, time, task }] of this.#mail) {
      if (time >= before || (state.outcome === undefined && isLive(task.hold))) continue
      this.#mail.delete(id)
      gone++
    }
    return gone
  }
}
