import { describe, expect, it } from 'vitest'
import type { Task } from '../../src/protocol/generated/v1/types.ts'
import { delay } from '../harness.ts'
import { fold, openStream, shapes, streamScript, taskIdOf } from './raw-stream.ts'
import { createGate } from './scripted-agent.ts'
import { fullMatrix, serve } from './served.ts'
import { atOnce, callerOf, sendRequest } from './wire.ts'

const ends = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'] as const
const lates: readonly (readonly [name: string, script: string])[] = [
  ['another status', 'late:WORKING'],
  ['another end', 'late:FAILED late:COMPLETED'],
  ['a question', 'late:INPUT_REQUIRED'],
  ['a whole task', 'task:SUBMITTED late:WORKING'],
  ['more of an artifact', 'chunk:a:more:append late:WORKING'],
  ['a message', 'message:late late:WORKING'],
  ['an exception', 'wait:1 throw late:WORKING'],
]

describe.each(fullMatrix)('over $binding and $store', ({ store, binding }) => {
  it.each(lates)('Case 4 A, B: nothing follows the end, be it %s (TASK-06, STRM-06)', async (_, late) => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    for (const end of ends) {
      const stream = await streamScript(caller, `chunk:a:x status:${end}:bye ${late}`)
      const frames = await stream.rest()
      expect(shapes(frames)).toEqual(['task SUBMITTED', 'a:x', end])
      expect(await stream.ended()).toBe('ended')
      const id = frames[0]?.value?.task?.id ?? ''
      const stored = await caller.get(id)
      expect(stored).toEqual(fold(frames))
      await delay(5)
      expect(await caller.get(id)).toEqual(stored)
      const blocking = await caller.send(`chunk:a:x status:${end}:bye ${late}`)
      expect(blocking.status.state).toBe(`TASK_STATE_${end}`)
      const again = await openStream(caller, 'SubscribeToTask', { id }, { headers: { 'last-event-id': '2' } })
      expect(shapes(await again.rest())).toEqual(['task SUBMITTED', 'a:x', end])
    }
  })

  it.each([
    ['a whole task first', 'task:SUBMITTED done'],
    ['a part that is none', 'task:WORKING'],
  ])(
    'Case 4 B: %s is an answer that the protocol does not allow, told and stored as failed (SEND-23)',
    async (_, script) => {
      const served = await serve({ store })
      const caller = callerOf(served, binding)
      expect(await caller.fails('SendMessage', sendRequest(script))).toMatchObject({ reason: 'INVALID_AGENT_RESPONSE' })
      const { tasks } = await caller.ok<{ tasks: Task[] }>('ListTasks', {})
      expect(tasks.map(({ status }) => status.state)).toEqual(['TASK_STATE_FAILED'])
    },
  )

  it.each([
    ['a whole task', 'task:SUBMITTED'],
    ['a step back', 'status:SUBMITTED'],
    ['a state that there is not', 'status:RUNNING'],
    ['the state of none', 'status:UNSPECIFIED'],
    ['more of what was closed', 'chunk:a:y:append'],
  ])('Case 4 B: %s in the middle fails the task, and says so on the stream (SEND-23, TASK-11)', async (_, bad) => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const stream = await streamScript(caller, `status:WORKING chunk:a:x:last ${bad} done`)
    const frames = await stream.rest()
    expect(shapes(frames)).toEqual(['task SUBMITTED', 'WORKING', 'a:x', 'FAILED'])
    expect(fold(frames)).toEqual(await caller.get(frames[0]?.value?.task?.id ?? ''))
  })

  it('Case 4 C: a cancel and the end at the same moment leave one end, 125 times in each of four ways (TASK-06, TASK-09, CANC-02)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const seen = new Set<string>()
    const round = async (number: number): Promise<void> => {
      const gate = createGate()
      const { id } = await caller.send(
        `${number % 2 ? 'nocancel ' : ''}status:WORKING ${gate.hold} chunk:a:x done`,
        atOnce,
      )
      const stream = await openStream(caller, 'SubscribeToTask', { id })
      const canceling = caller.call('CancelTask', { id })
      if (number % 5 > 0) await delay(number % 5)
      gate.open()
      const answer = (await canceling).value as Task | undefined
      const frames = await stream.rest()
      const stored = await caller.get(id)
      if (answer !== undefined) expect(answer).toEqual(stored)
      const { state } = stored.status
      expect(['TASK_STATE_COMPLETED', 'TASK_STATE_CANCELED']).toContain(state)
      seen.add(state)
      if (frames.at(0)?.error !== undefined) return
      expect(shapes(frames).filter((shape) => /COMPLETED|CANCELED/.test(shape))).toEqual([
        state.replace('TASK_STATE_', ''),
      ])
      expect(fold(frames)).toEqual(stored)
    }
    for (let from = 0; from < 125; from += 25) {
      await Promise.all(Array.from({ length: 25 }, (_, index) => round(from + index)))
    }
    expect(seen.size).toBe(2)
  })

  it('Case 4: a follow-up and the end at the same moment: run, or refused, never lost (AMB-18, SEND-06)', async () => {
    const served = await serve({ store })
    const caller = callerOf(served, binding)
    const round = async (number: number): Promise<'run' | 'refused'> => {
      const gate = createGate()
      const first = await streamScript(caller, `status:WORKING ${gate.hold} chunk:a:x${number % 2 ? ' done' : ''}`)
      const id = await taskIdOf(first)
      const sending = caller.call('SendMessage', sendRequest('chunk:b:y done', { message: { taskId: id } }))
      if (number % 4 > 0) await delay(number % 4)
      gate.open()
      const { error, value } = await sending
      const stored = await caller.get(id)
      const names = stored.artifacts?.map(({ artifactId }) => artifactId)
      expect(stored.status.state).toBe('TASK_STATE_COMPLETED')
      if (error === undefined) {
        expect((value as { task: Task }).task).toEqual(stored)
        expect(names).toEqual(['a', 'b'])
        return 'run'
      }
      expect(error.reason).toBe('UNSUPPORTED_OPERATION')
      expect(names).toEqual(['a'])
      return 'refused'
    }
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, number) => round(number)))
    expect(outcomes).toContain('refused')
  })
})
