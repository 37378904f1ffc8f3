import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createFakeEndpoint, type FakeEndpoint, framesOf, update } from '../bindings/testing.ts'
import { encodeText } from '../protocol/encoded.ts'
import type { StreamEvent } from '../protocol/endpoint.ts'
import { connectRaw, eventually, listenForTest, rpcText, type TestServer, type TestServerOptions } from './testing.ts'

const open: TestServer[] = []
async function start(options?: TestServerOptions): Promise<TestServer> {
  const started = await listenForTest(options)
  open.push(started)
  return started
}
afterEach(async () => {
  for (const { listener } of open.splice(0)) await listener.close(0)
})

const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] }
const streamText = rpcText('SendStreamingMessage', { message })

/** An endpoint whose streams go on until they are left; it counts what was taken from them. */
function createEndless(text: string): FakeEndpoint & { taken: number; left: number } {
  const endless = Object.assign(createFakeEndpoint(), { taken: 0, left: 0 })
  endless.frames = async function* () {
    try {
      for (;;) {
        endless.taken++
        yield [encodeText(text, endless.taken) as StreamEvent]
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      endless.left++
    }
  }
  return endless
}

test('SSE-01 SSE-05 a stream, byte by byte: the first event travels with the head, what is ready in one turn is one chunk', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    const states = ['TASK_STATE_WORKING', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED'] as const
    for await (const group of framesOf(...states.map((state) => [update(state)]))) {
      if (group[0]?.id === 3) await new Promise((resolve) => setTimeout(resolve, 20))
      yield group
    }
  }
  const { port } = await start({ endpoint })
  const client = connectRaw(port)
  client.write(streamText)
  const [head = '', ...chunks] = (await client.until('\r\n0\r\n\r\n')).split(/\r\n\r\n/)
  expect(head.replace(/Date: [^\r]+/, 'Date: now').split('\r\n')).toEqual([
    'HTTP/1.1 200 OK',
    'content-type: text/event-stream',
    'cache-control: no-cache, no-transform',
    'x-accel-buffering: no',
    'x-content-type-options: nosniff',
    'Date: now',
    'Connection: keep-alive',
    'Keep-Alive: timeout=65',
    'Transfer-Encoding: chunked',
  ])
  const frame = (id: number, state: 'TASK_STATE_WORKING' | 'TASK_STATE_COMPLETED'): string =>
    `id: ${id}\ndata: {"jsonrpc":"2.0","id":1,"result":${JSON.stringify(update(state))}}\n\n`
  const groups = [frame(1, 'TASK_STATE_WORKING') + frame(2, 'TASK_STATE_WORKING'), frame(3, 'TASK_STATE_COMPLETED')]
  expect(chunks.join('\r\n\r\n')).toBe(
    `${groups.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`).join('')}0\r\n\r\n`,
  )
  client.write(rpcText('GetTask', { id: 't' }))
  await client.until('"id":1,"result":{"id":"t"')
  client.socket.destroy()
})

test('frames outside ASCII have the right chunk length', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    for (const text of ['"ü"', '"日本"', '"😀"']) yield [encodeText(text) as StreamEvent]
  }
  const { url } = await start({ endpoint })
  const response = await fetch(`${url}/tasks/t:subscribe`, { headers: { 'a2a-version': '1.0' } })
  expect(await response.text()).toBe('data: "ü"\n\ndata: "日本"\n\ndata: "😀"\n\n')
})

test('a slow reader stops the source, and gets everything once it reads', async () => {
  const endpoint = createEndless(JSON.stringify('x'.repeat(100_000)))
  const { port } = await start({ endpoint })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(streamText)
  await eventually(() => endpoint.taken > 3)
  let before = -1
  while (before !== endpoint.taken) {
    before = endpoint.taken
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(endpoint.taken).toBeLessThan(1_000)
  let text = ''
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.resume()
  const wanted = before + 20
  await eventually(() => text.includes(`id: ${wanted}\n`))
  socket.destroy()
  await eventually(() => endpoint.left === 1)
  const ids = [...text.matchAll(/id: (\d+)\n/g)].map(([, id]) => Number(id))
  expect(ids.slice(0, wanted)).toEqual(Array.from({ length: wanted }, (_, index) => index + 1))
})

test('SSE-10 a reader who leaves frees the stream, at once and while nothing comes', async () => {
  const busy = createEndless('{}')
  const first = await start({ endpoint: busy })
  const client = connectRaw(first.port)
  client.write(streamText)
  await client.until('id: 5\n')
  client.socket.destroy()
  await eventually(() => busy.left === 1)

  let left = false
  const quiet = createFakeEndpoint()
  quiet.frames = () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise(() => {}),
      return: async () => {
        left = true
        return { done: true as const, value: undefined }
      },
    }),
  })
  const second = await start({ endpoint: quiet })
  const waiting = connectRaw(second.port)
  waiting.write(streamText)
  await waiting.until('text/event-stream')
  waiting.socket.destroy()
  await eventually(() => left)
})

test('a reader who leaves before the stream is there frees it too', async () => {
  const endpoint = createEndless('{}')
  let answer: (() => void) | undefined
  const { stream } = endpoint
  endpoint.stream = async (call) => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return await stream(call)
  }
  const { port, server } = await start({ endpoint })
  const client = connectRaw(port)
  client.write(streamText)
  await eventually(() => answer !== undefined)
  client.socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 20))
  answer?.()
  await eventually(() => server.openStreams === 0 && endpoint.calls.length === 1)
  expect(endpoint.taken).toBeLessThan(5)
})

test('Case 31 SSE-06 a silent stream is kept alive, its head comes at once', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) })
  const { port } = await start({ endpoint, keepAlive: 30 })
  const client = connectRaw(port)
  client.write(streamText)
  await client.until('text/event-stream')
  await client.until(': keep-alive\n\n\r\n')
  client.socket.destroy()
})

test('a drain lets answers finish, tells streams to come back, and refuses newcomers', async () => {
  const endpoint = createEndless('{}')
  let answer = (): void => {}
  endpoint.unary = async () => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { result: encodeText('{}'), extensions: [] }
  }
  const { port, listener, server } = await start({ endpoint, retryHint: 700 })
  const stream = connectRaw(port)
  stream.write(streamText)
  const unary = connectRaw(port)
  unary.write(rpcText('GetTask', { id: 't' }))
  const idle = connectRaw(port)
  idle.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')
  const silent = connectRaw(port)
  await Promise.all([stream.until('id: 3\n'), idle.until('"ok"'), new Promise((resolve) => setTimeout(resolve, 20))])

  server.drain()
  listener.drain()
  expect(await idle.closed()).toContain('"ok"')
  expect(await silent.closed()).toBe('')
  const late = connectRaw(port)
  expect(await late.closed()).toBe('')
  answer()
  await unary.until('"result":{}')
  server.endStreams()
  expect(await stream.until('\r\n0\r\n\r\n')).toMatch(/\nretry: 700\n\n\r\n0\r\n\r\n$/)
  await listener.close(1_000)
  await Promise.all([unary.closed(), stream.closed()])
  expect(endpoint.left).toBe(1)
})

test('what does not end in time is cut', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.unary = () => new Promise(() => {})
  const { port, listener } = await start({ endpoint })
  const client = connectRaw(port)
  client.write(rpcText('GetTask', { id: 't' }))
  await new Promise((resolve) => setTimeout(resolve, 20))
  await listener.close(30)
  expect(await client.closed()).toBe('')
})

test('HEAD of the card has the length and no body', async () => {
  const { port } = await start()
  const headers = await new Promise<Record<string, unknown>>((resolve, reject) => {
    httpRequest({ port, method: 'HEAD', path: '/.well-known/agent-card.json' }, (response) => {
      response.resume().on('end', () => resolve(response.headers))
    })
      .on('error', reject)
      .end()
  })
  expect(Number(headers['content-length'])).toBeGreaterThan(100)
  expect(headers.etag).toMatch(/^"/)
})
