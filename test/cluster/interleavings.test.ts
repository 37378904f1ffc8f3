import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEngine, type Engine } from '../../src/engine/engine.ts'
import { agent, type Executor, working } from '../../src/engine/executor.ts'
import type { Entry, Store, TaskLog } from '../../src/engine/store.ts'
import { deferred } from '../../src/lib/deferred.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import type { StreamResponse, Task } from '../../src/protocol/generated/v1/types.ts'
import { isTerminal } from '../../src/protocol/task.ts'
import { createMemoryDatabase } from '../../src/stores/memory.ts'
import { anybody, delay, frames, textOf, userMessage } from '../harness.ts'

const scope = { agent: 'tested', tenant: '', owner: '' }

/** A store that does and answers each thing when the scheduler says so. */
function scheduled(store: Store, scheduler: fc.Scheduler): Store {
  const later = async <T>(work: () => Promise<T>, name: string): Promise<T> => {
    await scheduler.schedule(Promise.resolve(), `${name} is asked`)
    const done = work()
    done.catch(() => {})
    await scheduler.schedule(Promise.resolve(), `${name} is answered`)
    return done
  }
  const wrap = (log: TaskLog): TaskLog => {
    // Appends take effect in order, whatever the order of all else.
    let last: Promise<unknown> = Promise.resolve()
    return {
      append(entries, options) {
        const before = last
        const written = later(() => before.then(() => log.append(entries, options)), 'append')
        last = written.catch(() => {})
        return written
      },
    }
  }
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (name === 'create') return (task: Parameters<Store['create']>[0]) => wrap(target.create(task))
      if (['watch', 'listen', 'close', 'purge', 'tenants', 'behind'].includes(String(name))) return member.bind(target)
      return (...given: unknown[]) =>
        later(async () => {
          const value: unknown = await Reflect.apply(member, target, given)
          const claimed = value as { log?: TaskLog } | undefined
          return name === 'claim' && claimed?.log !== undefined ? { ...claimed, log: wrap(claimed.log) } : value
        }, String(name))
    },
  })
}

type Act =
  | { readonly kind: 'send' | 'cancel' | 'subscribe'; readonly node: 0 | 1 }
  | { readonly kind: 'expire' | 'drain'; readonly node: 0 | 1 }

const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Act['kind'][]>('send', 'send', 'cancel', 'subscribe', 'subscribe', 'expire', 'drain'),
    node: fc.constantFrom<(0 | 1)[]>(0, 1),
  }),
  { minLength: 1, maxLength: 5 },
)

interface Seen {
  readonly from: number
  readonly frames: StreamResponse[]
  /** Whether the stream ended by itself rather than with its process. */
  whole: boolean
}

/** One life of a task between two processes, and what must hold of it whatever came before what. */
async function live(scheduler: fc.Scheduler, given: readonly Act[]): Promise<void> {
  const database = createMemoryDatabase()
  const stores = [database.open(), database.open()]
  const violations: string[] = []
  const atWork = new Map<string, Set<AbortSignal>>()
  const run: Executor = async function* (task) {
    const runs = atWork.get(task.id) ?? new Set()
    atWork.set(task.id, runs)
    for (const other of runs) if (!other.aborted && !asleep) violations.push('two runs of a task are at work at once')
    runs.add(task.signal)
    try {
      yield working()
      await begun.promise
      for (let index = 0; index < 4; index++) {
        await scheduler.schedule(Promise.resolve(), 'the agent thinks')
        if (task.signal.aborted) return
        yield `${textOf(task.message)} ${index} `
      }
    } finally {
      runs.delete(task.signal)
    }
  }
  const limits = { pollEvery: 2, sweepEvery: 5, cancelGrace: 20 }
  const served = agent({ name: 'tested', description: 'd', version: '1', run, resumable: true })
  const engines = stores.map((store) => createEngine({ agent: served, store: scheduled(store, scheduler), limits }))
  const last = createEngine({ agent: served, store: database.open(), limits })
  const acknowledged: string[] = []
  const stopped = new Set<Engine>()
  /** Whether a process has not noticed yet that it counts as dead: its run is at work, but cannot write. */
  let asleep = 0
  /** Resolved once all acts are on their way. */
  const begun = deferred<void>()
  const seen: Seen[] = []

  const send = async (engine: Engine, text: string, taskId?: string): Promise<Task> => {
    const message = userMessage(text, taskId === undefined ? {} : { taskId })
    const request = { message, configuration: { returnImmediately: true } }
    const { result } = await engine.unary({ operation: 'SendMessage', request, context: anybody })
    acknowledged.push(text)
    return result.value.task as Task
  }

  async function subscribe(engine: Engine, id: string): Promise<void> {
    const { events } = await engine.stream({ operation: 'SubscribeToTask', request: { id }, context: anybody })
    const view: Seen = { from: 0, frames: [], whole: false }
    seen.push(view)
    for await (const frame of frames(events)) view.frames.push(frame)
    view.whole = !stopped.has(engine)
  }

  function sleep(store: Store): void {
    asleep += 1
    const noticed = scheduler.schedule(Promise.resolve(), 'the end of the lease is noticed').then(() => {
      asleep -= 1
    })
    database.expire(store, noticed)
  }

  /** What a caller may be told: the task has ended, the process stops, the hold was lost. */
  const allowed = (error: unknown): void => {
    if (A2AError.is(error) && ['UnsupportedOperation', 'TaskNotCancelable', 'Unavailable'].includes(error.code)) return
    violations.push(`a caller was told ${String(error)}`)
  }

  const work = async (): Promise<void> => {
    await Promise.all([...engines, last].map((engine) => engine.start()))
    const { id } = await send(engines[0] as Engine, 'first')
    const doing = given.map(async ({ kind, node }, index) => {
      await scheduler.schedule(Promise.resolve(), kind)
      const engine = engines[node] as Engine
      try {
        if (kind === 'send') await send(engine, `more ${index}`, id)
        else if (kind === 'cancel') await engine.unary({ operation: 'CancelTask', request: { id }, context: anybody })
        else if (kind === 'subscribe') await subscribe(engine, id)
        else if (kind === 'expire') sleep(stores[node] as Store)
        else {
          stopped.add(engine)
          await engine.close()
        }
      } catch (error) {
        allowed(error)
      }
    })
    begun.resolve()
    const reader = database.open()
    for (;;) {
      const head = await reader.head(scope, id)
      if (head !== undefined && isTerminal(head.state) && !head.held) break
      await delay(1)
    }
    await Promise.all(engines.map((engine) => engine.close()))
    await Promise.all(doing)
    const entries = (await reader.entries(scope, id, { after: 0, limit: 1_000 })) as readonly Entry[]
    check(entries, JSON.parse((await reader.read(scope, id, { artifacts: true }))?.text ?? '{}') as Task)
    await last.close()
  }

  function check(entries: readonly Entry[], task: Task): void {
    expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
    const ends = entries.filter((entry) => entry.kind === 'status' && isTerminal(entry.state))
    expect(ends).toEqual([entries.findLast(({ kind }) => kind !== 'message')])
    const told = (task.history ?? []).filter(({ role }) => role === 'ROLE_USER').map(textOf)
    for (const text of acknowledged) expect(told.filter((each) => each === text)).toEqual([text])
    for (const view of seen) {
      const shown = view.frames
        .slice(1)
        .map((frame) => JSON.stringify(frame.statusUpdate?.status.state ?? frame.artifactUpdate?.artifact.parts))
      const all = entries.flatMap((entry) => {
        if (entry.kind === 'status') return [JSON.stringify(entry.state)]
        return entry.kind === 'chunk' ? [JSON.stringify([{ text: JSON.parse(`"${entry.parts}"`) as string }])] : []
      })
      const matching = view.whole ? all.slice(all.length - shown.length) : all
      expect(view.whole ? matching : matching.join().includes(shown.join())).toEqual(view.whole ? shown : true)
    }
    expect(violations).toEqual([])
  }

  await scheduler.waitFor(work())
}

describe('two processes', () => {
  test('whatever comes before what: one log, one end, no acknowledged message lost or twice, no two runs at once, views without gaps', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), acts, async (scheduler, given) => {
        await live(scheduler, given)
      }),
      { numRuns: 200, endOnFailure: true },
    )
  }, 60_000)
})
