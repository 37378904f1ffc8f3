import { connect, type Socket } from 'node:net'
import { createFakeEndpoint, type FakeEndpoint } from '../bindings/testing.ts'
import { agent } from '../engine/executor.ts'
import { silent } from '../lib/log.ts'
import type { Endpoint } from '../protocol/endpoint.ts'
import type { ListenAddress } from './address.ts'
import { type ConnectionLimits, type Listener, listen, type TlsOptions } from './listen.ts'
import { createHttpServer, type HandlerOptions, type HttpServer } from './server.ts'

/** An agent for tests of what lies in front of the engine. */
export const testAgent: ReturnType<typeof agent> = agent({
  name: 'Echo',
  description: 'says it again',
  version: '1',
  async *run() {
    yield 'x'
  },
})

export interface TestServer {
  readonly server: HttpServer
  readonly listener: Listener
  readonly port: number
  readonly url: string
}

export interface TestServerOptions extends HandlerOptions {
  readonly endpoint?: Endpoint
  readonly address?: ListenAddress
  readonly limits?: ConnectionLimits
  readonly tls?: TlsOptions
}

/** Listens on a free port, in front of a fake endpoint unless another is given. */
export async function listenForTest(options: TestServerOptions = {}): Promise<TestServer> {
  const { endpoint = createFakeEndpoint(), address, limits, tls, ...rest } = options
  const server = createHttpServer(testAgent, { ...rest, endpoint })
  const place = address ?? { kind: 'tcp', host: '127.0.0.1', port: 0 }
  const listener = await listen(place, { handle: server.handle, grpc: server.grpc, log: silent, limits, tls })
  const scheme = tls === undefined ? 'http' : 'https'
  return { server, listener, port: listener.port, url: `${scheme}://127.0.0.1:${listener.port}` }
}

/** A connection whose bytes are written and read one by one. */
export interface RawClient {
  readonly socket: Socket
  readonly received: () => string
  write(text: string | Uint8Array): void
  /** Waits until what was received holds a text. */
  until(text: string): Promise<string>
  /** Waits until the other side has closed. */
  closed(): Promise<string>
}

export function connectRaw(port: number): RawClient {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let over = false
  const waiting = new Set<() => void>()
  const look = (): void => {
    for (const check of waiting) check()
  }
  socket.setEncoding('latin1')
  socket.on('data', (chunk) => {
    text += chunk
    look()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    over = true
    look()
  })
  function wait(ready: () => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!ready() && !over) return
        waiting.delete(check)
        if (ready()) resolve(text)
        else reject(new Error(`the connection closed after ${JSON.stringify(text)}`))
      }
      waiting.add(check)
      check()
    })
  }
  return {
    socket,
    received: () => text,
    write: (bytes) => void socket.write(bytes),
    until: (part) => wait(() => text.includes(part)),
    closed: () => wait(() => over),
  }
}

/** The text of an HTTP/1.1 request. */
export function httpText(line: string, headers: Readonly<Record<string, string | number>>, body = ''): string {
  const lines = Object.entries({ Host: 'agent.example', ...headers }).map(([name, value]) => `${name}: ${value}`)
  return `${line} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** A JSON-RPC request as HTTP text. */
export function rpcText(method: string, params: unknown, id: string | number = 1): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
  const headers = {
    'Content-Type': 'application/json',
    'A2A-Version': '1.0',
    'Content-Length': Buffer.byteLength(body),
  }
  return httpText('POST /invoke', headers, body)
}

/** Waits until something holds; tests that wait for ever end by the time limit of the runner. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

export type { FakeEndpoint }
