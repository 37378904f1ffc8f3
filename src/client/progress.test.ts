import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { chunkOf, startAgent, statusOf, streaming, taskOf } from './testing.ts'

describe('streams that keep no order', () => {
  const rows: readonly { name: string; frames: readonly JsonObject[]; text: string; warnings: readonly RegExp[] }[] = [
    {
      name: 'a task frame in the middle replaces the copy (AMB-05)',
      frames: [
        { task: taskOf('TASK_STATE_WORKING') },
        chunkOf('a', 'x'),
        { task: taskOf('TASK_STATE_COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'y' }] }] }) },
      ],
      text: 'y',
      warnings: [/task frame after the first/],
    },
    {
      name: 'no task first',
      frames: [statusOf('TASK_STATE_WORKING'), chunkOf('a', 'x'), statusOf('TASK_STATE_COMPLETED')],
      text: 'x',
      warnings: [/first event is no task/],
    },
    {
      name: 'append to an artifact that is not there (STRM-15)',
      frames: [
        { task: taskOf('TASK_STATE_WORKING') },
        chunkOf('a', 'x', { append: true }),
        statusOf('TASK_STATE_COMPLETED'),
      ],
      text: 'x',
      warnings: [],
    },
    {
      name: 'back to SUBMITTED',
      frames: [
        { task: taskOf('TASK_STATE_WORKING') },
        statusOf('TASK_STATE_SUBMITTED'),
        chunkOf('a', 'x'),
        statusOf('TASK_STATE_COMPLETED'),
      ],
      text: 'x',
      warnings: [/does not go back/],
    },
    {
      name: 'an unknown state',
      frames: [
        { task: taskOf('TASK_STATE_WORKING') },
        statusOf('TASK_STATE_PAUSED'),
        statusOf('TASK_STATE_COMPLETED', { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } }),
      ],
      text: 'x',
      warnings: [/TASK_STATE_PAUSED/, /must not be empty/, /left out/],
    },
    {
      name: 'a message after a task',
      frames: [
        { task: taskOf('TASK_STATE_WORKING') },
        { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'x' }] } },
      ],
      text: 'x',
      warnings: [/message after a task/],
    },
  ]
  for (const { name, frames, text, warnings } of rows) {
    test(name, async () => {
      const seen: string[] = []
      const { agent } = await startAgent(streaming(...frames), { onWarning: (warning) => seen.push(warning) })
      expect((await agent.send('go')).text).toBe(text)
      expect(seen).toEqual(warnings.map((pattern) => expect.stringMatching(pattern)))
      await agent.send('go')
      expect(agent.warnings).toEqual(seen)
    })
  }
})
