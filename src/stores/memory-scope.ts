import type { TaskRecord } from '../engine/record.ts'
import type { Answer, Cursor, Entry, ListQuery, StatusEntry, TaskPage } from '../engine/store.ts'
import type { TaskState } from '../protocol/generated/v1/types.ts'
import { TaskOrder } from './task-order.ts'

/** A stored task and where it stands in the lists. */
export interface StoredTask {
  readonly id: string
  readonly scope: ScopeTasks
  readonly record: TaskRecord
  /** Rises with each new task. */
  readonly created: number
  state: TaskState
  time: number
  held: boolean
  /** The numbered log from entry 1; undefined once dropped. */
  entries: Entry[] | undefined
}

interface Group {
  readonly order: TaskOrder<StoredTask>
  /** By creation, oldest first. */
  readonly created: StoredTask[]
}

function newGroup(): Group {
  return { order: new TaskOrder(), created: [] }
}

/** The tasks and answers of one scope, in the orders that lists ask for. */
export class ScopeTasks {
  readonly byId: Map<string, StoredTask> = new Map()
  readonly answers: Map<string, { readonly answer: Answer; readonly time: number }> = new Map()
  readonly #all = newGroup()
  readonly #contexts = new Map<string, Group>()
  readonly #states = new Map<TaskState, TaskOrder<StoredTask>>()

  insert(task: StoredTask): void {
    this.byId.set(task.id, task)
    const context = this.#context(task)
    this.#all.created.push(task)
    context.created.push(task)
    this.#place(task, context)
  }

  /** Moves a task to where its new status belongs. */
  move(task: StoredTask, status: StatusEntry): void {
    const context = this.#context(task)
    this.#displace(task, context)
    task.state = status.state
    task.time = status.time
    this.#place(task, context)
  }

  delete(task: StoredTask): void {
    this.byId.delete(task.id)
    const context = this.#context(task)
    this.#displace(task, context)
    remove(this.#all.created, task)
    remove(context.created, task)
    if (context.created.length === 0) this.#contexts.delete(task.record.contextId)
  }

  list(query: ListQuery): TaskPage {
    const { contextId, state, since, cursor } = query
    const group = contextId === undefined ? this.#all : this.#contexts.get(contextId)
    if (group === undefined) return { tasks: [], total: 0 }
    const byState = contextId === undefined && state !== undefined
    const order = byState ? (this.#states.get(state) ?? new TaskOrder<StoredTask>()) : group.order
    const matches = (task: StoredTask) =>
      (state === undefined || task.state === state) && (since === undefined || task.time >= since)

    const first = since === undefined ? 0 : order.before(since, '')
    const exact = state === undefined || byState
    const total = exact ? order.items.length - first : count(order.items, first, matches)

    const created = query.order === 'created'
    const items = created ? group.created : order.items
    const end = cursor === undefined ? items.length : place(order, group, created, cursor)
    const page: StoredTask[] = []
    let index = end - 1
    for (; index >= (created ? 0 : first) && page.length <= query.pageSize; index--) {
      const task = items[index]!
      if (matches(task)) page.push(task)
    }
    const more = page.length > query.pageSize
    if (more) page.pop()
    const last = page.at(-1)
    return {
      tasks: page.map((task) => ({ text: task.record.text(query.view), head: task.record.head(task.held) })),
      ...(more && last !== undefined && { next: created ? [last.created, 0] : [last.time, last.id] }),
      total,
    }
  }

  #context(task: StoredTask): Group {
    const { contextId } = task.record
    let group = this.#contexts.get(contextId)
    if (group === undefined) {
      group = newGroup()
      this.#contexts.set(contextId, group)
    }
    return group
  }

  #state(state: TaskState): TaskOrder<StoredTask> {
    let order = this.#states.get(state)
    if (order === undefined) {
      order = new TaskOrder()
      this.#states.set(state, order)
    }
    return order
  }

  #place(task: StoredTask, context: Group): void {
    this.#all.order.add(task)
    context.order.add(task)
    this.#state(task.state).add(task)
  }

  #displace(task: StoredTask, context: Group): void {
    this.#all.order.remove(task)
    context.order.remove(task)
    this.#state(task.state).remove(task)
  }
}

/** Number of items that come before a cursor in ascending order. */
function place(order: TaskOrder<StoredTask>, group: Group, created: boolean, cursor: Cursor): number {
  return created ? placeOf(group.created, cursor[0]) : order.before(cursor[0], String(cursor[1]))
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
