import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'
import express from 'express'
import { describe, expect, onTestFinished, test } from 'vitest'
import { closeIdleChannels } from '../../src/bindings/grpc/channel.ts'
import { type Agent, connect, createCardCache, type StreamResponse as Event } from '../../src/index.ts'

/** The bus takes the kinds apart; the wire form names them. */
function publish(bus: ExecutionEventBus, event: object): void {
  const { payload } = StreamResponse.fromJSON(event)
  if (payload === undefined) throw new TypeError('an event without content')
  if (payload.$case === 'task') bus.publish(AgentEvent.task(payload.value))
  else if (payload.$case === 'message') bus.publish(AgentEvent.message(payload.value))
  else if (payload.$case === 'statusUpdate') bus.publish(AgentEvent.statusUpdate(payload.value))
  else bus.publish(AgentEvent.artifactUpdate(payload.value))
}

/** Echoes in two chunks; `ask` asks back, `wait` works until it is canceled, `short` answers with a message. */
const executor: AgentExecutor = {
  async execute({ taskId, contextId, userMessage, request, task }, bus) {
    const asked = SendMessageRequest.toJSON(request) as { message: { parts: { text: string }[] } }
    const text = asked.message.parts[0]?.text
    const ids = { taskId, contextId }
    const status = (state: string, message?: object): void =>
      publish(bus, { statusUpdate: { ...ids, status: { state, ...(message && { message }) } } })
    const says = (words: string): object => ({ messageId: words, role: 'ROLE_AGENT', parts: [{ text: words }], ...ids })
    if (text === 'short') {
      publish(bus, { message: says('in short') })
      return bus.finished()
    }
    const known = task === undefined ? {} : (Task.toJSON(task) as object)
    const history = [Message.toJSON(userMessage)]
    publish(bus, { task: { ...known, id: taskId, contextId, status: { state: 'TASK_STATE_WORKING' }, history } })
    if (text === 'wait') return
    if (text === 'ask') {
      status('TASK_STATE_INPUT_REQUIRED', says('what?'))
      return bus.finished()
    }
    for (const [at, piece] of ['echo: ', text].entries()) {
      const artifact = { artifactId: 'a', parts: [{ text: piece }] }
      publish(bus, { artifactUpdate: { ...ids, artifact, append: at > 0, lastChunk: at > 0 } })
    }
    status('TASK_STATE_COMPLETED')
    bus.finished()
  },
  async cancelTask(taskId, bus) {
    publish(bus, { statusUpdate: { taskId, contextId: 'any', status: { state: 'TASK_STATE_CANCELED' } } })
    bus.finished()
  },
}

/** Serves what the SDK offers over gRPC; gives its port. */
async function startGrpc(server: GrpcServer): Promise<number> {
  onTestFinished(() => {
    closeIdleChannels()
    server.forceShutdown()
  })
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    )
  })
}

async function start({ binding, streaming }: { binding: string; streaming: boolean }): Promise<Agent> {
  const app = express()
  const listening = createServer(app)
  listening.listen(0, '127.0.0.1')
  onTestFinished(async () => {
    listening.closeAllConnections()
    await new Promise((resolve) => listening.close(resolve))
  })
  await once(listening, 'listening')
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
  const overGrpc = new GrpcServer()
  const address =
    binding === 'GRPC' ? `127.0.0.1:${await startGrpc(overGrpc)}` : url + (binding === 'JSONRPC' ? '/rpc' : '/rest')
  const card = AgentCard.fromJSON({
    name: 'SDK echo',
    description: 'Echoes',
    version: '1.0.0',
    supportedInterfaces: [{ url: address, protocolBinding: binding, protocolVersion: '1.0' }],
    capabilities: { streaming },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Echoes', tags: ['echo'] }],
  })
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor)
  const options = { requestHandler, userBuilder: UserBuilder.noAuthentication }
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
  app.use('/rpc', jsonRpcHandler(options))
  app.use('/rest', restHandler(options))
  const userBuilder = GrpcUserBuilder.noAuthentication
  overGrpc.addService(A2AService, grpcService({ requestHandler, userBuilder }))
  return connect(url, { cache: createCardCache(), polling: { base: 5, cap: 20 } })
}

for (const binding of ['JSONRPC', 'HTTP+JSON', 'GRPC']) {
  for (const streaming of [true, false]) {
    describe(`the published JavaScript server over ${binding}, ${streaming ? 'streaming' : 'polled'}`, () => {
      test('send, get and a message', async () => {
        const agent = await start({ binding, streaming })
        const result = await agent.send('hi')
        expect(result).toMatchObject({ ok: true, text: 'echo: hi', state: 'TASK_STATE_COMPLETED' })
        expect(await agent.get(result.task?.id ?? '')).toMatchObject({
          id: result.task?.id,
          contextId: result.contextId,
        })
        expect(await agent.send('short')).toMatchObject({ ok: true, text: 'in short', task: undefined })
        expect(agent.interface.protocolBinding).toBe(binding)
        expect(agent.warnings).toEqual([])
      })

      test('stream', async () => {
        const agent = await start({ binding, streaming })
        const events: Event[] = []
        const stream = agent.stream('hi')
        for await (const event of stream) events.push(event)
        expect(events[0]?.task).toBeDefined()
        expect(await stream.result()).toMatchObject({ ok: true, text: 'echo: hi' })
        if (streaming)
          expect(events.map((event) => Object.keys(event)[0])).toEqual([
            'task',
            'artifactUpdate',
            'artifactUpdate',
            'statusUpdate',
          ])
      })

      test('a question and its answer', async () => {
        const agent = await start({ binding, streaming })
        const conversation = agent.conversation()
        const question = await conversation.send('ask')
        expect(question).toMatchObject({ ok: false, state: 'TASK_STATE_INPUT_REQUIRED', text: 'what?' })
        const answer = await conversation.send('this')
        expect(answer).toMatchObject({ ok: true, text: 'echo: this', contextId: question.contextId })
        expect(answer.task?.id).toBe(question.task?.id)
        expect(conversation.taskId).toBeUndefined()
      })

      test('cancel, and what is not there', async () => {
        const agent = await start({ binding, streaming })
        const stream = agent.stream('wait')
        let id = ''
        for await (const { task, statusUpdate } of stream) {
          if (task !== undefined && id === '') {
            id = task.id
            expect((await agent.cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
          }
          if (statusUpdate !== undefined) expect(statusUpdate.status.state).toBe('TASK_STATE_CANCELED')
        }
        expect((await stream.result()).state).toBe('TASK_STATE_CANCELED')
        expect((await agent.cancel(id)).status.state).toBe('TASK_STATE_CANCELED')
        await expect(agent.get('nothing')).rejects.toMatchObject({ code: 'TaskNotFound', origin: 'remote' })
        await expect(agent.send('x', { taskId: 'nothing' })).rejects.toMatchObject({ code: 'TaskNotFound' })
      })
    })
  }
}
