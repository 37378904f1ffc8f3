import { describe, expect, test } from 'vitest'
import type { Task, TaskState } from '../protocol/generated/v1/types.ts'
import { answerExitCode, fileLine, readAnswer, remainder } from './task-view.ts'

function task(state: TaskState, texts: { readonly answer?: string; readonly status?: string } = {}): Task {
  const { answer, status } = texts
  return {
    id: 't',
    contextId: 'c',
    status: {
      state,
      ...(status !== undefined && { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: status }] } }),
    },
    ...(answer !== undefined && { artifacts: [{ artifactId: 'a', parts: [{ text: answer }] }] }),
  }
}

const remainders: readonly (readonly [text: string, shown: string, rest: string])[] = [
  ['pong', '', 'pong\n'],
  ['pong\n', '', 'pong\n'],
  ['', '', ''],
  ['pong', 'po', 'ng\n'],
  ['pong', 'pong', '\n'],
  ['pong\n', 'pong\n', ''],
  ['pong\nwhy?', 'pong', '\nwhy?\n'],
  ['other', 'pong', '\nother\n'],
  ['', 'pong', '\n'],
]
describe('remainder', () => {
  for (const [text, shown, rest] of remainders) {
    test(`of ${JSON.stringify(text)} after ${JSON.stringify(shown)}`, () => {
      expect(remainder(text, shown)).toBe(rest)
    })
  }
})

const answers: readonly {
  readonly task: Task
  readonly text: string
  readonly failure?: string
  readonly code: number
}[] = [
  { task: task('TASK_STATE_COMPLETED', { answer: 'pong' }), text: 'pong', code: 0 },
  { task: task('TASK_STATE_INPUT_REQUIRED', { status: 'Which?' }), text: 'Which?', code: 0 },
  { task: task('TASK_STATE_AUTH_REQUIRED', { status: 'Sign in' }), text: 'Sign in', code: 0 },
  { task: task('TASK_STATE_FAILED', { status: 'no luck' }), text: '', failure: 'the task failed: no luck', code: 1 },
  {
    task: task('TASK_STATE_FAILED', { answer: 'half', status: 'no luck' }),
    text: 'half',
    failure: 'the task failed: no luck',
    code: 1,
  },
  { task: task('TASK_STATE_REJECTED'), text: '', failure: 'the agent rejected the task', code: 1 },
  { task: task('TASK_STATE_CANCELED', { answer: 'half' }), text: 'half', failure: 'the task was canceled', code: 1 },
]
describe('readAnswer and answerExitCode', () => {
  for (const { task: known, text, failure, code } of answers) {
    test(`of a task that is ${known.status.state}${text === '' ? '' : ` and says ${text}`}`, () => {
      expect(readAnswer({ task: known })).toMatchObject({ text, failure })
      expect(answerExitCode(known)).toBe(code)
    })
  }
})

test('fileLine names a file and makes its name safe', () => {
  const bytes = (): Uint8Array => new Uint8Array(1_500)
  expect(fileLine({ filename: 'a\u001b[31m.txt', mediaType: 'text/plain', raw: 'x', bytes })).toBe(
    'file a.txt (text/plain, 1.5 kB)',
  )
  expect(fileLine({ url: 'https://example.test/a.png', mediaType: 'image/png', bytes: () => undefined })).toBe(
    'file (image/png) https://example.test/a.png',
  )
})
