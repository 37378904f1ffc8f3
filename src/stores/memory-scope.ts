import type { Answer, ListQuery, Scope, TaskPage } from '../engine/store.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'
import type { Seat } from './memory-data.ts'
import type { MemoryTask } from './memory-task.ts'
import { TaskOrder } from './task-order.ts'

type Listed = NonNullable<MemoryTask['listed']>

/** An answer, and of one that is still to come the process that will give it. */
export interface StoredAnswer {
  readonly answer: Answer
  readonly time: number
  readonly seat?: Seat
}

/** The tasks and answers of one scope, in the orders that lists ask for. */
export class ScopeTasks {
  readonly byId: Map<string, MemoryTask> = new Map()
  readonly answers: Map<string, StoredAnswer> = new Map()
  readonly scope: Scope
  /** By creation, oldest first. */
  readonly #created: MemoryTask[] = []
  readonly #contexts = new Map<string, MemoryTask[]>()
  /** So many of the tasks are sorted into contexts. */
  #sorted = 0
  readonly #order = new TaskOrder<Listed>()
  readonly #states = new Map<TaskState, TaskOrder<Listed>>()
  readonly #changed = new Set<MemoryTask>()

  constructor(scope: Scope) {
    this.scope = scope
  }

  insert(task: MemoryTask): void {
    this.byId.set(task.id, task)
    this.#created.push(task)
    this.#changed.add(task)
  }

  /** The tasks of a context, oldest first. They are sorted into contexts when somebody asks for one. */
  #context(contextId: string): MemoryTask[] | undefined {
    for (; this.#sorted < this.#created.length; this.#sorted++) {
      const task = this.#created[this.#sorted]!
      const context = this.#contexts.get(task.contextId)
      if (context === undefined) this.#contexts.set(task.contextId, [task])
      else context.push(task)
    }
    return this.#contexts.get(contextId)
  }

  /** Notes that a task has a new status. The orders are brought up to date when somebody lists. */
  move(task: MemoryTask): void {
    this.#changed.add(task)
  }

  delete(task: MemoryTask): void {
    const { contextId } = task
    const context = this.#context(contextId) ?? []
    this.byId.delete(task.id)
    this.#changed.delete(task)
    this.#displace(task)
    remove(this.#created, task)
    this.#sorted -= 1
    remove(context, task)
    if (context.length === 0) this.#contexts.delete(contextId)
  }

  /** Tasks whose status was recorded before a time, oldest first. */
  older(before: number): readonly MemoryTask[] {
    this.#settle()
    return this.#order.items.slice(0, this.#order.before(before, '')).map(({ task }) => task)
  }

  list(query: ListQuery): TaskPage {
    this.#settle()
    const { contextId, state, since, cursor, pageSize } = query
    const context = contextId === undefined ? undefined : (this.#context(contextId) ?? [])
    const byState = context === undefined && state !== undefined
    const order = context !== undefined ? ordered(context) : byState ? this.#state(state) : this.#order
    const matches = (listed: Pick<Listed, 'state' | 'time'>) =>
      (state === undefined || listed.state === state) && (since === undefined || listed.time >= since)

    const first = since === undefined ? 0 : order.before(since, '')
    const exact = state === undefined || byState
    const total = exact ? order.items.length - first : count(order.items, first, matches)

    const page: MemoryTask[] = []
    const take = (task: MemoryTask): boolean => page.push(task) <= pageSize
    const created = query.order === 'created'
    if (created) {
      const items = context ?? this.#created
      const end = cursor === undefined ? items.length : placeOf(items, cursor[0])
      for (let index = end - 1; index >= 0; index--) if (matches(items[index]!) && !take(items[index]!)) break
    } else {
      const end = cursor === undefined ? order.items.length : order.before(cursor[0], String(cursor[1]))
      for (let index = end - 1; index >= first; index--) {
        if (matches(order.items[index]!) && !take(order.items[index]!.task)) break
      }
    }
    const more = page.length > pageSize
    if (more) page.pop()
    const last = page.at(-1)
    return {
      tasks: page.map((task) => ({ text: task.text(query.view), head: task.head() })),
      ...(more && last !== undefined && { next: created ? [last.created, 0] : [last.time, last.id] }),
      total,
    }
  }

  #settle(): void {
    if (this.#changed.size === 0) return
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const task of changed) this.#displace(task)
    // Oldest first, so that each one goes to the newest end, where adding costs next to nothing.
    for (const task of changed.sort((left, right) => left.time - right.time)) {
      const listed = listing(task)
      task.listed = listed
      this.#order.add(listed)
      this.#state(listed.state).add(listed)
    }
  }

  #displace(task: MemoryTask): void {
    const { listed } = task
    if (listed === undefined) return
    this.#order.remove(listed)
    this.#state(listed.state).remove(listed)
    task.listed = undefined
  }

  #state(state: TaskState): TaskOrder<Listed> {
    let order = this.#states.get(state)
    if (order === undefined) {
      order = new TaskOrder()
      this.#states.set(state, order)
    }
    return order
  }
}

function listing(task: MemoryTask): Listed {
  const { id, state, time } = task
  return { id, state, time, task }
}

/** The tasks of a context are few, so their order is made when it is asked for. */
function ordered(context: readonly MemoryTask[]): TaskOrder<Listed> {
  const order = new TaskOrder<Listed>()
  for (const task of context) order.add(listing(task))
  return order
}

function placeOf(items: readonly MemoryTask[], created: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (items[middle]!.created < created) low = middle + 1
    else high = middle
  }
  return low
}

function remove(items: MemoryTask[], task: MemoryTask): void {
  const index = placeOf(items, task.created)
  if (items[index] === task) items.splice(index, 1)
}

function count(items: readonly Listed[], first: number, matches: (listed: Listed) => boolean): number {
  let total = 0
  for (let index = first; index < items.length; index++) if (matches(items[index]!)) total++
  return total
}
