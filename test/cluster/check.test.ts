import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'

interface Violation {
  readonly rule: string
  readonly taskId?: string
  readonly detail: string
}

interface Checker {
  checkHistory(
    entries: readonly Entry[],
    options: { readonly fullText: (messageId: string, prompt: string) => string; readonly reasons?: readonly string[] },
  ): { readonly violations: readonly Violation[]; readonly counts: Readonly<Record<string, number>> }
}

// biome-ignore lint/suspicious/noExplicitAny: a history is JSON, and the planted faults change any part of it
type Entry = any

const script = join(import.meta.dirname, '..', '..', 'scripts', 'chaos', 'check.mjs')
const { checkHistory } = (await import(pathToFileURL(script).href)) as Checker

/** What the messages here ask for: so many pieces of text. */
const fullText = (messageId: string, prompt: string): string =>
  Array.from({ length: Number(prompt.split(' ')[1]) }, (_, index) => `${messageId}/${index} `).join('')

const time = (number: number): string => new Date(1_000 + number).toISOString()

const working = (number: number): Entry => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: time(number) } },
})
const completed = (number: number): Entry => ({
  statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED', timestamp: time(number) } },
})
const piece = (index: number): Entry => ({
  artifactUpdate: {
    taskId: 't',
    contextId: 'c',
    artifact: { artifactId: 'm1@run', parts: [{ text: `m1/${index} ` }] },
    append: index > 0,
  },
})

const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'slow 3' }] }
const told = { ...message, taskId: 't', contextId: 'c' }
const made = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_SUBMITTED', timestamp: time(2) },
  history: [told],
}
const at = (state: string, number: number, pieces: number): Entry => ({
  ...made,
  status: { state: `TASK_STATE_${state}`, timestamp: time(number) },
  ...(pieces > 0 && {
    artifacts: [
      { artifactId: 'm1@run', parts: [{ text: Array.from({ length: pieces }, (_, each) => `m1/${each} `).join('') }] },
    ],
  }),
})
const events = [working(3), piece(0), piece(1), piece(2), completed(7)]
const frames = events.map((event, index) => ({ id: index + 3, event }))
const frame = (call: number, id: number): Entry => ({ kind: 'frame', call, id, event: frames[id - 3]?.event })

/** A history in which all is well: a streaming send that is cut and resumed, a reader, a repeated send, two runs after a takeover. */
function soundHistory(): Entry[] {
  const step = (run: string, node: string, which: string, when: number): Entry => ({
    kind: 'step',
    task: 't',
    run,
    node,
    pid: node,
    step: which,
    at: when,
  })
  return [
    { kind: 'call', call: 1, what: 'SendStreamingMessage', message, key: 'k' },
    { kind: 'frame', call: 1, id: 2, event: { task: made } },
    frame(1, 3),
    frame(1, 4),
    { kind: 'end', call: 1, at: 104 },
    { kind: 'drain', node: 'a', from: 100, to: 105 },
    { kind: 'call', call: 2, what: 'GetTask', taskId: 't' },
    { kind: 'answer', call: 2, task: at('WORKING', 3, 1) },
    { kind: 'call', call: 3, what: 'SubscribeToTask', taskId: 't', from: 4 },
    { kind: 'frame', call: 3, id: 4, event: { task: at('WORKING', 3, 1) } },
    frame(3, 5),
    frame(3, 6),
    frame(3, 7),
    { kind: 'call', call: 4, what: 'SendMessage', message, key: 'k', blocking: true },
    { kind: 'answer', call: 4, task: at('COMPLETED', 7, 3) },
    { kind: 'call', call: 5, what: 'CancelTask', taskId: 't' },
    { kind: 'refused', call: 5, reason: 'TASK_NOT_CANCELABLE', text: '' },
    { kind: 'view', task: at('COMPLETED', 7, 3) },
    { kind: 'listed', ids: ['t'] },
    { kind: 'stored', task: at('COMPLETED', 7, 3), frames: [{ id: 2, event: { task: made } }, ...frames] },
    { kind: 'trouble', node: 'a', from: 10, to: 20 },
    step('run0', 'a', 'begin', 5),
    step('run0', 'a', 'step', 9),
    step('run', 'b', 'begin', 15),
    step('run0', 'a', 'step', 25),
    step('run0', 'a', 'end', 26),
    step('run', 'b', 'step', 30),
    step('run', 'b', 'done', 35),
    step('run', 'b', 'end', 40),
  ]
}

const find = (history: Entry[], kind: string, nth = 0): Entry => history.filter((entry) => entry.kind === kind)[nth]
const remove = (history: Entry[], entry: Entry): void => void history.splice(history.indexOf(entry), 1)
const storedOf = (history: Entry[]): Entry => find(history, 'stored')

/** Faults as a server that loses or repeats something would leave them in a history, and the rule that must find each. */
const planted: Readonly<Record<string, readonly [rule: string, plant: (history: Entry[]) => void]>> = {
  'a task that was shown is gone': ['lost task', (history) => remove(history, storedOf(history))],
  'a task is missing from the list': ['not listed', (history) => void find(history, 'listed').ids.pop()],
  'a task is in the list twice': ['listed twice', (history) => find(history, 'listed').ids.push('t')],
  'an event that was told is not stored': ['event of nothing', (history) => void storedOf(history).frames.splice(3, 1)],
  'an event that was told is stored otherwise': [
    'changed event',
    (history) => (storedOf(history).frames[2].event = piece(7)),
  ],
  'a subscriber missed an event': ['gap', (history) => remove(history, find(history, 'frame', 4))],
  'a subscriber got an event twice': [
    'out of order',
    (history) => void history.splice(history.indexOf(find(history, 'frame', 4)), 0, frame(3, 5)),
  ],
  'two subscribers got different events under one number': [
    'two events',
    (history) => {
      history.push({ kind: 'call', call: 9, what: 'SubscribeToTask', taskId: 't' })
      history.push({ kind: 'frame', call: 9, id: 2, event: { task: made } })
      history.push({ kind: 'frame', call: 9, id: 3, event: working(4) })
    },
  ],
  'a subscriber was shown a task that was not so': [
    'wrong snapshot',
    (history) => (find(history, 'frame', 3).event = { task: at('WORKING', 3, 2) }),
  ],
  'a stream went on at another event': ['resumed elsewhere', (history) => (find(history, 'call', 2).from = 3)],
  'a stream began without the task': ['no snapshot', (history) => remove(history, find(history, 'frame', 3))],
  'the log does not add up to the task': [
    'log is not the task',
    (history) => (storedOf(history).task = at('COMPLETED', 7, 2)),
  ],
  'a reader was shown a task that never was': [
    'never was so',
    (history) => (find(history, 'answer').task = at('WORKING', 4, 1)),
  ],
  'a reader was shown less than was known': [
    'older than was told',
    (history) => (find(history, 'answer').task = at('WORKING', 3, 0)),
  ],
  'a message was acknowledged and is not stored': [
    'lost message',
    (history) => (storedOf(history).task = { ...storedOf(history).task, history: [] }),
  ],
  'a message was taken back from a reader': [
    'message taken back',
    (history) => (find(history, 'answer').task = { ...at('WORKING', 3, 1), history: [] }),
  ],
  'a message is stored twice': [
    'message twice',
    (history) => (storedOf(history).task = { ...storedOf(history).task, history: [told, told] }),
  ],
  'a repeated message made two tasks': [
    'two tasks',
    (history) => {
      const { task, frames: all } = storedOf(history)
      history.push({ kind: 'stored', task: { ...task, id: 'u' }, frames: all })
    },
  ],
  'a task ended twice': ['two ends', (history) => storedOf(history).frames.push({ id: 8, event: completed(7) })],
  'a task went on after its end': [
    'goes on after its end',
    (history) => storedOf(history).frames.push({ id: 8, event: working(8) }),
  ],
  'a task was shown ended, and changed': [
    'changed after its end',
    (history) => (find(history, 'answer', 1).task = { ...at('COMPLETED', 7, 3), metadata: { other: true } }),
  ],
  'a task is at work for ever': [
    'unfinished',
    (history) => {
      storedOf(history).task = at('WORKING', 3, 3)
      storedOf(history).frames.pop()
    },
  ],
  'a task was canceled by nobody': [
    'nobody canceled it',
    (history) => {
      const canceled = { ...completed(7).statusUpdate, status: { ...at('CANCELED', 7, 3).status } }
      storedOf(history).task = at('CANCELED', 7, 3)
      storedOf(history).frames.at(-1).event = { statusUpdate: canceled }
      remove(history, find(history, 'call', 4))
      remove(history, find(history, 'refused'))
    },
  ],
  'a task failed for no reason': ['failed', (history) => (storedOf(history).task = at('FAILED', 7, 3))],
  'a task is COMPLETED without its answer': [
    'unanswered',
    (history) => {
      storedOf(history).task = at('COMPLETED', 7, 2)
      storedOf(history).frames.splice(4, 1)
    },
  ],
  'an artifact holds a piece twice': [
    'wrong text',
    (history) => (storedOf(history).task.artifacts[0].parts[0].text = 'm1/0 m1/0 m1/1 m1/2 '),
  ],
  'a client put another task together': [
    'view differs',
    (history) => (find(history, 'view').task = at('COMPLETED', 7, 2)),
  ],
  'a caller that waits was answered while the task was at work': [
    'answered early',
    (history) => {
      history.push({ kind: 'call', call: 9, what: 'SendMessage', message, key: 'k', blocking: true })
      history.push({ kind: 'answer', call: 9, task: at('WORKING', 3, 0) })
    },
  ],
  'a stream was closed while the task was at work': [
    'closed early',
    (history) => remove(history, find(history, 'drain')),
  ],
  'an answer was about another task': ['other task', (history) => (find(history, 'call', 1).taskId = 'u')],
  'a call failed within the server': [
    'refused',
    (history) => Object.assign(find(history, 'refused'), { reason: 'INTERNAL' }),
  ],
  'a node died by itself': ['crash', (history) => history.push({ kind: 'crash', node: 'a', code: 1 })],
  'a run went on after another had begun': ['two runs at once', (history) => remove(history, find(history, 'trouble'))],
  'a run went on long after its process woke': ['two runs at once', (history) => (find(history, 'step', 3).at = 900)],
  'a run went on after its end': [
    'went on after its end',
    (history) => history.push({ kind: 'step', task: 't', run: 'run', node: 'b', step: 'step', at: 50 }),
  ],
  'two runs wrote by turns': [
    'runs mixed',
    (history) => {
      const named = (run: string, index: number): Entry => {
        const event = piece(0)
        event.artifactUpdate.artifact.artifactId = `m1@${run}`
        return { id: 20 + index, event }
      }
      storedOf(history).frames.splice(1, 0, named('x', 0), named('y', 1), named('x', 2))
    },
  ],
}

describe('the checker of histories', () => {
  it('finds nothing where all is well', () => {
    const { violations, counts } = checkHistory(soundHistory(), { fullText })
    expect(violations).toEqual([])
    expect(counts).toMatchObject({ tasks: 1, streams: 2, resumed: 1, runs: 2, broken: 1, views: 1 })
  })

  it.each(Object.entries(planted))('finds that %s', (_, [rule, plant]) => {
    const history = structuredClone(soundHistory())
    plant(history)
    const { violations } = checkHistory(history, { fullText })
    expect(violations.map((violation) => violation.rule)).toContain(rule)
  })

  it('lets a task fail for the reasons that it is told', () => {
    const history = structuredClone(soundHistory())
    const status = { ...at('FAILED', 7, 3).status, message: { messageId: 'x', parts: [{ text: 'no room' }] } }
    storedOf(history).task.status = status
    const rules = checkHistory(history, { fullText, reasons: ['no room'] }).violations.map(({ rule }) => rule)
    expect(rules).not.toContain('failed')
  })
})
