import { A2AError } from '../protocol/errors.ts'

/** What a statement takes and gives. */
export type SqliteValue = null | number | string

/** One row, by column name. */
export type SqliteRow = Readonly<Record<string, unknown>>

/** A prepared statement. */
export interface SqliteStatement {
  /** Runs it and tells how many rows changed. */
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint }
  get(...values: readonly SqliteValue[]): SqliteRow | undefined
  all(...values: readonly SqliteValue[]): SqliteRow[]
}

/** An open database file. */
export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

/** A way to open database files: with the three methods of a database and the three of a statement, all that the store asks of SQLite. */
export interface SqliteDriver {
  readonly name: string
  open(path: string): SqliteDatabase
}

/** Names of the drivers that this package knows; `node` is `node:sqlite` (Node 22.13 or later). */
export type SqliteDriverName = 'node' | 'photostructure'

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => SqliteDatabase
}

const missing: Readonly<Record<SqliteDriverName, string>> = {
  node: 'This Node.js has no node:sqlite: use Node.js 22.13 or later, or install @photostructure/sqlite 1.2.1',
  photostructure:
    'The package @photostructure/sqlite is not there or does not load: npm install @photostructure/sqlite@1.2.1',
}

/**
 * The driver with a name; without a name the first that this Node.js has.
 * Throws A2AError Unavailable that says what to install when there is none.
 */
export async function sqliteDriver(name?: SqliteDriverName): Promise<SqliteDriver> {
  const found = (name !== 'photostructure' && nodeDriver()) || (name !== 'node' && (await photostructureDriver()))
  if (found) return found
  const text =
    name === undefined
      ? 'No SQLite is there: use Node.js 22.13 or later, or install the optional dependency: npm install @photostructure/sqlite@1.2.1'
      : missing[name]
  throw new A2AError('Unavailable', text, { retryable: false })
}

function driver(name: SqliteDriverName, { DatabaseSync }: SqliteModule): SqliteDriver {
  return { name, open: (path) => new DatabaseSync(path) }
}

function nodeDriver(): SqliteDriver | undefined {
  const emit = process.emitWarning
  try {
    process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
      if (!String(warning).includes('SQLite is an experimental feature')) emit.call(process, warning, ...rest)
    }) as typeof process.emitWarning
    const module = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined
    return module && driver('node', module)
  } finally {
    process.emitWarning = emit
  }
}

async function photostructureDriver(): Promise<SqliteDriver | undefined> {
  try {
    return driver('photostructure', (await import('@photostructure/sqlite')) as unknown as SqliteModule)
  } catch {
    return undefined
  }
}

/** How long a statement waits for other processes, milliseconds. */
export const busyTimeout = 10_000

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread. */
export function sleep(milliseconds: number): void {
  Atomics.wait(sleeper, 0, 0, milliseconds)
}

/** A database with its prepared statements, each made at its first use. */
export class Connection {
  readonly database: SqliteDatabase
  readonly #statements = new Map<string, SqliteStatement>()

  constructor(database: SqliteDatabase) {
    this.database = database
  }

  statement(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  /** Runs `body` in one transaction; what it throws undoes everything. */
  transaction<T>(kind: 'deferred' | 'immediate', body: () => T): T {
    if (kind === 'immediate') this.#beginWriting()
    else this.statement('begin').run()
    let answer: T
    try {
      answer = body()
      this.statement('commit').run()
    } catch (error) {
      try {
        this.statement('rollback').run()
      } catch {
        // SQLite has rolled back by itself, as it does on a full disk.
      }
      throw error
    }
    return answer
  }

  /**
   * Waits for other processes to have written. SQLite's own waiting grows longer with each try, so that a process which writes all the time
   * keeps out those that have waited longest.
   */
  #beginWriting(): void {
    const begin = this.statement('begin immediate')
    this.statement('pragma busy_timeout = 0').get()
    try {
      for (let tries = 1, end = performance.now() + busyTimeout; ; tries = Math.min(tries + 1, 10)) {
        try {
          begin.run()
          return
        } catch (error) {
          if (performance.now() > end || !/locked|busy/i.test((error as Error).message)) throw error
          sleep(0.1 + Math.random() * 0.2 * tries)
        }
      }
    } finally {
      this.statement(`pragma busy_timeout = ${busyTimeout}`).get()
    }
  }

  close(): void {
    this.#statements.clear()
    this.database.close()
  }
}
