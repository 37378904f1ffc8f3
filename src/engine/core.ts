import type { Logger } from '../lib/log.ts'
import { backgroundInterval } from '../lib/turn.ts'
import { TurnoverMap } from '../lib/turnover-map.ts'
import type { Telemetry } from '../observe/telemetry.ts'
import type { Admission } from './admission.ts'
import type { Agent } from './executor.ts'
import { Feed } from './feed.ts'
import type { Reader } from './follow.ts'
import type { KeyedSends } from './idempotency.ts'
import type { Limits } from './limits.ts'
import type { Live } from './live.ts'
import type { Scope, Store } from './store.ts'
import { frameIds } from './text.ts'

/** What the parts of one engine share. */
export interface Core {
  readonly agent: Agent
  readonly store: Store
  readonly log: Logger
  readonly telemetry: Telemetry
  readonly limits: Limits
  readonly now: () => number
  /** How long a tenant's tasks are kept, where that is not as the limits say. */
  readonly retain: (tenant: string) => number | undefined
  /** Tasks that this process holds, by id. */
  readonly lives: TurnoverMap<string, Live>
  readonly feeds: Feeds
  /** Those who read tasks, where that is measured. */
  readonly readers: Set<Reader> | undefined
  readonly admission: Admission
  /** Sends with a key that are under way in this process. */
  readonly keyed: KeyedSends
  /** Looks for mail that came for tasks held here. */
  readonly collectMail: () => void
  /** Set once the engine takes no more work. */
  stopping: boolean
}

/** Watched tasks that are looked at together. */
const lookedAt = 500

/** The feeds of this process: one for each task that is worked on or read here. */
export class Feeds {
  readonly #feeds = new TurnoverMap<string, Feed>()
  readonly #watched = new Map<string, { readonly scope: Scope; readonly stop: () => void }>()
  /** Watched tasks of which a hint came. */
  readonly #hinted = new Set<string>()
  readonly #store: Store
  readonly #pollMs: number
  readonly #publishedOf: (id: string) => number
  #timer: { stop(): void } | undefined
  #looking = false

  /** `publishedOf` tells the last published entry of a task that this process holds, 0 for others. */
  constructor(store: Store, { pollMs, publishedOf }: { pollMs: number; publishedOf: (id: string) => number }) {
    this.#store = store
    this.#publishedOf = publishedOf
    this.#pollMs = pollMs
  }

  /** The feed of a task, held until `release`. */
  acquire(id: string, contextId: string): Feed {
    let feed = this.#feeds.get(id)
    if (feed === undefined) {
      feed = new Feed(id, frameIds(id, contextId))
      feed.committed = this.#publishedOf(id)
      this.#feeds.set(id, feed)
    }
    feed.readers += 1
    return feed
  }

  /** The feed of a task, if anybody reads it. */
  find(id: string): Feed | undefined {
    return this.#feeds.get(id)
  }

  release(feed: Feed): void {
    feed.readers -= 1
    if (feed.readers > 0) return
    this.#feeds.delete(feed.taskId)
    this.unwatch(feed)
  }

  /** Looks for entries that another process writes to this task, until a writer in this process takes over. */
  watch({ taskId }: Feed, scope: Scope): void {
    if (this.#watched.has(taskId)) return
    this.#watched.set(taskId, { scope, stop: this.#store.watch(taskId, () => this.#hint(taskId)) })
    this.#timer ??= backgroundInterval(() => void this.#look(this.#next()), this.#pollMs)
  }

  unwatch({ taskId }: Feed): void {
    this.#watched.get(taskId)?.stop()
    this.#watched.delete(taskId)
    if (this.#watched.size > 0) return
    this.#timer?.stop()
    this.#timer = undefined
  }

  #hint(id: string): void {
    this.#hinted.add(id)
    if (!this.#looking) void this.#look([])
  }

  /** Those that were looked at longest ago. */
  #next(): string[] {
    const ids: string[] = []
    for (const id of this.#watched.keys()) {
      if (ids.push(id) === lookedAt) break
    }
    if (ids.length < this.#watched.size) {
      for (const id of ids) {
        const watched = this.#watched.get(id)
        this.#watched.delete(id)
        if (watched !== undefined) this.#watched.set(id, watched)
      }
    }
    return ids
  }

  async #look(ids: readonly string[]): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    let some = ids
    do {
      const hinted = [...this.#hinted].slice(0, lookedAt)
      for (const id of hinted) this.#hinted.delete(id)
      await this.#compare([...new Set([...hinted, ...some])])
      some = []
    } while (this.#hinted.size > 0)
    this.#looking = false
  }

  async #compare(ids: readonly string[]): Promise<void> {
    const tasks = ids.flatMap((id) => {
      const feed = this.#feeds.get(id)
      const watched = this.#watched.get(id)
      return feed === undefined || watched === undefined ? [] : [{ scope: watched.scope, id, seq: feed.committed }]
    })
    if (tasks.length === 0) return
    // A store that does not answer now is asked again at the next turn of the timer.
    const moved = await this.#store.behind(tasks).catch(() => [])
    for (const { id, seq } of moved) {
      const feed = this.#feeds.get(id)
      if (feed !== undefined && this.#watched.has(id) && seq > feed.committed) feed.skip(seq)
    }
  }

  closeAll(): void {
    for (const { stop } of this.#watched.values()) stop()
    this.#watched.clear()
    this.#timer?.stop()
    this.#timer = undefined
    for (const feed of this.#feeds.values()) feed.close()
  }
}
