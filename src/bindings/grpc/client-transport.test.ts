import { createServer as createHttp2Server } from 'node:http2'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CallContext, StreamReply } from '../../protocol/endpoint.ts'
import { v1 } from '../../protocol/versions/v1.ts'
import { testCertificate, testKey } from '../../server/testing-certificate.ts'
import type { TransportOptions } from '../fetch-call.ts'
import { createFakeEndpoint, framesOf, update } from '../testing.ts'
import { closeIdleChannels } from './channel.ts'
import { createCodec } from './codec.ts'
import { clientOf, failure, giving, startGrpc, startPeer } from './testing.ts'

afterEach(closeIdleChannels)

const codec = createCodec(v1.grpc.schema)
const completed = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } as const
const context: CallContext = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }
const getTask = { operation: 'GetTask', request: { id: 't' }, context } as const
const subscribe = { operation: 'SubscribeToTask', request: { id: 't' }, context } as const

async function drain(reply: StreamReply): Promise<number> {
  let count = 0
  for await (const group of reply.events) count += group.length
  return count
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

/** Something between a client and a server that can hold back what passes, or break. */
interface Wire {
  readonly port: number
  readonly connections: number
  cut(): void
  freeze(): void
}

async function wireTo(port: number): Promise<Wire> {
  const sockets: Socket[] = []
  let connections = 0
  const server = createServer((near) => {
    connections += 1
    const far = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.push(one)
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  const cut = (): void => {
    for (const socket of sockets.splice(0)) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const own = await listening(server)
  return {
    port: own,
    get connections() {
      return connections
    },
    cut,
    freeze: () => {
      for (const socket of sockets) socket.pause().unpipe()
    },
  }
}

const taskBytes = Buffer.from(codec.encode('Task', completed))

describe('addresses where nobody answers', () => {
  test('a closed port: Unavailable, and surely not delivered', async () => {
    const server = createServer()
    const port = await listening(server)
    await new Promise((resolve) => server.close(resolve))
    const error = await failure(clientOf(port).unary(getTask))
    expect(error).toMatchObject({ code: 'Unavailable', origin: 'local', retryable: true })
    expect(error.metadata).toEqual({ url: `grpc://127.0.0.1:${port}`, delivered: 'no' })
    expect(error.message).toContain(`Cannot reach grpc://127.0.0.1:${port}: `)
    expect(error.message).toContain('ECONNREFUSED')
  })

  test('an address that is none is told when it is called', async () => {
    for (const run of [clientOf('ftp://a.example').unary(getTask), clientOf('a b').stream(subscribe)]) {
      const error = await failure(run)
      expect(error).toMatchObject({ code: 'Unavailable', retryable: false, metadata: { delivered: 'no' } })
    }
  })

  test('a port that accepts and says nothing: not delivered', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket.on('error', () => {})))
    const port = await listening(silent)
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      silent.close()
    })
    const error = await failure(clientOf(port, { limits: { firstByte: 80 } }).unary(getTask))
    expect(error).toMatchObject({ code: 'DeadlineExceeded', origin: 'local', metadata: { delivered: 'no' } })
  })

  test('HTTP/2 without gRPC: not delivered', async () => {
    const plain = createHttp2Server((_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('no'))
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      plain.close()
    })
    const error = await failure(clientOf((plain.address() as AddressInfo).port).unary(getTask))
    expect(error).toMatchObject({ code: 'NotFound', origin: 'remote', metadata: { delivered: 'no' } })
    closeIdleChannels()
  })
})

describe('connections', () => {
  test('calls to one target share a connection, whatever their interface object', async () => {
    const served = createFakeEndpoint()
    served.result = completed
    const { listener } = await startGrpc(served)
    const wire = await wireTo(listener.port)
    await Promise.all([clientOf(wire.port).unary(getTask), clientOf(wire.port).unary(getTask)])
    await clientOf(`grpc://127.0.0.1:${wire.port}`).unary(getTask)
    expect(wire.connections).toBe(1)
    closeIdleChannels()
    await clientOf(wire.port).unary(getTask)
    expect(wire.connections).toBe(2)
  })

  test('a stream that is cut is Unavailable, and the next call connects again', async () => {
    const served = createFakeEndpoint()
    served.result = completed
    served.frames = async function* () {
      yield* framesOf([update('TASK_STATE_WORKING')])
      await new Promise(() => {})
    }
    const { listener } = await startGrpc(served)
    const wire = await wireTo(listener.port)
    const client = clientOf(wire.port)
    const reply = await client.stream(subscribe)
    wire.cut()
    const error = await failure(drain(reply))
    expect(error).toMatchObject({ code: 'Unavailable', origin: 'local', retryable: true })
    expect(error.metadata.delivered).toBeUndefined()
    expect((await client.unary(getTask)).result.value).toEqual(completed)
    expect(wire.connections).toBe(2)
  })

  test('a server that comes back is found', async () => {
    const port = await startPeer({ GetTask: giving(taskBytes) })
    const wire = await wireTo(port)
    const client = clientOf(wire.port)
    for (let round = 0; round < 3; round++) {
      expect((await client.unary(getTask)).result.value).toEqual(completed)
      wire.cut()
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })

  test('a call that is under way when the connection breaks may have arrived', async () => {
    const port = await startPeer({ GetTask: () => wire.cut() })
    const wire = await wireTo(port)
    const error = await failure(clientOf(wire.port).unary(getTask))
    expect(error).toMatchObject({ code: 'Unavailable', origin: 'local' })
    expect(error.metadata.delivered).toBeUndefined()
  })
})

describe('limits', () => {
  test('GRPC-13 a late answer is DeadlineExceeded, and the peer is told', async () => {
    let cancelled = 0
    const port = await startPeer({
      GetTask: (call) => {
        call.on('cancelled', () => {
          cancelled += 1
        })
      },
    })
    // Connected before, so that the limit is that of the answer.
    await failure(clientOf(port).unary({ ...getTask, operation: 'CancelTask' }))
    const error = await failure(clientOf(port, { limits: { firstByte: 60 } }).unary(getTask))
    expect(error).toMatchObject({ code: 'DeadlineExceeded', origin: 'local' })
    expect(error.message).toContain('did not begin to answer within 60 ms')
    expect(error.metadata.delivered).toBeUndefined()
    await expect.poll(() => cancelled).toBe(1)
  })

  test('an aborted signal ends the wait at once', async () => {
    const port = await startPeer({ GetTask: () => {} })
    const controller = new AbortController()
    const waiting = failure(clientOf(port).unary({ ...getTask, context: { ...context, signal: controller.signal } }))
    setTimeout(() => controller.abort(), 20)
    expect(await waiting).toMatchObject({ code: 'Cancelled', origin: 'local' })
    const over = { ...getTask, context: { ...context, signal: AbortSignal.abort() } }
    expect(await failure(clientOf(port).unary(over))).toMatchObject({ code: 'Cancelled' })
  })

  test('case 31: a silent stream lives as long as its peer answers', async () => {
    const event = Buffer.from(codec.encode('StreamResponse', update('TASK_STATE_WORKING')))
    const port = await startPeer({
      SubscribeToTask: (call) => {
        call.write(event)
        setTimeout(() => giving(event)(call), 200)
      },
    })
    const reply = await clientOf(port, { limits: { idle: 20 } }).stream(subscribe)
    expect(await drain(reply)).toBe(2)
  })

  test('a stream whose peer is gone without a word ends', async () => {
    const event = Buffer.from(codec.encode('StreamResponse', update('TASK_STATE_WORKING')))
    const wire = await wireTo(await startPeer({ SubscribeToTask: (call) => call.write(event) }))
    const reply = await clientOf(wire.port, { limits: { idle: 40 } }).stream(subscribe)
    wire.freeze()
    const error = await failure(drain(reply))
    expect(error).toMatchObject({ code: 'DeadlineExceeded', origin: 'local', retryable: true })
    expect(error.message).toContain('was silent for 40 ms')
  })

  test('an answer larger than the limit is refused, and a large one within it is read', async () => {
    const text = 'x'.repeat(2_000_000)
    const large = { ...completed, artifacts: [{ artifactId: 'a', parts: [{ text }] }] }
    const bytes = Buffer.from(codec.encode('Task', large))
    const port = await startPeer({ GetTask: giving(bytes) })
    expect((await clientOf(port).unary(getTask)).result.value).toEqual(large)
    const error = await failure(clientOf(port, { limits: { bytes: 100_000 } }).unary(getTask))
    expect(error).toMatchObject({ code: 'InvalidAgentResponse', origin: 'local' })
    expect(error.message).toContain('more than 100000 bytes, the limit set here')
  })

  test('a large request is sent whole', async () => {
    let length = 0
    const port = await startPeer(
      {
        SendMessage: (call) => {
          length = call.request.length
          giving(Buffer.from(codec.encode('SendMessageResponse', { task: completed })))(call)
        },
      },
      { 'grpc.max_receive_message_length': -1 },
    )
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x'.repeat(9_000_000) }] } as const
    await clientOf(port).unary({ operation: 'SendMessage', request: { message }, context })
    expect(length).toBeGreaterThan(9_000_000)
  })

  test('GRPC-12 what was sent before an error is read before it, however slow the reader', async () => {
    const event = Buffer.from(codec.encode('StreamResponse', update('TASK_STATE_WORKING')))
    const port = await startPeer({
      SubscribeToTask: (call) => {
        for (let count = 0; count < 100; count++) call.write(event)
        setTimeout(() => call.emit('error', { code: 13, details: 'broken' }), 5)
      },
    })
    const reply = await clientOf(port).stream(subscribe)
    await new Promise((resolve) => setTimeout(resolve, 50))
    let read = 0
    const error = await failure(
      (async () => {
        for await (const group of reply.events) read += group.length
      })(),
    )
    expect(error).toMatchObject({ code: 'Internal', message: 'broken', origin: 'remote' })
    expect(read).toBe(100)
  })

  test('a reader that is slow slows the writer down', async () => {
    const served = createFakeEndpoint()
    let produced = 0
    const parts = [{ text: 'x'.repeat(10_000) }]
    served.frames = async function* () {
      for (; produced < 20_000; produced++) {
        const artifact = { artifactId: 'a', parts }
        yield* framesOf([{ artifactUpdate: { taskId: 't', contextId: 'c', artifact } }])
      }
    }
    const { listener } = await startGrpc(served)
    const reply = await clientOf(listener.port).stream(subscribe)
    let before = -1
    await expect
      .poll(() => {
        const rests = produced === before
        before = produced
        return rests
      })
      .toBe(true)
    expect(produced).toBeLessThan(10_000)
    let read = 0
    for await (const group of reply.events) {
      read += group.length
      if (read > 3_000) break
    }
    expect(produced).toBeGreaterThan(before)
  })
})

describe('answers', () => {
  test('compressed by gzip', async () => {
    const large = { ...completed, artifacts: [{ artifactId: 'a', parts: [{ text: 'x'.repeat(100_000) }] }] }
    const options = { 'grpc.default_compression_algorithm': 2 }
    const port = await startPeer({ GetTask: giving(Buffer.from(codec.encode('Task', large))) }, options)
    expect((await clientOf(port).unary(getTask)).result.value).toEqual(large)
    const error = await failure(clientOf(port, { limits: { bytes: 5_000 } }).unary(getTask))
    expect(error.code).toBe('InvalidAgentResponse')
  })

  test('bytes that are no message, and no bytes at all', async () => {
    const port = await startPeer({
      GetTask: giving(Buffer.from([0x0a, 0x99])),
      CancelTask: giving(),
    })
    const broken = await failure(clientOf(port).unary(getTask))
    expect(broken.code).toBe('InvalidAgentResponse')
    expect(broken.message).toContain('bytes that are no Task')
    const none = await failure(clientOf(port).unary({ ...getTask, operation: 'CancelTask' }))
    expect(none.message).toContain('without a message')
  })

  test('what can be used in spite of a flaw is used, with a warning', async () => {
    const warnings: string[] = []
    const bytes = Buffer.from(codec.encode('Task', { id: 't', status: { state: 99 } }))
    const port = await startPeer({ GetTask: giving(bytes) })
    const { result } = await clientOf(port, { warn: (text) => warnings.push(text) }).unary(getTask)
    expect(result.value).toMatchObject({ id: 't', status: { state: 'TASK_STATE_UNSPECIFIED' } })
    expect(warnings[0]).toContain('status.state: must be one of')
  })

  test('a method that the peer lacks: nothing was done', async () => {
    const port = await startPeer({ GetTask: giving(taskBytes) })
    const error = await failure(clientOf(port).unary({ ...getTask, operation: 'CancelTask' }))
    expect(error).toMatchObject({ code: 'MethodNotFound', origin: 'remote', metadata: { delivered: 'no' } })
  })
})

describe('GRPC-02 TLS', () => {
  const tls = { cert: testCertificate, key: testKey }

  test("by scheme or by default, with an authority of one's own; credentials see https", async () => {
    const served = createFakeEndpoint()
    served.result = completed
    const { listener } = await startGrpc(served, { tls })
    const { port } = listener
    const seen: string[] = []
    const transport: TransportOptions = {
      tls: { ca: testCertificate },
      headers: async ({ href }) => {
        seen.push(href)
        return {}
      },
    }
    const secure = { ...transport, secure: true }
    for (const client of [
      clientOf(`https://localhost:${port}`, transport),
      clientOf(`grpcs://localhost:${port}`, transport),
      clientOf(`localhost:${port}`, secure),
      clientOf(`dns:///localhost:${port}`, { ...secure, tls: { ca: Buffer.from(testCertificate) } }),
    ]) {
      expect((await client.unary(getTask)).result.value).toEqual(completed)
    }
    expect(seen).toEqual(Array(4).fill(`https://localhost:${port}/`))
  })

  test('a certificate that nobody vouches for is refused, with the reason', async () => {
    const { listener } = await startGrpc(createFakeEndpoint(), { tls })
    const error = await failure(clientOf(`https://localhost:${listener.port}`).unary(getTask))
    expect(error).toMatchObject({ code: 'Unavailable', metadata: { delivered: 'no' } })
    expect(error.message).toContain('self-signed certificate')
  })
})
