const digits: readonly number[] = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
const hyphen = 45
const poolSize = 4096
const pool = new Uint8Array(poolSize)
/** The codes of the next id; those of the time stay from one id to the next. */
const codes: number[] = new Array<number>(36).fill(hyphen)
let used = poolSize
let lastTime = 0
let counter = 0

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
  const text = time.toString(16).padStart(12, '0')
  for (let index = 0; index < 12; index++) codes[index < 8 ? index : index + 1] = text.charCodeAt(index)
  codes[14] = digits[7] as number
  const at = take(2)
  // Half of the counter's room is left, so that one millisecond never runs out of numbers.
  counter = (((pool[at] as number) << 8) | (pool[at + 1] as number)) & 0x7ff
}

function writeByte(place: number, byte: number): void {
  codes[place] = digits[byte >> 4] as number
  codes[place + 1] = digits[byte & 15] as number
}

/**
 * A UUID version 7: ids made later in one process sort later, so new rows land beside each other in an index.
 * The last 62 bits are random.
 */
export function newId(now: number = Date.now()): string {
  if (now > lastTime) startMillisecond(now)
  else counter += 1
  if (counter > 0xfff) startMillisecond(lastTime + 1)
  codes[15] = digits[counter >> 8] as number
  writeByte(16, counter & 0xff)
  const at = take(8)
  writeByte(19, ((pool[at] as number) & 0x3f) | 0x80)
  writeByte(21, pool[at + 1] as number)
  for (let index = 2; index < 8; index++) writeByte(20 + 2 * index, pool[at + index] as number)
  // One flat string: joined from pieces, an id would weigh five times as much for as long as it is kept.
  return String.fromCharCode.apply(null, codes)
}
