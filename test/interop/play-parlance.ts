import { A2AError, type Agent, connect, createCardCache, type Result } from '../../src/index.ts'
import type { JsonObject } from '../../src/lib/json.ts'
import { artifactText, fromPart, sampleParts, textOf, toPart } from './parts.ts'
import { NoSuchCall, type PlayOptions, playStep } from './play.ts'
import { answer, Reading, taskSeen } from './seen.ts'
import type { StepLine } from './steps.ts'

const unknown = 'no-such-task'

/** Plays the steps with Parlance's client. */
export async function playParlance(options: PlayOptions, report: (line: StepLine) => void): Promise<void> {
  const { card: url, binding, version } = options
  const agent = await connect(url, { cache: createCardCache(), binding, version, limits: { firstByte: 15_000 } })
  const { card } = agent
  const faces = card.supportedInterfaces.filter(
    (face) => face.protocolBinding === binding && face.protocolVersion.startsWith(version),
  )
  report({
    step: 'card',
    saw: {
      name: card.name,
      version: card.version,
      streaming: card.capabilities.streaming === true,
      interfaces: faces.length,
    },
  })
  await playWith(agent, (name, work) => playStep(name, work, { report, explain }))
}

function explain(thrown: unknown): { name: string; text: string } {
  const error = A2AError.from(thrown)
  return { name: error.code, text: `${error.message} ${JSON.stringify(error.metadata ?? {})}` }
}

async function playWith(
  agent: Agent,
  step: (name: string, work: () => Promise<JsonObject>) => Promise<void>,
): Promise<void> {
  let done = ''
  let slow = ''
  let asked: Result | undefined
  const get = async (id: string): Promise<JsonObject> => taskSeen(await agent.get(id))
  const cancel = async (id: string): Promise<JsonObject> => taskSeen(await agent.cancel(id))

  await step('send', async () => {
    const result = await agent.send('echo hällo 👋')
    done = result.task?.id ?? ''
    return answer(result)
  })
  await step('send-now', async () => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'slow' }] }
    const { task } = await agent.call('SendMessage', { message, configuration: { returnImmediately: true } })
    slow = task?.id ?? ''
    return task === undefined ? {} : taskSeen(task)
  })
  await step('cancel', async () => {
    if (slow === '') slow = await streamedTask(agent, 'slow')
    return cancel(slow)
  })
  await step('message', async () => answer(await agent.send('message hi')))
  await step('stream', async () => {
    const reading = new Reading()
    for await (const event of agent.stream('chunks')) reading.take(event)
    return reading.seen()
  })
  await step('ask', async () => {
    asked = await agent.send('ask')
    return answer(asked)
  })
  await step('reply', async () => {
    const result = await asked?.reply('green')
    return { ...(result && answer(result)), sameTask: result?.task?.id === asked?.task?.id }
  })
  await step('history', async () => {
    const id = asked?.task?.id ?? ''
    const whole = await agent.get(id)
    const last = await agent.get(id, { historyLength: 1 })
    return { texts: (whole.history ?? []).map(({ parts }) => textOf(parts)), limited: last.history?.length ?? 0 }
  })
  await step('list', async () => {
    if (agent.interface.protocolVersion === '0.3') throw new NoSuchCall('0.3 has no ListTasks')
    const { tasks, totalSize } = await agent.list({ contextId: asked?.task?.contextId ?? '' })
    return { found: tasks.some(({ id }) => id === asked?.task?.id), total: totalSize }
  })
  await step('subscribe', async () => {
    const before = new Reading()
    for await (const event of agent.stream('count 12')) {
      before.take(event)
      if (before.chunks >= 2) break
    }
    const again = new Reading()
    for await (const event of agent.subscribe(before.task)) again.take(event)
    const last = await agent.get(before.task)
    return { state: again.states.at(-1) ?? '', text: again.text, final: artifactText(last.artifacts) }
  })
  const partsOf = async (result: Result): Promise<JsonObject> => ({
    parts: (result.task?.artifacts ?? []).flatMap(({ parts }) => parts.map(fromPart)),
  })
  await step('parts', async () => partsOf(await agent.send('parts')))
  await step('value', async () => partsOf(await agent.send('value')))
  await step('mirror', async () => partsOf(await agent.send(['mirror', ...sampleParts('parts').map(toPart)])))
  await step('size', async () => answer(await agent.send(['size', ...sampleParts('parts').slice(1, 2).map(toPart)])))
  await step('fail', async () => answer(await agent.send('fail')))
  await step('reject', async () => answer(await agent.send('reject')))

  await step('error-get-unknown', () => get(unknown))
  await step('error-cancel-unknown', () => cancel(unknown))
  await step('error-cancel-done', () => cancel(done))
  await step('error-send-done', async () => answer(await agent.send('echo more', { taskId: done })))
  await step('error-send-unknown', async () => answer(await agent.send('echo more', { taskId: unknown })))
  await step('error-subscribe-unknown', () => subscribeRaw(agent, unknown))
  await step('error-subscribe-done', () => subscribeRaw(agent, done))
  await step('error-push', async () => {
    const config = { taskId: done, id: 'p', url: 'https://example.com/hook' }
    return { got: (await agent.call('CreateTaskPushNotificationConfig', config)).id ?? '' }
  })
  await step('error-card', async () => ({ got: (await agent.call('GetExtendedAgentCard', {})).name }))
  await step('error-invalid', async () => answer(await agent.send([])))
}

/** Starts a task by streaming and leaves it. */
async function streamedTask(agent: Agent, text: string): Promise<string> {
  const reading = new Reading()
  for await (const event of agent.stream(text)) {
    reading.take(event)
    if (reading.task !== '') break
  }
  return reading.task
}

/** The operation itself; `subscribe` would read the task of one that has ended. */
async function subscribeRaw(agent: Agent, id: string): Promise<JsonObject> {
  const context = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }
  const { events } = await agent.endpoint.stream({ operation: 'SubscribeToTask', request: { id }, context })
  const kinds: string[] = []
  for await (const group of events) kinds.push(...group.map(({ value }) => Object.keys(value)[0] ?? ''))
  return { events: kinds }
}
