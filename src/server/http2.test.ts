import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { Agent, request } from 'node:https'
import { afterEach, expect, test } from 'vitest'
import { createFakeEndpoint, type FakeEndpoint } from '../bindings/testing.ts'
import { encodeText } from '../protocol/encoded.ts'
import type { StreamEvent } from '../protocol/endpoint.ts'
import { connectRaw, eventually, listenForTest, type TestServer, type TestServerOptions } from './testing.ts'
import { testCertificate, testKey } from './testing-certificate.ts'

const open: TestServer[] = []
const sessions: ClientHttp2Session[] = []
async function start(options?: TestServerOptions): Promise<[TestServer, ClientHttp2Session]> {
  const started = await listenForTest(options)
  open.push(started)
  const session = connect(started.url, { ca: testCertificate, servername: 'localhost' })
  session.on('error', () => {})
  sessions.push(session)
  return [started, session]
}
afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy()
  for (const { listener } of open.splice(0)) await listener.close(0)
})

interface Answer {
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
  readonly code: number
}

function ask(session: ClientHttp2Session, headers: Record<string, string>, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { ':method': 'POST', 'a2a-version': '1.0', ...headers },
      { endStream: body === undefined },
    )
    let answer: Record<string, unknown> = {}
    let text = ''
    stream.setEncoding('utf8')
    stream.on('response', (received) => {
      answer = received
    })
    stream.on('data', (chunk) => {
      text += chunk
    })
    stream.on('error', reject)
    stream.on('close', () => resolve({ headers: answer, text, code: stream.rstCode }))
    if (body !== undefined) stream.end(body)
  })
}

const rpc = { ':path': '/invoke', 'content-type': 'application/json' }
const call = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}'
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'ü' }] }

for (const secure of [false, true]) {
  test(`both bindings, the card and streams over HTTP/2, ${secure ? 'by TLS' : 'by prior knowledge'}`, async () => {
    const [, session] = await start(secure ? { tls: { key: testKey, cert: testCertificate } } : {})
    const unary = await ask(session, rpc, call)
    expect(unary.headers).toMatchObject({
      ':status': 200,
      'content-type': 'application/json',
      'content-length': `${unary.text.length}`,
    })
    expect(unary.headers['strict-transport-security']).toBe(secure ? 'max-age=31536000' : undefined)
    expect(unary.text).toContain('"result"')
    expect((await ask(session, { ':method': 'GET', ':path': '/tasks/t?historyLength=1' })).text).toContain(
      'TASK_STATE_COMPLETED',
    )
    const stream = await ask(
      session,
      { ':path': '/message:stream', 'content-type': 'application/json' },
      JSON.stringify({ message }),
    )
    expect(stream.headers['content-type']).toBe('text/event-stream')
    expect(stream.text).toMatch(/^id: 1\ndata: .+\n\nid: 2\ndata: .+\n\n$/)
    const card = await ask(session, { ':method': 'GET', ':path': '/.well-known/agent-card.json' })
    expect(JSON.parse(card.text).name).toBe('Echo')
    const head = await ask(session, { ':method': 'HEAD', ':path': '/.well-known/agent-card.json' })
    expect([head.headers['content-length'], head.text]).toEqual([`${card.text.length}`, ''])
    const fresh = await ask(session, {
      ':method': 'GET',
      ':path': '/.well-known/agent-card.json',
      'if-none-match': String(card.headers.etag),
    })
    expect([fresh.headers[':status'], fresh.text]).toEqual([304, ''])
  })
}

test('HTTP/1.1 under TLS goes on working beside it, with HSTS', async () => {
  const [{ port }] = await start({ tls: { key: testKey, cert: testCertificate } })
  const agent = new Agent({ ca: testCertificate, keepAlive: false })
  const [status, hsts] = await new Promise<unknown[]>((resolve, reject) => {
    request({ port, host: '127.0.0.1', servername: 'localhost', path: '/healthz', agent }, (response) => {
      response.resume().on('end', () => resolve([response.statusCode, response.headers['strict-transport-security']]))
    })
      .on('error', reject)
      .end()
  })
  expect([status, hsts]).toEqual([200, 'max-age=31536000'])
})

test('many calls at once on one connection', async () => {
  const [, session] = await start()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, id) => ask(session, rpc, call.replace('"id":1', `"id":${id}`))),
  )
  expect(answers.map(({ text }) => JSON.parse(text).id)).toEqual(Array.from({ length: 50 }, (_, id) => id))
})

test('413 over HTTP/2 stops the sender without an error', async () => {
  const [, session] = await start({ bodyLimit: 1_000 })
  for (const headers of [rpc, { ...rpc, 'content-length': '400000' }]) {
    const { headers: answer, text, code } = await ask(session, headers, ' '.repeat(400_000))
    expect([answer[':status'], JSON.parse(text).error.code, code]).toEqual([413, -32600, constants.NGHTTP2_NO_ERROR])
  }
})

/** Streams without end, and whether they were left. */
function createEndless(): FakeEndpoint & { taken: number; left: boolean } {
  const endpoint = Object.assign(createFakeEndpoint(), { taken: 0, left: false })
  endpoint.frames = async function* () {
    try {
      for (;;) {
        endpoint.taken++
        yield [encodeText(JSON.stringify('x'.repeat(50_000)), endpoint.taken) as StreamEvent]
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      endpoint.left = true
    }
  }
  return endpoint
}

test('a slow reader stops the source; a reset frees the stream and leaves the connection', async () => {
  const endpoint = createEndless()
  const [, session] = await start({ endpoint })
  const stream = session.request({ ':method': 'GET', ':path': '/tasks/t:subscribe', 'a2a-version': '1.0' })
  await new Promise((resolve) => stream.once('response', resolve))
  let before = -1
  while (before !== endpoint.taken) {
    before = endpoint.taken
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  expect(endpoint.taken).toBeLessThan(1_000)
  stream.close(constants.NGHTTP2_CANCEL)
  await eventually(() => endpoint.left)
  expect((await ask(session, rpc, call)).text).toContain('"result"')
})

test('a reset of a unary call aborts its signal', async () => {
  const endpoint = createFakeEndpoint()
  let signal: AbortSignal | undefined
  endpoint.unary = (call) => {
    signal = call.context.signal
    return new Promise(() => {})
  }
  const [, session] = await start({ endpoint })
  const stream = session.request({ ':method': 'GET', ':path': '/tasks/t', 'a2a-version': '1.0' })
  stream.on('error', () => {})
  await eventually(() => signal !== undefined)
  stream.close(constants.NGHTTP2_CANCEL)
  await eventually(() => signal?.aborted === true)
})

test('a drain says goodbye to sessions and lets their streams finish', async () => {
  const endpoint = createFakeEndpoint()
  let answer = (): void => {}
  endpoint.unary = async () => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { result: encodeText('{}'), extensions: [] }
  }
  const [{ listener }, session] = await start({ endpoint })
  let goodbye = false
  session.on('goaway', () => {
    goodbye = true
  })
  const pending = ask(session, rpc, call)
  await new Promise((resolve) => setTimeout(resolve, 30))
  listener.drain()
  await eventually(() => goodbye)
  answer()
  expect((await pending).text).toContain('"result":{}')
  await listener.close(1_000)
  await eventually(() => session.destroyed || session.closed)
})

test('a connection that breaks the rules in the middle of a call is cut, although its sender stays', async () => {
  const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  const settings = Buffer.from('000000040000000000', 'hex')
  // POST / that goes on, and then data for stream 0.
  const call = Buffer.from('00000301040000000183868400000100000000000078', 'hex')
  const started = await listenForTest({ limits: { idle: 50, request: 10_000 } })
  open.push(started)
  const client = connectRaw(started.port)
  client.write(Buffer.concat([preface, settings, call]))
  expect(await client.closed()).toContain('stream_id == 0')
})
