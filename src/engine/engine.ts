import { type Logger, silent } from '../lib/log.ts'
import { backgroundInterval } from '../lib/turn.ts'
import { TurnoverMap } from '../lib/turnover-map.ts'
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
import { cancelTask } from './cancel.ts'
import { type Core, Feeds } from './core.ts'
import type { Agent } from './executor.ts'
import { idempotencyKey, type PendingSends, startOnce } from './idempotency.ts'
import { type Limits, standardLimits } from './limits.ts'
import { getTask, listTasks } from './reads.ts'
import { recover } from './recovery.ts'
import { answerSend, checkSend, type Send, type Started, start, streamSend } from './sends.ts'
import type { Scope, Store } from './store.ts'
import { OpenStreams, subscribe } from './streams.ts'

export interface EngineOptions {
  readonly agent: Agent
  readonly store: Store
  readonly log?: Logger
  readonly limits?: Partial<Limits>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** An agent at work over a store: the endpoint that every binding calls. It has never heard of HTTP. */
export interface Engine extends Endpoint {
  readonly agent: Agent
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
    lives: new TurnoverMap(),
    feeds: new Feeds(store, { pollMs: limits.pollEvery, publishedOf: (id) => core.lives.get(id)?.published ?? 0 }),
    stopping: false,
  }
  const streams = new OpenStreams(limits.streamsPerOwner)
  const pending: PendingSends = new Map()
  const supported = new Set([
    resumeExtension,
    idempotencyExtension,
    ...(agent.capabilities.extensions ?? []).map((extension) => extension.uri),
  ])
  const gate = createGate(agent.capabilities)
  const sweeper = createSweeper(core)

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
    const once = { pending, start: () => start(core, send) }
    return [send, await startOnce(core, { ...send, idempotency }, once)]
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
      const count = await recover(core)
      if (count > 0) core.log.warn('Tasks of a process that stopped were taken over', { tasks: count })
      sweeper.start()
    },

    async close({ graceMs = 0 } = {}) {
      core.stopping = true
      sweeper.stop()
      await drain(core, graceMs)
      core.feeds.closeAll()
    },
  }
}

async function drain(core: Core, graceMs: number): Promise<void> {
  const all = (): Promise<unknown> => Promise.all(core.lives.values().map((live) => live.ended.wait()))
  if (graceMs > 0 && core.lives.size > 0) {
    let timer: ReturnType<typeof setTimeout> | undefined
    await Promise.race([
      all(),
      new Promise((resolve) => {
        timer = setTimeout(resolve, graceMs)
      }),
    ])
    clearTimeout(timer)
  }
  for (const live of core.lives.values()) live.run?.shutdown()
  await Promise.all(
    core.lives.values().map((live) => (live.releasing ? live.ended.wait() : live.committed().catch(() => {}))),
  )
}

/** Looks now and then for runs beyond their limits, for tasks without a living holder, and for what may be dropped. */
function createSweeper(core: Core): { start(): void; stop(): void } {
  const { limits, store } = core
  let timers: { stop(): void }[] = []
  let purging = false

  function checkRuns(): void {
    const now = core.now()
    for (const live of core.lives.values()) {
      live.listen()
      const { run } = live
      if (run === undefined) continue
      if (now - run.startedAt > limits.runTime)
        run.limit(`The task took longer than ${limits.runTime / 1000} s, so it was stopped.`)
      else if (now - run.lastEventAt > limits.idleTime) {
        run.limit(`The agent gave no sign for ${limits.idleTime / 1000} s, so the task was stopped.`)
      }
    }
  }

  async function tidy(): Promise<void> {
    if (purging) return
    purging = true
    try {
      await recover(core)
      const now = core.now()
      await store.purge({
        events: now - limits.replayWindow,
        answers: now - limits.idempotencyWindow,
        ...(limits.retain !== undefined && { tasks: now - limits.retain }),
      })
    } catch (error) {
      core.log.warn('The store could not be tidied', { error: A2AError.from(error).message })
    } finally {
      purging = false
    }
  }

  return {
    start() {
      timers = [backgroundInterval(checkRuns, 1_000), backgroundInterval(() => void tidy(), limits.sweepEvery)]
    },
    stop() {
      for (const timer of timers) timer.stop()
      timers = []
    },
  }
}
