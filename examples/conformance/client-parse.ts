// What ACTS asks of a client: an answer is given to ours as if an agent had sent it, and what it understood is reported.
import { A2AError, type AgentCard, connect, type JsonObject, type JsonValue } from 'parlance'
import { artifact, completed, type TaskContext, type Yielded } from 'parlance/server'

const url = 'http://agent.invalid/invoke'

const card: AgentCard = {
  name: 'wire payload',
  description: 'Answers with what the suite has written.',
  version: '1.0.0',
  supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'answer', name: 'Answer', description: 'Answers.', tags: ['answer'] }],
}

/** Runs our client on the payload in the message and gives what it made of it. */
export async function* clientParse({ message }: TaskContext): AsyncIterable<Yielded> {
  const given = message.parts.find(({ data }) => data !== undefined)?.data as JsonObject | undefined
  const operation = String(given?.operation ?? '')
  yield artifact({ data: await understood(operation, given?.wire_payload ?? given?.wirePayload ?? null) })
  yield completed()
}

async function understood(operation: string, payload: JsonValue): Promise<JsonValue> {
  try {
    return await operationOf(operation)(payload)
  } catch (error) {
    const { row, message } = A2AError.from(error)
    return { error: { code: row.jsonRpc, message } }
  }
}

type Reading = (payload: JsonValue) => Promise<JsonValue>

/** How each operation is asked for, by its name without its spelling. */
const operations: Readonly<Record<string, Reading>> = {
  sendmessage: async (payload) => asJson(await (await callee(payload)).call('SendMessage', { message: ping })),
  sendstreamingmessage: async (payload) => {
    const events: unknown[] = []
    for await (const event of (await callee(payload)).stream('ping')) events.push(event)
    return asJson({ events })
  },
  gettask: async (payload) => asJson({ task: await (await callee(payload)).call('GetTask', { id: 'task' }) }),
  canceltask: async (payload) => asJson({ task: await (await callee(payload)).call('CancelTask', { id: 'task' }) }),
  listtasks: async (payload) => asJson(await (await callee(payload)).call('ListTasks', {})),
  getextendedagentcard: async (payload) => asJson(await (await callee(payload)).call('GetExtendedAgentCard', {})),
  getagentcard: readCard,
  agentcard: readCard,
}

const ping = { messageId: 'ping', role: 'ROLE_USER', parts: [{ text: 'ping' }] } as const

function operationOf(name: string): Reading {
  const known = operations[name.toLowerCase().replace(/[^a-z]/g, '')]
  if (known === undefined) {
    throw new A2AError('MethodNotFound', `operation: ${JSON.stringify(name)} is none of those that can be read`)
  }
  return known
}

async function readCard(payload: JsonValue): Promise<JsonValue> {
  const shown = (payload as { result?: JsonValue } | null)?.result ?? payload
  const { card: read } = await connect('http://agent.invalid', { fetch: async () => json(shown) })
  return asJson(read)
}

/** Our client before an agent that answers everything with one payload. */
function callee(payload: JsonValue): ReturnType<typeof connect> {
  return connect(card, { fetch: async (_url, init) => answer(payload, init), retry: { calls: 0, reconnects: 0 } })
}

function answer(payload: JsonValue, init: RequestInit | undefined): Response {
  if (typeof payload === 'string') return new Response(payload, { headers: { 'content-type': 'application/json' } })
  const { id, method } = JSON.parse(String(init?.body)) as { readonly id: JsonValue; readonly method: string }
  const whole = isEnvelope(payload) ? payload : { result: payload }
  const reply = { jsonrpc: '2.0', ...whole, id }
  if (method !== 'SendStreamingMessage') return json(reply)
  return new Response(`data: ${JSON.stringify(reply)}\n\n`, { headers: { 'content-type': 'text/event-stream' } })
}

function isEnvelope(payload: JsonValue): payload is JsonObject {
  return payload !== null && typeof payload === 'object' && ('jsonrpc' in payload || 'error' in payload)
}

function json(value: JsonValue): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })
}

function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue
}
