import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '../auth/authenticate.ts'
import { bearerTokens, type StaticToken } from '../auth/bearer.ts'
import { createEngine } from '../engine/engine.ts'
import type { Agent } from '../engine/executor.ts'
import type { Limits } from '../engine/limits.ts'
import type { HttpHandler } from '../lib/http.ts'
import { silent } from '../lib/log.ts'
import { resolveProfile } from '../protocol/profiles.ts'
import type { HintBus } from '../stores/hints.ts'
import { createFetch } from './fetch.ts'
import { readNodeRequest, serveNodeRequest } from './node.ts'
import { openStore, type StoreChoice } from './open-store.ts'
import { CallRates, limitRate, type RateLimit } from './rate-limit.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { createHttpServer, type HandlerOptions, type HttpServer } from './server.ts'
import { type WatchOptions, watchAgent } from './watch-agent.ts'

/** How an agent is run and put on HTTP. */
export interface AgentHandlerOptions extends HandlerOptions, WatchOptions {
  /** Default `memory`. A store that is handed in stays open when the handler closes. */
  readonly store?: StoreChoice
  /** Bearer tokens that let callers in; `authenticator` serves other ways. */
  readonly tokens?: readonly (string | StaticToken)[]
  /** How the processes that share a SQLite file tell each other what they did. */
  readonly hints?: HintBus
  /** Bounds of runs and streams. */
  readonly limits?: Partial<Limits>
  /** How long each tenant's tasks are kept after their last status, milliseconds; undefined: as `limits.retain` says. */
  readonly retain?: (tenant: string) => number | undefined
  /** Calls that one caller may make; without it, as many as there are. */
  readonly rate?: RateLimit
}

/** An agent at work, ready for any HTTP server. */
export interface AgentHandler {
  readonly handle: HttpHandler
  /** For runtimes with web-standard requests. */
  readonly fetch: (request: Request) => Promise<Response>
  /** For `http.createServer`. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void
  /** Lets runs finish for so many milliseconds (default 10,000), then ends what is left, streams with a hint to come back. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** Runs an agent behind a handler without a listener. Wrong settings are a `TypeError`. */
export async function createHandler(agent: Agent, options: AgentHandlerOptions = {}): Promise<AgentHandler> {
  const { server, close } = await startAgent(agent, options)
  return {
    handle: server.handle,
    fetch: createFetch(server.handle),
    node: (request, response) => {
      serveNodeRequest(server.handle, readNodeRequest(request, response), { response }).catch(() => response.destroy())
    },
    close: async ({ graceMs = 10_000 } = {}) => {
      server.drain()
      await close(graceMs)
    },
  }
}

/** A running agent and its HTTP side. */
export interface StartedAgent {
  readonly server: HttpServer
  /** How this server is. */
  readonly readiness: () => Promise<Readiness>
  /** The text of all metrics; only where they are measured. */
  readonly metrics?: () => Promise<string>
  /** Ends the runs, then the streams, then the store that was opened here. */
  close(graceMs: number): Promise<void>
}

/** Opens the store, starts the engine and makes the HTTP side of an agent. */
export async function startAgent(agent: Agent, options: AgentHandlerOptions): Promise<StartedAgent> {
  const log = options.log ?? silent
  const authenticator = chooseAuthenticator(options)
  const store = await openStore(options.store ?? 'memory', { log, hints: options.hints })
  const ours = typeof options.store !== 'object'
  const watched = await watchAgent(store, { ...options, log })
  try {
    const { inputModes } = resolveProfile(options.profile)
    const worker = inputModes === 'checked' ? agent : { ...agent, inputModes: ['*/*'] }
    const { limits, retain, rate } = options
    const engine = createEngine({
      agent: worker,
      store: watched.store,
      log,
      telemetry: watched.telemetry,
      ...(limits && { limits }),
      ...(retain && { retain }),
    })
    const endpoint = rate === undefined ? engine : limitRate(engine, new CallRates(rate))
    const readiness = createReadiness({ store })
    const server = createHttpServer(agent, {
      ...options,
      ...(authenticator && { authenticator }),
      endpoint,
      telemetry: watched.telemetry,
      readiness,
      ...(watched.metrics && { metrics: watched.metrics }),
    })
    watched.measure(engine, server)
    await engine.start()
    return {
      server,
      readiness: () => readiness(server.draining),
      ...(watched.metrics && { metrics: watched.metrics }),
      close: async (graceMs) => {
        await engine.close({ graceMs })
        server.endStreams()
        watched.stop()
        if (ours) await store.close()
      },
    }
  } catch (error) {
    watched.stop()
    if (ours) await store.close()
    throw error
  }
}

function chooseAuthenticator({ tokens, authenticator }: AgentHandlerOptions): Authenticator | undefined {
  if (tokens === undefined) return authenticator
  if (authenticator !== undefined) throw new TypeError('give either tokens or authenticator, not both')
  return bearerTokens(tokens)
}
