import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import type { GrpcHandler } from '../bindings/grpc/server.ts'
import type { HttpHandler } from '../lib/http.ts'
import type { Logger } from '../lib/log.ts'
import type { ListenAddress } from './address.ts'
import { refuseClient } from './client-error.ts'
import { type Door, startListening } from './door.ts'
import { createHttp2Server } from './http2-server.ts'
import { readNodeRequest, serveNodeRequest } from './node.ts'
import { peek } from './preface.ts'

/** Key and certificate in PEM form. */
export interface TlsOptions {
  readonly key: string | Uint8Array
  readonly cert: string | Uint8Array
  /** Authorities for client certificates; with it, clients are asked for one. */
  readonly ca?: string | Uint8Array
  readonly passphrase?: string
}

/** Time limits of connections, milliseconds. */
export interface ConnectionLimits {
  /** From the connection to its first bytes; 30,000. */
  readonly silence?: number
  /** For the headers of a request; 30,000. */
  readonly headers?: number
  /** For a request with its body; 300,000. */
  readonly request?: number
  /** Between requests; 65,000. */
  readonly idle?: number
  /** How long a reader may take nothing of what waits for it; 120,000. */
  readonly stall?: number
}

export interface ListenerOptions {
  readonly handle: HttpHandler
  /** Answers gRPC calls; without it they are requests like any other. */
  readonly grpc?: GrpcHandler | undefined
  readonly log: Logger
  readonly tls?: TlsOptions | undefined
  readonly limits?: ConnectionLimits | undefined
  /** Where connections come from; without it, this process listens. */
  readonly door?: Door | undefined
}

/** A listening server. */
export interface Listener {
  /** The port in use; 0 for a Unix socket. */
  readonly port: number
  /** From now on answers tell their callers to come back on another connection. */
  dismiss(): void
  /** Takes no more connections, closes idle ones, and lets those at work end after their answer. */
  drain(): void
  /** Waits at most so many milliseconds for connections to end, then cuts them. Drains first. */
  close(wait: number): Promise<void>
}

/**
 * Listens for HTTP/1.1 and HTTP/2 on one address; the first bytes of a connection, or ALPN under TLS, tell which.
 * Rejects with an error for people when the address cannot be had.
 */
export async function listen(address: ListenAddress, options: ListenerOptions): Promise<Listener> {
  const { handle, grpc, log, tls, limits = {}, door } = options
  const sockets = new Set<Socket>()
  const peeking = new Set<Socket>()
  const { idle = 65_000, stall = 120_000, request = 300_000 } = limits
  const headersTime = Math.min(limits.headers ?? 30_000, request)
  let dismissing = false
  let draining = false

  const settings = {
    headersTimeout: headersTime,
    requestTimeout: request,
    keepAliveTimeout: idle,
    // Probes find callers that vanished without a word while their answer is being worked on.
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    connectionsCheckingInterval: Math.max(20, Math.min(5_000, headersTime / 2)),
  }
  const server =
    tls === undefined
      ? createHttp(settings, onRequest)
      : createHttps({ ...settings, ...secureOptions(tls), ALPNProtocols: ['h2', 'http/1.1'] }, onRequest)
  server.on('checkContinue', (message, response) => serve(message, response, true))
  server.on('clientError', refuseClient)

  const http2 = createHttp2Server({ handle, grpc, log, limits: { request, idle, stall } })

  // The server's own listener sees HTTP/1 connections only, so that its time limits go on working.
  const event = tls === undefined ? 'connection' : 'secureConnection'
  const [toHttp1] = server.listeners(event) as ((socket: Socket) => void)[]
  server.removeAllListeners(event)
  function hand(socket: Socket, kind: 'http1' | 'http2'): void {
    peeking.delete(socket)
    if (kind === 'http2') {
      // Whoever ends its side of such a connection has gone.
      socket.allowHalfOpen = false
      http2.accept(socket)
    } else toHttp1?.call(server, socket)
  }
  server.on(event, (socket: Socket) => {
    if (tls !== undefined) return hand(socket, (socket as TLSSocket).alpnProtocol === 'h2' ? 'http2' : 'http1')
    peeking.add(socket)
    peek(socket, { silence: limits.silence ?? 30_000, decided: hand, gone: (lost) => peeking.delete(lost) })
  })
  server.prependListener('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })

  function onRequest(message: IncomingMessage, response: ServerResponse): void {
    serve(message, response, false)
  }

  function serve(message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (dismissing) response.shouldKeepAlive = false
    const read = readNodeRequest(message, response, expectsContinue ? { expectsContinue } : undefined)
    serveNodeRequest(handle, read, { response, direct: true, stall }).catch((error) => {
      log.error('an answer could not be written', { cause: error })
      response.destroy()
    })
  }

  /** A connection that another process has accepted, made as this server would have made it. */
  function take(socket: Socket): void {
    socket.setNoDelay(true)
    socket.setKeepAlive(settings.keepAlive, settings.keepAliveInitialDelay)
    socket.allowHalfOpen = true
    server.emit('connection', socket)
  }

  const opened = await (door?.open(address, take) ?? startListening(server, address))
  // Its time limits are looked after from then on.
  if (door !== undefined) server.emit('listening')

  function drain(): void {
    if (draining) return
    draining = true
    dismissing = true
    if (door !== undefined) opened.close()
    server.close()
    for (const socket of peeking) socket.destroy()
    http2.drain()
  }

  return {
    port: opened.port,
    dismiss: () => {
      dismissing = true
    },
    drain,
    close: async (wait) => {
      drain()
      const until = Date.now() + wait
      while (sockets.size > 0 && Date.now() < until) {
        server.closeIdleConnections()
        await sleep(10)
      }
      http2.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function secureOptions(tls: TlsOptions): Record<string, unknown> {
  const buffer = (value: string | Uint8Array): string | Buffer =>
    typeof value === 'string' ? value : Buffer.from(value)
  return {
    key: buffer(tls.key),
    cert: buffer(tls.cert),
    minVersion: 'TLSv1.2',
    ...(tls.ca !== undefined && { ca: buffer(tls.ca), requestCert: true, rejectUnauthorized: true }),
    ...(tls.passphrase !== undefined && { passphrase: tls.passphrase }),
  }
}
