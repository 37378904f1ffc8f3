import type { UnitResult } from './commit-queue.ts'
import { type Batch, unitHeader, unitKinds } from './sqlite-batch.ts'
import type { Holder } from './sqlite-calls.ts'
import { Commit, type CommitParts, type Unit } from './sqlite-commit.ts'
import { breaksFile, writeFailure } from './sqlite-failure.ts'
import { HeldTasks } from './sqlite-held.ts'

/** Commits batches. One batch is one transaction; a unit that cannot be written takes no other with it. */
export class CommitWriter {
  readonly #parts: CommitParts

  constructor(parts: Omit<CommitParts, 'held'>, held: HeldTasks = new HeldTasks()) {
    this.#parts = { ...parts, held }
  }

  /** One that writes under another number of this process, and holds nothing yet. */
  entered(holder: Holder): CommitWriter {
    const { connection, held } = this.#parts
    held.lose()
    return new CommitWriter({ connection, holder }, held)
  }

  /** Takes note of what later batches may name, without a commit. */
  learn(batch: Batch): void {
    this.#units(batch)
  }

  /** Commits a batch; throws when nothing of it could be written. */
  commit(batch: Batch): UnitResult[] {
    this.#parts.held.forgetScopes()
    const units = this.#units(batch)
    try {
      return this.#transaction(batch, units)
    } catch (error) {
      if (breaksFile(error)) throw error
      return units.length === 1 ? [{ refused: refusal(error) }] : units.map((unit) => this.#alone(batch, unit))
    }
  }

  #alone(batch: Batch, unit: Unit): UnitResult {
    try {
      return this.#transaction(batch, [unit])[0]!
    } catch (error) {
      return { refused: breaksFile(error) ? writeFailure(error) : refusal(error) }
    }
  }

  #units({ numbers, strings }: Batch): Unit[] {
    const units: Unit[] = []
    let text = 0
    for (let at = 0; at < numbers.length; at += numbers[at + 1]!) {
      const kind = numbers[at]!
      if (kind === unitKinds.scope) {
        const [agent, tenant, owner] = strings.slice(text, text + 3) as [string, string, string]
        this.#parts.held.nameScope(numbers[at + unitHeader]!, { agent, tenant, owner })
      } else {
        units.push({ kind, at: at + unitHeader, text })
      }
      text += numbers[at + 2]!
    }
    return units
  }

  #transaction(batch: Batch, units: readonly Unit[]): UnitResult[] {
    const commit = new Commit(batch, this.#parts)
    try {
      const results = this.#parts.connection.transaction('immediate', () => commit.run(units))
      for (const settle of commit.settled) settle()
      return results
    } catch (error) {
      for (const scope of commit.scopes) scope.key = undefined
      throw error
    }
  }
}

function refusal(error: unknown): string {
  const { message } = error as Error
  if (/answer\./.test(message)) return 'The idempotency key was used a moment ago'
  if (/task\.id/.test(message)) return 'A task with this id is stored already'
  return `The task store could not write this (${message})`
}
