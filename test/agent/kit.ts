import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentFileOptions, type LoadedAgent, loadAgentFile } from '../../src/agent/load.ts'
import type { Executor, TaskContext, Yielded } from '../../src/engine/executor.ts'
import { silent } from '../../src/lib/log.ts'
import type { Message, Part, Task } from '../../src/protocol/generated/v1/types.ts'

/** A folder for the files of one test file. */
export interface Folder {
  readonly path: string
  write(name: string, text: string): Promise<string>
  remove(): Promise<void>
}

export async function createFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'parlance-agent-'))
  return {
    path,
    async write(name, text) {
      await writeFile(join(path, name), text)
      return join(path, name)
    },
    remove: () => rm(path, { recursive: true }),
  }
}

/** Loads YAML text with nothing taken from the machine: no variables, no waiting, no probe. */
export async function loadText(folder: Folder, text: string, options: AgentFileOptions = {}): Promise<LoadedAgent> {
  const path = await folder.write('agent.yaml', text)
  return loadAgentFile(path, { env: {}, probe: false, sleep: async () => {}, random: () => 0, ...options })
}

export function userMessage(content: string | readonly Part[], more: Partial<Message> = {}): Message {
  return {
    messageId: 'm',
    role: 'ROLE_USER',
    parts: typeof content === 'string' ? [{ text: content }] : content,
    ...more,
  }
}

/** A task as the engine would give it. */
export function taskOf(
  content: string | readonly Part[],
  more: Partial<TaskContext> & { readonly earlier?: readonly Task[]; readonly stored?: Task } = {},
): TaskContext {
  const { earlier = [], stored, ...given } = more
  const message = userMessage(content)
  return {
    id: 'task',
    contextId: 'context',
    message,
    messages: { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }) },
    history: [],
    context: { id: 'context', tasks: async (limit = 100) => earlier.slice(-limit) },
    references: async () => [],
    task: async () => stored ?? { id: 'task', contextId: 'context', status: { state: 'TASK_STATE_WORKING' } },
    signal: new AbortController().signal,
    log: silent,
    acceptedOutputModes: [],
    metadata: {},
    extensions: [],
    tenant: '',
    owner: 'owner',
    resumed: false,
    ...given,
  }
}

/** What an executor yields: texts as they are, a status as `STATE: text`, other things as they are. */
export async function run(agent: { readonly run: Executor }, task: TaskContext): Promise<readonly unknown[]> {
  const yields: unknown[] = []
  for await (const each of agent.run(task)) yields.push(simple(each))
  return yields
}

function simple(each: Yielded): unknown {
  if (typeof each === 'string' || !('kind' in each) || each.kind !== 'status') return each
  const text = (each.parts ?? []).map((part) => part.text).join('')
  return `${each.state.replace('TASK_STATE_', '')}${text === '' ? '' : `: ${text}`}`
}

/** What a model server was asked. */
export interface ModelRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: bodies of three different providers
  readonly body: any
}

export interface ModelServer {
  readonly url: string
  readonly requests: ModelRequest[]
  /** How each request is answered, in their order; the last answer repeats. */
  answer(...replies: readonly Reply[]): void
  close(): Promise<void>
}

export type Reply = (response: ServerResponse, request: ModelRequest) => void | Promise<void>

/** A server that stands in for a provider. */
export async function startModelServer(): Promise<ModelServer> {
  const requests: ModelRequest[] = []
  let replies: readonly Reply[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const seen: ModelRequest = {
      path: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    requests.push(seen)
    const reply = replies.length > 1 ? replies[0] : replies.at(-1)
    if (replies.length > 1) replies = replies.slice(1)
    await reply?.(response, seen)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answer(...next) {
      requests.length = 0
      replies = next
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** An answer in OpenAI's stream form: texts, or whole deltas, then the reason of the end. */
export function chat(deltas: readonly (string | object)[], finish: string | null = 'stop'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of deltas) response.write(chatChunk(typeof delta === 'string' ? { content: delta } : delta))
    if (finish !== null) response.write(chatChunk({}, finish))
    response.end('data: [DONE]\n\n')
  }
}

export function chatChunk(delta: object, finish: string | null = null): string {
  const chunk = {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  }
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** A stream of server-sent events with the given data. */
export function events(list: readonly (readonly [event: string | undefined, data: object])[]): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [event, data] of list)
      response.write(`${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`)
    response.end()
  }
}

export function problem(status: number, body: object, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }
}
