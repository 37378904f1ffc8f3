// What the agent of the chaos does, and what must come of it: both are told by the text `KIND COUNT` of a message.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Kinds of message, and the range of the count of chunks. */
export const kinds = { quick: [1, 1], slow: [3, 15], long: [30, 80], burst: [50, 300], ask: [0, 0] }

const pauses = { slow: 40, long: 60 }

function readPrompt(text) {
  const [kind, count] = text.split(' ')
  return { kind, count: Number(count) }
}

/** The text of the artifact of a run that came to its end. */
export function fullText(messageId, prompt) {
  const { count } = readPrompt(prompt)
  return Array.from({ length: count }, (_, index) => `${messageId}/${index} `).join('')
}

/** What a task fails with whose run was cut off, where the agent does not let it be run again. */
export const cutOffReason = 'The server stopped while it worked on this task, so the task was ended.'

/** The agent; `library` is the package's `server` entry, `node` this process' name; each step of a run becomes a line of the file `journal`, `pace` makes all of it slower or faster. */
export function createAgent(library, { node, journal, pace = 1, resumable = true }) {
  const { agent, artifact, inputRequired, working } = library
  let runs = 0
  return agent({
    name: 'chaos',
    description: 'Is run while everything breaks.',
    version: '1.0.0',
    resumable,
    async *run(task) {
      const { messageId, parts } = task.message
      const { kind, count } = readPrompt(parts[0].text)
      const run = `${node}-${process.pid}-${++runs}`
      const note = (step) => {
        const line = { task: task.id, run, node, pid: process.pid, step, at: Date.now() }
        appendFileSync(journal, `${JSON.stringify(line)}\n`)
      }
      note('begin')
      try {
        yield working(`at ${messageId} by ${run}`)
        if (kind === 'ask') {
          note('done')
          yield inputRequired(`what follows ${messageId}?`)
          return
        }
        // The run is part of the name of what it makes, so that what two runs wrote can be told apart.
        const artifactId = `${messageId}@${run}`
        for (let index = 0; index < count; index++) {
          if (pauses[kind] !== undefined) await sleep(pauses[kind] * pace, undefined, { signal: task.signal })
          if (task.signal.aborted) return
          note('step')
          const text = `${messageId}/${index} `
          yield artifact(text, { artifactId, append: index > 0, lastChunk: index === count - 1 })
        }
        note('done')
      } finally {
        note('end')
      }
    },
  })
}
