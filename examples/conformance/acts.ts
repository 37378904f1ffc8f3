// What ACTS asks for: the text of the first part of a task's first message says what to do with the whole task.
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  message,
  reject,
  type TaskContext,
  working,
  type Yielded,
} from 'parlance/server'
import { type BehaviourTable, firstText, give, pause, stopped } from './behaviour.ts'

const file = { filename: 'output.txt', mediaType: 'text/plain' }

function chunked(): readonly Yielded[] {
  const artifactId = crypto.randomUUID()
  return [
    working(),
    artifact('chunk-1 ', { artifactId }),
    artifact('chunk-2 ', { artifactId, append: true }),
    artifact('chunk-3', { artifactId, append: true, lastChunk: true }),
    completed(),
  ]
}

async function* longRunning({ signal }: TaskContext): AsyncIterable<Yielded> {
  yield working()
  if (await pause(1000, signal)) yield completed()
}

async function* untilDone(task: TaskContext): AsyncIterable<Yielded> {
  yield firstText(task.message).startsWith('done') ? completed() : inputRequired('More? Say done when that was all')
}

async function* untilCancelled({ signal }: TaskContext): AsyncIterable<Yielded> {
  yield working()
  await stopped(signal)
}

/** Signing in happens elsewhere; a message says that it has happened. */
async function* untilSignedIn({ messages, signal }: TaskContext): AsyncIterable<Yielded> {
  yield authRequired('Sign in before this goes on, and say so')
  await Promise.race([messages[Symbol.asyncIterator]().next(), stopped(signal)])
  if (!signal.aborted) yield completed('Signed in')
}

/** Rows of ACTS. */
export const actsTable: BehaviourTable = {
  'tck-complete-task': give(() => [completed('Completed')]),
  'tck-long-running': longRunning,
  'tck-multi-turn': untilDone,
  'tck-stream-basic': give(() => [working(), artifact('Streamed content'), completed()]),
  'tck-stream-chunked': give(chunked),
  'tck-message-response': give(() => [message('Direct message response')]),
  'tck-cancel': untilCancelled,
  'tck-task-failure': give(() => [failed('The task failed, as it was asked to')]),
  'tck-reject-task': give(() => [reject('The task is rejected, as it was asked to be')]),
  'tck-auth-required': untilSignedIn,
  'tck-input-required': give(() => [inputRequired('More is needed')]),
  'tck-artifact-text': give(() => [artifact('Generated text content'), completed()]),
  'tck-artifact-data': give(() => [artifact({ data: { key: 'value', count: 42 } }), completed()]),
  'tck-artifact-file': give(() => [artifact({ ...file, raw: 'dGNr' }), completed()]),
  'tck-artifact-file-url': give(() => [artifact({ ...file, url: 'https://example.com/output.txt' }), completed()]),
}

/** Says that a behaviour is not known, so that no suite takes an echo for it. */
export async function* unknownBehaviour(text: string): AsyncIterable<Yielded> {
  yield failed(`There is no behaviour for ${JSON.stringify(text)}; the table in acts.ts lists those there are`)
}
