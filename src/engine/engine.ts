import { type Logger, silent } from '../lib/log.ts'
import { TurnoverMap } from '../lib/turnover-map.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { Encoded } from '../protocol/encoded.ts'
import type { Call, CallContext, Endpoint, Reply, StreamReply } from '../protocol/endpoint.ts'
import { A2AError } from '../protocol/errors.ts'
import { idempotencyExtension, lastEventIdHeader, resumeExtension } from '../protocol/extensions.ts'
import { createGate } from '../protocol/gate.ts'
import {
  findOperation,
  type Operation,
  type OperationTypes,
  type StreamOperation,
  type UnaryOperation,
} from '../protocol/operations.ts'
import { Admission } from './admission.ts'
import { cancelTask } from './cancel.ts'
import { type Core, Feeds } from './core.ts'
import { drain } from './drain.ts'
import type { Agent } from './executor.ts'
import { idempotencyKey, startOnce } from './idempotency.ts'
import { type Limits, standardLimits } from './limits.ts'
import { createMailbox } from './mail.ts'
import { getTask, listTasks } from './reads.ts'
import { answerSend, checkSend, type Send, type Started, start, streamSend } from './sends.ts'
import { type EngineStats, engineStats } from './stats.ts'
import type { Scope, Store } from './store.ts'
import { OpenStreams, subscribe } from './streams.ts'
import { createUpkeep } from './upkeep.ts'

export interface EngineOptions {
  readonly agent: Agent
  readonly store: Store
  readonly log?: Logger
  readonly limits?: Partial<Limits>
  /** How long each tenant's tasks are kept after their last status, milliseconds; undefined: as `limits.retain` says. */
  readonly retain?: (tenant: string) => number | undefined
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly telemetry?: Telemetry
}

/** An agent at work over a store: the endpoint that every binding calls. It has never heard of HTTP. */
export interface Engine extends Endpoint {
  readonly agent: Agent
  /** What is going on now. */
  stats(): EngineStats
  /** Takes over what a dead process left, then looks for more from time to time. */
  start(): Promise<void>
  /** Takes no more sends, lets runs finish for a while, ends the rest, and closes every stream. The store stays open. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

/** The work behind one unary operation. */
type Unary = {
  [O in UnaryOperation]?: (call: Call<O>, scope: Scope) => Promise<Encoded<OperationTypes[O]['response']>>
}

/** Makes an engine; it owns neither the agent nor the store. */
export function createEngine(options: EngineOptions): Engine {
  const { agent, store } = options
  const limits: Limits = { ...standardLimits, ...options.limits }
  const core: Core = {
    agent,
    store,
    limits,
    log: options.log ?? silent,
    now: options.now ?? Date.now,
    telemetry: options.telemetry ?? {},
    retain: options.retain ?? (() => undefined),
    lives: new TurnoverMap(),
    feeds: new Feeds(store, { pollMs: limits.pollEvery, publishedOf: (id) => core.lives.get(id)?.published ?? 0 }),
    readers: options.telemetry?.meter === undefined ? undefined : new Set(),
    admission: new Admission(limits),
    keyed: new Map(),
    collectMail: () => {
      // A store that does not answer now is asked again in a second.
      collect().catch(() => {})
    },
    stopping: false,
  }
  const collect = createMailbox(core)
  const streams = new OpenStreams(limits.streamsPerOwner)
  const supported = new Set([
    resumeExtension,
    idempotencyExtension,
    ...(agent.capabilities.extensions ?? []).map((extension) => extension.uri),
  ])
  const gate = createGate(agent.capabilities)
  const upkeep = createUpkeep(core)

  function activated({ extensions }: CallContext): readonly string[] {
    return extensions.length === 0 ? extensions : extensions.filter((uri) => supported.has(uri))
  }

  function scopeOf({ tenant, owner }: CallContext): Scope {
    return { agent: agent.name, tenant, owner }
  }

  async function begin(call: Call<'SendMessage' | 'SendStreamingMessage'>, scope: Scope): Promise<[Send, Started]> {
    const { request, context } = call
    checkSend(core, request)
    const idempotency = context.headers['idempotency-key'] && (await idempotencyKey(context, request))
    const streaming = call.operation === 'SendStreamingMessage'
    const send: Send = {
      scope,
      request,
      context,
      streaming,
      extensions: activated(context),
      ...(idempotency && { idempotency }),
    }
    if (!idempotency) return [send, await start(core, send)]
    return [send, await startOnce(core, { ...send, idempotency }, () => start(core, send))]
  }

  const unary: Unary = {
    SendMessage: async (call, scope) => {
      const [send, started] = await begin(call, scope)
      return answerSend(core, send, started)
    },
    GetTask: ({ request }, scope) => getTask(core, scope, request),
    ListTasks: ({ request }, scope) => listTasks(core, scope, request),
    CancelTask: ({ request }, scope) => cancelTask(core, scope, request),
  }

  return {
    agent,

    stats: () => engineStats(core),

    async unary<O extends UnaryOperation>(call: Call<O>): Promise<Reply<O>> {
      gate(findOperation(call.operation) as Operation, call.context)
      const work = unary[call.operation]
      if (work === undefined)
        throw new A2AError('UnsupportedOperation', `${call.operation} is not supported by this agent`)
      return { result: await work(call, scopeOf(call.context)), extensions: activated(call.context) }
    },

    async stream<O extends StreamOperation>(call: Call<O>): Promise<StreamReply> {
      gate(findOperation(call.operation) as Operation, call.context)
      const scope = scopeOf(call.context)
      const extensions = activated(call.context)
      if (call.operation === 'SubscribeToTask') {
        const { request, context } = call as Call<'SubscribeToTask'>
        const lastEventId = context.headers[lastEventIdHeader]
        return {
          events: await subscribe(core, { scope, request }, { streams, lastEventId, caller: context }),
          extensions,
        }
      }
      const close = streams.open(scope)
      try {
        const [send, started] = await begin(call as Call<'SendStreamingMessage'>, scope)
        return { events: await streamSend(core, send, { started, close }), extensions }
      } catch (error) {
        close()
        throw error
      }
    },

    async start() {
      await upkeep.start()
    },

    async close({ graceMs = 0 } = {}) {
      core.stopping = true
      upkeep.stop()
      await drain(core, graceMs)
      upkeep.end()
      core.feeds.closeAll()
    },
  }
}
