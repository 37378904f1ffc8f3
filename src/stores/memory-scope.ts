import type { TaskRecord } from '../engine/record.ts'
import type { Answer, Cursor, Entry, ListQuery, TaskPage } from '../engine/store.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'
import { TaskOrder } from './task-order.ts'

/** A stored task, and where it stands in the lists. */
export interface StoredTask {
  readonly id: string
  readonly scope: ScopeTasks
  readonly record: TaskRecord
  /** Rises with each new task. */
  readonly created: number
  /** State and time under which the task is listed; undefined before the first listing. */
  state: TaskState | undefined
  time: number
  held: boolean
  /** The numbered log from entry 1; undefined once dropped. */
  entries: Entry[] | undefined
}

/** The tasks and answers of one scope, in the orders that lists ask for. */
export class ScopeTasks {
  readonly byId: Map<string, StoredTask> = new Map()
  readonly answers: Map<string, { readonly answer: Answer; readonly time: number }> = new Map()
  /** By creation, oldest first. */
  readonly #created: StoredTask[] = []
  readonly #contexts = new Map<string, StoredTask[]>()
  readonly #order = new TaskOrder<StoredTask>()
  readonly #states = new Map<TaskState, TaskOrder<StoredTask>>()
  readonly #changed = new Set<StoredTask>()

  insert(task: StoredTask): void {
    this.byId.set(task.id, task)
    this.#created.push(task)
    const { contextId } = task.record
    const context = this.#contexts.get(contextId)
    if (context === undefined) this.#contexts.set(contextId, [task])
    else context.push(task)
    this.#changed.add(task)
  }

  /** Notes that a task has a new status. The orders are brought up to date when somebody lists. */
  move(task: StoredTask): void {
    this.#changed.add(task)
  }

  delete(task: StoredTask): void {
    const { contextId } = task.record
    const context = this.#contexts.get(contextId) ?? []
    this.byId.delete(task.id)
    this.#changed.delete(task)
    this.#displace(task)
    remove(this.#created, task)
    remove(context, task)
    if (context.length === 0) this.#contexts.delete(contextId)
  }

  list(query: ListQuery): TaskPage {
    this.#settle()
    const { contextId, state, since, cursor, pageSize } = query
    const context = contextId === undefined ? undefined : (this.#contexts.get(contextId) ?? [])
    const byState = context === undefined && state !== undefined
    const order = context !== undefined ? ordered(context) : byState ? this.#state(state) : this.#order
    const matches = (task: StoredTask) =>
      (state === undefined || task.state === state) && (since === undefined || task.time >= since)

    const first = since === undefined ? 0 : order.before(since, '')
    const exact = state === undefined || byState
    const total = exact ? order.items.length - first : count(order.items, first, matches)

    const created = query.order === 'created'
    const items = created ? (context ?? this.#created) : order.items
    const end = cursor === undefined ? items.length : placeOfCursor(order, items, { created, cursor })
    const page: StoredTask[] = []
    for (let index = end - 1; index >= (created ? 0 : first) && page.length <= pageSize; index--) {
      const task = items[index]!
      if (matches(task)) page.push(task)
    }
    const more = page.length > pageSize
    if (more) page.pop()
    const last = page.at(-1)
    return {
      tasks: page.map((task) => ({ text: task.record.text(query.view), head: task.record.head(task.held) })),
      ...(more && last !== undefined && { next: created ? [last.created, 0] : [last.time, last.id] }),
      total,
    }
  }

  #settle(): void {
    if (this.#changed.size === 0) return
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const task of changed) this.#displace(task)
    const rows = changed.map((task) => ({ task, head: task.record.head(false) }))
    // Oldest first, so that each one goes to the newest end, where adding costs next to nothing.
    for (const { task, head } of rows.sort((left, right) => left.head.time - right.head.time)) {
      task.state = head.state
      task.time = head.time
      this.#order.add(task)
      this.#state(head.state).add(task)
    }
  }

  #displace(task: StoredTask): void {
    if (task.state === undefined) return
    this.#order.remove(task)
    this.#state(task.state).remove(task)
    task.state = undefined
  }

  #state(state: TaskState): TaskOrder<StoredTask> {
    let order = this.#states.get(state)
    if (order === undefined) {
      order = new TaskOrder()
      this.#states.set(state, order)
    }
    return order
  }
}

/** The tasks of a context are few, so their order is made when it is asked for. */
function ordered(context: readonly StoredTask[]): TaskOrder<StoredTask> {
  const order = new TaskOrder<StoredTask>()
  for (const task of context) order.add(task)
  return order
}

/** Number of items that come before a cursor in ascending order. */
function placeOfCursor(
  order: TaskOrder<StoredTask>,
  items: readonly StoredTask[],
  { created, cursor }: { created: boolean; cursor: Cursor },
): number {
  return created ? placeOf(items, cursor[0]) : order.before(cursor[0], String(cursor[1]))
}

function placeOf(items: readonly StoredTask[], created: number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (items[middle]!.created < created) low = middle + 1
    else high = middle
  }
  return low
}

function remove(items: StoredTask[], task: StoredTask): void {
  const index = placeOf(items, task.created)
  if (items[index] === task) items.splice(index, 1)
}

function count(items: readonly StoredTask[], first: number, matches: (task: StoredTask) => boolean): number {
  let total = 0
  for (let index = first; index < items.length; index++) if (matches(items[index]!)) total++
  return total
}
