// What the killed agent does for a message, and what must come of that: both are told by the text `KIND COUNT` of the message.
import { setTimeout as sleep } from 'node:timers/promises'

/** Kinds of message, and the range of the count. */
export const kinds = {
  quick: [1, 1],
  slow: [3, 12],
  burst: [50, 300],
  file: [2, 6],
  ask: [1, 1],
  fail: [1, 3],
  open: [1, 3],
  long: [40, 40],
}

/** Kinds whose answer is one artifact that grows by chunks of text. */
const chunked = new Set(['quick', 'slow', 'burst', 'fail', 'open', 'long'])
const pause = { slow: 12, long: 40 }

/** What a task fails with that nobody killed. */
export const ownFailure = 'failed on purpose'

/** What recovery says of a task that was at work in a process that died. */
export const recoveryReason = 'The server stopped while it worked on this task, so the task was ended.'

function chunk(messageId, index) {
  return `${messageId}/${index} `
}

function readPrompt(text) {
  const [kind, count] = text.split(' ')
  return { kind, count: Number(count) }
}

/** The text that a message's artifact has when the run comes to its end; undefined for a kind that gives none. */
export function fullText(messageId, prompt) {
  const { kind, count } = readPrompt(prompt)
  if (kind !== 'file' && !chunked.has(kind)) return undefined
  return Array.from({ length: count }, (_, index) => chunk(messageId, index)).join('')
}

/** Whether a text is one that the message's artifact has at some time: its first chunks, none cut in two. */
export function isPartOf(messageId, prompt, text) {
  const full = fullText(messageId, prompt)
  return full?.startsWith(text) === true && (text === '' || text.endsWith(' '))
}

/** The agent that is killed; `library` is the package's `server` entry. */
export function createAgent(library, name) {
  const { agent, artifact, failed, inputRequired, leaveOpen, working } = library
  return agent({
    name,
    description: 'Is killed while it works.',
    version: '1.0.0',
    async *run(task) {
      const { messageId, parts } = task.message
      const { kind, count } = readPrompt(parts[0].text)
      if (kind === 'ask') {
        yield inputRequired(`what follows ${messageId}?`)
        return
      }
      yield working(`at ${messageId}`)
      for (let index = 0; index < count; index++) {
        if (pause[kind] !== undefined) await sleep(pause[kind], undefined, { signal: task.signal })
        const text = chunk(messageId, index)
        if (kind === 'file') {
          const options = { artifactId: messageId, name: `${messageId}.txt`, append: index > 0 }
          yield artifact({ text, mediaType: 'text/plain' }, { ...options, lastChunk: index === count - 1 })
        } else yield text
      }
      if (kind === 'fail') yield failed(ownFailure)
      else if (kind === 'open') yield leaveOpen()
    },
  })
}
