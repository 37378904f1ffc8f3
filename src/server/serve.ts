import { setTimeout as sleep } from 'node:timers/promises'
import type { Agent } from '../engine/executor.ts'
import { type Logger, silent } from '../lib/log.ts'
import { isLoopback, isUnspecified, type ListenAddress, parseListen, urlHost } from './address.ts'
import { createAdminHandler } from './admin.ts'
import { grpcTarget, type Listening } from './base-url.ts'
import type { Door } from './door.ts'
import { refuseOthers } from './grpc.ts'
import { type AgentHandlerOptions, type StartedAgent, startAgent } from './handler.ts'
import { type ConnectionLimits, type Listener, listen, type TlsOptions } from './listen.ts'

/** How an agent is served. */
export interface ServeOptions extends AgentHandlerOptions {
  /** `host:port`, `:port`, a port, `[::]:port` or `unix:///path`; default `127.0.0.1:8082`. */
  readonly listen?: string | number
  readonly tls?: TlsOptions
  /** A second address that carries gRPC alone; without it, gRPC is spoken on `listen` with all else. */
  readonly grpcListen?: string | number
  readonly connections?: ConnectionLimits
  /** Where connections come from, when another process listens on the addresses. */
  readonly door?: Door
  /** A second address for `/metrics`, `/healthz` and `/readyz`, which callers should not reach; metrics are kept with it. */
  readonly adminListen?: string | number
}

/** A served agent. */
export interface Server {
  /** Where it is reached: the public URL, or the address listened on, with the real port. */
  readonly url: string
  /** Where gRPC is reached: `host:port`, or `unix:///path`. */
  readonly grpcTarget: string
  readonly cardUrl: string
  /** Where metrics and health are told, if on an address of their own. */
  readonly adminUrl?: string
  /** The text of all metrics; only where they are kept. */
  readonly metrics?: () => Promise<string>
  /** Ends it all in good order; further calls wait for the end, and change nothing. */
  close(options?: CloseOptions): Promise<void>
}

/** How a server ends. It says at `/readyz` that it does, waits `delayMs`, takes no more calls, and lets runs finish for `graceMs`. */
export interface CloseOptions {
  /** Time for balancers to see that others have to take the calls now, while all goes on as before; milliseconds, 0. */
  readonly delayMs?: number
  /** Time for runs to finish, milliseconds, 10,000. What is left is handed to other processes where it can go on, and its streams end with a hint to come back. */
  readonly graceMs?: number
}

/** Serves an agent over JSON-RPC, HTTP+JSON and gRPC. Wrong settings are a `TypeError`; an address that is taken is an `Error` that says so. */
export async function serve(agent: Agent, options: ServeOptions = {}): Promise<Server> {
  const log = options.log ?? silent
  const address = parseListen(options.listen ?? '127.0.0.1:8082')
  const grpcAddress = options.grpcListen === undefined ? undefined : parseListen(options.grpcListen)
  const adminAddress = options.adminListen === undefined ? undefined : parseListen(options.adminListen)
  const started = await startAgent(agent, adminAddress === undefined ? options : { measured: true, ...options })
  const { server } = started
  const listeners: Listener[] = []
  try {
    const { tls, connections: limits, door } = options
    const { grpc } = server
    const listener = await listen(address, { handle: server.handle, grpc, log, tls, limits, door })
    listeners.push(listener)
    if (grpcAddress !== undefined) {
      listeners.push(await listen(grpcAddress, { handle: refuseOthers, grpc, log, tls, limits, door }))
    }
    const admin = adminAddress && (await listenForAdmin(adminAddress, started, { log, door }))
    const secure = tls !== undefined
    const place = {
      host: address.kind === 'tcp' ? address.host : 'localhost',
      port: listener.port,
      secure,
      ...grpcPlace(grpcAddress ?? address, (listeners.at(-1) as Listener).port),
    }
    if (address.kind === 'tcp') server.setListening(place)
    const open = options.tokens === undefined && options.authenticator === undefined
    for (const each of grpcAddress === undefined ? [address] : [address, grpcAddress]) {
      if (!open || each.kind !== 'tcp' || isLoopback(each.host)) continue
      log.warn('everybody who reaches this address can use the agent; set tokens to ask for a bearer token', {
        address: each,
      })
    }
    const url = options.publicUrl?.replace(/\/+$/, '') ?? localUrl(address, { port: listener.port, secure })
    let closing: Promise<void> | undefined
    return {
      url,
      grpcTarget: grpcTarget(url, place) ?? '',
      cardUrl: `${url}${server.cardPath}`,
      ...(admin && adminAddress && { adminUrl: localUrl(adminAddress, { port: admin.port, secure: false }) }),
      ...(started.metrics && { metrics: started.metrics }),
      close: ({ delayMs = 0, graceMs = 10_000 } = {}) => {
        closing ??= (async () => {
          server.drain()
          if (delayMs > 0) {
            log.info('The server tells that it is going to end', { delayMs })
            for (const each of listeners) each.dismiss()
            await sleep(delayMs)
          }
          log.info('The server takes no more calls, and lets runs finish', { graceMs })
          for (const each of listeners) each.drain()
          await started.close(graceMs)
          await Promise.all(listeners.map((each) => each.close(1_000)))
          // Until now it told those who ask that this server is on its way out.
          await admin?.close(0)
          log.info('The server has ended')
        })()
        return closing
      },
    }
  } catch (error) {
    await Promise.all(listeners.map((each) => each.close(0)))
    await started.close(0)
    throw error
  }
}

/** Listens for those who look after the server. */
async function listenForAdmin(
  address: ListenAddress,
  started: StartedAgent,
  { log, door }: { readonly log: Logger; readonly door: Door | undefined },
): Promise<Listener> {
  const { metrics = async () => '', readiness } = started
  return await listen(address, { handle: createAdminHandler({ metrics, readiness }), log, door })
}

function grpcPlace(address: ListenAddress, port: number): Pick<Listening, 'grpcPort' | 'grpcSocket'> {
  return address.kind === 'tcp' ? { grpcPort: port } : { grpcSocket: `unix://${address.path}` }
}

function localUrl(
  address: ListenAddress,
  { port, secure }: { readonly port: number; readonly secure: boolean },
): string {
  const scheme = secure ? 'https' : 'http'
  if (address.kind === 'unix') return `${scheme}://localhost`
  const host = isUnspecified(address.host) ? 'localhost' : urlHost(address.host)
  return `${scheme}://${host}${port === (secure ? 443 : 80) ? '' : `:${port}`}`
}
