const hex: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const poolSize = 4096
const pool = new Uint8Array(poolSize)
let used = poolSize
let lastTime = 0
let counter = 0
let prefix = ''

function take(count: number): number {
  if (used + count > poolSize) {
    crypto.getRandomValues(pool)
    used = 0
  }
  used += count
  return used - count
}

function startMillisecond(time: number): void {
  lastTime = time
  const digits = time.toString(16).padStart(12, '0')
  prefix = `${digits.slice(0, 8)}-${digits.slice(8, 12)}-7`
  const at = take(2)
  // Half of the counter's room is left, so that one millisecond never runs out of numbers.
  counter = (((pool[at] as number) << 8) | (pool[at + 1] as number)) & 0x7ff
}

/**
 * A UUID version 7: ids made later in one process sort later, so new rows land beside each other in an index.
 * The last 62 bits are random.
 */
export function newId(now: number = Date.now()): string {
  if (now > lastTime) startMillisecond(now)
  else counter += 1
  if (counter > 0xfff) startMillisecond(lastTime + 1)
  const at = take(8)
  const b = (offset: number): string => hex[pool[at + offset] as number] as string
  const variant = hex[((pool[at] as number) & 0x3f) | 0x80] as string
  return `${prefix}${counter.toString(16).padStart(3, '0')}-${variant}${b(1)}-${b(2)}${b(3)}${b(4)}${b(5)}${b(6)}${b(7)}`
}
