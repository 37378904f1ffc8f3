import { setTimeout as sleep } from 'node:timers/promises'
import * as sdk from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { legacyAgentCardRouter, legacyRestRouter } from '@a2a-js/sdk/compat/v0_3/server/express'
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
} from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc'
import type { JsonObject } from '../../src/lib/json.ts'
import type { Message, Part, StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { artifactText, fromPart, sampleParts, textOf, toPart } from './parts.ts'
import { NoSuchCall, type PlayOptions, playStep } from './play.ts'
import { answer, Reading, taskSeen } from './seen.ts'
import { type ServedPeer, servePeer } from './serve-http.ts'
import { bindings, type StepLine, versions } from './steps.ts'

type Served = sdk.Message | sdk.Task

/** The bus takes the kinds apart; the wire form names them. */
function publish(bus: ExecutionEventBus, event: object): void {
  const { payload } = sdk.StreamResponse.fromJSON(event)
  if (payload?.$case === 'task') bus.publish(AgentEvent.task(payload.value))
  else if (payload?.$case === 'message') bus.publish(AgentEvent.message(payload.value))
  else if (payload?.$case === 'statusUpdate') bus.publish(AgentEvent.statusUpdate(payload.value))
  else if (payload?.$case === 'artifactUpdate') bus.publish(AgentEvent.artifactUpdate(payload.value))
}

/** The scripted agent on the JavaScript SDK 1.x. */
function createScripted(): AgentExecutor {
  const contexts = new Map<string, string>()
  const stopped = new Set<string>()
  return {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const { parts } = sdk.Message.toJSON(userMessage) as { parts?: Part[] }
      const words = parts?.[0]?.text ?? ''
      const word = words.split(' ', 1)[0] ?? ''
      const rest = words.slice(word.length + 1)
      const ids = { taskId, contextId }
      const says = (text: string): object => ({
        messageId: `${taskId}-${text}`,
        role: 'ROLE_AGENT',
        parts: [{ text }],
        ...ids,
      })
      const status = (state: string, text?: string): void =>
        publish(bus, {
          statusUpdate: { ...ids, status: { state: `TASK_STATE_${state}`, ...(text && { message: says(text) }) } },
        })
      const give = (given: readonly Part[], artifactId = 'answer', append = false): void =>
        publish(bus, { artifactUpdate: { ...ids, artifact: { artifactId, parts: given }, append } })
      if (word === 'message') {
        publish(bus, {
          message: { messageId: `${taskId}-answer`, role: 'ROLE_AGENT', contextId, parts: [{ text: rest }] },
        })
        return bus.finished()
      }
      contexts.set(taskId, contextId)
      if (task !== undefined) {
        publish(bus, { task: { ...(sdk.Task.toJSON(task) as object), status: { state: 'TASK_STATE_WORKING' } } })
        give([{ text: `colour ${words}` }])
        status('COMPLETED')
        return bus.finished()
      }
      const history = [sdk.Message.toJSON(userMessage)]
      publish(bus, { task: { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' }, history } })
      status('WORKING')
      if (word === 'ask') status('INPUT_REQUIRED', 'which colour?')
      else if (word === 'fail') status('FAILED', 'it broke')
      else if (word === 'reject') status('REJECTED', 'not today')
      else {
        if (word === 'slow') {
          for (let at = 0; at < 300 && !stopped.has(taskId); at++) await sleep(100, undefined, { ref: false })
          if (stopped.has(taskId)) return
        } else if (word === 'count') {
          for (let at = 0; at < Number(rest); at++) {
            give([{ text: `${at} ` }], 'count', at > 0)
            await sleep(100)
          }
        } else if (word === 'chunks') {
          for (const [at, chunk] of ['one ', 'two ', 'three'].entries()) give([{ text: chunk }], 'chunks', at > 0)
        } else if (word === 'parts' || word === 'value') give(sampleParts(word).map(toPart))
        else if (word === 'size') give([{ text: `${Buffer.from(parts?.[1]?.raw ?? '', 'base64').length}` }])
        else if (word === 'mirror') give((parts ?? []).slice(1))
        else give([{ text: rest }])
        status('COMPLETED')
      }
      bus.finished()
    },
    async cancelTask(taskId, bus) {
      stopped.add(taskId)
      const contextId = contexts.get(taskId) ?? ''
      publish(bus, { statusUpdate: { taskId, contextId, status: { state: 'TASK_STATE_CANCELED' } } })
      bus.finished()
    },
  }
}

/** Serves the scripted agent of the JavaScript SDK 1.x over all its bindings and versions. */
export function serveJs1(): Promise<ServedPeer> {
  return servePeer((urls) => {
    const card = sdk.AgentCard.fromJSON({
      name: 'Interop',
      description: 'Follows a script',
      version: '1.2.3',
      supportedInterfaces: versions.flatMap((protocolVersion) =>
        bindings.map((protocolBinding) => ({ url: urls[protocolBinding], protocolBinding, protocolVersion })),
      ),
      capabilities: { streaming: true },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'script', name: 'Script', description: 'Follows a script', tags: ['test'] }],
    })
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), createScripted())
    const common = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } }
    const overGrpc = { requestHandler, userBuilder: GrpcUserBuilder.noAuthentication }
    return {
      http: (app) => {
        const wellKnown = '/.well-known/agent-card.json'
        app.use(wellKnown, legacyAgentCardRouter({ agentCardProvider: requestHandler }))
        app.use(wellKnown, agentCardHandler({ agentCardProvider: requestHandler }))
        app.use('/rpc', jsonRpcHandler(common))
        app.use('/rest', legacyRestRouter(common))
        app.use('/rest', restHandler(common))
      },
      grpc: [
        [A2AService, grpcService(overGrpc)],
        [LegacyA2AService, legacyGrpcService(overGrpc)],
      ],
    }
  })
}

/** Plays the steps with the JavaScript SDK 1.x. */
export async function playJs1(options: PlayOptions, report: (line: StepLine) => void): Promise<void> {
  const legacyCompat = { enabled: true }
  const resolver = new DefaultAgentCardResolver({ legacyCompat })
  const card = await resolver.resolve(options.card)
  const faces = card.supportedInterfaces.filter(
    (face) => face.protocolBinding === options.binding && face.protocolVersion.startsWith(options.version),
  )
  report({
    step: 'card',
    saw: {
      name: card.name,
      version: card.version,
      streaming: card.capabilities?.streaming === true,
      interfaces: faces.length,
    },
  })
  const transports = [
    new JsonRpcTransportFactory({ legacyCompat }),
    new RestTransportFactory({ legacyCompat }),
    new GrpcTransportFactory({ legacyCompat }),
  ]
  const factory = new ClientFactory({ transports })
  const client = await factory.createFromAgentCard({ ...card, supportedInterfaces: faces })

  const step = (name: string, work: () => Promise<JsonObject>): Promise<void> =>
    playStep(name, work, { report, explain })
  const request = (text: string, parts: readonly Part[] = [], ids: object = {}, now = false): sdk.SendMessageRequest =>
    sdk.SendMessageRequest.fromJSON({
      message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }, ...parts], ...ids },
      configuration: { returnImmediately: now },
    })
  const taskOf = (served: Served): Task | undefined =>
    'status' in served ? (sdk.Task.toJSON(served) as Task) : undefined
  const seen = (served: Served): JsonObject =>
    answer('status' in served ? { task: taskOf(served) } : { message: sdk.Message.toJSON(served) as Message })
  const send = async (...given: Parameters<typeof request>): Promise<Served> =>
    await client.sendMessage(request(...given))
  const get = async (id: string, historyLength?: number): Promise<Task> =>
    sdk.Task.toJSON(await client.getTask(sdk.GetTaskRequest.fromJSON({ id, historyLength }))) as Task
  const cancel = async (id: string): Promise<JsonObject> =>
    taskSeen(sdk.Task.toJSON(await client.cancelTask(sdk.CancelTaskRequest.fromJSON({ id }))) as Task)
  const event = (streamed: sdk.StreamResponse): StreamResponse => sdk.StreamResponse.toJSON(streamed) as StreamResponse
  const subscribe = async (id: string): Promise<Reading> => {
    const reading = new Reading()
    for await (const streamed of client.resubscribeTask(sdk.SubscribeToTaskRequest.fromJSON({ id })))
      reading.take(event(streamed))
    return reading
  }
  const partsOf = (served: Served): JsonObject => ({
    parts: (taskOf(served)?.artifacts ?? []).flatMap(({ parts }) => parts.map(fromPart)),
  })
  let done = ''
  let slow = ''
  let asked: Task | undefined

  await step('send', async () => {
    const served = await send('echo hällo 👋')
    done = taskOf(served)?.id ?? ''
    return seen(served)
  })
  await step('send-now', async () => {
    const served = await send('slow', [], {}, true)
    slow = taskOf(served)?.id ?? ''
    return seen(served)
  })
  await step('cancel', () => cancel(slow))
  await step('message', async () => seen(await send('message hi')))
  await step('stream', async () => {
    const reading = new Reading()
    for await (const streamed of client.sendMessageStream(request('chunks'))) reading.take(event(streamed))
    return reading.seen()
  })
  await step('ask', async () => {
    const served = await send('ask')
    asked = taskOf(served)
    return seen(served)
  })
  await step('reply', async () => {
    const served = await send('green', [], { taskId: asked?.id, contextId: asked?.contextId })
    return { ...seen(served), sameTask: taskOf(served)?.id === asked?.id }
  })
  await step('history', async () => {
    const whole = await get(asked?.id ?? '')
    const last = await get(asked?.id ?? '', 1)
    return { texts: (whole.history ?? []).map(({ parts }) => textOf(parts)), limited: last.history?.length ?? 0 }
  })
  await step('list', async () => {
    if (options.version === '0.3') throw new NoSuchCall('0.3 has no ListTasks')
    const { tasks, totalSize } = await client.listTasks(sdk.ListTasksRequest.fromJSON({ contextId: asked?.contextId }))
    return { found: tasks.some(({ id }) => id === asked?.id), total: totalSize }
  })
  await step('subscribe', async () => {
    const before = new Reading()
    for await (const streamed of client.sendMessageStream(request('count 12'))) {
      before.take(event(streamed))
      if (before.chunks >= 2) break
    }
    const again = await subscribe(before.task)
    const last = await get(before.task)
    return { state: again.states.at(-1) ?? '', text: again.text, final: artifactText(last.artifacts) }
  })
  await step('parts', async () => partsOf(await send('parts')))
  await step('value', async () => partsOf(await send('value')))
  await step('mirror', async () => partsOf(await send('mirror', sampleParts('parts').map(toPart))))
  await step('size', async () => seen(await send('size', sampleParts('parts').slice(1, 2).map(toPart))))
  await step('fail', async () => seen(await send('fail')))
  await step('reject', async () => seen(await send('reject')))
  await step('error-get-unknown', async () => taskSeen(await get('no-such-task')))
  await step('error-cancel-unknown', () => cancel('no-such-task'))
  await step('error-cancel-done', () => cancel(done))
  await step('error-send-done', async () => seen(await send('echo more', [], { taskId: done })))
  await step('error-send-unknown', async () => seen(await send('echo more', [], { taskId: 'no-such-task' })))
  await step('error-subscribe-unknown', async () => (await subscribe('no-such-task')).seen())
  await step('error-subscribe-done', async () => (await subscribe(done)).seen())
  await step('error-push', async () => {
    const config = sdk.TaskPushNotificationConfig.fromJSON({ taskId: done, id: 'p', url: 'https://example.com/hook' })
    return { got: (await client.createTaskPushNotificationConfig(config)).id }
  })
  await step('error-card', async () => {
    await client.getAgentCard()
    throw new NoSuchCall('the card says that there is none, so the SDK does not ask')
  })
  await step('error-invalid', async () => {
    const bad = request('x')
    if (bad.message !== undefined) bad.message.parts = []
    return seen(await client.sendMessage(bad))
  })
  await step('error-version', async () => {
    throw new NoSuchCall('the SDK writes the version itself')
  })
}

function explain(thrown: unknown): { name: string; code?: number; text: string } {
  const error = thrown as { name?: string; message?: string; code?: unknown; envelopeCode?: unknown; reason?: string }
  const code = typeof error.envelopeCode === 'number' ? error.envelopeCode : error.code
  const name = `${error.name ?? 'Error'} ${error.reason ?? ''}`.trim()
  return { name, text: error.message ?? String(thrown), ...(typeof code === 'number' && { code }) }
}
