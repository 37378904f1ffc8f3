import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endAll, here, hinted, onTerminal, servedHere, temporaryFolder } from './kit.ts'

let agent: Awaited<ReturnType<typeof servedHere>>
beforeAll(async () => {
  agent = await servedHere()
})
afterAll(async () => {
  await agent.close()
  await endAll()
})

interface Row {
  readonly name: string
  readonly words: readonly string[]
  readonly out: string
  readonly err?: string | RegExp
  readonly code?: number
}

const rows: readonly Row[] = [
  { name: 'a text', words: ['one', 'two'], out: 'one two\n' },
  { name: 'a text that streams back', words: ['count', '3', '--stream'], out: '1\n2\n3\n' },
  { name: 'a message without a task', words: ['message'], out: 'hello\n' },
  { name: 'a message without a task, as a stream', words: ['message', '--stream'], out: 'hello\n' },
  { name: 'data', words: ['data'], out: '{\n  "answer": 42\n}\n' },
  {
    name: 'files',
    words: ['files'],
    out: 'two files\nfile ../../evil.txt (text/plain, 3 B)\nfile (image/png) https://example.test/two.png\n',
    err: '--output DIR saves the files of an answer\n',
  },
  {
    name: 'control sequences, which a pipe gets as they are',
    words: ['escape'],
    out: '\u001b]0;owned\u0007\u001b[31mred\u001b[0m\n',
  },
  { name: 'a rejection', words: ['reject'], out: '', err: 'error: the agent rejected the task: Not today.\n', code: 1 },
  {
    name: 'a question',
    words: ['ask'],
    out: 'Which colour?\n',
    err: /^The agent waits for an answer\. Give it with:\n {2}npx parlance send /,
  },
  {
    name: 'a need to sign in',
    words: ['auth'],
    out: 'Sign in at https://example.test\n',
    err: /^The agent waits for an authorization\.\n/,
  },
  {
    name: 'an empty text',
    words: [''],
    out: '',
    err: /^error: there is nothing to send: the text is empty\nhint: /,
    code: 2,
  },
  { name: 'data that is no JSON', words: ['--data', '{'], out: '', err: /^error: --data: is not JSON: /, code: 2 },
  {
    name: 'a part that the protocol does not have',
    words: ['--part', '{"text":"a","url":"b"}'],
    out: '',
    err: /^error: message\.parts\[0\]/,
    code: 2,
  },
  {
    name: 'an answer to no task',
    words: ['x', '--task', 'nope'],
    out: '',
    err: /^error: .*nope.*\nhint: parlance list /,
    code: 1,
  },
]

describe.concurrent('parlance send', () => {
  for (const { name, words, out, err = '', code = 0 } of rows) {
    test(`of ${name}`, async () => {
      const ended = await here('send', agent.url, ...words)
      expect(ended.out).toBe(out)
      if (typeof err === 'string') expect(ended.err).toBe(err)
      else expect(ended.err).toMatch(err)
      expect(ended.code).toBe(code)
    })
  }

  test('keeps control sequences off a terminal', async () => {
    const { code, out, err } = await onTerminal('send', agent.url, 'escape', '--context', 'clean')
    expect([code, out]).toEqual([0, 'red\n'])
    expect(err).toBe('\u001b[2mconversation clean; --context goes on with it\u001b[22m\n')
    expect((await onTerminal('send', agent.url, 'escape', '--stream')).out).toBe('red\n')
  })

  test('prints one document with --json', async () => {
    const { code, out, err } = await here('send', agent.url, 'hi', '--json')
    const { task } = JSON.parse(out)
    expect([code, err, out.split('\n').length]).toEqual([0, '', 2])
    expect(task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'hi' }] }] })
    const message = await here('send', agent.url, 'message', '--json')
    expect(JSON.parse(message.out)).toMatchObject({ message: { parts: [{ text: 'hello' }] } })
  })

  test('prints a line for each event with --stream --json', async () => {
    const { out } = await here('send', agent.url, 'count', '2', '20', '--stream', '--json')
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events[0]).toHaveProperty('task.id')
    const { statusUpdate, task } = events.at(-1)
    expect((statusUpdate ?? task).status.state).toBe('TASK_STATE_COMPLETED')
    const numbers = events.map(({ eventId }) => eventId as number)
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right))
    expect(new Set(numbers).size).toBe(events.length)
  })

  test('prints errors on standard output with --json', async () => {
    const { code, out, err } = await here('send', agent.url, 'x', '--task', 'nope', '--json')
    expect([code, err]).toEqual([1, ''])
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'TaskNotFound', exitCode: 1, origin: 'remote' } })
  })

  test('shows the very command that answers a question', async () => {
    const asked = await here('send', agent.url, 'ask')
    const answered = await here(...hinted(asked.err, 'send', ["'your answer'", 'blue']))
    expect(answered).toMatchObject({ code: 0, out: 'to Which colour? you said blue\n', err: '' })
  })

  test('sends files, data and parts', async () => {
    const parts = [
      '--data',
      '{"a":1}',
      '--part',
      '{"url":"https://example.test/a.png"}',
      '--file',
      'examples/pong.yaml',
    ]
    const { out } = await here('send', agent.url, 'parts', ...parts)
    const raw = readFileSync('examples/pong.yaml').toString('base64')
    expect(JSON.parse(out)).toEqual([
      { text: 'parts' },
      { raw, filename: 'pong.yaml', mediaType: 'application/yaml' },
      { data: { a: 1 } },
      { url: 'https://example.test/a.png' },
    ])
  })

  test('saves files inside the folder, and never over another', async () => {
    const folder = temporaryFolder()
    const args = ['send', agent.url, 'files', '--output', folder]
    const saved = join(folder, 'evil.txt')
    expect((await here(...args)).out).toBe(`two files\nsaved ${saved}\nfile (image/png) https://example.test/two.png\n`)
    expect((await here(...args, '--json')).err).toBe(`saved ${join(folder, 'evil-1.txt')}\n`)
    expect(readFileSync(saved, 'utf8')).toBe('one')
  })

  test('leaves a task running with --no-wait, to be followed and read', async () => {
    const sent = await here('send', agent.url, 'count', '3', '100', '--no-wait')
    const id = sent.out.trim()
    expect(sent).toMatchObject({ code: 0, out: expect.stringMatching(/^[\w-]{36}\n$/) })
    expect(await here(...hinted(sent.err, 'subscribe'))).toMatchObject({ code: 0, out: '1\n2\n3\n', err: '' })
    const read = await here('get', agent.url, id)
    expect(read.out).toContain(`task: ${id}\nstate: completed\n`)
    expect(read.out.endsWith('\n\n1\n2\n3\n')).toBe(true)
  })
})
