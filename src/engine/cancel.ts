import { type Encoded, encodeText } from '../protocol/encoded.ts'
import { A2AError } from '../protocol/errors.ts'
import type { CancelTaskRequest, Task } from '../protocol/generated/v1/types.ts'
import { requireHead, TerminalTask, withLive } from './claim.ts'
import type { Core } from './core.ts'
import type { Live } from './live.ts'
import type { Scope } from './store.ts'

/**
 * CancelTask (§3.1.5): tells a run to stop and waits until the task is terminal; a task that nothing works on is CANCELED
 * at once. The answer shows how the task really ended.
 */
export async function cancelTask(core: Core, scope: Scope, request: CancelTaskRequest): Promise<Encoded<Task>> {
  const { id, metadata } = request
  await requireHead(core, scope, id)
  let live: Live
  try {
    live = await withLive(core, { scope, id }, (taken) => {
      stop(taken, metadata)
      return taken
    })
  } catch (error) {
    if (!(error instanceof TerminalTask)) throw error
    throw new A2AError('TaskNotCancelable', `The task is ${error.head.state} already`, {
      metadata: { taskId: id, state: error.head.state },
    })
  }
  await live.ended.wait()
  await live.committed()
  const snapshot = await core.store.read(scope, id, { artifacts: true })
  if (snapshot === undefined) throw new A2AError('TaskNotFound')
  return encodeText<Task>(snapshot.text)
}

function stop(live: Live, metadata: CancelTaskRequest['metadata']): void {
  if (live.run !== undefined) live.run.cancel(metadata)
  else live.append(live.status('TASK_STATE_CANCELED'), { release: true })
}
