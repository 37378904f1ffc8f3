import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Agent,
  agent,
  artifact,
  completed,
  failed,
  inputRequired,
  message,
  reject,
  type TaskContext,
  working,
  type Yielded,
} from '../../src/server/index.ts'
import { sampleParts, toPart } from './parts.ts'

/** The scripted agent of the matrix on Parlance. */
export const scripted: Agent = agent({
  name: 'Interop',
  description: 'Follows a script',
  version: '1.2.3',
  skills: [{ id: 'script', name: 'Script', description: 'Follows a script', tags: ['test'] }],
  inputModes: ['text/plain', 'application/json', 'application/octet-stream', 'image/png'],
  outputModes: ['text/plain', 'application/json', 'application/octet-stream', 'image/png'],
  run,
})

async function* run(task: TaskContext): AsyncGenerator<Yielded> {
  const words = task.message.parts[0]?.text ?? ''
  const word = words.split(' ', 1)[0] ?? ''
  const rest = words.slice(word.length + 1)
  if (word === 'message') return void (yield message(rest))
  if (task.history.some(({ role }) => role === 'ROLE_USER')) return void (yield artifact(`colour ${words}`))
  yield working()
  switch (word) {
    case 'ask':
      return void (yield inputRequired('which colour?'))
    case 'fail':
      return void (yield failed('it broke'))
    case 'reject':
      return void (yield reject('not today'))
    case 'slow':
      await sleep(30_000, undefined, { signal: task.signal, ref: false })
      break
    case 'count':
      for (let at = 0; at < Number(rest); at++) {
        yield artifact(`${at} `, { artifactId: 'count', append: at > 0 })
        await sleep(100, undefined, { signal: task.signal })
      }
      break
    case 'chunks':
      for (const [at, chunk] of ['one ', 'two ', 'three'].entries()) {
        yield artifact(chunk, { artifactId: 'chunks', append: at > 0, lastChunk: at === 2 })
      }
      break
    case 'parts':
    case 'value':
      yield artifact(sampleParts(word).map(toPart))
      break
    case 'size':
      yield artifact(`${Buffer.from(task.message.parts[1]?.raw ?? '', 'base64').length}`)
      break
    case 'mirror':
      yield artifact(task.message.parts.slice(1))
      break
    default:
      yield artifact(rest)
  }
  yield completed()
}
