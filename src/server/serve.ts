import type { Agent } from '../engine/executor.ts'
import { silent } from '../lib/log.ts'
import { isLoopback, isUnspecified, type ListenAddress, parseListen, urlHost } from './address.ts'
import { type AgentHandlerOptions, startAgent } from './handler.ts'
import { type ConnectionLimits, listen, type TlsOptions } from './listen.ts'

/** How an agent is served. */
export interface ServeOptions extends AgentHandlerOptions {
  /** `host:port`, `:port`, a port, `[::]:port` or `unix:///path`; default `127.0.0.1:8082`. */
  readonly listen?: string | number
  readonly tls?: TlsOptions
  readonly connections?: ConnectionLimits
}

/** A served agent. */
export interface Server {
  /** Where it is reached: the public URL, or the address listened on, with the real port. */
  readonly url: string
  readonly cardUrl: string
  /**
   * Takes no more connections, lets runs finish for so many milliseconds (default 10,000), ends streams with a hint to
   * come back, and cuts what is left.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** Serves an agent over JSON-RPC and HTTP+JSON. Wrong settings are a `TypeError`; an address that is taken is an `Error` that says so. */
export async function serve(agent: Agent, options: ServeOptions = {}): Promise<Server> {
  const log = options.log ?? silent
  const address = parseListen(options.listen ?? '127.0.0.1:8082')
  const started = await startAgent(agent, options)
  const { server } = started
  try {
    const { tls, connections: limits } = options
    const listener = await listen(address, { handle: server.handle, log, tls, limits })
    const secure = tls !== undefined
    if (address.kind === 'tcp') server.setListening({ host: address.host, port: listener.port, secure })
    const open = options.tokens === undefined && options.authenticator === undefined
    if (open && address.kind === 'tcp' && !isLoopback(address.host)) {
      log.warn('everybody who reaches this address can use the agent; set tokens to ask for a bearer token', {
        address,
      })
    }
    const url = options.publicUrl?.replace(/\/+$/, '') ?? localUrl(address, { port: listener.port, secure })
    let closing: Promise<void> | undefined
    return {
      url,
      cardUrl: `${url}${server.cardPath}`,
      close: ({ graceMs = 10_000 } = {}) => {
        closing ??= (async () => {
          server.drain()
          listener.drain()
          await started.close(graceMs)
          await listener.close(1_000)
        })()
        return closing
      },
    }
  } catch (error) {
    await started.close(0)
    throw error
  }
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
