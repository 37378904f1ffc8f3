import { setTimeout as wait } from 'node:timers/promises'
import { artifact, authRequired, agent as define, inputRequired, message, reject, working } from 'parlance/server'

const text = (task) => task.message.parts.map((part) => part.text ?? '').join('')

/** Does what the first word of a message says. */
export const agent = define({
  name: 'acrobat',
  description: 'Does what it is told.',
  version: '1.2.3',
  inputModes: ['*/*'],
  outputModes: ['*/*'],
  async *run(task) {
    const said = text(task)
    const asked = task.history.findLast(({ role }) => role === 'ROLE_AGENT')
    if (asked !== undefined) {
      yield working()
      yield `to ${asked.parts[0].text} you said ${said}`
      return
    }
    const [word, ...rest] = said.split(' ')
    switch (word) {
      case 'ask':
        yield inputRequired('Which colour?')
        return
      case 'auth':
        yield authRequired('Sign in at https://example.test')
        return
      case 'reject':
        yield reject('Not today.')
        return
      case 'message':
        yield message('hello')
        return
      case 'files':
        yield artifact([
          { text: 'two files' },
          { raw: Buffer.from('one').toString('base64'), filename: '../../evil.txt', mediaType: 'text/plain' },
          { url: 'https://example.test/two.png', mediaType: 'image/png' },
        ])
        return
      case 'data':
        yield artifact([{ data: { answer: 42 } }])
        return
      case 'parts':
        yield JSON.stringify(task.message.parts)
        return
      case 'escape':
        yield '\u001b]0;owned\u0007\u001b[31mred\u001b[0m'
        return
      case 'count':
        yield working('counting')
        for (let number = 1; number <= Number(rest[0]); number++) {
          yield `${number}\n`
          await wait(Number(rest[1] ?? 0), undefined, { signal: task.signal })
        }
        return
      default:
        yield said
    }
  },
})
