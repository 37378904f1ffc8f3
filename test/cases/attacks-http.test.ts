import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { A2AError } from '../../src/protocol/errors.ts'
import { delay, onCleanup, until } from '../harness.ts'
import { plainRequest, rawConnection } from './plain-http.ts'
import { openStream, streamScript } from './raw-stream.ts'
import { scriptedAgent } from './scripted-agent.ts'
import { type Served, serve } from './served.ts'
import { bindingNames, callerOf, sendRequest, wireRequest } from './wire.ts'

/** The server still does all that it is for, and holds nothing that was not meant. */
async function checkAlive(served: Served, tasks = 0): Promise<void> {
  for (const binding of bindingNames) {
    const caller = callerOf(served, binding)
    const { totalSize } = await caller.ok<{ totalSize: number }>('ListTasks', {})
    expect(totalSize).toBe(tasks++)
    expect((await caller.send('chunk:a:x done')).status.state).toBe('TASK_STATE_COMPLETED')
  }
}

const head = (path: string, ...lines: string[]): string =>
  [`POST ${path} HTTP/1.1`, 'Host: x', 'A2A-Version: 1.0', ...lines, '', ''].join('\r\n')

describe('connections', () => {
  it('600 that say nothing cost nobody else an answer, and are closed in time (SEC-51)', async () => {
    const served = await serve({ connections: { silence: 500 } })
    const { hostname, port } = new URL(served.url)
    const sockets: Socket[] = []
    onCleanup(async () => {
      for (const socket of sockets) socket.destroy()
    })
    let closed = 0
    for (let turn = 0; turn < 6; turn++) {
      const opened = Array.from({ length: 100 }, () => {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => {})
        socket.on('close', () => closed++)
        socket.resume()
        sockets.push(socket)
        return new Promise((resolve) => socket.once('connect', resolve))
      })
      await Promise.all(opened)
    }
    await checkAlive(served)
    await until(() => closed === 600)
  })

  it.each([
    ['in the first line', 'POST /inv'],
    ['in a header', 'POST /invoke HTTP/1.1\r\nHost: x\r\nContent-Le'],
    ['before the body', head('/invoke', 'Content-Length: 100')],
    ['in the body', `${head('/invoke', 'Content-Length: 100')}{"jsonrpc":"2.0"`],
    ['in a chunk', `${head('/invoke', 'Transfer-Encoding: chunked')}40\r\n{"jsonrpc"`],
    ['between chunks', `${head('/message:send', 'Transfer-Encoding: chunked')}1\r\n{\r\n`],
    ['before the last chunk', `${head('/message:stream', 'Transfer-Encoding: chunked')}2\r\n{}\r\n`],
    ['in the second of two requests', `${head('/invoke', 'Content-Length: 2')}{}POST /invoke HTTP/1.1\r\nContent-Len`],
  ])('a request that is cut %s leaves nothing behind, be it closed or reset', async (_, text) => {
    const served = await serve()
    for (const end of ['end', 'resetAndDestroy', 'destroy'] as const) {
      for (let time = 0; time < 10; time++) {
        const { socket } = await rawConnection(served.url)
        await new Promise((resolve) => socket.write(text, resolve))
        socket[end]()
      }
    }
    await checkAlive(served)
    expect(served.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('a whole send whose sender is gone at once is done or not, never half (STRM-21)', async () => {
    const served = await serve()
    for (const binding of bindingNames) {
      const { path, headers, body } = wireRequest(binding, 'SendMessage', {
        request: sendRequest('wait:1 chunk:a:x done'),
      })
      const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) }).map(
        ([name, value]) => `${name}: ${value}`,
      )
      for (let time = 0; time < 20; time++) {
        const { socket } = await rawConnection(served.url)
        socket.write([`POST ${path} HTTP/1.1`, 'Host: x', ...lines, '', body].join('\r\n'))
        setImmediate(() => socket.resetAndDestroy())
      }
    }
    const caller = callerOf(served, 'JSONRPC')
    const list = () => caller.ok<{ tasks: { status: { state: string } }[] }>('ListTasks', { pageSize: 100 })
    await delay(50)
    await until(async () => (await list()).tasks.every(({ status }) => status.state === 'TASK_STATE_COMPLETED'))
  })

  it.each<[name: string, text: string, status: RegExp]>([
    ['a header of 20,000 letters', head('/invoke', `X: ${'x'.repeat(20_000)}`), /^HTTP\/1\.1 431/],
    ['20,000 headers', head('/invoke', ...Array.from({ length: 20_000 }, (_, at) => `X${at}: y`)), /^HTTP\/1\.1 431/],
    ['a path of 20,000 letters', head(`/${'x'.repeat(20_000)}`), /^HTTP\/1\.1 (431|414)/],
    ['two lengths', head('/invoke', 'Content-Length: 2', 'Content-Length: 3'), /^HTTP\/1\.1 400/],
    ['a length and chunks', head('/invoke', 'Content-Length: 2', 'Transfer-Encoding: chunked'), /^HTTP\/1\.1 400/],
    ['a length that is none', head('/invoke', 'Content-Length: -1'), /^HTTP\/1\.1 400/],
    ['a length beyond all bounds', head('/invoke', 'Content-Length: 99999999999999999999999'), /^HTTP\/1\.1 400/],
    [
      'a length that is too large',
      head('/invoke', 'Content-Type: application/json', 'Content-Length: 99999999999'),
      /^HTTP\/1\.1 413/,
    ],
    ['a zero byte in a header', head('/invoke', 'X: a\0b'), /^HTTP\/1\.1 400/],
    ['a bare line feed in a header', head('/invoke', 'X: a\nY: b'), /^HTTP\/1\.1 (400|415|200)/],
    ['chunks of no size', `${head('/invoke', 'Transfer-Encoding: chunked')}zz\r\n`, /^HTTP\/1\.1 400/],
    [
      'a chunk of endless size',
      `${head('/invoke', 'Transfer-Encoding: chunked')}ffffffffffffffffff\r\n`,
      /^HTTP\/1\.1 400/,
    ],
    ['HTTP/9.9', 'GET /tasks HTTP/9.9\r\n\r\n', /^HTTP\/1\.1 (400|505)/],
    ['no HTTP', 'EHLO mail.example\r\n\r\n', /^HTTP\/1\.1 400/],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', /^HTTP\/1\.1 400/],
    ['an expectation that nobody has', head('/invoke', 'Expect: coffee', 'Content-Length: 0'), /^HTTP\/1\.1 417/],
  ])(
    '%s is refused, without a page or a trace, and the next caller is served (SEC-50, SEC-51, ERR-34)',
    async (_, text, status) => {
      const served = await serve()
      const connection = await rawConnection(served.url)
      connection.socket.write(text, 'latin1')
      await connection.until((seen) => seen.includes('\r\n\r\n'))
      expect(connection.text).toMatch(status)
      expect(connection.text).not.toMatch(/<html|\bat \S+ \(|node_modules/i)
      connection.socket.destroy()
      await checkAlive(served)
    },
  )

  it('an upgrade that is not offered is an ordinary request (RFC 9110 §7.8)', async () => {
    const served = await serve()
    for (const upgrade of ['h2c', 'websocket']) {
      const headers = {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade,
        'http2-settings': 'AAMAAABkAAQAAP__',
        'a2a-version': '1.0',
      }
      expect((await plainRequest(served.url, { method: 'GET', path: '/tasks', headers })).status).toBe(200)
    }
  })

  it('an answer that cannot be written costs its caller only', async () => {
    const run = async function* (task: { message: { parts: readonly { text?: string }[] } }) {
      if (task.message.parts[0]?.text === 'bad')
        throw new A2AError('Unavailable', 'x', { headers: { 'X-Bad': 'a\nb' } })
      yield 'fine'
    }
    const served = await serve({ agent: scriptedAgent({ run }) })
    const caller = callerOf(served, 'JSONRPC')
    const bad = caller.call('SendMessage', sendRequest('bad')).catch(() => 'cut')
    const good = Promise.all(Array.from({ length: 5 }, () => caller.send('good')))
    expect((await good).map(({ status }) => status.state)).toEqual(Array(5).fill('TASK_STATE_COMPLETED'))
    expect(await bad).toBe('cut')
  })
})

describe('callers that do not read', () => {
  it.each(bindingNames)(
    'large answers to somebody who never reads hold up neither others nor the end of the server, over %s',
    async (binding) => {
      const served = await serve()
      const caller = callerOf(served, binding)
      const { id } = await caller.send('chunks:a:60000 done')
      const { method, path, headers, body } = wireRequest(binding, 'GetTask', { request: { id } })
      const lines = Object.entries({
        ...headers,
        ...(body !== '' && { 'content-length': Buffer.byteLength(body) }),
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      const stuck = await Promise.all(Array.from({ length: 5 }, () => rawConnection(served.url)))
      for (const { socket } of stuck) {
        socket.pause()
        socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n${body}`.repeat(20))
      }
      await delay(50)
      expect((await caller.send('done')).status.state).toBe('TASK_STATE_COMPLETED')
      await served.close()
      for (const { socket } of stuck) socket.resume()
      await Promise.all(stuck.map((connection) => connection.closed()))
    },
  )

  it.each(bindingNames)(
    'a stream to somebody who never reads is cut in time, and its place is free again, over %s',
    async (binding) => {
      const served = await serve({ connections: { stall: 150 }, limits: { streamsPerOwner: 1 } })
      const caller = callerOf(served, binding)
      const stuck = await streamScript(caller, 'chunks:a:60000 done')
      stuck.stall()
      expect(await caller.fails('SendStreamingMessage', sendRequest('done'))).toMatchObject({
        message: expect.stringContaining('1 open streams'),
      })
      await until(async () => (await caller.call('SubscribeToTask', { id: 'none' })).text.includes('TASK_NOT_FOUND'))
      await until(async () => (await streamScript(caller, 'done').then((stream) => stream.rest())).length > 0)
    },
  )

  it.each(bindingNames)(
    'streams that wait on one connection behind another are let go with it, over %s (SEC-58)',
    async (binding) => {
      const served = await serve({ limits: { streamsPerOwner: 3 } })
      const caller = callerOf(served, binding)
      const { id } = await caller.send('status:INPUT_REQUIRED:which?')
      const { method, path, headers, body } = wireRequest(binding, 'SubscribeToTask', { request: { id } })
      const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) }).map(
        ([name, value]) => `${name}: ${value}\r\n`,
      )
      for (let turn = 0; turn < 3; turn++) {
        const connection = await rawConnection(served.url)
        connection.socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('')}\r\n${body}`.repeat(3))
        await connection.until((text) => text.includes('INPUT_REQUIRED'))
        await until(async () => (await caller.call('SubscribeToTask', { id })).text.includes('3 open streams'))
        connection.socket.resetAndDestroy()
        await until(async () => {
          const streams = await Promise.all([0, 1, 2].map(() => openStream(caller, 'SubscribeToTask', { id })))
          for (const stream of streams) stream.cut()
          return streams.every((stream) => stream.headers['content-type'] === 'text/event-stream')
        })
      }
    },
  )

  it.each(bindingNames)('one who reads slowly is not cut, over %s', async (binding) => {
    const served = await serve({ connections: { stall: 150 } })
    const caller = callerOf(served, binding)
    const stream = await streamScript(caller, 'chunks:a:12000 done')
    for (let turn = 0; turn < 8; turn++) {
      stream.stall()
      await delay(50)
      stream.resume()
      await delay(1)
    }
    const frames = await stream.rest()
    expect(await stream.ended()).toBe('ended')
    expect(frames.length).toBe(12_002)
  })
})
