import { shortState } from '../arguments.ts'
import { type AgentFlags, connectTo } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'

/** `parlance cancel`: asks the agent to stop a task. */
export async function cancel(url: string, taskId: string, flags: AgentFlags, output: Output): Promise<number> {
  const connection = await connectTo(url, flags, output)
  const task = await connection.agent.cancel(taskId)
  if (output.json) await output.document(task)
  else await output.lines([shortState(task.status.state)])
  const { state } = task.status
  if (!output.json && state !== 'TASK_STATE_CANCELED') {
    output.note(`The agent has not stopped yet. Look again with: ${connection.command('get', taskId)}`)
  }
  connection.finish()
  return exitCodes.ok
}
