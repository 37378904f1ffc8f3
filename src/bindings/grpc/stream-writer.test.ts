import { constants } from 'node:http2'
import { status } from '@grpc/grpc-js'
import { expect, test } from 'vitest'
import type { StreamEvent } from '../../protocol/endpoint.ts'
import { eventually } from '../../server/testing.ts'
import { createFakeEndpoint, type FakeEndpoint, framesOf, update } from '../testing.ts'
import { callRaw, type GrpcServer, requestFrame, startGrpc } from './testing.ts'

const path = '/lf.a2a.v1.A2AService/SubscribeToTask'
const request = requestFrame('SubscribeToTask', { id: 't' })

function frame(text: string): StreamEvent {
  return { text: '', value: { message: { messageId: text } } as never }
}

/** Streams without end, and whether they were left. */
function createEndless(length: number): FakeEndpoint & { taken: number; left: boolean } {
  const endpoint = Object.assign(createFakeEndpoint(), { taken: 0, left: false })
  endpoint.frames = async function* () {
    try {
      for (;;) {
        endpoint.taken++
        yield [frame('x'.repeat(length))]
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      endpoint.left = true
    }
  }
  return endpoint
}

function subscribe({ connect }: GrpcServer) {
  const stream = connect().request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    'a2a-version': '1.0',
  })
  stream.on('error', () => {})
  stream.end(request)
  return stream
}

test('a slow reader stops the source; a reset frees it and leaves the connection', async () => {
  const endpoint = createEndless(50_000)
  const server = await startGrpc(endpoint)
  const stream = subscribe(server)
  await new Promise((resolve) => stream.once('response', resolve))
  let before = -1
  while (before !== endpoint.taken) {
    before = endpoint.taken
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  expect(endpoint.taken).toBeLessThan(100)
  expect(server.options.streams.size).toBe(1)
  stream.close(constants.NGHTTP2_CANCEL)
  await eventually(() => endpoint.left && server.options.streams.size === 0)
})

test('a slow reader goes on where it was', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    for (let at = 0; at < 60; at++) yield [frame(`${at} ${'x'.repeat(20_000)}`)]
  }
  const server = await startGrpc(endpoint)
  const stream = subscribe(server)
  let length = 0
  let trailers: Record<string, unknown> = {}
  stream.on('trailers', (received) => {
    trailers = received
  })
  for await (const piece of stream) {
    length += (piece as Buffer).length
    if (length % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect(length).toBeGreaterThan(1_200_000)
  expect(trailers['grpc-status']).toBe('0')
})

test('a reader who takes nothing for too long is cut', async () => {
  const endpoint = createEndless(50_000)
  const server = await startGrpc(endpoint, { limits: { stall: 80 } })
  const stream = subscribe(server)
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.pause()
  await eventually(() => endpoint.left && server.options.streams.size === 0)
  stream.resume()
  await closed
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
})

test('a reader who leaves the end of a long answer unread is cut', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.result = { id: 'x'.repeat(2_000_000), status: { state: 'TASK_STATE_COMPLETED' } }
  const { connect } = await startGrpc(endpoint, { limits: { stall: 80 } })
  const stream = connect().request({
    ':method': 'POST',
    ':path': '/lf.a2a.v1.A2AService/GetTask',
    'content-type': 'application/grpc',
    te: 'trailers',
    'a2a-version': '1.0',
  })
  stream.on('error', () => {})
  stream.end(requestFrame('GetTask', { id: 't' }))
  await new Promise((resolve) => stream.once('close', resolve))
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL)
})

test('an event is encoded once for all who read it', async () => {
  let read = 0
  const shared: StreamEvent = {
    text: '',
    get value() {
      read += 1
      return update('TASK_STATE_COMPLETED')
    },
  }
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    yield [shared]
  }
  const { client } = await startGrpc(endpoint)
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => client.ask('SubscribeToTask', { id: 't' })))
  expect(outcomes.every(({ values }) => values.length === 1)).toBe(true)
  expect(read).toBe(1)
})

test('events of one turn come in one frame of HTTP/2', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    for (let at = 0; at < 50; at++) yield [frame(`${at}`)]
  }
  const { connect } = await startGrpc(endpoint)
  const session = connect()
  const { body, trailers } = await callRaw(session, { path, chunks: [request] })
  expect(trailers?.['grpc-status']).toBe('0')
  expect(body.length).toBeGreaterThan(50 * 5)
})

test('STRM-24 a server that ends tells its readers when to come back', async () => {
  const endpoint = createFakeEndpoint()
  endpoint.frames = async function* () {
    yield* framesOf([update('TASK_STATE_WORKING')])
    await new Promise(() => {})
  }
  const { client, options } = await startGrpc(endpoint)
  const outcome = client.ask('SubscribeToTask', { id: 't' })
  await eventually(() => options.streams.size === 1)
  options.streams.drain()
  options.streams.end()
  const { error, values } = await outcome
  expect([values.length, error?.code]).toEqual([1, status.UNAVAILABLE])
  expect(error?.metadata.getMap()).toMatchObject({ 'retry-after': '1', 'grpc-retry-pushback-ms': '1000' })
  expect(options.streams.size).toBe(0)
})

for (const [state, code] of [
  ['TASK_STATE_WORKING', status.UNAVAILABLE],
  ['TASK_STATE_COMPLETED', undefined],
] as const) {
  test(`STRM-24 a source that ends at ${state} while the server drains`, async () => {
    const endpoint = createFakeEndpoint()
    endpoint.frames = () => framesOf([update(state)])
    const { client, options } = await startGrpc(endpoint)
    options.streams.drain()
    const { error, values } = await client.ask('SubscribeToTask', { id: 't' })
    expect([values.length, error?.code]).toEqual([1, code])
  })
}
