import { A2AError } from '../protocol/errors.ts'
import type { Task } from '../protocol/generated/v1/types.ts'
import { shortState } from './arguments.ts'
import type { Connection } from './connection.ts'
import { type EndSignal, signalExitCode } from './interrupt.ts'
import type { Output } from './output.ts'

/** What is known when a person stops waiting for a task. */
export interface Leaving {
  readonly by: EndSignal
  readonly task: Pick<Task, 'id'> | undefined
  readonly lastEventId: number | undefined
  /** Whether the task is to be canceled too. */
  readonly cancel: boolean | undefined
}

const patience = 10_000

/** Leaves a task running and says how to come back to it; or cancels it. Gives the exit code. */
export async function leaveTask(
  output: Output,
  { agent, command }: Connection,
  { by, task, lastEventId, cancel }: Leaving,
): Promise<number> {
  const code = signalExitCode(by)
  if (task === undefined) {
    output.note('Stopped before the agent named a task; it may work on the message all the same.')
    return code
  }
  if (cancel !== true) {
    const from = lastEventId === undefined ? [] : ['--from', String(lastEventId)]
    output.note(`The task goes on. Follow it with: ${command('subscribe', task.id, ...from)}`)
    output.note(`Cancel it with: ${command('cancel', task.id)}`)
    return code
  }
  try {
    const { status } = await agent.cancel(task.id, { signal: AbortSignal.timeout(patience) })
    output.note(`The task is ${shortState(status.state)}.`)
  } catch (error) {
    output.note(`The task could not be canceled: ${A2AError.from(error).message}`)
    output.note(`Try again with: ${command('cancel', task.id)}`)
  }
  return code
}
