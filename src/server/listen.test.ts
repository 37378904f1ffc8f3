import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createFakeEndpoint } from '../bindings/testing.ts'
import { listen } from './listen.ts'
import {
  connectRaw,
  eventually,
  httpText,
  listenForTest,
  rpcText,
  type TestServer,
  type TestServerOptions,
} from './testing.ts'

const open: TestServer[] = []
async function start(options?: TestServerOptions): Promise<TestServer> {
  const started = await listenForTest(options)
  open.push(started)
  return started
}
afterEach(async () => {
  for (const { listener } of open.splice(0)) await listener.close(0)
})

const result = '{"jsonrpc":"2.0","id":1,"result":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"}}}'

test('an answer, byte by byte', async () => {
  const { port } = await start()
  const client = connectRaw(port)
  client.write(rpcText('GetTask', { id: 't' }))
  const text = (await client.until(result)).replace(/Date: [^\r]+/, 'Date: now')
  expect(text).toBe(
    [
      'HTTP/1.1 200 OK',
      'content-type: application/json',
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      `content-length: ${result.length}`,
      'Date: now',
      'Connection: keep-alive',
      'Keep-Alive: timeout=65',
      '',
      result,
    ].join('\r\n'),
  )
  client.socket.destroy()
})

test('requests that come together are answered in order on one connection', async () => {
  const { port } = await start()
  const client = connectRaw(port)
  client.write([1, 2, 3].map((id) => rpcText('GetTask', { id: 't' }, id)).join(''))
  const text = await client.until('"id":3')
  expect([...text.matchAll(/"jsonrpc":"2.0","id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3'])
  client.socket.destroy()
})

test('first bytes that come one by one decide nothing too early', async () => {
  const { port } = await start()
  const http1 = connectRaw(port)
  for (const byte of 'POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n') {
    http1.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await http1.until('"NOT_FOUND"')).toMatch(/^HTTP\/1\.1 404 /)
  http1.socket.destroy()
  const http2 = connectRaw(port)
  for (const byte of 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0') {
    http2.write(byte)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await eventually(() => http2.received().length >= 9)
  expect(http2.received().charCodeAt(3)).toBe(4)
  http2.socket.destroy()
})

test('a body in pieces, in chunks, after a whole URL and over HTTP/1.0', async () => {
  const { port } = await start()
  const body = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}'
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }
  const chunked = connectRaw(port)
  chunked.write(httpText('POST http://agent.example/invoke?x', { ...headers, 'Transfer-Encoding': 'chunked' }))
  for (const part of [body.slice(0, 20), body.slice(20)]) chunked.write(`${part.length.toString(16)}\r\n${part}\r\n`)
  chunked.write('0\r\n\r\n')
  expect(await chunked.until(result)).toContain('200 OK')
  chunked.socket.destroy()
  const old = connectRaw(port)
  old.write(`POST /invoke HTTP/1.0\r\nA2A-Version: 1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
  expect(await old.closed()).toContain(result)
})

test('PJ-22 bytes that are not UTF-8 are a parse error, U+FFFD itself is not', async () => {
  const { port } = await start()
  const send = async (bytes: Buffer): Promise<string> => {
    const client = connectRaw(port)
    client.write(
      httpText('POST /invoke', { 'A2A-Version': '1.0', 'Content-Length': bytes.length, Connection: 'close' }),
    )
    client.write(bytes)
    return await client.closed()
  }
  const frame = (middle: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":"'),
      middle,
      Buffer.from('","method":"GetTask","params":{"id":"t"}}'),
    ])
  expect(await send(frame(Buffer.from([0xc3, 0x28])))).toContain(
    '"code":-32700,"message":"The request body is not valid UTF-8"',
  )
  expect(await send(frame(Buffer.from('\uFFFD')))).toContain('"result"')
})

for (const framing of ['Content-Length', 'chunks'] as const) {
  for (const path of ['/invoke', '/message:send']) {
    test(`SEC-51 413 in the form of the binding reaches a sender of too much: ${path} by ${framing}`, async () => {
      const { port } = await start({ bodyLimit: 1_000 })
      const client = connectRaw(port)
      const size = 400_000
      const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json' }
      if (framing === 'Content-Length') client.write(httpText(`POST ${path}`, { ...headers, 'Content-Length': size }))
      else
        client.write(
          `${httpText(`POST ${path}`, { ...headers, 'Transfer-Encoding': 'chunked' })}${size.toString(16)}\r\n`,
        )
      client.write(' '.repeat(size / 2))
      await client.until('limit of this server')
      client.write(' '.repeat(size / 2) + (framing === 'chunks' ? '\r\n0\r\n\r\n' : ''))
      const text = await client.closed()
      expect(text).toMatch(/^HTTP\/1\.1 413 .*\r\n/)
      expect(text).toContain('connection: close')
      expect(text).toContain(path === '/invoke' ? '"code":-32600' : '"code":413,"status":"RESOURCE_EXHAUSTED"')
    })
  }
}

test('a body at the limit passes', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}'
  const { url } = await start({ bodyLimit: body.length })
  const post = (text: string): Promise<Response> =>
    fetch(`${url}/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: text,
    })
  expect((await post(body)).status).toBe(200)
  expect((await post(`${body} `)).status).toBe(413)
})

test('Expect: 100-continue is answered once the body is wanted', async () => {
  const { port } = await start({ bodyLimit: 100 })
  const body = '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}'
  const headers = { 'A2A-Version': '1.0', 'Content-Type': 'application/json', Expect: '100-continue' }
  const client = connectRaw(port)
  client.write(httpText('POST /invoke', { ...headers, 'Content-Length': body.length }))
  await client.until('HTTP/1.1 100 Continue')
  client.write(body)
  expect(await client.until(result)).toContain('200 OK')
  client.socket.destroy()
  const large = connectRaw(port)
  large.write(httpText('POST /invoke', { ...headers, 'Content-Length': 101 }))
  expect(await large.until('limit of this server')).not.toContain('100 Continue')
  large.socket.destroy()
})

const malformed: readonly (readonly [name: string, text: string, status: string])[] = [
  ['what is not HTTP', 'hello\r\n\r\n', '400 Bad Request'],
  ['TLS to a plain port', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', '400 Bad Request'],
  [
    'headers without end',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
  ],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx', '400 Bad Request'],
  [
    'length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    '400 Bad Request',
  ],
]
for (const [name, text, status] of malformed) {
  test(`${name} gets ${status}, JSON, and a closed connection`, async () => {
    const { port } = await start()
    const client = connectRaw(port)
    client.write(Buffer.from(text, 'latin1'))
    const answer = await client.closed()
    expect(answer.split('\r\n')[0]).toBe(`HTTP/1.1 ${status}`)
    expect(JSON.parse(answer.slice(answer.indexOf('{'))).error.code).toBe(Number(status.slice(0, 3)))
  })
}

test('nonsense behind a request does not take the place of its answer', async () => {
  const endpoint = createFakeEndpoint()
  const { port } = await start({ endpoint })
  const client = connectRaw(port)
  client.write(`${rpcText('GetTask', { id: 't' })}nonsense\r\n\r\n`)
  const text = await client.closed()
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200'])
  expect(text).toContain('Connection: close')
  expect(text).toContain(result)
})

test('a silent connection is closed, and so is one that stops in its first bytes', async () => {
  const { port } = await start({ limits: { silence: 40 } })
  const silent = connectRaw(port)
  const cut = connectRaw(port)
  cut.write('PRI * HT')
  expect(await Promise.all([silent.closed(), cut.closed()])).toEqual(['', ''])
})

test('slow headers and a slow body run into 408', async () => {
  const { port } = await start({ limits: { headers: 60, request: 120 } })
  const headers = connectRaw(port)
  headers.write('POST /invoke HTTP/1.1\r\nHost: a\r\n')
  const body = connectRaw(port)
  body.write(httpText('POST /invoke', { 'A2A-Version': '1.0', 'Content-Length': 10 }, '{'))
  const texts = await Promise.all([headers.closed(), body.closed()])
  for (const text of texts) expect(text).toMatch(/^HTTP\/1\.1 408 /)
})

test('an idle connection is kept, then closed', async () => {
  const { port } = await start({ limits: { idle: 50 } })
  const client = connectRaw(port)
  client.write(rpcText('GetTask', { id: 't' }))
  await client.until(result)
  expect(await client.closed()).toContain(result)
})

test('SSE-10 a caller who leaves a unary call aborts its signal, one who stays does not', async () => {
  const endpoint = createFakeEndpoint()
  const signals: AbortSignal[] = []
  let answer = (): void => {}
  endpoint.unary = async (call) => {
    if (call.context.signal) signals.push(call.context.signal)
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { result: { text: '{}', value: {} as never }, extensions: [] }
  }
  const { port } = await start({ endpoint })
  const leaving = connectRaw(port)
  leaving.write(rpcText('GetTask', { id: 't' }))
  await eventually(() => signals.length === 1)
  leaving.socket.destroy()
  await eventually(() => signals[0]?.aborted === true)
  answer()
  const staying = connectRaw(port)
  staying.write(rpcText('GetTask', { id: 't' }))
  await eventually(() => signals.length === 2)
  answer()
  await staying.until('"result"')
  staying.socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(signals[1]?.aborted).toBe(false)
})

test('an address that is taken is told in words', async () => {
  const { port } = await start()
  await expect(start({ address: { kind: 'tcp', host: '127.0.0.1', port } })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port}: another program listens there`,
  )
  await expect(start({ address: { kind: 'tcp', host: '192.0.2.1', port: 0 } })).rejects.toThrow(
    'does not have that address',
  )
})

test('a Unix socket: used, refused while in use, taken over when left behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-listen-'))
  try {
    const path = join(folder, 'agent.sock')
    const address = { kind: 'unix', path } as const
    const { listener } = await start({ address })
    const status = await new Promise((resolve, reject) => {
      request({ socketPath: path, path: '/healthz' }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
    expect(status).toBe(200)
    await expect(start({ address })).rejects.toThrow('another program listens there')
    await listener.close(0)
    await start({ address })
    const file = join(folder, 'file')
    await writeFile(file, 'mine')
    await expect(start({ address: { kind: 'unix', path: file } })).rejects.toThrow(
      'a file that is not a socket is in the way',
    )
  } finally {
    for (const { listener } of open.splice(0)) await listener.close(0)
    await rm(folder, { recursive: true })
  }
})

test('a handler that breaks its promise costs the connection, not the server', async () => {
  const logged: string[] = []
  const log = { info() {}, warn() {}, error: (text: string) => void logged.push(text) }
  const handle = async (): Promise<never> => {
    throw new Error('broken')
  }
  const listener = await listen({ kind: 'tcp', host: '127.0.0.1', port: 0 }, { handle, log })
  const client = connectRaw(listener.port)
  client.write(rpcText('GetTask', { id: 't' }))
  expect(await client.closed()).toBe('')
  expect(logged).toEqual(['an answer could not be written'])
  await listener.close(0)
})
