import * as sdk from '@a2a-js/sdk'
import { legacyPushNotificationToV1StreamResponse } from '@a2a-js/sdk/compat/v0_3'
import { expect, test } from 'vitest'
import type { StreamResponse, Task } from '../../generated/v1/types.ts'
import { pushBody03 } from './push-body.ts'

const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text: 'done' }] }
const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED', message } }
const statusUpdate = { taskId: 't', contextId: 'c', status: task.status }

const rows: readonly (readonly [name: string, event: StreamResponse])[] = [
  ['an update', { statusUpdate }],
  ['a task', { task }],
]
for (const [name, event] of rows) {
  test(`VERS-07 a webhook of 0.3 gets the whole task after ${name}`, () => {
    const before: Task = { ...task, status: { state: 'TASK_STATE_COMPLETED', message } }
    const body = pushBody03(before, event)
    expect(body).toEqual({
      kind: 'task',
      id: 't',
      contextId: 'c',
      status: {
        state: 'completed',
        message: { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'done' }] },
      },
    })
    const read = legacyPushNotificationToV1StreamResponse(JSON.parse(JSON.stringify(body)))
    expect(read).toEqual(sdk.StreamResponse.fromJSON({ task }))
  })
}

test('what 0.3 has no place for is told', () => {
  const noted: string[] = []
  const odd: Task = { ...task, history: [{ ...message, parts: [{ text: 'x', filename: 'x' }] }] }
  pushBody03(odd, { statusUpdate }, (loss) => noted.push(loss))
  expect(noted).toEqual(['part-filename'])
})
