import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Agent } from '../../src/engine/executor.ts'
import type { Limits } from '../../src/engine/limits.ts'
import type { Store } from '../../src/engine/store.ts'
import type { Logger } from '../../src/lib/log.ts'
import { type ServeOptions, type Server, serve as serveAgent } from '../../src/server/serve.ts'
import { openMemoryStore } from '../../src/stores/memory.ts'
import { openSqliteStore, type SqliteStoreOptions } from '../../src/stores/sqlite.ts'
import { onCleanup, type StoreKind, storeKinds, temporaryFolder } from '../harness.ts'
import { scriptedAgent } from './scripted-agent.ts'
import { type AnyBinding, allBindings, type BindingName, bindingNames } from './wire.ts'

/** Each store under each binding; PostgreSQL under one, as what a store does does not depend on how it was asked. */
export const matrix: readonly { readonly store: StoreKind; readonly binding: BindingName }[] = storeKinds.flatMap(
  (store) => bindingNames.map((binding) => ({ store, binding })).slice(0, store === 'postgres' ? 1 : undefined),
)

/** Each store under each binding, for what does not depend on JSON or HTTP. */
export const fullMatrix: readonly { readonly store: StoreKind; readonly binding: AnyBinding }[] = storeKinds.flatMap(
  (store) => allBindings.map((binding) => ({ store, binding })).slice(0, store === 'postgres' ? 1 : undefined),
)

/** One line that a server logged. */
export interface Logged {
  readonly level: keyof Logger
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface ServedOptions extends Omit<ServeOptions, 'store' | 'limits'> {
  readonly agent?: Agent
  readonly store?: StoreKind | Store
  /** The file, where there is one already. */
  readonly path?: string
  readonly sqlite?: SqliteStoreOptions
  readonly limits?: Partial<Limits>
}

/** An agent that listens on a port of this machine. */
export interface Served {
  readonly url: string
  readonly server: Server
  readonly store: Store
  /** The database, where there is one. */
  readonly path: string
  readonly log: readonly Logged[]
  /** Stops as a deploy does: at once, and then the store. */
  close(): Promise<void>
}

const memoryDisk = '/dev/shm'

/** A folder for a database that goes with the test, in memory where the machine has a place there: disks are slow to sync. */
async function fastFolder(): Promise<string> {
  if (!existsSync(memoryDisk)) return temporaryFolder()
  const folder = await mkdtemp(join(memoryDisk, 'parlance-test-'))
  onCleanup(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Serves the scripted agent, or another, on any free port until the test ends. */
export async function serve(options: ServedOptions = {}): Promise<Served> {
  const path = options.path ?? (options.store === 'sqlite' ? join(await fastFolder(), 'tasks.db') : '')
  const served = await startServed({ ...options, path })
  onCleanup(served.close)
  return served
}

/** The same, until it is closed. */
export async function startServed(options: ServedOptions & { readonly path: string }): Promise<Served> {
  const { agent = scriptedAgent(), store: given = 'memory', path, sqlite, limits, ...rest } = options
  const log: Logged[] = []
  const note =
    (level: keyof Logger) =>
    (text: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      log.push({ level, text, fields })
    }
  const logger: Logger = { info: note('info'), warn: note('warn'), error: note('error') }
  const store = typeof given === 'object' ? given : await openStore(path, { log: logger, ...sqlite })
  const server = await serveAgent(agent, {
    listen: '127.0.0.1:0',
    log: logger,
    ...rest,
    store,
    limits: { cancelGrace: 30, pollEvery: 20, ...limits },
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= server.close({ graceMs: 0 }).then(() => store.close())
    return closing
  }
  return { url: server.url, server, store, path, log, close }
}

function openStore(path: string, options: SqliteStoreOptions): Promise<Store> | Store {
  return path === '' ? openMemoryStore() : openSqliteStore({ path, thread: 'main', ...options })
}
