import type { StoreListener } from '../engine/store.ts'
import { endOfTurn } from '../lib/turn.ts'

/** A way to call out to the other processes on a database. What is called may be lost, and may come back to the caller. */
export interface HintBus {
  /** Sends a text of at most `longestHint` bytes. */
  publish(text: string): void
  /** Calls back with every text of others; the returned function ends that. */
  onMessage(callback: (text: string) => void): () => void
}

/** PostgreSQL refuses longer ones. */
export const longestHint = 7_500

/** A watcher says so again this often, milliseconds, and is forgotten after three times of silence. */
const renewEvery = 20_000

/** What one process tells the others: which tasks it watches, which have changed, that it left mail for a process, that it left tasks. */
interface Hint {
  readonly from: string
  readonly watch?: readonly string[]
  readonly changed?: readonly string[]
  /** Numbers of the processes that mail was left for. */
  readonly mail?: readonly number[]
  readonly abandoned?: true
}

/**
 * Hints between the processes on one database: each tells what it watches, and a writer calls out only what others watch. A lost hint costs
 * nothing but the time to the next poll.
 */
export class Hints {
  readonly listeners: Set<StoreListener> = new Set()
  /** Number of this process among those on the database; mail for others is not looked for. */
  process: number
  readonly #from = crypto.randomUUID()
  readonly #bus: HintBus | undefined
  readonly #stop: (() => void) | undefined
  readonly #watched = new Map<string, Set<() => void>>()
  /** Until when others watch which task. */
  readonly #others = new Map<string, number>()
  #watch = new Set<string>()
  #changed = new Set<string>()
  #mail = new Set<number>()
  #abandoned = false
  #scheduled = false
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(process: number, bus?: HintBus) {
    this.process = process
    this.#bus = bus
    this.#stop = bus?.onMessage((text) => this.#hear(text))
  }

  /** Calls back when others say that a task has changed. */
  watch(id: string, changed: () => void): () => void {
    let watchers = this.#watched.get(id)
    if (watchers === undefined) {
      watchers = new Set()
      this.#watched.set(id, watchers)
      this.#watch.add(id)
      this.#schedule()
      this.#renew()
    }
    watchers.add(changed)
    return () => {
      watchers.delete(changed)
      if (watchers.size > 0 || this.#watched.get(id) !== watchers) return
      this.#watched.delete(id)
      this.#watch.delete(id)
    }
  }

  /** Tells those who watch a task that it, or mail for it, has changed. */
  changed(id: string): void {
    if (this.#others.size === 0 || !this.#others.has(id)) return
    this.#changed.add(id)
    this.#schedule()
  }

  /** Tells a process that mail was left for it. */
  mail(process: number): void {
    this.#mail.add(process)
    this.#schedule()
  }

  /** Tells everybody that tasks were left. */
  abandoned(): void {
    this.#abandoned = true
    this.#schedule()
  }

  listen(listener: StoreListener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  close(): void {
    if (this.#scheduled) this.#publish()
    clearInterval(this.#timer)
    this.#stop?.()
    this.#watched.clear()
  }

  #renew(): void {
    if (this.#bus === undefined || this.#timer !== undefined) return
    this.#timer = setInterval(() => {
      for (const id of this.#watched.keys()) this.#watch.add(id)
      const now = Date.now()
      for (const [id, until] of this.#others) if (until < now) this.#others.delete(id)
      if (this.#watch.size > 0) this.#schedule()
    }, renewEvery)
    this.#timer.unref()
  }

  #schedule(): void {
    if (this.#bus === undefined || this.#scheduled) return
    this.#scheduled = true
    endOfTurn(() => {
      if (this.#scheduled) this.#publish()
    })
  }

  #publish(): void {
    this.#scheduled = false
    const [watch, changed, mail] = [[...this.#watch], [...this.#changed], [...this.#mail]]
    const abandoned = this.#abandoned
    this.#watch = new Set()
    this.#changed = new Set()
    this.#mail = new Set()
    this.#abandoned = false
    if (mail.length > 0 || abandoned) this.#say({ ...(mail.length > 0 && { mail }), ...(abandoned && { abandoned }) })
    for (const some of pieces(watch)) this.#say({ watch: some })
    for (const some of pieces(changed)) this.#say({ changed: some })
  }

  #say(hint: Omit<Hint, 'from'>): void {
    this.#bus?.publish(JSON.stringify({ from: this.#from, ...hint }))
  }

  #hear(text: string): void {
    const hint = parse(text)
    if (hint === undefined || hint.from === this.#from) return
    const until = Date.now() + 3 * renewEvery
    for (const id of list(hint.watch)) this.#others.set(id as string, until)
    if (this.#others.size > 0) this.#renew()
    for (const id of list(hint.changed)) for (const changed of this.#watched.get(id as string) ?? []) changed()
    if (list(hint.mail).includes(this.process)) for (const listener of this.listeners) listener.mail()
    if (hint.abandoned) for (const listener of this.listeners) listener.abandoned()
  }
}

function parse(text: string): { readonly [member in keyof Hint]?: unknown } | undefined {
  try {
    const hint: unknown = JSON.parse(text)
    return typeof hint === 'object' && hint !== null ? hint : undefined
  } catch {
    return undefined
  }
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Lists short enough for one hint each; ids that are too long for any are left to polling. */
function pieces(ids: readonly string[]): string[][] {
  const lists: string[][] = []
  let room = 0
  for (const id of ids) {
    const size = JSON.stringify(id).length * 2
    if (size > longestHint / 2) continue
    if (room < size) {
      lists.push([])
      room = longestHint - 200
    }
    lists.at(-1)?.push(id)
    room -= size
  }
  return lists
}
