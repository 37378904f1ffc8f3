import { describe, expect, test } from 'vitest'
import type { Artifact, StreamResponse } from '../protocol/generated/v1/types.ts'
import { createStreamText } from './stream-text.ts'

const ids = { taskId: 't', contextId: 'c' }
const made = (artifactId: string, text: string, rest: Partial<Artifact> = {}): Artifact => ({
  artifactId,
  parts: [{ text }],
  ...rest,
})
const piece = (artifactId: string, text: string, rest: Partial<Artifact> = {}): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: made(artifactId, text, rest) },
})
const more = (artifactId: string, text: string): StreamResponse => ({
  artifactUpdate: { ...ids, artifact: made(artifactId, text), append: true },
})
const snapshot = (...artifacts: Artifact[]): StreamResponse => ({
  task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, artifacts },
})
const partial = { metadata: { adk_partial: true } }

const rows: readonly {
  readonly name: string
  readonly events: readonly StreamResponse[]
  readonly texts: readonly string[]
}[] = [
  { name: 'pieces of one artifact', events: [piece('a', 'p'), more('a', 'ong')], texts: ['p', 'ong'] },
  {
    name: 'two artifacts, on lines of their own',
    events: [piece('a', 'one'), piece('b', 'two')],
    texts: ['one', '\ntwo'],
  },
  {
    name: 'two artifacts, the first with a line end',
    events: [piece('a', 'one\n'), piece('b', 'two')],
    texts: ['one\n', 'two'],
  },
  { name: 'a snapshot first', events: [snapshot(made('a', 'po')), more('a', 'ng')], texts: ['po', 'ng'] },
  {
    name: 'a snapshot after a break, with what is new',
    events: [piece('a', 'po'), snapshot(made('a', 'pong'))],
    texts: ['po', 'ng'],
  },
  { name: 'a longer copy', events: [piece('a', 'po'), piece('a', 'pong')], texts: ['po', 'ng'] },
  {
    name: 'another text in place of the first',
    events: [piece('a', 'po'), piece('a', 'ping')],
    texts: ['po', '\nping'],
  },
  {
    name: 'pieces and full text of an agent built on ADK',
    events: [piece('x', 'po', partial), piece('x', 'ng', partial), piece('y', 'pong!')],
    texts: ['po', 'ng', '!'],
  },
  {
    name: 'a message',
    events: [{ message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'hi' }] } }],
    texts: ['hi'],
  },
  {
    name: 'parts without text',
    events: [{ artifactUpdate: { ...ids, artifact: { artifactId: 'a', parts: [{ data: {} }] } } }],
    texts: [''],
  },
]

describe('createStreamText', () => {
  for (const { name, events, texts } of rows) {
    test(`of ${name}`, () => {
      const text = createStreamText()
      expect(events.map(text.take)).toEqual(texts)
      expect(text.shown).toBe(texts.join(''))
    })
  }
})
