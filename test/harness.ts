import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEngine, type Engine } from '../src/engine/engine.ts'
import { type AgentOptions, agent, type Executor } from '../src/engine/executor.ts'
import type { Limits } from '../src/engine/limits.ts'
import type { Store } from '../src/engine/store.ts'
import { newId } from '../src/lib/ids.ts'
import type { Telemetry } from '../src/observe/telemetry.ts'
import type { CallContext } from '../src/protocol/endpoint.ts'
import type {
  Message,
  Part,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Task,
} from '../src/protocol/generated/v1/types.ts'
import { openMemoryStore } from '../src/stores/memory.ts'
import { freshSchema, testDatabase } from '../src/stores/testing-postgres.ts'

/** The stores that engine tests run over. */
export type StoreKind = 'memory' | 'sqlite' | 'postgres'
/** PostgreSQL is among them where the tests are given a database. */
export const storeKinds: readonly StoreKind[] =
  testDatabase === undefined ? ['memory', 'sqlite'] : ['memory', 'sqlite', 'postgres']

/** Runs when the test has ended, last registered first. */
export function onCleanup(work: () => Promise<void>): void {
  onTestFinished(work)
}

/** A folder that goes away with the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-test-'))
  onCleanup(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** An empty store of one kind, closed after the test. */
export async function openStore(kind: StoreKind): Promise<Store> {
  const store = await openers[kind]()
  onCleanup(() => store.close())
  return store
}

const openers: { readonly [kind in StoreKind]: () => Promise<Store> } = {
  memory: async () => openMemoryStore(),
  sqlite: openSqlite,
  async postgres() {
    const { openPostgresStore } = await import('../src/stores/postgres.ts')
    const { url, drop } = freshSchema()
    onCleanup(drop)
    return openPostgresStore({ url })
  },
}

async function openSqlite(): Promise<Store> {
  const { openSqliteStore } = await import('../src/stores/sqlite.ts')
  return openSqliteStore({ path: join(await temporaryFolder(), 'test.db'), thread: 'main' })
}

/** A store with some methods in place of its own. */
export function wrapStore(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/** Who calls, when nothing else is said. */
export const anybody: CallContext = { version: '1.0', tenant: '', owner: '', extensions: [], headers: {} }

/** A user's message of one text, or of parts. */
export function userMessage(content: string | readonly Part[], rest: Partial<Message> = {}): Message {
  const parts = typeof content === 'string' ? [{ text: content }] : content
  return { messageId: newId(), role: 'ROLE_USER', parts, ...rest }
}

/** All text of a message. */
export function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => part.text ?? '').join('')
}

export interface SendOptions {
  readonly message?: Partial<Message>
  readonly configuration?: SendMessageConfiguration
  readonly context?: Partial<CallContext>
  readonly metadata?: SendMessageRequest['metadata']
}

/** An engine with the calls that tests make all the time. */
export interface Harness {
  readonly engine: Engine
  readonly store: Store
  send(content: string | readonly Part[], options?: SendOptions): Promise<SendMessageResponse>
  sendTask(content: string | readonly Part[], options?: SendOptions): Promise<Task>
  open(content: string | readonly Part[], options?: SendOptions): Promise<AsyncIterable<StreamResponse>>
  stream(content: string | readonly Part[], options?: SendOptions): Promise<StreamResponse[]>
  subscribe(id: string, context?: Partial<CallContext>): Promise<AsyncIterable<StreamResponse>>
  get(id: string, historyLength?: number, context?: Partial<CallContext>): Promise<Task>
  cancel(id: string, context?: Partial<CallContext>): Promise<Task>
}

/** Frames one by one. */
export async function* frames(
  batches: AsyncIterable<readonly { readonly value: StreamResponse }[]>,
): AsyncIterable<StreamResponse> {
  for await (const batch of batches) for (const event of batch) yield event.value
}

/** All that an async iterable gives. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export interface HarnessOptions extends Partial<Omit<AgentOptions, 'run'>> {
  readonly store?: Store | StoreKind
  readonly limits?: Partial<Limits>
  readonly telemetry?: Telemetry
}

/** An engine around an executor, closed after the test. */
export async function createHarness(run: Executor, options: HarnessOptions = {}): Promise<Harness> {
  const { store: given = 'memory', limits, telemetry = {}, ...rest } = options
  const store = typeof given === 'string' ? await openStore(given) : given
  const tested = agent({ name: 'tested', description: 'An agent under test.', version: '1.0.0', run, ...rest })
  const engine = createEngine({
    agent: tested,
    store,
    telemetry,
    limits: { cancelGrace: 50, pollEvery: 20, ...limits },
  })
  await engine.start()
  onCleanup(() => engine.close())
  const contextOf = (context?: Partial<CallContext>): CallContext => ({ ...anybody, ...context })
  const requestOf = (
    content: string | readonly Part[],
    { message, configuration, metadata }: SendOptions,
  ): SendMessageRequest => ({
    message: userMessage(content, message),
    ...(configuration && { configuration }),
    ...(metadata && { metadata }),
  })
  const harness: Harness = {
    engine,
    store,
    async send(content, sendOptions = {}) {
      const request = requestOf(content, sendOptions)
      return (await engine.unary({ operation: 'SendMessage', request, context: contextOf(sendOptions.context) })).result
        .value
    },
    async sendTask(content, sendOptions) {
      const { task } = await harness.send(content, sendOptions)
      if (task === undefined) throw new Error('expected a task, not a message')
      return task
    },
    async open(content, sendOptions = {}) {
      const request = requestOf(content, sendOptions)
      const { events } = await engine.stream({
        operation: 'SendStreamingMessage',
        request,
        context: contextOf(sendOptions.context),
      })
      return frames(events)
    },
    async stream(content, sendOptions) {
      return collect(await harness.open(content, sendOptions))
    },
    async subscribe(id, context) {
      const { events } = await engine.stream({
        operation: 'SubscribeToTask',
        request: { id },
        context: contextOf(context),
      })
      return frames(events)
    },
    async get(id, historyLength, context) {
      const request = { id, ...(historyLength !== undefined && { historyLength }) }
      return (await engine.unary({ operation: 'GetTask', request, context: contextOf(context) })).result.value
    },
    async cancel(id, context) {
      return (await engine.unary({ operation: 'CancelTask', request: { id }, context: contextOf(context) })).result
        .value
    },
  }
  return harness
}

/** The state of a frame, or what kind of frame it is. */
export function shape(frame: StreamResponse): string {
  if (frame.statusUpdate !== undefined) return frame.statusUpdate.status.state.replace('TASK_STATE_', '')
  if (frame.task !== undefined) return `task ${frame.task.status.state.replace('TASK_STATE_', '')}`
  if (frame.message !== undefined) return 'message'
  const { artifact, append } = frame.artifactUpdate
  return `${append ? '+' : ''}${artifact.parts.map((part) => part.text ?? '?').join('|')}`
}

/** A promise that resolves after some milliseconds. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Waits until something holds; the test fails when it does not within five seconds. */
export async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5_000
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error('waited five seconds for something that never came')
    await delay(5)
  }
}
