import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientHttp2Session, connect } from 'node:http2'
import { Agent, request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import { createGrpcJsClient, type GrpcJsClient, requestFrame } from '../bindings/grpc/testing.ts'
import { createFakeEndpoint } from '../bindings/testing.ts'
import { agent } from '../engine/executor.ts'
import { encodeText } from '../protocol/encoded.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import { grpcTarget, type Listening } from './base-url.ts'
import { type ServeOptions, type Server, serve } from './serve.ts'
import { eventually, listenForTest, type TestServer, type TestServerOptions, testAgent } from './testing.ts'
import { testCertificate, testKey } from './testing-certificate.ts'

const head = {
  ':method': 'POST',
  ':path': '/lf.a2a.v1.A2AService/GetTask',
  'content-type': 'application/grpc',
  te: 'trailers',
  'a2a-version': '1.0',
}
const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] }

async function start(options?: TestServerOptions): Promise<[TestServer, ClientHttp2Session, GrpcJsClient]> {
  const server = await listenForTest(options)
  const session = connect(server.url)
  session.on('error', () => {})
  const client = createGrpcJsClient(server.port)
  onTestFinished(async () => {
    session.destroy()
    client.client.close()
    await server.listener.close(0)
  })
  return [server, session, client]
}

async function startServer(options: ServeOptions): Promise<Server> {
  const server = await serve(testAgent, { listen: '127.0.0.1:0', store: 'memory', ...options })
  onTestFinished(() => server.close({ graceMs: 0 }))
  return server
}

function clientOf(url: string): GrpcJsClient {
  const client = createGrpcJsClient(Number(new URL(url).port))
  onTestFinished(() => client.client.close())
  return client
}

test('GRPC-02 EQ-02 one port carries all bindings: a task of gRPC is read over the others', async () => {
  const server = await startServer({})
  const { error, values } = await clientOf(server.url).ask('SendMessage', { message })
  expect(error).toBeUndefined()
  const task = values[0]?.task as { readonly id: string }
  const read = await fetch(`${server.url}/tasks/${task.id}`, { headers: { 'a2a-version': '1.0' } })
  expect(await read.json()).toEqual(task)
})

test('GRPC-02 over TLS, beside HTTP/1.1 and HTTP/2', async () => {
  const server = await startServer({ tls: { key: testKey, cert: testCertificate } })
  const port = Number(new URL(server.url).port)
  const client = new Client(`127.0.0.1:${port}`, credentials.createSsl(Buffer.from(testCertificate)), {
    'grpc.ssl_target_name_override': 'localhost',
  })
  onTestFinished(() => client.close())
  const asIs = (bytes: Buffer): Buffer => bytes
  const metadata = new Metadata()
  metadata.set('a2a-version', '1.0')
  const error = await new Promise<ServiceError | null>((resolve) => {
    const bytes = requestFrame('GetTask', { id: 't' }).subarray(5)
    client.makeUnaryRequest(head[':path'], asIs, asIs, bytes, metadata, (failure) => resolve(failure))
  })
  expect([error?.code, error?.details]).toEqual([status.NOT_FOUND, expect.stringContaining('"t"')])
  const health = await new Promise<number | undefined>((resolve, reject) => {
    const secure = new Agent({ ca: testCertificate, keepAlive: false })
    request({ port, host: '127.0.0.1', servername: 'localhost', path: '/healthz', agent: secure }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
      .on('error', reject)
      .end()
  })
  expect(health).toBe(200)
})

test('a second address carries gRPC alone', async () => {
  const server = await startServer({ grpcListen: '127.0.0.1:0' })
  const target = server.grpcTarget
  expect(target).toMatch(/^127\.0\.0\.1:\d+$/)
  const card = (await (await fetch(server.cardUrl)).json()) as AgentCard
  expect(card.supportedInterfaces).toContainEqual({
    url: target,
    protocolBinding: 'GRPC',
    protocolVersion: '1.0',
  })
  const client = clientOf(`http://${target}`)
  expect((await client.ask('SendMessage', { message })).error).toBeUndefined()
  expect((await clientOf(server.url).ask('ListTasks', {})).values[0]).toMatchObject({ totalSize: 1 })
  const other = await fetch(`http://${target}/.well-known/agent-card.json`)
  expect([
    other.status,
    other.headers.get('content-type'),
    ((await other.json()) as { error: { status: string } }).error.status,
  ]).toEqual([404, 'application/json', 'NOT_FOUND'])
})

test('a Unix socket carries gRPC too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-grpc-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'agent.sock')
  for (const options of [{ listen: `unix://${path}` }, { grpcListen: `unix://${path}` }]) {
    const server = await startServer(options)
    expect(server.grpcTarget).toBe(`unix://${path}`)
    const client = new Client(server.grpcTarget, credentials.createInsecure())
    const asIs = (bytes: Buffer): Buffer => bytes
    const answer = await new Promise<Buffer | undefined>((resolve) => {
      client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, Buffer.alloc(0), (_error, bytes) =>
        resolve(bytes),
      )
    })
    expect(answer?.toString('hex')).toBe('0801')
    client.close()
    await server.close({ graceMs: 0 })
  }
})

test('AMB-60 cards name the target as host and port', async () => {
  const at = (baseUrl: string, place: Pick<Listening, 'grpcPort' | 'grpcSocket'>) =>
    grpcTarget(baseUrl, { host: '127.0.0.1', port: 8_082, secure: false, ...place })
  const same = { grpcPort: 8_082 }
  const own = { grpcPort: 50_051 }
  expect([at('http://127.0.0.1:8082', same), at('http://[::1]:8082', same)]).toEqual(['127.0.0.1:8082', '[::1]:8082'])
  expect([at('http://a.example', same), at('https://a.example', same)]).toEqual(['a.example:80', 'a.example:443'])
  expect([at('https://a.example', own), at('https://a.example/agents/echo', own)]).toEqual([
    'a.example:50051',
    'a.example:50051',
  ])
  expect(at('https://a.example/agents/echo', same)).toBeUndefined()
  expect([at('http://a.example', { grpcSocket: 'unix:///x.sock' }), at('http://a.example', {})]).toEqual([
    'unix:///x.sock',
    undefined,
  ])
})

test('GRPC-13 a drain says goodbye and lets calls finish', async () => {
  const endpoint = createFakeEndpoint()
  let asked = false
  let answer = (): void => {}
  endpoint.unary = async () => {
    asked = true
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return { result: encodeText('{"id":"t"}'), extensions: [] }
  }
  const [{ listener }, session] = await start({ endpoint })
  let goodbye = false
  session.on('goaway', () => {
    goodbye = true
  })
  const stream = session.request(head)
  let trailers: Record<string, unknown> = {}
  stream.on('trailers', (received) => {
    trailers = received
  })
  stream.resume().end(requestFrame('GetTask', { id: 't' }))
  const closed = new Promise((resolve) => stream.once('close', resolve))
  await eventually(() => asked)
  listener.drain()
  await eventually(() => goodbye)
  answer()
  await closed
  expect(trailers['grpc-status']).toBe('0')
})

test('GRPC-12 a server that closes ends its streams with UNAVAILABLE, and its runs first', async () => {
  const slow = agent({
    name: 'Slow',
    description: 'never ends',
    version: '1',
    async *run(task) {
      yield 'x'
      await new Promise((resolve) => task.signal.addEventListener('abort', resolve))
    },
  })
  const server = await serve(slow, { listen: '127.0.0.1:0', store: 'memory' })
  const client = clientOf(server.url)
  let begun = false
  const outcome = client.ask('SendStreamingMessage', { message }, { onMessage: () => (begun = true) })
  await eventually(() => begun)
  await server.close({ graceMs: 50 })
  const { error, values } = await outcome
  const last = JSON.stringify(values.at(-1))
  if (error === undefined) expect(last).toMatch(/TASK_STATE_FAILED/)
  else expect([error.code, error.metadata.get('retry-after')]).toEqual([status.UNAVAILABLE, ['1']])
})

test('a silent stream keeps its connection, an idle connection goes', async () => {
  const endpoint = createFakeEndpoint()
  const ends: (() => void)[] = []
  endpoint.frames = async function* () {
    yield [encodeText('{"task":{"id":"t"}}') as never]
    await new Promise<void>((resolve) => ends.push(resolve))
  }
  const [, session] = await start({ endpoint, limits: { idle: 300 } })
  let goodbye = false
  session.on('goaway', () => {
    goodbye = true
  })
  const stream = session.request({ ...head, ':path': '/lf.a2a.v1.A2AService/SubscribeToTask' })
  stream.resume().end(requestFrame('SubscribeToTask', { id: 't' }))
  await eventually(() => ends.length === 1)
  await new Promise((resolve) => setTimeout(resolve, 700))
  expect(goodbye).toBe(false)
  ends[0]?.()
  await eventually(() => goodbye)
})

test('clients that probe often are not turned away', async () => {
  const [, session, client] = await start()
  await new Promise((resolve) => session.once('connect', resolve))
  for (let at = 0; at < 200; at++) {
    await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())))
  }
  expect([session.destroyed, (await client.ask('GetTask', { id: 't' })).error]).toEqual([false, undefined])
})

test('many calls at once on one connection', async () => {
  const [, , client] = await start()
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, id) => client.ask(id % 3 === 0 ? 'SubscribeToTask' : 'GetTask', { id: `${id}` })),
  )
  expect(outcomes.filter(({ error }) => error !== undefined)).toEqual([])
})
