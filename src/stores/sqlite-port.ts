import { holdLost } from '../engine/store.ts'
import type { Logger } from '../lib/log.ts'
import { A2AError } from '../protocol/errors.ts'
import type { CommitPort, CommitUnit, UnitResult } from './commit-queue.ts'
import { BatchBuilder } from './sqlite-batch.ts'
import type { CallName, Calls } from './sqlite-calls.ts'
import type { CommitterReply, CommitterRequest } from './sqlite-committer.ts'
import type { CommitterPort } from './sqlite-thread.ts'

/** Asks the committer, and turns what it refuses into errors. */
export class SqliteWriter implements CommitPort {
  readonly #port: CommitterPort
  readonly #log: Logger
  readonly #builder = new BatchBuilder()

  constructor(port: CommitterPort, log: Logger) {
    this.#port = port
    this.#log = log
  }

  async ask(request: CommitterRequest): Promise<Exclude<CommitterReply, { readonly failed: string }>> {
    const reply = await this.#port.ask(request)
    if (!('failed' in reply)) return reply
    this.#log.error('task store: a write failed', { reason: reply.detail })
    throw new A2AError('Unavailable', reply.failed, { cause: reply.detail })
  }

  async call<N extends CallName>(name: N, given: Calls[N][0]): Promise<Calls[N][1]> {
    const reply = await this.ask({ kind: 'call', name, given })
    return ('value' in reply ? reply.value : null) as Calls[N][1]
  }

  async commit(units: readonly CommitUnit[]): Promise<readonly UnitResult[] | null> {
    for (const unit of units) {
      if (unit.kind === 'append') this.#builder.append(unit)
      else if (unit.kind === 'claim') this.#builder.claim(unit.hold.number, unit.hold.scope, unit.hold.id)
      else this.#builder.remember(unit.scope, unit.key, unit.answer)
    }
    const reply = await this.ask({ kind: 'commit', batch: this.#builder.take(), process: this.#port.process })
    if ('lost' in reply) throw holdLost()
    return 'results' in reply ? reply.results : null
  }
}
