import type { Task } from '../../protocol/generated/v1/types.ts'
import { parseCount } from '../arguments.ts'
import { type AgentFlags, connectTo } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { saveQuietly, showAnswer, stateText } from '../task-view.ts'
import { cleanLine } from '../terminal-text.ts'

/** The flags of `parlance get`. */
export interface GetFlags extends AgentFlags {
  readonly history?: string
  readonly output?: string
}

/** `parlance get`: shows one task. That a task failed is not a failure of this command. */
export async function get(url: string, taskId: string, flags: GetFlags, output: Output): Promise<number> {
  const historyLength = flags.history === undefined ? undefined : parseCount(flags.history, '--history')
  const connection = await connectTo(url, flags, output)
  const task = await connection.agent.get(taskId, historyLength === undefined ? {} : { historyLength })
  if (output.json) {
    await output.document(task)
    await saveQuietly(output, { task, folder: flags.output })
  } else {
    await output.lines(headLines(task, output))
    await showAnswer(output, { task, folder: flags.output }, connection)
  }
  connection.finish()
  return exitCodes.ok
}

/** What a task is, apart from what it says; one fact a line. */
export function headLines(task: Task, output: Output): string[] {
  const { id, contextId, status, history } = task
  const label = (text: string): string => output.out.dim(`${text}:`)
  const earlier = (history ?? []).map(({ role, parts }) => {
    const text = parts.map((part) => part.text ?? '[no text]').join(' ')
    return `${label(role === 'ROLE_USER' ? 'user' : 'agent')} ${cleanLine(text)}`
  })
  return [
    `${label('task')} ${cleanLine(id)}`,
    `${label('state')} ${stateText(status.state, output.out)}`,
    ...(contextId === undefined ? [] : [`${label('context')} ${cleanLine(contextId)}`]),
    ...(status.timestamp === undefined ? [] : [`${label('updated')} ${cleanLine(status.timestamp)}`]),
    ...earlier,
    '',
  ]
}
