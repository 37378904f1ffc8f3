import { connect } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { delay, until } from '../harness.ts'
import {
  endHeaders,
  endStream,
  type FrameFields,
  frame,
  frameTypes,
  headerBlock,
  http2Connection,
  request,
  requestHeaders,
  uint32,
} from './http2-frames.ts'
import { type Served, serve } from './served.ts'
import { bindingNames, callerOf, sendRequest, wireRequest } from './wire.ts'

async function checkAlive(served: Served): Promise<void> {
  for (const binding of bindingNames) {
    expect((await callerOf(served, binding).send('chunk:a:x done')).status.state).toBe('TASK_STATE_COMPLETED')
  }
  const session = connect(served.url)
  const stream = session.request({ ':path': '/healthz' })
  const status = await new Promise((resolve, reject) => {
    stream.on('response', (headers) => resolve(headers[':status']))
    stream.on('error', reject)
    stream.resume()
  })
  expect(status).toBe(200)
  await new Promise<void>((resolve) => session.close(resolve))
}

const { data, headers, priority, reset, settings, pushPromise, ping, goaway, windowUpdate, continuation } = frameTypes
const repeat = (count: number, bytes: (at: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, at) => bytes(at)))
const raw = (type: number, fields: FrameFields = {}): Buffer => frame(type, fields)
const block = (list: readonly (readonly [string, string])[], stream = 1): Buffer =>
  raw(headers, { flags: endHeaders | endStream, stream, payload: headerBlock(list) })

const floods: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['noise after the preface', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20))],
  ['a frame longer than allowed', raw(data, { stream: 1, payload: Buffer.alloc(1 << 20) })],
  [
    'frames of a type that there is not',
    repeat(100, (at) => raw(100 + at, { flags: 255, stream: at, payload: Buffer.alloc(at) })),
  ],
  ['data on a stream that is not open', raw(data, { stream: 7, payload: Buffer.from('{}') })],
  ['data on stream 0', raw(data, { payload: Buffer.from('{}') })],
  ['headers on an even stream', request(2, 'GET', { path: '/tasks' })],
  ['headers on stream 0', request(0, 'GET', { path: '/tasks' })],
  ['a continuation of nothing', raw(continuation, { stream: 1, payload: Buffer.alloc(3) })],
  [
    'headers that are cut by another frame',
    Buffer.concat([
      raw(headers, { stream: 1, payload: headerBlock(requestHeaders('GET', '/tasks')) }),
      raw(ping, { payload: Buffer.alloc(8) }),
    ]),
  ],
  [
    'headers without an end',
    Buffer.concat([
      raw(headers, { stream: 1 }),
      repeat(2_000, () => raw(continuation, { stream: 1, payload: headerBlock([['x', 'y'.repeat(100)]]) })),
    ]),
  ],
  [
    'broken compression',
    raw(headers, { flags: endHeaders, stream: 1, payload: Buffer.from([255, 255, 255, 255, 255, 255]) }),
  ],
  [
    'a header list of 100 kB',
    block([
      ...requestHeaders('GET', '/tasks'),
      ...Array.from({ length: 100 }, (_, at) => [`x${at}`, 'y'.repeat(1_000)] as const),
    ]),
  ],
  ['a header in upper case', block([...requestHeaders('GET', '/tasks'), ['X-Loud', '1']])],
  ['a connection header', block([...requestHeaders('GET', '/tasks'), ['connection', 'close']])],
  [
    'no path',
    block([
      [':method', 'GET'],
      [':scheme', 'http'],
    ]),
  ],
  ['two paths', block([...requestHeaders('GET', '/tasks'), [':path', '/']])],
  [
    'CONNECT',
    block([
      [':method', 'CONNECT'],
      [':authority', 'x:1'],
    ]),
  ],
  [
    'a path that is none',
    block([
      [':method', 'GET'],
      [':scheme', 'http'],
      [':path', 'tasks'],
      [':authority', 'x'],
    ]),
  ],
  [
    'a path of an asterisk',
    block([
      [':method', 'OPTIONS'],
      [':scheme', 'http'],
      [':path', '*'],
      [':authority', 'x'],
    ]),
  ],
  [
    'a request that is pushed',
    raw(pushPromise, {
      flags: endHeaders,
      stream: 1,
      payload: Buffer.concat([uint32(2), headerBlock(requestHeaders('GET', '/'))]),
    }),
  ],
  ['settings that are none', raw(settings, { payload: Buffer.alloc(5) })],
  ['a window of nothing', raw(windowUpdate, { payload: uint32(0) })],
  ['a window beyond all bounds', repeat(3, () => raw(windowUpdate, { payload: uint32(0x7fffffff) }))],
  [
    'a stream that depends on itself',
    raw(priority, { stream: 3, payload: Buffer.concat([uint32(3), Buffer.from([1])]) }),
  ],
  ['5,000 settings', repeat(5_000, () => raw(settings))],
  ['5,000 pings', repeat(5_000, () => raw(ping, { payload: Buffer.alloc(8) }))],
  [
    '5,000 empty frames of data',
    Buffer.concat([
      request(1, 'POST', { path: '/invoke', flags: endHeaders }),
      repeat(5_000, () => raw(data, { stream: 1 })),
    ]),
  ],
  [
    '3,000 requests that are reset at once',
    repeat(3_000, (at) =>
      Buffer.concat([
        request(2 * at + 1, 'GET', { path: '/tasks' }),
        raw(reset, { stream: 2 * at + 1, payload: uint32(8) }),
      ]),
    ),
  ],
  [
    '3,000 requests, each reset without an error',
    repeat(3_000, (at) =>
      Buffer.concat([
        request(2 * at + 1, 'GET', { path: '/tasks', flags: endHeaders }),
        raw(reset, { stream: 2 * at + 1, payload: uint32(0) }),
      ]),
    ),
  ],
  ['3,000 requests at once', repeat(3_000, (at) => request(2 * at + 1, 'GET', { path: '/tasks' }))],
  [
    'a farewell, and more requests',
    Buffer.concat([raw(goaway, { payload: Buffer.alloc(8) }), request(1, 'GET', { path: '/tasks' })]),
  ],
]

describe('HTTP/2 by prior knowledge', () => {
  it.each(floods)('%s costs its connection at most (SEC-50, SEC-51)', async (_, bytes) => {
    const served = await serve()
    const connections = await Promise.all([0, 1].map(() => http2Connection(served.url)))
    for (const { socket } of connections) socket.write(bytes)
    await delay(10)
    await checkAlive(served)
    for (const { socket } of connections) socket.destroy()
    await checkAlive(served)
    expect(served.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  it('a preface in pieces, and one that stops, decide nothing too early and wait not for ever', async () => {
    const served = await serve({ connections: { silence: 100 } })
    const connection = await http2Connection(served.url)
    connection.socket.write(request(1, 'GET', { path: '/healthz' }))
    await connection.until((text) => text.includes('ready') || text.includes('ok'))
    const stopped = await http2Connection(served.url)
    await stopped.until((text) => text.length > 0)
    connection.socket.destroy()
    stopped.socket.destroy()
  })

  it.each(bindingNames)(
    'a body that never ends is given up in time, and its stream with it, over %s',
    async (binding) => {
      const served = await serve({ connections: { request: 100, idle: 200 } })
      const { path } = wireRequest(binding, 'SendMessage', { request: sendRequest('done') })
      const connection = await http2Connection(served.url)
      connection.socket.write(request(1, 'POST', { path, flags: endHeaders }))
      connection.socket.write(raw(data, { stream: 1, payload: Buffer.from('{"jsonrpc"') }))
      await connection.closed()
      await checkAlive(served)
    },
  )

  it('a request without a body that never says so is answered, and leaves no stream behind', async () => {
    const served = await serve({ connections: { request: 100, idle: 200 } })
    const connection = await http2Connection(served.url)
    connection.socket.write(request(1, 'GET', { path: '/tasks', flags: endHeaders }))
    await connection.until((text) => text.includes('"totalSize":0'))
    await connection.closed()
  })

  it('a reader that opens no window but keeps its connection busy is cut as well', async () => {
    const served = await serve({ connections: { stall: 150 } })
    const connection = await http2Connection(served.url)
    connection.socket.write(raw(settings, { payload: Buffer.concat([Buffer.from([0, 4]), uint32(0)]) }))
    const { path, body } = wireRequest('HTTP+JSON', 'SendStreamingMessage', {
      request: sendRequest('chunks:a:5000 done'),
    })
    connection.socket.write(request(1, 'POST', { path, flags: endHeaders }))
    connection.socket.write(raw(data, { flags: endStream, stream: 1, payload: Buffer.from(body) }))
    connection.socket.write(request(3, 'GET', { path: '/.well-known/agent-card.json' }))
    const busy = setInterval(() => connection.socket.write(raw(ping, { payload: Buffer.alloc(8) })), 5)
    try {
      for (const stream of ['\x01', '\x03'])
        await connection.until((text) => text.includes(`\x00\x00\x04\x03\x00\x00\x00\x00${stream}`))
    } finally {
      clearInterval(busy)
      connection.socket.destroy()
    }
  })

  it('a reader that is slow, but takes what it can, is not cut', async () => {
    const served = await serve({ connections: { stall: 150 } })
    const { path, body } = wireRequest('HTTP+JSON', 'SendStreamingMessage', {
      request: sendRequest('chunks:a:2000 done'),
    })
    const connection = await http2Connection(served.url)
    connection.socket.write(raw(settings, { payload: Buffer.concat([Buffer.from([0, 4]), uint32(0)]) }))
    connection.socket.write(request(1, 'POST', { path, flags: endHeaders }))
    connection.socket.write(raw(data, { flags: endStream, stream: 1, payload: Buffer.from(body) }))
    const window = Buffer.concat([0, 1].map((stream) => raw(windowUpdate, { stream, payload: uint32(20_000) })))
    const reads = setInterval(() => connection.socket.write(window), 60)
    try {
      await connection.until((text) => text.includes('TASK_STATE_COMPLETED'))
      expect(connection.text).not.toContain('\x00\x00\x04\x03\x00\x00\x00\x00\x01')
    } finally {
      clearInterval(reads)
      connection.socket.destroy()
    }
  })

  it('a gateway that leaves 2,000 calls at once keeps its connection, where Node.js lets us say so', async () => {
    const served = await serve()
    const connection = await http2Connection(served.url)
    const left = repeat(2_000, (at) =>
      Buffer.concat([
        request(2 * at + 1, 'GET', { path: '/tasks' }),
        raw(reset, { stream: 2 * at + 1, payload: uint32(8) }),
      ]),
    )
    connection.socket.write(left)
    connection.socket.write(request(4_001, 'GET', { path: '/healthz' }))
    // A farewell: type 7, no flags, stream 0.
    const told = (text: string): boolean => text.includes('"ok"') || text.includes('\x07\x00\x00\x00\x00\x00')
    const answered = await connection.until(told).then(
      () => connection.text.includes('"ok"'),
      () => false,
    )
    connection.socket.destroy()
    expect(answered).toBe(Number(process.versions.node.split('.')[0]) >= 22)
  })

  it('a stream whose reader opens no window waits, holds up nobody, and is cut in time', async () => {
    const served = await serve({ connections: { stall: 150 } })
    const { path, body } = wireRequest('HTTP+JSON', 'SendStreamingMessage', {
      request: sendRequest('chunks:a:5000 done'),
    })
    const connection = await http2Connection(served.url)
    connection.socket.write(raw(settings, { payload: Buffer.concat([Buffer.from([0, 4]), uint32(0)]) }))
    connection.socket.write(request(1, 'POST', { path, flags: endHeaders }))
    connection.socket.write(raw(data, { flags: endStream, stream: 1, payload: Buffer.from(body) }))
    await until(
      async () => (await callerOf(served, 'JSONRPC').ok<{ totalSize: number }>('ListTasks', {})).totalSize === 1,
    )
    await checkAlive(served)
    // RST_STREAM on stream 1: four bytes of length, type, flags, stream.
    await connection.until((text) => text.includes('\x00\x00\x04\x03\x00\x00\x00\x00\x01'))
    connection.socket.destroy()
  })
})
