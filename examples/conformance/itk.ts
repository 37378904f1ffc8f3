// What the integration test kit asks for: a walk over agents, each of which says its word and calls the next.
import { type Agent, connect, type EventStream, type Message, type SendOptions, type Task } from 'parlance'
import { completed, failed, type TaskContext, working, type Yielded } from 'parlance/server'
import { pause } from './behaviour.ts'
import { type CallAgent, type Instruction, instructionPart } from './instruction.ts'

const finished = 'task-finished'
const ticks = 5
const tickEvery = 2000

/** The bindings by the names that the kit has for them. */
const bindings: Readonly<Record<string, string>> = {
  jsonrpc: 'JSONRPC',
  grpc: 'GRPC',
  http_json: 'HTTP+JSON',
  'http+json': 'HTTP+JSON',
  rest: 'HTTP+JSON',
}

/** Does what an instruction says. */
export async function* follow(instruction: Instruction, task: TaskContext): AsyncIterable<Yielded> {
  yield working()
  let answer: Answer
  try {
    answer = await carryOut(instruction, task)
  } catch (error) {
    yield failed(`The instruction could not be carried out: ${(error as Error).message}`)
    return
  }
  const text = answer.texts.join('\n')
  if (answer.hold) {
    yield working(`${text}\n${finished}`)
    for (let tick = 0; tick < ticks; tick++) {
      if (!(await pause(tickEvery, task.signal))) return
      yield working()
    }
  }
  yield completed(text)
}

interface Answer {
  readonly texts: readonly string[]
  readonly hold: boolean
}

async function carryOut({ callAgent, returnResponse, steps }: Instruction, task: TaskContext): Promise<Answer> {
  if (returnResponse !== undefined) {
    return { texts: [returnResponse.response ?? ''], hold: returnResponse.holdTask === true }
  }
  if (callAgent !== undefined) return { texts: await call(callAgent, task.signal), hold: false }
  if (steps === undefined) throw new Error('it names no step: call_agent, return_response or steps')
  const texts: string[] = []
  let hold = false
  for (const step of steps.instructions ?? []) {
    const answer = await carryOut(step, task)
    texts.push(...answer.texts)
    hold ||= answer.hold
  }
  return { texts, hold }
}

async function call(callAgent: CallAgent, signal: AbortSignal): Promise<readonly string[]> {
  const { instruction = {}, streaming = false, pushNotification, resubscribe } = callAgent
  const agent = await reach(callAgent, signal)
  const parts = [instructionPart(instruction)]
  if (resubscribe !== undefined) return await resume(agent, agent.stream(parts, { signal }), signal)
  const options: SendOptions = {
    signal,
    ...(pushNotification && { taskPushNotificationConfig: { url: hookOf(pushNotification.url), token: 'itk-token' } }),
  }
  if (streaming) return await textsOf(agent.stream(parts, options))
  const { task, message } = await agent.send(parts, options)
  return task === undefined ? agentTexts([message]) : taskTexts(task)
}

/** The agent at an address, by one of its bindings only. */
async function reach({ agentCardUri = '', transport = '' }: CallAgent, signal: AbortSignal): Promise<Agent> {
  const binding = bindings[transport.toLowerCase()]
  if (binding === undefined) throw new Error(`there is no transport ${JSON.stringify(transport)}`)
  return await connect(agentCardUri, { signal, binding })
}

function hookOf(url = ''): string {
  return `${/^https?:\/\//.test(url) ? url : `http://${url}`}/notifications`
}

/** Leaves a stream after its first event, and hears the rest of the task by subscribing to it. */
async function resume(agent: Agent, stream: EventStream, signal: AbortSignal): Promise<readonly string[]> {
  let id: string | undefined
  for await (const { task, statusUpdate } of stream) {
    id = task?.id ?? statusUpdate?.taskId
    break
  }
  if (id === undefined) throw new Error('the first event of the stream names no task')
  const texts: string[] = []
  for await (const { task, statusUpdate } of agent.subscribe(id, { signal })) {
    texts.push(...(task ? taskTexts(task) : agentTexts([statusUpdate?.status.message])))
    if (texts.some((text) => text.includes(finished))) break
  }
  await agent.cancel(id).catch(() => undefined)
  return texts.map((text) => text.replace(finished, '').trim()).filter((text) => text !== '')
}

async function textsOf(stream: EventStream): Promise<readonly string[]> {
  const texts: string[] = []
  for await (const { task, message, statusUpdate } of stream) {
    texts.push(...(task ? taskTexts(task) : agentTexts([message ?? statusUpdate?.status.message])))
  }
  return texts
}

function taskTexts({ status, history = [] }: Task): readonly string[] {
  return agentTexts([...history, status.message])
}

function agentTexts(messages: readonly (Message | undefined)[]): readonly string[] {
  const said = messages.filter((message) => message?.role === 'ROLE_AGENT')
  return said.flatMap((message) => message?.parts.flatMap(({ text }) => (text === undefined ? [] : [text])) ?? [])
}
