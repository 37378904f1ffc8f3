import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../lib/json.ts'
import { beginStream, connectFast, type Peer, sendJson, sendResult, startPeer, writePieces } from './testing.ts'

/** The card that Docker Agent 1.149 serves for `pong.yaml`: no skill name, empty mode lists. */
function cardAt(url: string, streaming: boolean): JsonObject {
  return {
    name: 'pong',
    description: 'Answers pong',
    supportedInterfaces: [{ url: `${url}/invoke`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    version: 'v1.149.0',
    capabilities: { streaming },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [{ id: 'pong_', name: '', description: 'Answers pong', tags: ['llm', 'docker agent'] }],
  }
}

const ids = { taskId: 't1', contextId: 'c1' }
const adk = {
  adk_app_name: 'pong',
  adk_user_id: 'A2A_USER_c1',
  adk_session_id: 'c1',
  'https://google.github.io/adk-docs/a2a/a2a-extension/': true,
}
const perEvent = { ...adk, adk_invocation_id: 'e1', adk_author: 'root' }

const user = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'ping' }], ...ids }
const partial = (part: JsonObject, more: JsonObject = {}): JsonObject => ({
  artifactUpdate: {
    ...ids,
    artifact: { artifactId: 'p1', parts: [part], metadata: { ...perEvent, adk_partial: true } },
    ...more,
  },
})
const result: JsonObject = { artifactId: 'r1', parts: [{ text: 'pong' }], metadata: perEvent }
const reset: JsonObject = { artifactId: 'p1', parts: [{ data: {} }], metadata: { ...perEvent, adk_partial: true } }

const stream: readonly JsonObject[] = [
  {
    task: {
      id: 't1',
      contextId: 'c1',
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: '2026-08-01T10:00:00.000001Z' },
      history: [user],
      metadata: adk,
    },
  },
  {
    statusUpdate: {
      ...ids,
      status: { state: 'TASK_STATE_WORKING', timestamp: '2026-08-01T10:00:00.000002Z' },
      metadata: adk,
    },
  },
  partial({ text: 'po' }),
  partial({ text: 'ng' }),
  { artifactUpdate: { ...ids, artifact: result } },
  partial({ data: {} }, { lastChunk: true }),
  {
    statusUpdate: {
      ...ids,
      status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-08-01T10:00:01.000000Z' },
      metadata: adk,
    },
  },
]

const task: JsonObject = {
  id: 't1',
  contextId: 'c1',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-08-01T10:00:01Z' },
  artifacts: [reset, result],
  history: [user],
  metadata: adk,
}

async function start(streaming: boolean): Promise<Peer> {
  const peer: Peer = await startPeer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer secret') return sendJson(response, { message: 'Unauthorized' }, 401)
    if (request.url === '/.well-known/agent-card.json') return sendJson(response, cardAt(peer.url, streaming))
    if (request.url !== '/invoke') return void response.writeHead(404).end()
    if (request.body.method === 'SendStreamingMessage') {
      beginStream(response)
      const { id } = request.body
      await writePieces(
        response,
        stream.map((event) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: event })}\n\n`),
      )
      return void response.end()
    }
    sendResult(response, request, request.body.method === 'SendMessage' ? { task } : task)
  })
  return peer
}

describe('Docker Agent 1.149', () => {
  for (const streaming of [true, false]) {
    test(`${streaming ? 'streamed' : 'blocking'}: the text is there, once`, async () => {
      const peer = await start(streaming)
      const agent = await connectFast(peer.url, { token: 'secret' })
      const answer = await agent.send('ping')
      expect(answer).toMatchObject({
        ok: true,
        state: 'TASK_STATE_COMPLETED',
        text: 'pong',
        data: [],
        files: [],
        contextId: 'c1',
      })
      expect(agent.interface.url).toBe(`${peer.url}/invoke`)
      expect(agent.card.skills[0]).toMatchObject({ id: 'pong_', name: '' })
    })
  }

  test('its oddities are named once', async () => {
    const agent = await connectFast((await start(true)).url, { token: 'secret' })
    await agent.send('ping')
    await agent.send('ping')
    const names = agent.warnings.map((text) => /^card: ([^:]+)/.exec(text)?.[1])
    expect(names.sort()).toEqual(['defaultInputModes', 'defaultOutputModes', 'skills[0].name'])
  })

  test('a stored task reads the same', async () => {
    const agent = await connectFast((await start(true)).url, { token: 'secret' })
    expect(await agent.subscribe('t1').result()).toMatchObject({ text: 'pong', data: [] })
  })

  test('the card is behind the token as well', async () => {
    await expect(connectFast((await start(true)).url)).rejects.toMatchObject({ code: 'Unauthenticated' })
  })
})
