import { expect, test } from 'vitest'
import { createFakeEndpoint } from '../bindings/testing.ts'
import { createFetch } from './fetch.ts'
import { createHttpServer } from './server.ts'
import { testAgent } from './testing.ts'

async function jsonOf(response: Response) {
  return JSON.parse(await response.text())
}

const call = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}'
const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ü' }] }

function create(endpoint = createFakeEndpoint(), mount?: string): (request: Request) => Promise<Response> {
  const { handle } = createHttpServer(testAgent, { endpoint, bodyLimit: 1_000 })
  return createFetch(handle, mount === undefined ? {} : { mount })
}

test('both bindings and the card answer web-standard requests', async () => {
  const answer = create()
  const rpc = await answer(new Request('https://fn.example/invoke', { method: 'POST', headers, body: call }))
  expect([rpc.status, rpc.headers.get('content-type'), (await jsonOf(rpc)).result.id]).toEqual([
    200,
    'application/json',
    't',
  ])
  const rest = await answer(new Request('https://fn.example/tasks/t?historyLength=1&A2A-Version=1.0'))
  expect((await jsonOf(rest)).id).toBe('t')
  const card = await answer(new Request('https://fn.example/.well-known/agent-card.json'))
  expect((await jsonOf(card)).supportedInterfaces[0].url).toBe('https://fn.example/invoke')
  const head = await answer(new Request('https://fn.example/.well-known/agent-card.json', { method: 'HEAD' }))
  expect([head.status, await head.text()]).toEqual([200, ''])
  const again = { headers: { 'if-none-match': card.headers.get('etag') ?? '' } }
  expect((await answer(new Request('https://fn.example/.well-known/agent-card.json', again))).status).toBe(304)
})

test('a stream is read piece by piece, and left by cancel', async () => {
  const endpoint = createFakeEndpoint()
  const answer = create(endpoint)
  const request = (): Request =>
    new Request('https://fn.example/message:stream', { method: 'POST', headers, body: JSON.stringify({ message }) })
  expect(await (await answer(request())).text()).toMatch(/^id: 1\ndata: .+\n\nid: 2\ndata: .+\n\n$/)
  let left = false
  const { frames } = endpoint
  endpoint.frames = async function* () {
    try {
      for (;;) yield* frames()
    } finally {
      left = true
    }
  }
  const reader = (await answer(request())).body?.getReader()
  await reader?.read()
  await reader?.cancel()
  await Promise.resolve()
  expect(left).toBe(true)
})

test('SEC-51 PJ-22 bodies are limited and must be UTF-8', async () => {
  const answer = create()
  const post = (body: string | Uint8Array): Promise<Response> =>
    answer(new Request('https://fn.example/invoke', { method: 'POST', headers, body: body as string }))
  expect((await post(' '.repeat(1_001))).status).toBe(413)
  expect((await jsonOf(await post(new Uint8Array([0x22, 0xff, 0x22])))).error.code).toBe(-32700)
})

test('a mounted agent knows where it is', async () => {
  const answer = create(createFakeEndpoint(), '/agents/echo/')
  const card = await answer(new Request('https://fn.example/agents/echo/.well-known/agent-card.json'))
  expect((await jsonOf(card)).supportedInterfaces[1].url).toBe('https://fn.example/agents/echo')
  expect((await answer(new Request('https://fn.example/agents/echo/tasks?A2A-Version=1.0'))).status).toBe(200)
})
