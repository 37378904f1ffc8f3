import { type Encoded, encodeText } from '../protocol/encoded.ts'
import { A2AError } from '../protocol/errors.ts'
import type { CancelTaskRequest, Task } from '../protocol/generated/v1/types.ts'
import { reach, requireHead, TerminalTask } from './claim.ts'
import type { Core } from './core.ts'
import { answered } from './remote.ts'
import type { Scope } from './store.ts'

/**
 * CancelTask (§3.1.5): tells a run to stop and waits until the task is terminal; a task that nothing works on is CANCELED
 * at once. The answer shows how the task really ended.
 */
export async function cancelTask(core: Core, scope: Scope, request: CancelTaskRequest): Promise<Encoded<Task>> {
  const { id, metadata } = request
  const place = { scope, id }
  await requireHead(core, scope, id)
  try {
    const reached = await reach(core, place, {
      use: (live) => {
        live.cancel(metadata)
        return live
      },
      mail: { kind: 'cancel', text: JSON.stringify({ metadata }) },
    })
    if ('mail' in reached) await answered(core, place, { mail: reached.mail })
    else {
      await reached.here.ended.wait()
      await reached.here.committed()
    }
  } catch (error) {
    if (!(error instanceof TerminalTask)) throw error
    throw new A2AError('TaskNotCancelable', `The task is ${error.head.state} already`, {
      metadata: { taskId: id, state: error.head.state },
    })
  }
  const snapshot = await core.store.read(scope, id, { artifacts: true })
  if (snapshot === undefined) throw new A2AError('TaskNotFound')
  return encodeText<Task>(snapshot.text)
}
