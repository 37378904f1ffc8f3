import pg from 'pg'
import { jitter } from '../lib/backoff.ts'
import type { Logger } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import { usualSchema } from './postgres-schema.ts'

/** What a statement takes. */
export type PostgresValue = string | number | boolean | null | readonly (string | number | boolean | null)[]

/** One row, by column name; 64-bit numbers are numbers. */
export type PostgresRow = Readonly<Record<string, unknown>>

/** A statement: prepared once on each connection, under its name. `$.` in its text stands for the schema. */
export interface Statement {
  readonly name: string
  readonly text: string
}

/** How a database is reached. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with the parameters of libpq; `schema` names the schema, `parlance` without it. */
  readonly url: string
  readonly log: Logger
  /** Connections at most, besides the one that listens; 10. */
  readonly connections?: number
  /** How long one statement may take, milliseconds; 5,000. */
  readonly patience?: number
}

/** The five letters by which PostgreSQL tells the kind of an error; undefined for errors that it did not send. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined
}

/** Kinds of errors after which the same statement may do well a moment later: no connection, no room, shutting down, starting up, cut off, slow. */
const passing = /^(08|53|57|25006|40001|40P01|55P03)/

/** Whether the database is away or too slow, rather than the statement wrong. */
export function isAway(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined) return passing.test(state)
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string }
  if (A2AError.is(error)) return false
  return typeof code === 'string' || /connect|timeout|terminated|closed|not queryable|away/i.test(message ?? '')
}

/** What a person should know of a failure; nothing in it gives the URL away. */
export function databaseError(error: unknown): A2AError {
  if (A2AError.is(error)) return error
  const state = sqlState(error)
  if (isAway(error)) {
    const text = 'The database of the task store does not answer at the moment; try again'
    return new A2AError('Unavailable', text, { cause: error, retryAfter: 1 })
  }
  const trouble = troubles[state ?? ''] ?? `it answers with error ${state ?? 'unknown'}`
  return new A2AError('Unavailable', `The database of the task store cannot be used: ${trouble}`, { cause: error })
}

/** What to do about errors that lie in how the database was set up. */
const troubles: Readonly<Record<string, string>> = {
  '28000': 'it does not let this user in. Check the user in the URL, and pg_hba.conf',
  '28P01': 'the password is wrong. Check the URL, PGPASSWORD or ~/.pgpass',
  '3D000': 'there is no database of this name. Create it, or name another in the URL',
  '3F000': 'there is no such schema',
  '42501': 'this user lacks a right. Grant it CREATE on the database, or make it the owner of the schema',
}

function ignored(): void {}

const { types } = pg
const numbers = {
  getTypeParser: (oid: number, format?: 'text') => (oid === 20 ? Number : types.getTypeParser(oid, format)),
}

/** Statements on one database, over a few connections that are made again when they break. */
export class Postgres {
  /** The schema, quoted. */
  readonly schema: string
  readonly config: pg.ClientConfig
  readonly #pool: pg.Pool
  readonly #log: Logger
  readonly #texts = new Map<string, string>()
  /** Failures in a row. */
  #failures = 0
  /** Until when nothing is tried, as the database was away a moment ago. */
  #awayUntil = 0
  #closed = false

  constructor({ url, log, connections = 10, patience = 5_000 }: PostgresOptions) {
    const { schema, config } = readUrl(url)
    this.schema = `"${schema.replaceAll('"', '""')}"`
    this.#log = log
    this.config = {
      ...config,
      types: numbers as never,
      statement_timeout: patience,
      query_timeout: patience + 500,
      connectionTimeoutMillis: Math.min(3_000, patience),
      idle_in_transaction_session_timeout: 2 * patience,
      keepAlive: true,
    }
    this.#pool = new pg.Pool({ ...this.config, max: connections, idleTimeoutMillis: 30_000, allowExitOnIdle: true })
    // A connection that breaks while nobody uses it is dropped by the pool; the next statement gets another.
    this.#pool.on('error', () => {})
  }

  /** Puts the schema into the text of a statement. */
  sql(text: string): string {
    let known = this.#texts.get(text)
    if (known === undefined) {
      known = text.replaceAll('$.', `${this.schema}.`)
      this.#texts.set(text, known)
    }
    return known
  }

  /** Runs one statement; rejects with A2AError. Fails at once while the database is known to be away. */
  async query(statement: Statement, values: readonly PostgresValue[]): Promise<pg.QueryResult<PostgresRow>> {
    this.#refuse()
    return this.attempt(statement, values)
  }

  /** Runs one statement, also while the database seems to be away. */
  async attempt({ name, text }: Statement, values: readonly PostgresValue[]): Promise<pg.QueryResult<PostgresRow>> {
    return this.with((client) => client.query({ name, text: this.sql(text), values: values as unknown[] }))
  }

  /** Works with one connection, which is given up when the work fails on it. */
  async with<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (this.#closed) throw new A2AError('Unavailable', 'The task store is closed')
    let client: pg.PoolClient | undefined
    try {
      client = await this.#pool.connect()
      // While it is lent out, nobody else listens for its end, of which the work learns by its own statement.
      client.on('error', ignored)
      const result = await work(client)
      client.off('error', ignored)
      client.release()
      this.#back()
      return result
    } catch (error) {
      const away = isAway(error)
      if (!away) client?.off('error', ignored)
      client?.release(away)
      if (away) this.#lose(error)
      throw databaseError(error)
    }
  }

  /** Several statements in one transaction. */
  transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.with(async (client) => {
      await client.query('begin')
      try {
        const result = await work(client)
        await client.query('commit')
        return result
      } catch (error) {
        if (!isAway(error)) await client.query('rollback')
        throw error
      }
    })
  }

  /** Whether the database was away a moment ago. */
  get away(): boolean {
    return Date.now() < this.#awayUntil
  }

  #refuse(): void {
    if (this.away) throw databaseError(new Error('away'))
  }

  #back(): void {
    if (this.#failures > 0) this.#log.info('task store: the database answers again')
    this.#failures = 0
    this.#awayUntil = 0
  }

  #lose(error: unknown): void {
    const { code, message } = error as { code?: unknown; message?: string }
    if (this.#failures === 0) {
      const reason = typeof code === 'string' ? code : message
      this.#log.error('task store: the database does not answer', { reason: String(reason) })
    }
    this.#failures += 1
    this.#awayUntil = Date.now() + 100 + jitter(this.#failures, { base: 50, cap: 1_000 })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#pool.end()
  }
}

/** The parts of a database URL; throws a TypeError that does not repeat it when it is none. */
function readUrl(text: string): { readonly schema: string; readonly config: pg.ClientConfig } {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new TypeError('store: this is not a database URL; write postgres://USER:PASSWORD@HOST:PORT/DATABASE')
  }
  const schema = url.searchParams.get('schema') ?? usualSchema
  if (schema === '' || schema.length > 63 || schema.includes('\0')) {
    throw new TypeError('store: schema must be a name of at most 63 characters')
  }
  url.searchParams.delete('schema')
  if (!url.searchParams.has('application_name')) url.searchParams.set('application_name', 'parlance')
  return { schema, config: { connectionString: url.href } }
}

/** Text as PostgreSQL can store it, for names that callers choose: it knows no zero byte. */
export function storable(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u2400') : text
}
