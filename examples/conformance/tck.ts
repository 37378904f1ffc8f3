// What the TCK asks for: the messageId of the message at hand says what to do with it.
import { artifact, completed, inputRequired, leaveOpen, message, reject, working, type Yielded } from 'parlance/server'
import { type BehaviourTable, give, pause } from './behaviour.ts'

const file = { filename: 'output.txt', mediaType: 'text/plain' }
const fileBytes = { ...file, raw: 'dGNr' }

/** WORKING, one artifact, COMPLETED. */
const lifeWith = (text: string): readonly Yielded[] => [working(), artifact(text), completed()]

function chunked(): readonly Yielded[] {
  const artifactId = crypto.randomUUID()
  return [
    working(),
    artifact('chunk-1 ', { artifactId }),
    artifact('chunk-2', { artifactId, append: true, lastChunk: true }),
    completed(),
  ]
}

/** Rows of TCK 1.0. */
export const tckTable: BehaviourTable = {
  'tck-complete-task': give(() => [completed('Hello from TCK')]),
  'tck-input-required': give(() => [inputRequired('The TCK wants to be asked for more')]),
  'tck-artifact-text': give(() => [artifact('Generated text content'), completed()]),
  'tck-artifact-data': give(() => [artifact({ data: { key: 'value', count: 42 } }), completed()]),
  'tck-artifact-file': give(() => [artifact(fileBytes), completed()]),
  'tck-artifact-file-url': give(() => [artifact({ ...file, url: 'https://example.com/output.txt' }), completed()]),
  'tck-message-response': give(() => [message('Direct message response')]),
  'tck-reject-task': give(() => [reject('rejected')]),
  'tck-stream-001': give(() => lifeWith('Stream hello from TCK')),
  'tck-stream-002': give(() => [completed()]),
  'tck-stream-003': give(() => lifeWith('Stream task lifecycle')),
  'tck-stream-ordering-001': give(() => lifeWith('Ordered output')),
  'tck-stream-artifact-text': give(() => lifeWith('Streamed text content')),
  'tck-stream-artifact-file': give(() => [working(), artifact(fileBytes), completed()]),
  'tck-stream-artifact-chunked': give(chunked),
}

/** Seconds that a suite listens to a stream. */
const listening = Number(process.env.TCK_STREAMING_TIMEOUT ?? 2)

async function* longRun({ signal }: { readonly signal: AbortSignal }): AsyncIterable<Yielded> {
  for (let left = Math.max(2 * listening * 1000, 0); left > 0; left -= 1000) {
    yield working()
    if (!(await pause(Math.min(left, 1000), signal))) return
  }
  yield completed()
}

/** Rows of the older TCK. */
export const oldTckTable: BehaviourTable = {
  'test-resubscribe-message-id': longRun,
  'test-subscribe-message-id': longRun,
  '': give(() => [working(), leaveOpen()]),
}
