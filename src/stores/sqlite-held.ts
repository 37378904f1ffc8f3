import type { Scope } from '../engine/store.ts'
import { rememberedScopes } from './sqlite-batch.ts'

/** A task that this process holds. */
export interface HeldTask {
  readonly key: number
  readonly scope: number
  state: number
  time: number
  waiting: number
}

/** A scope that batches name by number; its key in the file once that is known. */
export interface KnownScope extends Scope {
  key: number | undefined
}

/** What the writer knows between commits: the tasks that this process holds, and the scopes that batches have named. */
export class HeldTasks {
  readonly #scopes = new Map<number, KnownScope>()
  readonly #holds = new Map<number, HeldTask>()
  readonly #byKey = new Map<number, number>()

  scope(number: number): KnownScope {
    return this.#scopes.get(number)!
  }

  nameScope(number: number, { agent, tenant, owner }: Scope): void {
    this.#scopes.set(number, { agent, tenant, owner, key: undefined })
  }

  /** Forgets scopes that no batch names any more. */
  forgetScopes(): void {
    if (this.#scopes.size < 2 * rememberedScopes) return
    for (const number of this.#scopes.keys()) {
      if (this.#scopes.size <= rememberedScopes) return
      this.#scopes.delete(number)
    }
  }

  /** Forgets all tasks, as this process holds them no more. Batches still name scopes as they did. */
  lose(): void {
    this.#holds.clear()
    this.#byKey.clear()
  }

  get(number: number): HeldTask | undefined {
    return this.#holds.get(number)
  }

  /** A hold begins; one that this process had before on the same task has been lost. */
  keep(number: number, task: HeldTask): void {
    const before = this.#byKey.get(task.key)
    if (before !== undefined) this.#holds.delete(before)
    this.#holds.set(number, task)
    this.#byKey.set(task.key, number)
  }

  drop(number: number): void {
    const task = this.#holds.get(number)
    this.#holds.delete(number)
    if (task !== undefined && this.#byKey.get(task.key) === number) this.#byKey.delete(task.key)
  }
}
