import { randomUUID } from 'node:crypto'
import { Role, TaskState } from '@a2a-js/sdk'
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express from 'express'
import { chunk, chunksAsked } from '../agent-work.mjs'

export const card = {
  name: 'Bench',
  description: 'Answers in a fixed number of events.',
  version: '1.0.0',
  supportedInterfaces: [
    { url: 'http://127.0.0.1/invoke', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' },
  ],
  capabilities: { streaming: true, pushNotifications: false, extensions: [] },
  securitySchemes: {},
  securityRequirements: [],
  signatures: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 'bench',
      name: 'Bench',
      description: 'Answers in a fixed number of events.',
      tags: ['bench'],
      examples: [],
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    },
  ],
}

export const executor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const status = (state) => ({ state, timestamp: new Date().toISOString(), message: undefined })
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: status(TaskState.TASK_STATE_SUBMITTED),
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    )
    const update = (state) =>
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state), metadata: {} }))
    update(TaskState.TASK_STATE_WORKING)
    const artifactId = randomUUID()
    const count = chunksAsked(userMessage.parts[0].content.value)
    for (let index = 0; index < count; index++) {
      const content = { $case: 'text', value: chunk(index) }
      bus.publish(
        AgentEvent.artifactUpdate({
          taskId,
          contextId,
          artifact: {
            artifactId,
            name: '',
            description: '',
            parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
            metadata: undefined,
            extensions: [],
          },
          append: index > 0,
          lastChunk: index === count - 1,
          metadata: undefined,
        }),
      )
    }
    update(TaskState.TASK_STATE_COMPLETED)
    bus.finished()
  },
  async cancelTask() {},
}

/** Serves the benchmark's agent with the JavaScript SDK and Express, as the SDK's documentation shows it. */
export async function start() {
  if (Role === undefined) throw new Error('this is not the SDK that the benchmark was written for')
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
  const app = express()
  app.use('/invoke', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }))
  const server = await new Promise((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening))
  })
  return { port: server.address().port, path: '/invoke', close: () => server.close() }
}
