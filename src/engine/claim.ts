import { A2AError, invalidParams } from '../protocol/errors.ts'
import { isTerminal } from '../protocol/task.ts'
import type { Core } from './core.ts'
import { Live } from './live.ts'
import { takeOver } from './recovery.ts'
import { ask, type TakenMail, type TaskPlace } from './remote.ts'
import type { NewMail, Scope, TaskHead } from './store.ts'

/** How long to wait for a process that holds a task and takes no mail in, milliseconds. */
const patience = 5_000

/** The error for a task that does not exist, or not for this caller: the two look the same (§3.3.2). */
export function taskNotFound(id: string): A2AError {
  return new A2AError('TaskNotFound', `There is no task ${JSON.stringify(id)}`, { metadata: { taskId: id } })
}

/** The task at work in this process, if the scope may see it. */
export function liveTask(core: Core, scope: Scope, id: string): Live | undefined {
  const live = core.lives.get(id)
  if (live === undefined || live.state === undefined) return undefined
  return live.scope.owner === scope.owner && live.scope.tenant === scope.tenant ? live : undefined
}

/** The row of a task; TaskNotFound when there is none in this scope. */
export async function requireHead(core: Core, scope: Scope, id: string): Promise<TaskHead> {
  const head = await core.store.head(scope, id)
  if (head === undefined) throw taskNotFound(id)
  return head
}

/** Refuses a `contextId` that is not the task's (§3.4.3). */
export function checkContext(
  task: { readonly id: string; readonly contextId: string },
  contextId: string | undefined,
): void {
  if (contextId === undefined || contextId === task.contextId) return
  const description = `task ${task.id} belongs to another context; leave contextId out, or name that of the task`
  throw invalidParams([{ field: 'message.contextId', description }])
}

/** What became of work on a task: done in this process, or asked of the one that holds the task. */
export type Reached<T> = { readonly here: T } | { readonly mail: TakenMail }

/** What `reach` does with a task. */
export interface Reach<T> {
  /** Called at once when the task is held here, so that nobody can come between. */
  readonly use: (live: Live) => T
  /** What another process is asked to do, when that holds the task. */
  readonly mail: NewMail
  /** Called before mail is left, and after it was taken back. */
  readonly onPost?: () => Promise<void>
  readonly onReturn?: () => Promise<void>
}

/**
 * Works on a task that is not terminal, wherever it is held: takes hold of it, waiting for whoever is just giving it up, or leaves mail for
 * the process that works on it. What a dead process left is taken over first.
 */
export async function reach<T>(
  core: Core,
  place: TaskPlace,
  { use, mail, onPost, onReturn }: Reach<T>,
): Promise<Reached<T>> {
  const { scope, id } = place
  const deadline = core.now() + patience
  for (;;) {
    const live = liveTask(core, scope, id)
    if (live !== undefined && !live.releasing) return { here: use(live) }
    if (live !== undefined) await live.ended.wait()
    const head = await core.store.head(scope, id)
    if (head === undefined) throw taskNotFound(id)
    if (isTerminal(head.state)) throw new TerminalTask(head)
    const claimed = await core.store.claim(scope, id)
    if (claimed === undefined) throw taskNotFound(id)
    if (claimed !== 'held') {
      if (claimed.left !== undefined) {
        await takeOver(core, place, claimed)
        continue
      }
      const taken = new Live(core, scope, { id, contextId: claimed.head.contextId, log: claimed.log, claimed })
      if (!isTerminal(claimed.head.state)) return { here: use(taken) }
      taken.next()
      throw new TerminalTask(claimed.head)
    }
    // Another caller here may have taken it a moment ago: then it is at work, and can be used at once.
    const holder = core.lives.get(id)
    if (holder === undefined) {
      await onPost?.()
      const taken = await ask(core, place, mail)
      if (taken !== undefined) return { mail: taken }
      await onReturn?.()
      // Held by this process, but not at work yet; or given up a moment ago.
      await new Promise((resolve) => setTimeout(resolve, 20))
    } else if (holder.releasing) await holder.ended.wait()
    if (core.now() > deadline) {
      const text = 'The process that works on this task does not answer; try again in a while'
      throw new A2AError('Unavailable', text, { retryAfter: 5 })
    }
  }
}

/** A task that was found terminal where one that goes on was needed; callers turn it into their operation's error. */
export class TerminalTask extends Error {
  readonly head: TaskHead

  constructor(head: TaskHead) {
    super(`The task is ${head.state}`)
    this.head = head
  }
}
