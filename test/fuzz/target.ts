import { agent, artifact, failed, inputRequired, message, reject, working } from '../../src/engine/executor.ts'
import type { Store } from '../../src/engine/store.ts'
import type { Logger } from '../../src/lib/log.ts'
import { serve } from '../../src/server/serve.ts'
import { openMemoryStore } from '../../src/stores/memory.ts'

/** Flaws that a server can be given, to see whether they are noticed: each shows when a task is not found. */
export const flaws = ['throws', 'stores', 'hangs', 'keeps'] as const
export type Flaw = (typeof flaws)[number]

/** A server under fire, and what can be seen of it from inside. */
export interface Target {
  readonly port: number
  /** How many tasks were ever stored. */
  readonly stored: () => number
  /** Errors that were logged, or that nobody caught, since the last look. */
  takeErrors(): string[]
  close(): Promise<void>
}

const worker = agent({
  name: 'fuzzed',
  description: 'Does as the first text of a message says.',
  version: '1.0.0',
  inputModes: ['text/plain', 'application/json', 'image/png'],
  outputModes: ['text/plain'],
  async *run(task) {
    const [order = '', count = '1'] = (task.message.parts.find(({ text }) => text !== undefined)?.text ?? '').split(' ')
    switch (order) {
      case 'message':
        yield message('an answer without a task')
        return
      case 'ask':
        yield inputRequired('And then?')
        return
      case 'reject':
        yield reject('Not this.')
        return
      case 'fail':
        yield failed('It did not work.')
        return
      case 'large':
        yield artifact('x'.repeat(100_000))
        return
      case 'slow':
        yield working()
        for (let step = 0; step < 3 && !task.signal.aborted; step++) {
          await new Promise((resolve) => setTimeout(resolve, 4))
          yield `step ${step} `
        }
        return
      case 'pieces':
        for (let at = 0; at < Math.min(Number(count) || 1, 20); at++) yield `piece ${at} `
        return
      default:
        yield `you said ${order}`
    }
  },
})

/** Milliseconds after which ended tasks are dropped. */
const retain = 1_000

/** Serves the agent on a free port. */
export async function startTarget(flaw?: Flaw): Promise<Target> {
  const errors: string[] = []
  const log: Logger = {
    info: () => {},
    warn: () => {},
    error: (text, fields) => errors.push(`logged: ${text} ${describe(fields)}`),
  }
  const uncaught = (reason: unknown): void => void errors.push(`not caught: ${describe(reason)}`)
  process.on('uncaughtException', uncaught)
  process.on('unhandledRejection', uncaught)
  let stored = 0
  const store = watchStore(openMemoryStore(), { onStored: () => stored++, flaw })
  const server = await serve(worker, {
    listen: '127.0.0.1:0',
    store,
    log,
    tenants: ['acme'],
    cors: { origins: ['https://page.example'] },
    bodyLimit: 256 * 1024,
    limits: { retain, replayWindow: retain, idempotencyWindow: retain, sweepEvery: 200, idleTime: 5_000 },
    connections: { silence: 2_000, headers: 2_000, request: 2_000, idle: 2_000 },
  })
  return {
    port: Number(new URL(server.url).port),
    stored: () => stored,
    takeErrors: () => errors.splice(0),
    close: async () => {
      await server.close({ graceMs: 0 })
      await store.close()
      process.off('uncaughtException', uncaught)
      process.off('unhandledRejection', uncaught)
    },
  }
}

function describe(thrown: unknown): string {
  const cause = (thrown as { cause?: unknown } | undefined)?.cause
  if (cause !== undefined) return describe(cause)
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : (JSON.stringify(thrown) ?? '')
}

interface WatchOptions {
  readonly onStored: () => void
  readonly flaw: Flaw | undefined
}

/** The same store, but somebody hears of each task that is written for the first time. */
function watchStore(store: Store, { onStored, flaw }: WatchOptions): Store {
  const kept: unknown[] = []
  const own: Partial<Store> = {
    create: (task) => {
      const log = store.create(task)
      let told = false
      return {
        append: async (entries, options) => {
          await log.append(entries, options)
          if (!told) onStored()
          told = true
        },
      }
    },
    ...(flaw !== undefined && {
      read: async (scope, id, view) => {
        const found = await store.read(scope, id, view)
        if (found !== undefined) return found
        if (flaw === 'stores') onStored()
        else if (flaw === 'keeps') kept.push(Array.from({ length: 20_000 }, () => kept.length))
        else if (flaw === 'hangs') await new Promise(() => {})
        else throw new TypeError(`nothing is known of ${id}`)
        return undefined
      },
    }),
  }
  return new Proxy(store, {
    get: (target, name) => {
      const member = Reflect.get(own, name) ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
