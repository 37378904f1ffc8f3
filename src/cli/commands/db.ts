import type { Store } from '../../engine/store.ts'
import { silent } from '../../lib/log.ts'
import { isDatabaseUrl, openStore } from '../../server/open-store.ts'
import type { DatabaseStatus } from '../../stores/status.ts'
import { parseAge } from '../arguments.ts'
import { usageError } from '../command-error.ts'
import type { CommonFlags } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { type NamedStore, readStore, storeLabel } from '../store-choice.ts'

/** The flags of all `parlance db` commands. */
export interface DatabaseFlags extends CommonFlags {
  readonly store?: string
}

/** Whose tasks a command is about; without an agent, those of all agents. */
export interface WhoseFlags extends DatabaseFlags {
  readonly agent?: string
  readonly tenant?: string
}

type DurableStore = Exclude<NamedStore, 'memory'>

async function durableStore({ store }: DatabaseFlags): Promise<DurableStore> {
  const choice = await readStore(store)
  if (choice !== 'memory') return choice
  throw usageError('--store memory: there is nothing to look after', 'name a SQLite file or a PostgreSQL database')
}

async function statusOf(store: DurableStore): Promise<DatabaseStatus> {
  if (isDatabaseUrl(store)) return (await import('../../stores/postgres-status.ts')).postgresStatus(store)
  return (await import('../../stores/sqlite-status.ts')).sqliteStatus(store.slice('sqlite:'.length))
}

/** `parlance db migrate`: brings the tables of a store to the version of this program. */
export async function migrateDatabase(flags: DatabaseFlags, output: Output): Promise<number> {
  const store = await durableStore(flags)
  const { from, to } = isDatabaseUrl(store)
    ? await (await import('../../stores/postgres-status.ts')).migratePostgres(store)
    : await (await import('../../stores/sqlite-status.ts')).migrateSqlite(store.slice('sqlite:'.length))
  if (output.json) await output.document({ store: storeLabel(store), from, to })
  else {
    const text =
      from === to ? `has version ${to} already` : from === 0 ? `made, version ${to}` : `from version ${from} to ${to}`
    await output.lines([`${storeLabel(store)}: ${text}`])
  }
  return exitCodes.ok
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`
}

/** `parlance db status`: how a store stands. */
export async function databaseStatus(flags: DatabaseFlags, output: Output): Promise<number> {
  const store = await durableStore(flags)
  const status = await statusOf(store)
  if (output.json) {
    await output.document({ store: storeLabel(store), ...status })
    return exitCodes.ok
  }
  const { version, newest, agents, tasks, held, bytes, mail, processes } = status
  const label = (text: string): string => output.out.dim(text.padEnd(10))
  const old = version < newest ? ` (this program makes ${newest}; run parlance db migrate)` : ''
  await output.lines([
    `${label('store')}${storeLabel(store)}`,
    `${label('version')}${version === 0 ? 'no tables yet' : version}${old}`,
    `${label('agents')}${agents.length === 0 ? 'none' : agents.join(', ')}`,
    `${label('tasks')}${tasks}, ${held} of them at work`,
    `${label('size')}${sizeText(bytes)}`,
    `${label('mail')}${mail} open`,
    ...processes.map(({ number, name, silent }) => `${label('process')}${number} ${name}, signed ${silent} s ago`),
  ])
  return exitCodes.ok
}

/** Opens a store as one more process, works with it, and closes it. */
async function withStore<T>(choice: DurableStore, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(choice, { log: silent })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** `parlance db purge`: deletes tasks that are older than an age, and what no one can ask for any more. */
export async function purgeDatabase(flags: WhoseFlags & { readonly retain: string }, output: Output): Promise<number> {
  const store = await durableStore(flags)
  const before = Date.now() - parseAge(flags.retain, '--retain')
  const agents = flags.agent === undefined ? (await statusOf(store)).agents : [flags.agent]
  const { tenant } = flags
  const rows = await withStore(store, async (opened) => {
    let sum = await opened.purge({ events: before, answers: before })
    for (const agent of agents) {
      sum += await opened.purge({ tasks: { agent, before, unfinished: true, ...(tenant !== undefined && { tenant }) } })
    }
    return sum
  })
  if (output.json) await output.document({ store: storeLabel(store), rows })
  else await output.lines([`${rows} rows deleted`])
  return exitCodes.ok
}

/** `parlance db erase`: deletes everything of one owner, or of a tenant. */
export async function eraseFromDatabase(
  flags: WhoseFlags & { readonly owner?: string; readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { tenant, owner } = flags
  if (tenant === undefined && owner === undefined) {
    throw usageError('db erase: whose tasks?', 'give --owner, --tenant, or both')
  }
  const store = await durableStore(flags)
  const agents = flags.agent === undefined ? (await statusOf(store)).agents : [flags.agent]
  if (flags.yes !== true) {
    throw usageError(
      `db erase: this deletes tasks of ${agents.join(', ') || 'no agent'} for good, those at work included`,
      'say --yes if that is meant',
    )
  }
  const tasks = await withStore(store, async (opened) => {
    let sum = 0
    for (const agent of agents) {
      sum += await opened.erase({
        agent,
        ...(tenant !== undefined && { tenant }),
        ...(owner !== undefined && { owner }),
      })
    }
    return sum
  })
  if (output.json) await output.document({ store: storeLabel(store), tasks })
  else await output.lines([`${tasks} tasks deleted`])
  return exitCodes.ok
}
