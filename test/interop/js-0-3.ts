import { setTimeout as sleep } from 'node:timers/promises'
import type * as sdk from 'a2a-js-sdk-v0-3'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from 'a2a-js-sdk-v0-3/client'
import { GrpcTransportFactory } from 'a2a-js-sdk-v0-3/client/grpc'
import { type AgentExecutor, DefaultRequestHandler, InMemoryTaskStore } from 'a2a-js-sdk-v0-3/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from 'a2a-js-sdk-v0-3/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from 'a2a-js-sdk-v0-3/server/grpc'
import type { JsonObject } from '../../src/lib/json.ts'
import { type NeutralPart, sampleParts } from './parts.ts'
import { NoSuchCall, type PlayOptions, playStep } from './play.ts'
import { type ServedPeer, servePeer } from './serve-http.ts'
import type { StepLine } from './steps.ts'

type Event = sdk.Task | sdk.Message | sdk.TaskStatusUpdateEvent | sdk.TaskArtifactUpdateEvent

function toPart({ text, bytes, url, data, name, mediaType }: NeutralPart): sdk.Part {
  if (text !== undefined) return { kind: 'text', text: text as string }
  const about = {
    ...(name !== undefined && { name: name as string }),
    ...(mediaType !== undefined && { mimeType: mediaType as string }),
  }
  if (bytes !== undefined) return { kind: 'file', file: { bytes: bytes as string, ...about } }
  if (url !== undefined) return { kind: 'file', file: { uri: url as string, ...about } }
  if (data !== null && typeof data === 'object' && !Array.isArray(data)) return { kind: 'data', data: { ...data } }
  return { kind: 'data', data: { value: data }, metadata: { data_part_compat: true } }
}

function fromPart(part: sdk.Part): NeutralPart {
  if (part.kind === 'text') return { text: part.text }
  if (part.kind === 'data') {
    const data = part.metadata?.data_part_compat === true ? part.data.value : part.data
    return { data: data as JsonObject }
  }
  const { file } = part
  return {
    ...('bytes' in file ? { bytes: file.bytes } : { url: file.uri }),
    ...(file.mimeType !== undefined && { mediaType: file.mimeType }),
    ...(file.name !== undefined && { name: file.name }),
  }
}

function textOf(parts: readonly sdk.Part[] | undefined): string {
  return (parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('')
}

function artifactText(task: sdk.Task): string {
  return (task.artifacts ?? []).map(({ parts }) => textOf(parts)).join('')
}

function seen(event: sdk.Task | sdk.Message): JsonObject {
  if (event.kind === 'message') return { kind: 'message', role: event.role, text: textOf(event.parts) }
  const said = textOf(event.status.message?.parts)
  return { kind: 'task', state: event.status.state, text: artifactText(event), said }
}

/** The scripted agent on the JavaScript SDK 0.3. */
function createScripted(): AgentExecutor {
  const contexts = new Map<string, string>()
  const stopped = new Set<string>()
  return {
    async execute({ taskId, contextId, userMessage, task }, bus) {
      const first = userMessage.parts[0]
      const words = first?.kind === 'text' ? first.text : ''
      const word = words.split(' ', 1)[0] ?? ''
      const rest = words.slice(word.length + 1)
      const says = (text: string): sdk.Message => ({
        kind: 'message',
        messageId: `${taskId}-${text}`,
        role: 'agent',
        parts: [{ kind: 'text', text }],
        taskId,
        contextId,
      })
      const status = (state: sdk.TaskState, { text, final = true }: { text?: string; final?: boolean } = {}): void =>
        bus.publish({
          kind: 'status-update',
          taskId,
          contextId,
          final,
          status: { state, ...(text !== undefined && { message: says(text) }) },
        })
      const give = (parts: sdk.Part[], artifactId = 'answer', append = false): void =>
        bus.publish({ kind: 'artifact-update', taskId, contextId, append, artifact: { artifactId, parts } })
      const text = (given: string): sdk.Part => ({ kind: 'text', text: given })
      if (word === 'message') {
        bus.publish({ kind: 'message', messageId: `${taskId}-answer`, role: 'agent', parts: [text(rest)], contextId })
        return bus.finished()
      }
      contexts.set(taskId, contextId)
      if (task !== undefined) {
        give([text(`colour ${words}`)])
        status('completed')
        return bus.finished()
      }
      bus.publish({ kind: 'task', id: taskId, contextId, status: { state: 'submitted' }, history: [userMessage] })
      status('working', { final: false })
      if (word === 'ask') status('input-required', { text: 'which colour?' })
      else if (word === 'fail') status('failed', { text: 'it broke' })
      else if (word === 'reject') status('rejected', { text: 'not today' })
      else {
        if (word === 'slow') {
          for (let at = 0; at < 300 && !stopped.has(taskId); at++) await sleep(100, undefined, { ref: false })
          if (stopped.has(taskId)) return
        } else if (word === 'count') {
          for (let at = 0; at < Number(rest); at++) {
            give([text(`${at} `)], 'count', at > 0)
            await sleep(100)
          }
        } else if (word === 'chunks') {
          for (const [at, chunk] of ['one ', 'two ', 'three'].entries()) give([text(chunk)], 'chunks', at > 0)
        } else if (word === 'parts' || word === 'value') give(sampleParts(word).map(toPart))
        else if (word === 'size') {
          const sent = userMessage.parts[1]
          const bytes = sent?.kind === 'file' && 'bytes' in sent.file ? sent.file.bytes : ''
          give([text(`${Buffer.from(bytes, 'base64').length}`)])
        } else if (word === 'mirror') give(userMessage.parts.slice(1))
        else give([text(rest)])
        status('completed')
      }
      bus.finished()
    },
    async cancelTask(taskId, bus) {
      stopped.add(taskId)
      const contextId = contexts.get(taskId) ?? ''
      bus.publish({ kind: 'status-update', taskId, contextId, final: true, status: { state: 'canceled' } })
      bus.finished()
    },
  }
}

/** Serves the scripted agent of the JavaScript SDK 0.3 over its three bindings. */
export function serveJs03(): Promise<ServedPeer> {
  return servePeer((urls) => {
    const card: sdk.AgentCard = {
      name: 'Interop',
      description: 'Follows a script',
      version: '1.2.3',
      protocolVersion: '0.3.0',
      url: urls.JSONRPC,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: Object.entries(urls).map(([transport, url]) => ({ transport, url })),
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'script', name: 'Script', description: 'Follows a script', tags: ['test'] }],
    }
    const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), createScripted())
    const common = { requestHandler, userBuilder: UserBuilder.noAuthentication }
    return {
      http: (app) => {
        app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }))
        app.use('/rpc', jsonRpcHandler(common))
        app.use('/rest', restHandler(common))
      },
      grpc: [[A2AService, grpcService({ requestHandler, userBuilder: GrpcUserBuilder.noAuthentication })]],
    }
  })
}

/** What a stream showed so far. */
class Reading {
  readonly kinds: string[] = []
  readonly states: string[] = []
  text = ''
  task = ''

  take(event: Event): void {
    this.kinds.push(event.kind)
    if (event.kind === 'task') {
      this.task = event.id
      this.states.push(event.status.state)
      this.text = artifactText(event)
    } else if (event.kind === 'status-update') {
      this.task = event.taskId
      this.states.push(event.status.state)
    } else if (event.kind === 'artifact-update') {
      this.task = event.taskId
      this.text += textOf(event.artifact.parts)
    }
  }

  get chunks(): number {
    return this.kinds.filter((kind) => kind === 'artifact-update').length
  }

  seen(): JsonObject {
    return { first: this.kinds[0] ?? '', states: this.states, text: this.text, chunks: this.chunks }
  }
}

/** Plays the steps with the JavaScript SDK 0.3. */
export async function playJs03(options: PlayOptions, report: (line: StepLine) => void): Promise<void> {
  const card = await new DefaultAgentCardResolver().resolve(options.card)
  const faces = new Map([[card.preferredTransport ?? 'JSONRPC', card.url]])
  for (const { transport, url } of card.additionalInterfaces ?? []) faces.set(transport, url)
  report({
    step: 'card',
    saw: {
      name: card.name,
      version: card.version,
      streaming: card.capabilities.streaming === true,
      interfaces: faces.has(options.binding) ? 1 : 0,
    },
  })
  const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()]
  const factory = new ClientFactory({ transports, preferredTransports: [options.binding] })
  const client = await factory.createFromAgentCard(card)

  const step = (name: string, work: () => Promise<JsonObject>): Promise<void> =>
    playStep(name, work, { report, explain })
  const request = (
    text: string,
    parts: readonly sdk.Part[] = [],
    ids: object = {},
    blocking = true,
  ): sdk.MessageSendParams => ({
    message: {
      kind: 'message',
      messageId: crypto.randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text }, ...parts],
      ...ids,
    },
    configuration: { blocking },
  })
  const send = (...given: Parameters<typeof request>): Promise<sdk.Task | sdk.Message> =>
    client.sendMessage(request(...given))
  const idOf = (answer: sdk.Task | sdk.Message): string => (answer.kind === 'task' ? answer.id : '')
  const subscribe = async (id: string): Promise<Reading> => {
    const reading = new Reading()
    for await (const event of client.resubscribeTask({ id })) reading.take(event)
    return reading
  }
  const partsOf = (answer: sdk.Task | sdk.Message): JsonObject => ({
    parts: answer.kind === 'task' ? (answer.artifacts ?? []).flatMap(({ parts }) => parts.map(fromPart)) : [],
  })
  let done = ''
  let slow = ''
  let asked: sdk.Task | undefined

  await step('send', async () => {
    const answer = await send('echo hällo 👋')
    done = idOf(answer)
    return seen(answer)
  })
  await step('send-now', async () => {
    const answer = await send('slow', [], {}, false)
    slow = idOf(answer)
    return seen(answer)
  })
  await step('cancel', async () => seen(await client.cancelTask({ id: slow })))
  await step('message', async () => seen(await send('message hi')))
  await step('stream', async () => {
    const reading = new Reading()
    for await (const event of client.sendMessageStream(request('chunks'))) reading.take(event)
    return reading.seen()
  })
  await step('ask', async () => {
    const answer = await send('ask')
    asked = answer.kind === 'task' ? answer : undefined
    return seen(answer)
  })
  await step('reply', async () => {
    const answer = await send('green', [], { taskId: asked?.id, contextId: asked?.contextId })
    return { ...seen(answer), sameTask: idOf(answer) === asked?.id }
  })
  await step('history', async () => {
    const whole = await client.getTask({ id: asked?.id ?? '' })
    const last = await client.getTask({ id: asked?.id ?? '', historyLength: 1 })
    return { texts: (whole.history ?? []).map(({ parts }) => textOf(parts)), limited: last.history?.length ?? 0 }
  })
  await step('subscribe', async () => {
    const before = new Reading()
    for await (const event of client.sendMessageStream(request('count 12'))) {
      before.take(event)
      if (before.chunks >= 2) break
    }
    const again = await subscribe(before.task)
    const last = await client.getTask({ id: before.task })
    return { state: again.states.at(-1) ?? '', text: again.text, final: artifactText(last) }
  })
  await step('parts', async () => partsOf(await send('parts')))
  await step('value', async () => partsOf(await send('value')))
  await step('mirror', async () => partsOf(await send('mirror', sampleParts('parts').map(toPart))))
  await step('size', async () => seen(await send('size', sampleParts('parts').slice(1, 2).map(toPart))))
  await step('fail', async () => seen(await send('fail')))
  await step('reject', async () => seen(await send('reject')))
  await step('error-get-unknown', async () => seen(await client.getTask({ id: 'no-such-task' })))
  await step('error-cancel-unknown', async () => seen(await client.cancelTask({ id: 'no-such-task' })))
  await step('error-cancel-done', async () => seen(await client.cancelTask({ id: done })))
  await step('error-send-done', async () => seen(await send('echo more', [], { taskId: done })))
  await step('error-send-unknown', async () => seen(await send('echo more', [], { taskId: 'no-such-task' })))
  await step('error-subscribe-unknown', async () => (await subscribe('no-such-task')).seen())
  await step('error-subscribe-done', async () => (await subscribe(done)).seen())
  await step('error-push', async () => {
    const pushNotificationConfig = { id: 'p', url: 'https://example.com/hook' }
    const { taskId } = await client.setTaskPushNotificationConfig({ taskId: done, pushNotificationConfig })
    return { got: taskId }
  })
  await step('error-card', async () => {
    await client.getAgentCard()
    throw new NoSuchCall('the card says that there is none, so the SDK does not ask')
  })
  await step('error-invalid', async () => {
    const bad = request('x')
    bad.message.parts = []
    return seen(await client.sendMessage(bad))
  })
}

/** The SDK has classes for the errors of A2A; others it tells in its text: the code of JSON-RPC, or the status of gRPC. */
function explain(thrown: unknown): { name: string; code?: number; text: string } {
  const error = thrown as { message?: string; code?: unknown; errorResponse?: { error?: { code?: number } } }
  const text = error.message ?? String(thrown)
  const told = /\(Code: (-?\d+)\)/.exec(text)?.[1]
  const code = error.errorResponse?.error?.code ?? (told === undefined ? undefined : Number(told))
  const name = /GRPC error for \w+! 3 /.test(text) ? 'INVALID_ARGUMENT' : (error.constructor?.name ?? 'Error')
  return { name, text, ...(code !== undefined && { code }) }
}
