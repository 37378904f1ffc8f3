import { existsSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { Connection, sqliteDriver } from './sqlite-driver.ts'
import { openForWriting, prepareFile } from './sqlite-file.ts'
import { migrations } from './sqlite-schema.ts'
import { type DatabaseStatus, emptyStatus } from './status.ts'

async function versionOf(path: string): Promise<number> {
  if (!existsSync(path)) return 0
  const database = (await sqliteDriver()).open(path)
  try {
    return Number(database.prepare('pragma user_version').get()?.user_version ?? 0)
  } finally {
    database.close()
  }
}

/** How a SQLite file stands; an older one is read as it is. */
export async function sqliteStatus(path: string): Promise<DatabaseStatus> {
  const known = { kind: 'sqlite', newest: migrations.length } as const
  const version = await versionOf(path)
  if (version === 0) return { ...emptyStatus, ...known }
  const database = (await sqliteDriver()).open(path)
  try {
    database.exec('pragma query_only = on')
    const connection = new Connection(database)
    const number = (sql: string): number => Number(connection.statement(`select ${sql} as number`).get()?.number ?? 0)
    const now = Date.now()
    const processes = connection.statement('select id, pid, host, heartbeat from process order by id').all()
    return {
      ...known,
      version,
      agents: connection
        .statement('select distinct agent from scope order by agent')
        .all()
        .map(({ agent }) => agent as string),
      tasks: number('(select count(*) from task where scope > 0)'),
      held: number('(select count(*) from task where holder is not null)'),
      bytes: [path, `${path}-wal`].reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0),
      mail: version < 2 ? 0 : number('(select count(*) from mail where outcome is null)'),
      processes: processes.map(({ id, pid, host, heartbeat }) => ({
        number: id as number,
        name: `${host === hostname() ? 'here' : String(host)}/${String(pid)}`,
        silent: Math.max(0, Math.round((now - (heartbeat as number)) / 100) / 10),
      })),
    }
  } finally {
    database.close()
  }
}

/** Brings a file to the version of this program; tells which it had. */
export async function migrateSqlite(path: string): Promise<{ readonly from: number; readonly to: number }> {
  const from = await versionOf(path)
  openForWriting(await sqliteDriver(), prepareFile(path)).close()
  return { from, to: migrations.length }
}
