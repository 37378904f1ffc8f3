/** Chance that repeats itself: the same seed gives the same numbers. */
export interface Random {
  /** A whole number from 0 up to `limit`, which is not reached. */
  below(limit: number): number
  /** True in so many of a hundred cases. */
  percent(share: number): boolean
  pick<T>(list: readonly T[]): T
  bytes(length: number): Buffer
  /** A source of its own for one round, so that rounds do not depend on each other. */
  fork(round: number): Random
}

export function createRandom(seed: number): Random {
  let state = mix(seed)
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0
    return mix(state) >>> 0
  }
  const below = (limit: number): number => Math.floor((next() / 2 ** 32) * limit)
  return {
    below,
    percent: (share) => below(100) < share,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new RangeError('there is nothing to pick from')
      return list[below(list.length)] as T
    },
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
    fork: (round) => createRandom(mix(seed) ^ Math.imul(round + 1, 0x85ebca6b)),
  }
}

/** Spreads the bits of a number over all 32. */
function mix(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return bits ^ (bits >>> 15)
}
