import { describe, expect, test } from 'vitest'
import type { Artifact, Message, Part, Task, TaskState } from '../protocol/generated/v1/types.ts'
import { contentOf } from './content.ts'

function says(text: string, role: Message['role'] = 'ROLE_AGENT'): Message {
  return { messageId: text, role, parts: [{ text }] }
}

function artifact(parts: readonly Part[], more: Partial<Artifact> = {}): Artifact {
  return { artifactId: String(parts.length), parts, ...more }
}

function task(
  state: TaskState,
  { artifacts, status, history }: { artifacts?: readonly Artifact[]; status?: string; history?: readonly Message[] },
): Task {
  return {
    id: 't',
    status: { state, ...(status !== undefined && { message: says(status) }) },
    ...(artifacts && { artifacts }),
    ...(history && { history }),
  }
}

const answer = [artifact([{ text: '42' }])]
const user = says('question', 'ROLE_USER')

const rows: readonly { name: string; task?: Task; message?: Message; text: string; statusText?: string }[] = [
  { name: 'artifact, no status message', task: task('TASK_STATE_COMPLETED', { artifacts: answer }), text: '42' },
  {
    name: 'status message only',
    task: task('TASK_STATE_COMPLETED', { status: 'done' }),
    text: 'done',
    statusText: 'done',
  },
  {
    name: 'artifact and another status message',
    task: task('TASK_STATE_COMPLETED', { artifacts: answer, status: 'done' }),
    text: '42',
    statusText: 'done',
  },
  {
    name: 'the same text in both',
    task: task('TASK_STATE_INPUT_REQUIRED', { artifacts: answer, status: '42' }),
    text: '42',
    statusText: '42',
  },
  { name: 'a bare message', message: says('hello'), text: 'hello' },
  {
    name: 'a question after a partial artifact',
    task: task('TASK_STATE_INPUT_REQUIRED', { artifacts: answer, status: 'which?' }),
    text: '42\nwhich?',
    statusText: 'which?',
  },
  {
    name: 'a question in history only',
    task: task('TASK_STATE_INPUT_REQUIRED', { artifacts: answer, history: [user, says('which?')] }),
    text: '42\nwhich?',
  },
  {
    name: 'a reason after a partial artifact',
    task: task('TASK_STATE_FAILED', { artifacts: answer, status: 'broke' }),
    text: '42\nbroke',
    statusText: 'broke',
  },
  {
    name: 'an answer in history only',
    task: task('TASK_STATE_COMPLETED', { history: [user, says('old'), says('new')] }),
    text: 'new',
  },
  { name: 'nothing but the own question', task: task('TASK_STATE_COMPLETED', { history: [user] }), text: '' },
  {
    name: 'chunks of one artifact',
    task: task('TASK_STATE_COMPLETED', { artifacts: [artifact([{ text: 'Hel' }, { text: 'lo' }])] }),
    text: 'Hello',
  },
  {
    name: 'two artifacts',
    task: task('TASK_STATE_COMPLETED', { artifacts: [artifact([{ text: 'a' }]), artifact([{ text: 'b' }])] }),
    text: 'a\nb',
  },
  {
    name: 'two artifacts that say the same',
    task: task('TASK_STATE_COMPLETED', { artifacts: [artifact([{ text: 'a' }]), artifact([{ text: 'a' }])] }),
    text: 'a',
  },
  {
    name: 'an artifact marked as passing',
    task: task('TASK_STATE_COMPLETED', {
      artifacts: [artifact([{ text: 'po' }], { metadata: { adk_partial: true } }), artifact([{ text: 'pong' }])],
    }),
    text: 'pong',
  },
  { name: 'empty parts', task: task('TASK_STATE_COMPLETED', { artifacts: [artifact([])] }), text: '' },
  { name: 'an empty message', message: { messageId: 'm', role: 'ROLE_AGENT', parts: [] }, text: '' },
]

describe('what an answer says', () => {
  for (const { name, text, statusText = '', ...given } of rows) {
    test(name, () => expect(contentOf(given)).toMatchObject({ text, statusText }))
  }

  test('data and files, from artifacts before the status', () => {
    const parts: Part[] = [
      { data: { n: 1 } },
      { data: null },
      { raw: 'aGk=', filename: 'a.txt', mediaType: 'text/plain' },
      { url: 'https://x.example/b', mediaType: 'image/png' },
    ]
    const completed = task('TASK_STATE_COMPLETED', { artifacts: [artifact(parts)] })
    const { data, files } = contentOf({ task: completed })
    expect(data).toEqual([{ n: 1 }, null])
    expect(files.map(({ bytes, ...file }) => file)).toEqual([
      { filename: 'a.txt', mediaType: 'text/plain', raw: 'aGk=' },
      { url: 'https://x.example/b', mediaType: 'image/png' },
    ])
    expect(files.map((file) => file.bytes())).toEqual([new TextEncoder().encode('hi'), undefined])
    expect(contentOf({ message: { messageId: 'm', role: 'ROLE_AGENT', parts } }).data).toEqual([{ n: 1 }, null])
  })

  test('an empty object is data only where it is all there is', () => {
    const empty = artifact([{ data: {} }])
    expect(contentOf({ task: task('TASK_STATE_COMPLETED', { artifacts: [empty] }) }).data).toEqual([{}])
    expect(contentOf({ task: task('TASK_STATE_COMPLETED', { artifacts: [empty, ...answer] }) }).data).toEqual([])
  })
})
