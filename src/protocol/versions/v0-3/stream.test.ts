import { describe, expect, test } from 'vitest'
import { encodeValue } from '../../encoded.ts'
import type { Call, StreamEvent } from '../../endpoint.ts'
import type { StreamResponse, TaskState } from '../../generated/v1/types.ts'
import type { Dialect, Frame, WireOperation } from '../dialect.ts'
import { peerJsonRpc03, peerRest03 } from './peer.ts'
import { grpc03, jsonRpc03, rest03 } from './server.ts'

type Streaming = 'SendStreamingMessage' | 'SubscribeToTask'

function rowOf(operation: Call['operation'], server: Dialect = jsonRpc03): WireOperation {
  return server.of(operation) as WireOperation
}

function status(state: string, id?: number): StreamEvent {
  const event: StreamResponse = {
    statusUpdate: { taskId: 't', contextId: 'c', status: { state: `TASK_STATE_${state}` as TaskState } },
  }
  return encodeValue(event, id) as StreamEvent
}

async function* groupsOf(groups: readonly (readonly StreamEvent[])[]): AsyncGenerator<readonly StreamEvent[]> {
  for (const group of groups) yield group
}

async function framesOf(
  groups: readonly (readonly StreamEvent[])[],
  { server = jsonRpc03, operation = 'SendStreamingMessage' as Streaming } = {},
): Promise<readonly (readonly Frame[])[]> {
  const result: (readonly Frame[])[] = []
  for await (const group of server.frames(rowOf(operation, server), groupsOf(groups))) result.push(group)
  return result
}

const finals = (groups: readonly (readonly Frame[])[]): unknown[] =>
  groups.flat().map(({ value }) => (value as { final?: boolean }).final)

describe('final', () => {
  test('VERS-07 D-24 a question that an earlier run has asked is not the end of the stream of its answer', async () => {
    const asked = [status('INPUT_REQUIRED')]
    expect(finals(await framesOf([asked, [status('WORKING')], [status('COMPLETED')]]))).toEqual([false, false, true])
    expect(finals(await framesOf([[status('WORKING')], asked]))).toEqual([false, true])
  })

  const terminal = ['COMPLETED', 'CANCELED', 'FAILED', 'REJECTED']
  const open = ['SUBMITTED', 'WORKING', 'AUTH_REQUIRED']
  for (const operation of ['SendStreamingMessage', 'SubscribeToTask'] as const) {
    for (const state of [...terminal, ...open, 'INPUT_REQUIRED']) {
      const final = terminal.includes(state) || (state === 'INPUT_REQUIRED' && operation === 'SendStreamingMessage')
      test(`VERS-07 D-24 ${operation} ${state}: ${final}`, async () => {
        expect(finals(await framesOf([[status(state)]], { operation }))).toEqual([final])
        for (const server of [rest03, grpc03]) {
          const [[frame] = []] = await framesOf([[status(state)]], { operation, server })
          expect(frame?.value).toEqual({
            statusUpdate: {
              taskId: 't',
              contextId: 'c',
              status: { state: `TASK_STATE_${state === 'CANCELED' ? 'CANCELLED' : state}` },
              ...(final && { final }),
            },
          })
        }
      })
    }
  }

  test('a request for input that something follows at once is not the end', async () => {
    const groups = [[status('INPUT_REQUIRED'), status('WORKING')], [status('INPUT_REQUIRED')]]
    expect(finals(await framesOf(groups))).toEqual([false, false, true])
  })
})

describe('frames', () => {
  test('keep their groups and the numbers of their events', async () => {
    const groups = [[status('WORKING', 1)], [status('WORKING', 2), status('COMPLETED', 3)]]
    expect((await framesOf(groups)).map((group) => group.map(({ id }) => id))).toEqual([[1], [2, 3]])
  })

  test('are made once of an event however many read it', async () => {
    const event = status('WORKING')
    const [[first] = []] = await framesOf([[event]])
    const [[second] = []] = await framesOf([[event]], { operation: 'SubscribeToTask' })
    const [[other] = []] = await framesOf([[event]], { server: rest03 })
    expect(second).toBe(first)
    expect(other).not.toBe(first)
    expect(JSON.parse(first?.text ?? '')).toEqual(first?.value)
  })

  test('leaving them leaves the source at once, also while it is waited for', async () => {
    let left = 0
    const source: AsyncIterable<readonly StreamEvent[]> = {
      [Symbol.asyncIterator]: () => ({
        next: () => new Promise(() => {}),
        return: async () => {
          left += 1
          return { done: true, value: undefined }
        },
      }),
    }
    const iterator = jsonRpc03.frames(rowOf('SubscribeToTask'), source)[Symbol.asyncIterator]()
    void iterator.next()
    await iterator.return?.()
    expect(left).toBe(1)
  })
})

const silent = (): void => {}

describe('frames that peers send are read', () => {
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }
  const update = { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } }
  const artifactUpdate = { taskId: 't', contextId: 'c', artifact: { artifactId: 'a', parts: [{ text: 'x' }] } }
  const status03 = { taskId: 't', contextId: 'c', status: { state: 'completed' } }
  const rows: readonly (readonly [name: string, frame: object, event: object, final?: boolean])[] = [
    ['a task', { kind: 'task', id: 't', contextId: 'c', status: { state: 'working' } }, { task }],
    ['a task without kind', { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }, { task }],
    ['a task, wrapped', { task }, { task }],
    ['an update', { kind: 'status-update', ...status03, final: true }, { statusUpdate: update }, true],
    ['an update without kind', { ...status03, final: false }, { statusUpdate: update }],
    ['an update without final', { kind: 'status-update', ...status03 }, { statusUpdate: update }],
    ['an update, wrapped', { statusUpdate: { ...update, final: true } }, { statusUpdate: update }, true],
    [
      'an update in snake_case',
      { status_update: { ...update, task_id: 't', taskId: undefined } },
      { statusUpdate: update },
    ],
    [
      'an artifact update',
      {
        kind: 'artifact-update',
        ...artifactUpdate,
        artifact: { artifactId: 'a', parts: [{ kind: 'text', text: 'x' }] },
      },
      { artifactUpdate },
    ],
    ['an artifact update without kind', artifactUpdate, { artifactUpdate }],
    ['an artifact update, wrapped', { artifactUpdate }, { artifactUpdate }],
    [
      'a message',
      { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'x' }] },
      { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } },
    ],
    [
      'a message under the name of its field (D-27)',
      { msg: { messageId: 'm', role: 'ROLE_AGENT', content: [{ text: 'x' }] } },
      { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } },
    ],
    [
      'the message of a status under the name of its field (D-15)',
      { task: { ...task, status: { ...task.status, update: { messageId: 'm', role: 2, content: [{ text: 'x' }] } } } },
      {
        task: {
          ...task,
          status: { ...task.status, message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } },
        },
      },
    ],
  ]
  for (const [name, frame, event, final = false] of rows) {
    test(`VERS-07 ${name}`, () => {
      const warnings: string[] = []
      for (const peer of [peerJsonRpc03, peerRest03]) {
        const read = peer.readFrame(JSON.parse(JSON.stringify(frame)), (text) => warnings.push(text))
        expect(read).toEqual({ event, final })
      }
      expect(warnings).toEqual([])
    })
  }

  const times: readonly (readonly [given: string, read: string | undefined])[] = [
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.678901+01:00', '2026-01-02T02:04:05.678Z'],
    ['2026-01-02T03:04:05.678901', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02 03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02T03:04', '2026-01-02T03:04:00.000Z'],
    ['yesterday', undefined],
    ['2026-13-45T99:00:00Z', undefined],
  ]
  for (const [given, read] of times) {
    test(`D-06 D-65 the time ${given}`, () => {
      const warnings: string[] = []
      const frame = { kind: 'task', id: 't', contextId: 'c', status: { state: 'working', timestamp: given } }
      const { event } = peerJsonRpc03.readFrame(frame, (text) => warnings.push(text))
      expect(event.task?.status.timestamp).toBe(read)
      expect(warnings).toEqual(read === undefined ? [expect.stringMatching(/status\.timestamp: must be a time/)] : [])
    })
  }

  test('what is missing or wrong is told, and read as far as it goes', () => {
    const warnings: string[] = []
    const parts = [{ kind: 'data', text: 'x' }, { kind: 'text' }, { kind: 'file', file: { name: 'a' } }]
    const frame = { id: 't', status: { state: 'dreaming', message: { role: 'agent', parts } } }
    const { event } = peerJsonRpc03.readFrame(frame, (text) => warnings.push(text))
    expect(event.task?.status).toMatchObject({
      state: 'TASK_STATE_UNSPECIFIED',
      message: { parts: [{ text: 'x' }, { text: '' }, { url: '' }] },
    })
    for (const text of ['messageId', 'dreaming', 'parts[0].kind', 'parts[1]', 'parts[2].file']) {
      expect(warnings.filter((warning) => warning.includes(text)).length, text).toBeGreaterThan(0)
    }
  })

  test('the state unknown is no state of 1.0, and an answer may have it (D-13)', () => {
    const { event } = peerJsonRpc03.readFrame({ kind: 'task', id: 't', status: { state: 'unknown' } }, silent)
    expect(event.task?.status.state).toBe('TASK_STATE_UNSPECIFIED')
  })
})
