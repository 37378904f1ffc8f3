import { silent } from '../lib/log.ts'
import { Postgres } from './postgres-connection.ts'
import { migrate, schemaVersion } from './postgres-migrate.ts'
import { migrations } from './postgres-schema.ts'
import { type DatabaseStatus, emptyStatus } from './status.ts'

const figures = `select
  (select version from (select number as version from $.schema_version) as v) as version,
  (select coalesce(array_agg(distinct agent), '{}') from $.scope) as agents,
  (select coalesce(sum(number), 0)::bigint from $.counter where span = 0) as tasks,
  (select count(*) from $.task where holder is not null) as held,
  (select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind = 'r') as bytes,
  (select count(*) from $.mail where outcome is null) as mail,
  (select coalesce(json_agg(json_build_object('number', number, 'name', name,
    'silent', round(extract(epoch from clock_timestamp() - heartbeat)::numeric, 1)) order by number), '[]') from $.node) as processes`

/** Works with a database for as long as it takes, without being one of its nodes. */
async function briefly<T>(url: string, work: (database: Postgres) => Promise<T>): Promise<T> {
  const database = new Postgres({ url, log: silent, connections: 2 })
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** How a PostgreSQL database stands. Rejects with Unavailable when it does not answer. */
export function postgresStatus(url: string): Promise<DatabaseStatus> {
  return briefly(url, async (database) => {
    const known = { kind: 'postgres', newest: migrations.length } as const
    const version = await database.with((client) => schemaVersion(client, database))
    if (version === 0) return { ...emptyStatus, ...known }
    const schema = database.schema.slice(1, -1).replaceAll('""', '"')
    const { rows } = await database.query({ name: 'figures', text: figures }, [schema])
    return { ...(rows[0] as unknown as DatabaseStatus), ...known }
  })
}

/** Brings the tables to the version of this program; tells which they had. */
export function migratePostgres(url: string): Promise<{ readonly from: number; readonly to: number }> {
  return briefly(url, migrate)
}
