import { expect, it } from 'vitest'
import { TaskRecord } from './record.ts'
import type { Entry } from './store.ts'

const entries: readonly Entry[] = [
  { kind: 'message', seq: 1, text: '{"messageId":"u1"}' },
  { kind: 'status', seq: 2, state: 'TASK_STATE_WORKING', time: 0, message: '{"messageId":"s1"}' },
  {
    kind: 'chunk',
    seq: 3,
    artifact: 0,
    head: '{"artifactId":"a"}',
    append: false,
    lastChunk: false,
    plain: true,
    parts: '\\ud83d',
  },
  { kind: 'chunk', seq: 4, artifact: 0, append: true, lastChunk: true, plain: true, parts: '\\ude00' },
  { kind: 'status', seq: 5, state: 'TASK_STATE_COMPLETED', time: 1, message: '{"messageId":"s2"}' },
]

it('a packed task answers every view as before, and takes no more entries', () => {
  const views = [
    { artifacts: true },
    { artifacts: false },
    ...[0, 1, 2, 9].map((historyLength) => ({ artifacts: true, historyLength })),
  ]
  for (const metadata of [undefined, '{"m":1}']) {
    const record = new TaskRecord('t', 'c', metadata)
    for (const entry of entries) record.add(entry)
    const before = views.map((view) => JSON.parse(record.text(view)))
    const head = record.head(false)
    record.pack()
    expect(views.map((view) => JSON.parse(record.text(view)))).toEqual(before)
    expect(record.head(false)).toEqual(head)
    expect(() => record.add({ kind: 'message', seq: 6, text: '{}' })).toThrow(TypeError)
  }
})
