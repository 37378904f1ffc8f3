import type pg from 'pg'
import { A2AError } from '../protocol/errors.ts'
import type { Postgres } from './postgres-connection.ts'
import { migrations } from './postgres-schema.ts'

/** A number that all nodes lock by while they look at the schema: "Parl" twice. */
const lockNumber = '5791153713826951276'

/** What version the schema has; 0 when nothing is there. */
export async function schemaVersion(client: pg.ClientBase, { schema }: Postgres): Promise<number> {
  const table = `${schema}.schema_version`
  // Read from the catalog itself: what a connection remembers of names may be older than the lock that it has waited for.
  const there = await client.query(
    `select 1 from pg_catalog.pg_class as class join pg_catalog.pg_namespace as space on space.oid = class.relnamespace
     where '"' || replace(space.nspname, '"', '""') || '"' = $1 and class.relname = 'schema_version'`,
    [schema],
  )
  if (there.rowCount === 0) return 0
  const found = await client.query<{ number: number }>(`select number from ${table}`)
  return found.rows[0]?.number ?? 0
}

/**
 * Brings the schema to the version that this program knows, and tells which it had. Nodes that start at once do it one after the other.
 * Rejects when the schema is newer than this program.
 */
export async function migrate(database: Postgres): Promise<{ readonly from: number; readonly to: number }> {
  const { schema } = database
  const to = migrations.length
  const from = await database.with((client) => schemaVersion(client, database))
  refuseNewer(from)
  if (from === to) return { from, to }
  return database.transaction(async (client) => {
    await client.query('set local statement_timeout = 0')
    await client.query(`select pg_advisory_xact_lock(${lockNumber})`)
    const version = await schemaVersion(client, database)
    refuseNewer(version)
    if (version === 0) {
      await client.query(`create schema if not exists ${schema}`)
      await client.query(`create table ${schema}.schema_version (number integer not null)`)
      await client.query(`insert into ${schema}.schema_version values (0)`)
    }
    for (const migration of migrations.slice(version)) await client.query(migration.replaceAll('$.', `${schema}.`))
    await client.query(`update ${schema}.schema_version set number = $1`, [to])
    return { from: version, to }
  })
}

function refuseNewer(version: number): void {
  if (version <= migrations.length) return
  throw new A2AError(
    'Unavailable',
    `The tables of the task store have version ${version}, this program knows versions up to ${migrations.length}; use the newer program that made them`,
    { retryable: false },
  )
}
