import { createServer, type Server } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createFakeEndpoint } from '../bindings/testing.ts'
import { silent } from '../lib/log.ts'
import { type Door, startListening } from './door.ts'
import { type ConnectionLimits, type Listener, listen, type TlsOptions } from './listen.ts'
import { createHttpServer } from './server.ts'
import { connectRaw, testAgent } from './testing.ts'
import { testCertificate, testKey } from './testing-certificate.ts'

const listeners: Listener[] = []
const fronts: Server[] = []
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close(0)
  for (const front of fronts.splice(0)) front.close()
})

interface Started {
  readonly listener: Listener
  readonly port: number
  /** How often the door was shut. */
  readonly shut: () => number
}

/** A server whose connections come from a listener beside it, as those of workers do. */
async function start({ limits, tls }: { limits?: ConnectionLimits; tls?: TlsOptions } = {}): Promise<Started> {
  let shut = 0
  let port = 0
  const door: Door = {
    async open(address, take) {
      const front = createServer({ pauseOnConnect: true }, take)
      fronts.push(front)
      const opened = await startListening(front, address)
      port = opened.port
      return { port: opened.port, close: () => void shut++ }
    },
  }
  const server = createHttpServer(testAgent, { endpoint: createFakeEndpoint() })
  const place = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
  const listener = await listen(place, { handle: server.handle, grpc: server.grpc, log: silent, limits, tls, door })
  listeners.push(listener)
  return { listener, port, shut: () => shut }
}

test('connections that another process takes are served like those that are taken here', async () => {
  const { listener, port } = await start()
  expect(listener.port).toBe(port)
  for (let times = 0; times < 2; times++) expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200)
  const { connect } = await import('node:http2')
  const session = connect(`http://127.0.0.1:${port}`)
  const stream = session.request({ ':path': '/healthz' })
  const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])))
  expect(status).toBe(200)
  session.destroy()
})

test('they may speak TLS', async () => {
  const { port } = await start({ tls: { key: testKey, cert: testCertificate } })
  const { get } = await import('node:https')
  const status = await new Promise((resolve, reject) => {
    get(
      { port, host: '127.0.0.1', servername: 'localhost', path: '/healthz', ca: testCertificate, agent: false },
      (answer) => resolve(answer.resume().statusCode),
    ).on('error', reject)
  })
  expect(status).toBe(200)
})

test('their time limits hold', async () => {
  const { port } = await start({ limits: { headers: 60, silence: 60 } })
  const [silence, slow] = [connectRaw(port), connectRaw(port)]
  slow.write('GET /healthz HTTP/1.1\r\nHost: x\r\n')
  expect(await silence.closed()).toBe('')
  expect(await slow.closed()).toMatch(/^HTTP\/1\.1 408 /)
})

test('a server that ends shuts the door, serves what comes in late, and keeps none of it', async () => {
  const { listener, port, shut } = await start()
  listener.drain()
  expect(shut()).toBe(1)
  const late = connectRaw(port)
  late.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  const text = await late.closed()
  expect(text).toMatch(/^HTTP\/1\.1 200 /)
  expect(text).toMatch(/connection: close/i)
})
