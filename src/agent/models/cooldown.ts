/** Remembers which models failed lately, so that a turn does not wait for them again. */
export interface Cooldown {
  /** The model failed: leave it alone for a while. */
  start(label: string): void
  /** Whether the model is to be left alone now. */
  active(label: string): boolean
}

/** A cooldown of `duration` milliseconds on the given clock. */
export function createCooldown(duration: number, now: () => number): Cooldown {
  const until = new Map<string, number>()
  return {
    start: (label) => void until.set(label, now() + duration),
    active(label) {
      const end = until.get(label)
      if (end === undefined) return false
      if (now() < end) return true
      until.delete(label)
      return false
    },
  }
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of a duration such as `1m30s`. */
export function durationOf(text: string): number {
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) total += Number(amount) * units[unit!]!
  return total
}
