import { pause } from '../lib/backoff.ts'
import { Outcome } from '../lib/deferred.ts'
import { A2AError } from '../protocol/errors.ts'
import type { Message, Task } from '../protocol/generated/v1/types.ts'
import { isInterrupted, isTerminal } from '../protocol/task.ts'
import type { Core } from './core.ts'
import type { Job } from './jobs.ts'
import { Live } from './live.ts'
import type { Abandoned, Claimed, Scope, TaskHead } from './store.ts'

const atOnce = 500

/** Tasks that are taken over side by side, so that their statements share commits. */
const together = 16

/** Takes over what dead processes left, and tells how many tasks that were. */
export async function recover(core: Core): Promise<number> {
  let count = 0
  for (;;) {
    const abandoned = await core.store.abandoned(core.agent.name, atOnce)
    let taken = 0
    for (let at = 0; at < abandoned.length; at += together) {
      if (core.stopping) return count
      const some = abandoned.slice(at, at + together).filter(({ id }) => !core.lives.has(id))
      const done = await Promise.all(some.map((task) => tryTakeOver(core, task)))
      taken += done.filter(Boolean).length
    }
    count += taken
    if (taken === 0 || abandoned.length < atOnce) return count
  }
}

/** One task that cannot be read must not keep the others, or the server, waiting. */
async function tryTakeOver(core: Core, place: Abandoned): Promise<boolean> {
  try {
    const claimed = await core.store.claim(place.scope, place.id)
    if (claimed === undefined || claimed === 'held') return false
    await takeOver(core, place, claimed)
    return true
  } catch (error) {
    core.log.error('A task of a process that stopped cannot be taken over', {
      taskId: place.id,
      error: A2AError.from(error).message,
    })
    return false
  }
}

/**
 * Goes on with a task that its process left: a run that had not begun begins, one that had is run again where the agent allows that, else
 * the task fails with the reason. Resolves when the run is at work, or the task given up.
 */
export async function takeOver(core: Core, { scope, id }: Abandoned, claimed: Claimed): Promise<void> {
  const { head } = claimed
  const waiting = claimed.left === 'waiting'
  // Read before the task can be found here, so that no message can begin a run meanwhile.
  const { worked, message } = await patiently(core, () => remains(core, scope, claimed)).catch(async (error) => {
    // Whoever finds it next may be able to read it.
    await claimed.log.append([], { release: 'handOver', ...(waiting && { waiting }) }).catch(() => {})
    throw error
  })
  const live = new Live(core, scope, { id, contextId: head.contextId, log: claimed.log, claimed })
  core.telemetry.meter?.add('parlance_tasks_taken_over_total')
  core.collectMail()
  if (!worked) live.next()
  else if (message === undefined) {
    const text = 'The server stopped while it worked on this task, so the task was ended.'
    live.append(live.status('TASK_STATE_FAILED', [{ text }]), { release: true })
  } else {
    core.log.info('A task is run again', live.names)
    const job: Job = {
      message,
      metadata: {},
      acceptedOutputModes: [],
      extensions: [],
      ...(!waiting && { resumed: true }),
      settled: new Outcome(),
    }
    live.waiting = waiting
    live.begin(job, { acknowledged: true })
    return
  }
  await live.ended.wait()
}

/** How often a store that is away is asked before a task is left to another try, and how long between, milliseconds. */
const tries = 25
const pauseBetween = 200

async function patiently<T>(core: Core, read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await read()
    } catch (error) {
      if (attempt === tries || core.stopping) throw error
    }
    await pause(pauseBetween)
  }
}

/** Whether a run was at work on a task, and the message for the next one. */
async function remains(
  core: Core,
  scope: Scope,
  { head, left }: Claimed,
): Promise<{ readonly worked: boolean; readonly message: Message | undefined }> {
  const waiting = left === 'waiting'
  const worked =
    waiting || (!isTerminal(head.state) && (!isInterrupted(head.state) || (await isAnswered(core, scope, head))))
  const wanted = worked && (waiting || core.agent.resumable)
  return { worked, message: wanted ? await lastMessage(core, scope, head.id) : undefined }
}

/** Whether a message came after the status that asks for something: then a run was at work on it. */
async function isAnswered(core: Core, scope: Scope, { id, seq }: TaskHead): Promise<boolean> {
  for (let after = seq; after > 0; ) {
    after = Math.max(0, after - atOnce)
    const entries = await core.store.entries(scope, id, { after, limit: atOnce }).catch(unreadable)
    const newest = entries?.findLast(({ kind }) => kind !== 'chunk')
    if (newest !== undefined) return newest.kind === 'message'
  }
  return false
}

/** What cannot be read for good is as if it were not there; a store that is away is another matter. */
function unreadable(error: unknown): undefined {
  if (A2AError.is(error) && error.code === 'Unavailable') throw error
  return undefined
}

async function lastMessage(core: Core, scope: Scope, id: string): Promise<Message | undefined> {
  const snapshot = await core.store.read(scope, id, { artifacts: false }).catch(unreadable)
  if (snapshot === undefined) return undefined
  const { history = [] } = JSON.parse(snapshot.text) as Task
  return history.findLast((message) => message.role === 'ROLE_USER')
}
