import { A2AError } from '../protocol/errors.ts'
import type { Messages } from '../protocol/generated/v1/types.ts'
import type { FetchAnswer } from './fetch-call.ts'
import { shownUrl } from './fetch-call.ts'
import { isErrorBody, members, remoteError } from './remote-error.ts'

type Warn = (text: string) => void

/** Reads what a peer answered. Throws InvalidAgentResponse that names what cannot be used by its path. */
export type ReadAnswer = <T extends keyof Messages>(type: T, input: unknown) => Messages[T]

/**
 * The reader of answers; `warn` is told of what can be used in spite of a flaw. The validator with its tables is loaded
 * with the first answer, so that it costs a page nothing before.
 */
export async function answerReader(warn: Warn): Promise<ReadAnswer> {
  const { validate } = await import('../protocol/validate.ts')
  return (type, input) => {
    const warnings: string[] = []
    try {
      const result = validate(type, tidy(type, input, warn), { lenient: true, warnings })
      for (const text of warnings) warn(`${type}: ${text}`)
      return result
    } catch (error) {
      const { message, violations } = A2AError.from(error)
      const text = `The answer is no valid ${type}: ${message}`
      throw new A2AError('InvalidAgentResponse', text, { violations, cause: error })
    }
  }
}

/** The JSON of an answer that is complete. Throws the error that it reports, InvalidAgentResponse when it is not JSON. */
export async function readJson(answer: FetchAnswer): Promise<unknown> {
  const text = await answer.text()
  const { status, url, mediaType } = answer
  let body: unknown
  try {
    if (text.trim() !== '') body = JSON.parse(text)
  } catch (cause) {
    if (status >= 300) throw failed(answer, undefined)
    const kind = mediaType || 'no media type'
    const message = `${shownUrl(url)} answered with something that is not JSON (${kind})`
    throw new A2AError('InvalidAgentResponse', message, { cause })
  }
  if (status >= 300 || isErrorBody(body)) throw failed(answer, body)
  return body
}

function failed({ status, headers, url, mediaType }: FetchAnswer, body: unknown): A2AError {
  const error = remoteError({ status, headers, url, mediaType, ...(body !== undefined && { body }) })
  if (isErrorBody(body) || (status !== 404 && status !== 405)) return error
  // Nobody who speaks the protocol has seen the request.
  const metadata = { url: shownUrl(url), delivered: 'no' }
  return new A2AError(error.code, error.message, { origin: 'remote', metadata })
}

/** The answers that stand for a choice between messages, and how a bare member is known. */
function choice(value: Readonly<Record<string, unknown>>): string | undefined {
  if ('artifact' in value) return 'artifactUpdate'
  if ('status' in value) return 'id' in value ? 'task' : 'taskId' in value ? 'statusUpdate' : undefined
  return 'messageId' in value || 'parts' in value ? 'message' : undefined
}

const chosen = ['task', 'message', 'statusUpdate', 'artifactUpdate', 'status_update', 'artifact_update']

/** Repairs what would otherwise make an answer unreadable although its meaning is clear. */
function tidy(type: keyof Messages, input: unknown, warn: Warn): unknown {
  const value = members(input)
  if (type === 'Task' && value.id === undefined && members(value.task).id !== undefined) {
    warn('Task: is wrapped in an object; it was taken out')
    return value.task
  }
  if (type !== 'StreamResponse' && type !== 'SendMessageResponse') return input
  if (!chosen.some((name) => name in value)) {
    const name = choice(value)
    if (name === undefined) return input
    warn(`${type}: a bare ${name}; it belongs into {"${name}": …}`)
    return { [name]: input }
  }
  const update = members(value.artifactUpdate)
  if (update.append === undefined || update.append === null || typeof update.append === 'boolean') return input
  warn('StreamResponse: artifactUpdate.append: must be true or false')
  return { ...value, artifactUpdate: { ...update, append: update.append === 'true' || update.append === 1 } }
}
