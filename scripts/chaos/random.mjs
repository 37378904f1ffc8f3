/** Numbers from 0 to 1 that are the same for the same seeds. */
export function createRandom(...seeds) {
  let state = 0x811c9dc5
  for (const character of seeds.join('/')) state = Math.imul(state ^ character.charCodeAt(0), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A whole number from `low` to `high`, both included. */
export function between(random, low, high) {
  return low + Math.floor(random() * (high - low + 1))
}

/** One of the values. */
export function oneOf(random, values) {
  return values[Math.floor(random() * values.length)]
}

/** One name of a table of weights. */
export function weighed(random, weights) {
  const names = Object.keys(weights)
  let left = random() * names.reduce((sum, name) => sum + weights[name], 0)
  return names.find((name) => {
    left -= weights[name]
    return left < 0
  })
}
