import { hostname } from 'node:os'
import pg from 'pg'
import { jitter, pause } from '../lib/backoff.ts'
import type { Logger } from '../lib/log.ts'
import type { HintBus } from './hints.ts'
import type { Postgres } from './postgres-connection.ts'

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
  readonly #stopped = new AbortController()
  #line: pg.Client | undefined
  #signedAt = 0
  #living: Promise<void> = Promise.resolve()
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
    return this.number !== 0 && performance.now() - this.#signedAt < this.#lease.expires
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
      await line.query(`listen ${this.#channel}`)
    } catch (error) {
      this.#hangUp(line)
      throw error
    }
  }

  #hangUp(line: pg.Client): void {
    if (this.#line === line) this.#line = undefined
    line.end().catch(() => {})
    this.#wake?.()
  }

  async #enter(): Promise<void> {
    const at = performance.now()
    const name = `${hostname()}/${process.pid}`
    const found = await this.#line?.query<{ number: number }>(this.#database.sql(enter), [name, this.#lease.expires])
    this.#signedAt = at
    this.number = found?.rows[0]?.number ?? 0
  }

  async #sign(): Promise<void> {
    const at = performance.now()
    const text = this.#database.sql('update $.node set heartbeat = clock_timestamp() where number = $1')
    const signed = await this.#line?.query(text, [this.number])
    if (signed === undefined) return
    if (signed.rowCount === 1 && this.alive) this.#signedAt = at
    else await this.#lose()
  }

  /** Gives up all that was held; goes on under another number as soon as the database answers. */
  async #lose(): Promise<void> {
    const before = this.number
    this.number = 0
    this.#log.error('task store: this process was silent for longer than its lease', {
      lease: this.#lease.expires / 1000,
    })
    this.#onLost()
    if (this.#line === undefined) return
    await this.#line.query(this.#database.sql('delete from $.node where number = $1'), [before])
    await this.#enter()
  }

  /** Signs, again and again; makes the line anew when it breaks. */
  async #live(): Promise<void> {
    const { signal } = this.#stopped
    let failures = 0
    while (!signal.aborted) {
      await this.#rest(failures === 0 ? this.#lease.heartbeat : jitter(failures, { base: 100, cap: 1_000 }), signal)
      if (signal.aborted) return
      try {
        if (this.number !== 0 && !this.alive) await this.#lose()
        if (this.#line === undefined) await this.#connect()
        else if (this.number === 0) await this.#enter()
        else await this.#sign()
        failures = 0
      } catch {
        failures += 1
        if (this.#line !== undefined) this.#hangUp(this.#line)
        if (this.number !== 0 && !this.alive) await this.#lose().catch(() => {})
      }
    }
  }

  #rest(ms: number, signal: AbortSignal): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const rest = new AbortController()
    return Promise.race([woken, pause(ms, AbortSignal.any([signal, rest.signal]))]).finally(() => {
      this.#wake = undefined
      rest.abort()
    })
  }

  publish(text: string): void {
    // A hint that cannot be sent is found by asking.
    this.#line?.query('select pg_notify($1, $2)', [this.#channel.slice(1, -1), text]).catch(() => {})
  }

  onMessage(callback: (text: string) => void): () => void {
    this.#ears.add(callback)
    return () => this.#ears.delete(callback)
  }

  /** Leaves: what is still held is free for others. */
  async close(): Promise<void> {
    this.#stopped.abort()
    await this.#living
    const line = this.#line
    this.#line = undefined
    if (line === undefined) return
    const text = this.#database.sql('delete from $.node where number = $1')
    await line.query(text, [this.number]).catch(() => {})
    this.number = 0
    await line.end().catch(() => {})
  }
}
