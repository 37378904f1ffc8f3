import { hostname } from 'node:os'
import pg from 'pg'
import { jitter } from '../lib/backoff.ts'
import type { Logger } from '../lib/log.ts'
import { backgroundTimer } from '../lib/turn.ts'
import type { HintBus } from './hints.ts'
import type { Postgres, PostgresRow } from './postgres-connection.ts'

/** When a silent node counts as dead; milliseconds. */
export interface Lease {
  /** A living node signs so often. */
  readonly heartbeat: number
  /** A node that has not signed for so long is dead. */
  readonly expires: number
}

export const usualLease: Lease = { heartbeat: 5_000, expires: 15_000 }

/** Whether the node with a number has signed lately, by the clock of the database, as SQL. */
export const living = (number: string): string =>
  `exists (select 1 from $.node where node.number = ${number} and node.heartbeat > clock_timestamp() - node.expires)`

const enter =
  'insert into $.node (name, expires) values ($1, make_interval(secs => $2::double precision / 1000)) returning number'

/**
 * This process among those on the database: the number under which it holds tasks, and its own line: one connection that signs, listens
 * and calls out. A node that could not sign for the length of its lease gives up by its own clock, before anybody takes over.
 */
export class Node implements HintBus {
  /** 0 while this process counts for nothing. */
  number = 0
  readonly #database: Postgres
  readonly #lease: Lease
  readonly #log: Logger
  readonly #channel: string
  readonly #ears = new Set<(text: string) => void>()
  readonly #onLost: () => void
  #line: pg.Client | undefined
  #asked: Promise<unknown> = Promise.resolve()
  #signedAt = 0
  #expiry: { stop(): void } | undefined
  /** Numbers that were given up, and are still in the database. */
  #left: number[] = []
  #living: Promise<void> = Promise.resolve()
  #closing = false
  #wake: (() => void) | undefined

  constructor(database: Postgres, { lease, log, onLost }: { lease: Lease; log: Logger; onLost: () => void }) {
    this.#database = database
    this.#lease = lease
    this.#log = log
    this.#onLost = onLost
    this.#channel = `"parlance_${database.schema.slice(1, -1)}"`.slice(0, 63)
    if (!this.#channel.endsWith('"')) this.#channel = `${this.#channel.slice(0, 62)}"`
  }

  /** Whether nobody can have taken this node for dead. */
  get alive(): boolean {
    return this.number !== 0 && performance.now() - this.#signedAt < this.#trusted
  }

  /** How long a signature is trusted: a little less than others do, as they may be quicker to act on its end. */
  get #trusted(): number {
    return this.#lease.expires * 0.9
  }

  #signed(at: number): void {
    this.#signedAt = at
    this.#expiry?.stop()
    this.#expiry = backgroundTimer(() => this.#lose(), at + this.#trusted - performance.now())
  }

  /** Enters the database; rejects when it does not answer. */
  async start(): Promise<void> {
    await this.#connect()
    this.#living = this.#live()
  }

  async #connect(): Promise<void> {
    const line = new pg.Client({ ...this.#database.config })
    line.on('error', () => this.#hangUp(line))
    line.on('end', () => this.#hangUp(line))
    line.on('notification', ({ payload = '' }) => {
      for (const ear of this.#ears) ear(payload)
    })
    try {
      await line.connect()
      this.#line = line
      if (this.number === 0) await this.#enter()
      else await this.#sign()
      await this.#ask(`listen ${this.#channel}`, [])
    } catch (error) {
      this.#hangUp(line)
      throw error
    }
  }

  #hangUp(line: pg.Client): void {
    const inUse = this.#line === line
    if (inUse) this.#line = undefined
    destroy(line)
    if (inUse) this.#wake?.()
  }

  /** Asks over the line, one question after the other. */
  #ask(text: string, values: readonly unknown[]): Promise<pg.QueryResult<PostgresRow>> {
    const line = this.#line
    const answer = this.#asked.then(() => {
      if (line === undefined || line !== this.#line) throw new Error('the line is closed')
      return line.query<PostgresRow>(text, [...values])
    })
    this.#asked = answer.catch(() => {})
    return answer
  }

  async #enter(): Promise<void> {
    const text = this.#database.sql('delete from $.node where number = any($1::integer[])')
    // What was held under them is free for others at once.
    if (this.#left.length > 0) await this.#ask(text, [this.#left])
    this.#left = []
    const at = performance.now()
    const name = `${hostname()}/${process.pid}`
    const found = await this.#ask(this.#database.sql(enter), [name, this.#lease.expires])
    this.number = (found.rows[0]?.number as number | undefined) ?? 0
    this.#signed(at)
  }

  async #sign(): Promise<void> {
    const at = performance.now()
    const text = this.#database.sql('update $.node set heartbeat = clock_timestamp() where number = $1')
    const signed = await this.#ask(text, [this.number])
    if (signed.rowCount === 1 && this.alive) this.#signed(at)
    else this.#lose()
  }

  /** Gives up all that was held; another number is taken as soon as the database answers. */
  #lose(): void {
    if (this.number === 0) return
    this.#left.push(this.number)
    this.number = 0
    this.#log.error('task store: this process was silent for longer than its lease', {
      lease: this.#lease.expires / 1000,
    })
    this.#onLost()
    this.#wake?.()
  }

  /** Signs, again and again; makes the line anew when it breaks. */
  async #live(): Promise<void> {
    for (let failures = 0; !this.#closing; ) {
      const ready = this.number !== 0 && failures === 0
      await this.#rest(ready ? this.#lease.heartbeat : jitter(failures, { base: 100, cap: 1_000 }))
      if (this.#closing) return
      try {
        if (!this.alive) this.#lose()
        if (this.#line === undefined) await this.#connect()
        else if (this.number === 0) await this.#enter()
        else await this.#sign()
        failures = 0
      } catch {
        failures += 1
        if (this.#line !== undefined) this.#hangUp(this.#line)
      }
    }
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
    })
  }

  publish(text: string): void {
    // A hint that cannot be sent is found by asking.
    this.#ask('select pg_notify($1, $2)', [this.#channel.slice(1, -1), text]).catch(() => {})
  }

  onMessage(callback: (text: string) => void): () => void {
    this.#ears.add(callback)
    return () => this.#ears.delete(callback)
  }

  /** Leaves: what is still held is free for others. */
  async close(): Promise<void> {
    this.#closing = true
    this.#wake?.()
    await this.#living
    this.#expiry?.stop()
    const text = this.#database.sql('delete from $.node where number = any($1::integer[])')
    await this.#ask(text, [[...this.#left, this.number]]).catch(() => {})
    this.number = 0
    const line = this.#line
    this.#line = undefined
    await line?.end().catch(() => {})
  }
}

/** Ends a connection at once; a polite end would wait for a database that may be away. */
function destroy(line: pg.Client): void {
  const { connection } = line as unknown as { connection?: { stream?: { destroy(): void } } }
  connection?.stream?.destroy()
  line.end().catch(() => {})
}
