import { Outcome } from '../lib/deferred.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, Task } from '../protocol/generated/v1/types.ts'
import { isInterrupted, isTerminal } from '../protocol/task.ts'
import type { Core } from './core.ts'
import { Live } from './live.ts'
import type { Abandoned, Scope, TaskHead } from './store.ts'

const atOnce = 500

/** Takes over what dead processes left: runs it again where the agent allows that, else fails it with the reason. */
export async function recover(core: Core): Promise<number> {
  let count = 0
  for (;;) {
    const abandoned = await core.store.abandoned(core.agent.name, atOnce)
    let taken = 0
    for (const task of abandoned) {
      if (core.stopping) return count
      if (!core.lives.has(task.id) && (await tryTakeOver(core, task))) taken += 1
    }
    count += taken
    if (taken === 0 || abandoned.length < atOnce) return count
  }
}

/** One task that cannot be read must not keep the others, or the server, waiting. */
async function tryTakeOver(core: Core, task: Abandoned): Promise<boolean> {
  try {
    return await takeOver(core, task)
  } catch (error) {
    core.log.error('A task of a process that stopped cannot be taken over', {
      taskId: task.id,
      error: A2AError.from(error).message,
    })
    return false
  }
}

async function takeOver(core: Core, { scope, id }: Abandoned): Promise<boolean> {
  const claimed = await core.store.claim(scope, id)
  if (claimed === undefined || claimed === 'held') return false
  const { head } = claimed
  // Read before the task can be found here, so that no message can begin a run meanwhile.
  const worked = !isTerminal(head.state) && (!isInterrupted(head.state) || (await isAnswered(core, scope, head)))
  const message = worked && core.agent.resumable ? await lastMessage(core, scope, id) : undefined
  const live = new Live(core, scope, { id, contextId: head.contextId, log: claimed.log, claimed })
  if (!worked) live.next()
  else if (message === undefined) {
    const text = 'The server stopped while it worked on this task, so the task was ended.'
    live.append(live.status('TASK_STATE_FAILED', [{ text }]), { release: true })
  } else {
    core.log.info('A task is run again', { taskId: id })
    live.begin({
      message,
      metadata: {},
      acceptedOutputModes: [],
      extensions: [],
      resumed: true,
      settled: new Outcome(),
    })
    return true
  }
  await live.ended.wait()
  return true
}

/** Whether a message came after the status that asks for something: then a run was at work on it. */
async function isAnswered(core: Core, scope: Scope, { id, seq }: TaskHead): Promise<boolean> {
  for (let after = seq; after > 0; ) {
    after = Math.max(0, after - atOnce)
    const entries = await core.store.entries(scope, id, { after, limit: atOnce }).catch(() => undefined)
    const newest = entries?.findLast(({ kind }) => kind !== 'chunk')
    if (newest !== undefined) return newest.kind === 'message'
  }
  return false
}

async function lastMessage(core: Core, scope: Scope, id: string): Promise<Message | undefined> {
  const snapshot = await core.store.read(scope, id, { artifacts: false }).catch(() => undefined)
  if (snapshot === undefined) return undefined
  const { history = [] } = JSON.parse(snapshot.text) as Task
  return history.findLast((message) => message.role === 'ROLE_USER')
}
