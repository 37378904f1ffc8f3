import type { Logger } from '../lib/log.ts'
import { backgroundInterval } from '../lib/turn.ts'
import { TurnoverMap } from '../lib/turnover-map.ts'
import type { Agent } from './executor.ts'
import { Feed } from './feed.ts'
import type { Limits } from './limits.ts'
import type { Live } from './live.ts'
import type { Scope, Store } from './store.ts'
import { frameIds } from './text.ts'

/** What the parts of one engine share. */
export interface Core {
  readonly agent: Agent
  readonly store: Store
  readonly log: Logger
  readonly limits: Limits
  readonly now: () => number
  /** Tasks that this process holds, by id. */
  readonly lives: TurnoverMap<string, Live>
  readonly feeds: Feeds
  /** Set once the engine takes no more work. */
  stopping: boolean
}

/** The feeds of this process: one for each task that is worked on or read here. */
export class Feeds {
  readonly #feeds = new TurnoverMap<string, Feed>()
  readonly #watched = new Map<string, { readonly scope: Scope; readonly stop: () => void }>()
  readonly #store: Store
  readonly #pollMs: number
  readonly #publishedOf: (id: string) => number

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
  watch(feed: Feed, scope: Scope): void {
    if (this.#watched.has(feed.taskId)) return
    let looking = false
    const look = async (): Promise<void> => {
      if (looking) return
      looking = true
      const head = await this.#store.head(scope, feed.taskId).catch(() => undefined)
      looking = false
      if (this.#watched.has(feed.taskId) && head !== undefined && head.seq > feed.committed) feed.skip(head.seq)
    }
    const timer = backgroundInterval(() => void look(), this.#pollMs)
    this.#watched.set(feed.taskId, { scope, stop: () => timer.stop() })
  }

  unwatch(feed: Feed): void {
    this.#watched.get(feed.taskId)?.stop()
    this.#watched.delete(feed.taskId)
  }

  closeAll(): void {
    for (const { stop } of this.#watched.values()) stop()
    this.#watched.clear()
    for (const feed of this.#feeds.values()) feed.close()
  }
}
