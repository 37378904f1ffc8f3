import { createRequest } from '../../client/message.ts'
import type { SendOptions } from '../../client/options.ts'
import type { SendMessageResponse, Task } from '../../protocol/generated/v1/types.ts'
import { isTerminal } from '../../protocol/task.ts'
import { parseCount, parseList, shortState } from '../arguments.ts'
import { type AgentFlags, type Connection, connectTo } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { leaveTask } from '../leave-task.ts'
import type { Output } from '../output.ts'
import { createProgressLine } from '../progress-line.ts'
import { type InputFlags, readParts } from '../read-input.ts'
import { createStreamText } from '../stream-text.ts'
import { answerExitCode, saveQuietly, showAnswer } from '../task-view.ts'
import { cleanLine, createCleaner } from '../terminal-text.ts'

/** The flags of `parlance send`. */
export interface SendFlags extends AgentFlags, InputFlags {
  readonly stream?: boolean
  readonly context?: string
  readonly task?: string
  /** False with `--no-wait`. */
  readonly wait?: boolean
  readonly accept?: string
  readonly history?: string
  readonly output?: string
  readonly cancelOnInterrupt?: boolean
}

/** `parlance send`: sends a message and shows the answer. */
export async function send(url: string, words: readonly string[], flags: SendFlags, output: Output): Promise<number> {
  const options = sendOptions(flags)
  const parts = await readParts(words, flags)
  const connection = await connectTo(url, flags, output)
  const request = { parts, options, connection }
  const code = flags.wait === false ? await sendOnly(request, output) : await sendAndWait(request, flags, output)
  connection.finish()
  return code
}

interface Sending {
  readonly parts: Awaited<ReturnType<typeof readParts>>
  readonly options: SendOptions
  readonly connection: Connection
}

function sendOptions({ context, task, accept, history }: SendFlags): SendOptions {
  return {
    ...(context !== undefined && { contextId: context }),
    ...(task !== undefined && { taskId: task }),
    ...(accept !== undefined && { acceptedOutputModes: parseList(accept) }),
    ...(history !== undefined && { historyLength: parseCount(history, '--history') }),
  }
}

async function sendOnly({ parts, options, connection }: Sending, output: Output): Promise<number> {
  const request = await createRequest(parts, options)
  const configuration = { ...request.configuration, returnImmediately: true }
  const answer: SendMessageResponse = await connection.agent.call('SendMessage', { ...request, configuration })
  if (output.json) {
    await output.document(answer)
    return answerExitCode(answer.task)
  }
  const { task } = answer
  if (task === undefined || isTerminal(task.status.state)) return await showAnswer(output, answer, connection)
  await output.lines([task.id])
  output.note(`${shortState(task.status.state)}; follow it with: ${connection.command('subscribe', task.id)}`)
  return exitCodes.ok
}

async function sendAndWait({ parts, options, connection }: Sending, flags: SendFlags, output: Output): Promise<number> {
  const interrupt = listenForInterrupt()
  const progress = createProgressLine(output)
  const clean = output.outIsTerminal ? createCleaner() : (text: string) => text
  const text = createStreamText()
  let task: Task | undefined
  let lastEventId: number | undefined
  try {
    progress.show('sending')
    const stream = connection.agent.stream(parts, { ...options, signal: interrupt.signal })
    for await (const event of stream) {
      const eventId = connection.eventId(event)
      lastEventId = eventId ?? lastEventId
      const status = event.task?.status ?? event.statusUpdate?.status
      task = event.task ?? task ?? taskOf(event.statusUpdate ?? event.artifactUpdate)
      if (status !== undefined) progress.show(stateLine(status))
      if (flags.stream !== true) continue
      const added = output.json ? '' : clean(text.take(event))
      if (added !== '' || output.json) progress.clear()
      if (output.json) await output.document({ ...(eventId !== undefined && { eventId }), ...event })
      else await output.write(added)
    }
    progress.stop()
    const result = await stream.result()
    const view = { task: result.task, message: result.message, shown: text.shown, folder: flags.output }
    if (!output.json) {
      const code = await showAnswer(output, view, connection)
      const goOn = `conversation ${cleanLine(result.contextId ?? '')}; --context goes on with it`
      if (result.contextId !== undefined && output.errIsTerminal) output.writeNote(`${output.err.dim(goOn)}\n`)
      return code
    }
    if (flags.stream !== true) await output.document(result.task ? { task: result.task } : { message: result.message })
    await saveQuietly(output, view)
    return answerExitCode(result.task)
  } catch (error) {
    progress.stop()
    if (interrupt.by === undefined) throw error
    if (text.shown !== '' && !text.shown.endsWith('\n')) await output.write('\n')
    return await leaveTask(output, connection, { by: interrupt.by, task, lastEventId, cancel: flags.cancelOnInterrupt })
  } finally {
    interrupt.release()
  }
}

function stateLine({ state, message }: Task['status']): string {
  const text = (message?.parts ?? []).map((part) => part.text ?? '').join('')
  return text === '' ? shortState(state) : `${shortState(state)}: ${text}`
}

function taskOf(update: { readonly taskId: string; readonly contextId: string } | undefined): Task | undefined {
  if (update === undefined) return undefined
  return { id: update.taskId, contextId: update.contextId, status: { state: 'TASK_STATE_WORKING' } }
}
