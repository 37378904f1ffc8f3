import { A2AError, invalidParams } from '../protocol/errors.ts'
import { isTerminal } from '../protocol/task.ts'
import type { Core } from './core.ts'
import { Live } from './live.ts'
import type { Scope, TaskHead } from './store.ts'

/** How long to wait for a task that another process holds, milliseconds. */
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

/**
 * Takes hold of a task that is not terminal, waiting for whoever is just giving it up. `use` runs at once after that, so
 * that nobody can come between.
 */
export async function withLive<T>(
  core: Core,
  { scope, id }: { scope: Scope; id: string },
  use: (live: Live) => T,
): Promise<T> {
  const deadline = core.now() + patience
  for (;;) {
    const live = liveTask(core, scope, id)
    if (live !== undefined && !live.releasing) return use(live)
    if (live !== undefined) await live.ended.wait()
    const head = await core.store.head(scope, id)
    if (head === undefined) throw taskNotFound(id)
    if (isTerminal(head.state)) throw new TerminalTask(head)
    const claimed = await core.store.claim(scope, id)
    if (claimed === undefined) throw taskNotFound(id)
    if (claimed !== 'held') {
      const taken = new Live(core, scope, { id, contextId: claimed.head.contextId, log: claimed.log, claimed })
      if (!isTerminal(claimed.head.state)) return use(taken)
      taken.next()
      throw new TerminalTask(claimed.head)
    }
    if (core.now() > deadline) {
      throw new A2AError('Unavailable', 'Another process works on this task; try again when it has finished', {
        retryAfter: 5,
      })
    }
    // Another caller here may have taken it a moment ago: then it is at work, and can be used at once.
    const holder = core.lives.get(id)
    if (holder === undefined) await new Promise((resolve) => setTimeout(resolve, 50))
    else if (holder.releasing) await holder.ended.wait()
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
