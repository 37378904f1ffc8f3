import { jitter, pause } from '../../lib/backoff.ts'
import { A2AError } from '../../protocol/errors.ts'
import { lastEventIdHeader, resumeExtension } from '../../protocol/extensions.ts'
import type { StreamResponse, Task } from '../../protocol/generated/v1/types.ts'
import { protocolVersion } from '../../protocol/schema.ts'
import { applyEvent, isInterrupted, isTerminal } from '../../protocol/task.ts'
import { parseCount, shortState } from '../arguments.ts'
import { usageError } from '../command-error.ts'
import { type AgentFlags, type Connection, connectTo } from '../connection.ts'
import { listenForInterrupt } from '../interrupt.ts'
import { leaveTask } from '../leave-task.ts'
import type { Output } from '../output.ts'
import { createProgressLine } from '../progress-line.ts'
import { createStreamText } from '../stream-text.ts'
import { answerExitCode, saveQuietly, showAnswer, showHowToAnswer } from '../task-view.ts'
import { createCleaner } from '../terminal-text.ts'

/** The flags of `parlance subscribe`. */
export interface SubscribeFlags extends AgentFlags {
  /** Number of the last event that was seen. */
  readonly from?: string
  readonly output?: string
}

/** `parlance subscribe`: shows a task as it stands and follows it to its end. */
export async function subscribe(url: string, taskId: string, flags: SubscribeFlags, output: Output): Promise<number> {
  const from = flags.from === undefined ? undefined : parseCount(flags.from, '--from')
  const connection = await connectTo(url, flags, output)
  const interrupt = listenForInterrupt()
  const progress = createProgressLine(output)
  const clean = output.outIsTerminal ? createCleaner() : (text: string) => text
  const text = createStreamText()
  let task: Task | undefined
  let lastEventId = from
  try {
    progress.show('waiting')
    const { signal } = interrupt
    const events =
      from === undefined ? connection.agent.subscribe(taskId, { signal }) : resume(connection, taskId, { from, signal })
    for await (const event of events) {
      const eventId = connection.eventId(event)
      lastEventId = eventId ?? lastEventId
      const before = task?.status
      task = applied(task, event)
      if (task !== undefined) progress.show(shortState(task.status.state))
      // With --from the first frame is the task as it was then: what is in it has been seen.
      const seen = before === undefined && from !== undefined && event.task !== undefined
      const added = text.take(event)
      if (output.json) {
        progress.clear()
        await output.document({ ...(eventId !== undefined && { eventId }), ...event })
      } else if (added !== '' && !seen) {
        progress.clear()
        await output.write(clean(added))
      }
      if (!output.json && task !== undefined && task.status !== before && isInterrupted(task.status.state)) {
        progress.clear()
        await showQuestion(task, { text, output, connection })
      }
    }
    progress.stop()
    const view = { task, shown: text.shown, folder: flags.output }
    if (output.json) await saveQuietly(output, view)
    else await showAnswer(output, view, connection)
    connection.finish()
    return answerExitCode(task)
  } catch (error) {
    progress.stop()
    if (interrupt.by === undefined) throw error
    if (!output.json && text.shown !== '' && !text.shown.endsWith('\n')) await output.write('\n')
    return await leaveTask(output, connection, { by: interrupt.by, task: { id: taskId }, lastEventId, cancel: false })
  } finally {
    interrupt.release()
  }
}

/** The task after an event; what cannot follow leaves it as it was, since others judge the agent. */
function applied(task: Task | undefined, event: StreamResponse): Task | undefined {
  try {
    return applyEvent(task, event)
  } catch {
    return task
  }
}

interface Question {
  readonly text: { readonly shown: string }
  readonly output: Output
  readonly connection: Connection
}

async function showQuestion(task: Task, { text, output, connection }: Question): Promise<void> {
  const prompt = (task.status.message?.parts ?? []).map((part) => part.text ?? '').join('')
  const gap = text.shown === '' || text.shown.endsWith('\n') ? '' : '\n'
  const clean = createCleaner()
  if (prompt !== '') await output.write(`${gap}${output.outIsTerminal ? clean(prompt) : prompt}\n`)
  showHowToAnswer(output, task, connection)
}

const reconnects = 10
const backoff = { base: 250, cap: 10_000 }

/** The events after one that was seen; a stream that breaks is taken up at the last event it gave. */
async function* resume(
  { agent, eventId }: Connection,
  id: string,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): AsyncGenerator<StreamResponse> {
  if (!agent.card.capabilities.extensions?.some(({ uri }) => uri === resumeExtension)) {
    throw usageError('--from: this agent does not number its events', 'leave --from out: the whole task is shown then')
  }
  let last = from
  let ended = false
  for (let attempt = 0; !ended; attempt++) {
    const headers = { [lastEventIdHeader]: String(last) }
    const context = { version: protocolVersion, tenant: '', owner: '', extensions: [resumeExtension], headers, signal }
    try {
      const { events } = await agent.endpoint.stream({ operation: 'SubscribeToTask', request: { id }, context })
      for await (const group of events) {
        for (const { value } of group) {
          last = eventId(value) ?? last
          attempt = 0
          const state = value.task?.status.state ?? value.statusUpdate?.status.state
          ended ||= state !== undefined && isTerminal(state)
          yield value
        }
      }
    } catch (thrown) {
      const error = A2AError.from(thrown)
      if (signal.aborted || !error.retryable || attempt >= reconnects) throw error
    }
    if (!ended) await pause(jitter(attempt, backoff), signal)
  }
}
