import type { Answer, Scope } from '../engine/store.ts'
import type { AppendUnit } from './commit-queue.ts'
import { scopeKey } from './scope-key.ts'
import { stateNumbers } from './states.ts'
import { chunkRow } from './task-rows.ts'

/**
 * What is to be committed together, as two flat arrays that cross to a worker cheaply.
 * They hold units; a unit begins with its kind and how many numbers and strings it takes.
 */
export interface Batch {
  readonly numbers: number[]
  readonly strings: (string | null)[]
}

/** Kinds of units. */
export const unitKinds = { scope: 0, append: 1, claim: 2, remember: 3 } as const

/** Numbers before the content of a unit: kind, length in numbers, length in strings. */
export const unitHeader = 3

/** So many scopes, the latest ones, go by number. */
export const rememberedScopes = 65_536

/** Kinds of entries in an append unit. */
export const entryKinds = { message: 0, status: 1, chunk: 2 } as const

/** Bits that say what becomes of the hold. */
export const releaseFlags = { release: 1, handOver: 2, waiting: 4 } as const

/** Builds batches; scopes go over once and by number afterwards. */
export class BatchBuilder {
  readonly #scopes = new Map<string, number>()
  #lastScope = 0
  numbers: number[] = []
  strings: (string | null)[] = []

  /** The batch so far; the next one begins. */
  take(): Batch {
    const { numbers, strings } = this
    this.numbers = []
    this.strings = []
    return { numbers, strings }
  }

  append({ hold: { number: hold, task }, entries, release, waiting, idempotency, accepted }: AppendUnit): void {
    const scope = task === undefined ? -1 : this.#scope(task.scope)
    const { numbers, strings } = this
    const end = this.#begin(unitKinds.append)
    let state = 0
    let time = 0
    let status = 0
    const flags =
      (release === false ? 0 : releaseFlags.release) |
      (release === 'handOver' ? releaseFlags.handOver : 0) |
      (waiting ? releaseFlags.waiting : 0)
    const seq = entries.at(-1)?.seq ?? 0
    const summary = numbers.push(hold, scope, flags, seq, 0, 0, 0, idempotency.length, accepted.length) - 5
    for (const { mail, seq: entry } of accepted) numbers.push(mail, entry)
    if (task !== undefined) strings.push(task.id, task.contextId, task.metadata ?? null)
    for (const { key, digest } of idempotency) strings.push(key, digest)
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]!
      if (entry.kind === 'message') {
        numbers.push(entryKinds.message, entry.seq)
        strings.push(entry.text)
      } else if (entry.kind === 'status') {
        state = stateNumbers[entry.state]
        time = entry.time
        status = entry.seq
        numbers.push(entryKinds.status, entry.seq, state, time)
        strings.push(entry.message ?? null, entry.metadata ?? null)
      } else {
        const row = chunkRow(entries, index)
        numbers.push(entryKinds.chunk, entry.seq, entry.artifact, row.flags)
        strings.push(entry.head ?? null, entry.metadata ?? null, row.parts)
        index = row.last
      }
    }
    numbers[summary] = state
    numbers[summary + 1] = time
    numbers[summary + 2] = status
    end()
  }

  claim(hold: number, scope: Scope, id: string): void {
    const number = this.#scope(scope)
    const end = this.#begin(unitKinds.claim)
    this.numbers.push(hold, number)
    this.strings.push(id)
    end()
  }

  remember(scope: Scope, key: string, answer: Answer): void {
    const number = this.#scope(scope)
    const end = this.#begin(unitKinds.remember)
    this.numbers.push(number)
    const taskId = 'taskId' in answer ? answer.taskId : null
    this.strings.push(key, answer.digest, taskId, 'text' in answer ? answer.text : null)
    end()
  }

  #begin(kind: number): () => void {
    const { numbers, strings } = this
    const start = numbers.length
    const text = strings.length
    numbers.push(kind, 0, 0)
    return () => {
      numbers[start + 1] = numbers.length - start
      numbers[start + 2] = strings.length - text
    }
  }

  #scope(scope: Scope): number {
    const key = scopeKey(scope)
    let number = this.#scopes.get(key)
    if (number === undefined) {
      if (this.#scopes.size === rememberedScopes) this.#scopes.clear()
      number = ++this.#lastScope
      this.#scopes.set(key, number)
      const end = this.#begin(unitKinds.scope)
      this.numbers.push(number)
      this.strings.push(scope.agent, scope.tenant, scope.owner)
      end()
    }
    return number
  }
}
