/** What a list is ordered by: the time of the status, ties by id (§3.1.4). */
export interface Ordered {
  readonly id: string
  readonly time: number
}

/**
 * Items by time and id, ascending. Most changes are at the newest end, where they cost next to nothing:
 * only what is newer moves, which `splice` does not promise for long arrays.
 */
export class TaskOrder<T extends Ordered> {
  readonly items: T[] = []

  /** Number of items before (`time`, `id`); the empty id counts those before `time`. */
  before(time: number, id: string): number {
    let low = 0
    let high = this.items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const item = this.items[middle]!
      if (item.time < time || (item.time === time && item.id < id)) low = middle + 1
      else high = middle
    }
    return low
  }

  add(item: T): void {
    const { items } = this
    const place = this.before(item.time, item.id)
    items.push(item)
    for (let index = items.length - 1; index > place; index--) items[index] = items[index - 1]!
    items[place] = item
  }

  /** Takes an item out; to be called before its time changes. */
  remove(item: T): void {
    const { items } = this
    const place = this.before(item.time, item.id)
    if (items[place] !== item) return
    for (let index = place + 1; index < items.length; index++) items[index - 1] = items[index]!
    items.pop()
  }
}
