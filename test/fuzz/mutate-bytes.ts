import type { Random } from './random.ts'

/** Bytes with one to four things changed, wherever. */
export function mutateBytes(random: Random, bytes: Uint8Array): Buffer {
  let result: Buffer = Buffer.from(bytes)
  for (let times = 1 + random.below(4); times > 0; times--) result = changeOnce(random, result)
  return result
}

function changeOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + random.below(8))
  const splice = (middle: Uint8Array): Buffer => Buffer.concat([bytes.subarray(0, at), middle, bytes.subarray(end)])
  if (bytes.length === 0) return random.bytes(1 + random.below(8))
  switch (random.below(7)) {
    case 0: {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] as number) ^ (1 << random.below(8))
      return copy
    }
    case 1:
      return bytes.subarray(0, at)
    case 2:
      return splice(Buffer.alloc(0))
    case 3:
      return splice(random.bytes(1 + random.below(8)))
    case 4:
      return splice(
        Buffer.from(
          random.pick([[0xff, 0xfe], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0], [0xef, 0xbb, 0xbf], [0x22], [0x7b]]),
        ),
      )
    case 5:
      return Buffer.concat([bytes, bytes.subarray(at)])
    default:
      return splice(Buffer.alloc(random.pick([2, 10, 4_096]), random.below(256)))
  }
}

/** One field of a protobuf message as it stands in the bytes. */
interface Field {
  readonly tag: number
  readonly value: Buffer
}

/** A protobuf message with its fields mixed up: twice, left out, under other numbers and types, broken further inside. */
export function mutateProto(random: Random, bytes: Uint8Array): Buffer {
  const fields = readFields(Buffer.from(bytes))
  if (fields === undefined || fields.length === 0) return mutateBytes(random, bytes)
  const at = random.below(fields.length)
  const field = fields[at] as Field
  switch (random.below(8)) {
    case 0:
      fields.push(field)
      break
    case 1:
      fields.splice(at, 1)
      break
    case 2:
      fields[at] = {
        ...field,
        tag: ((random.pick([0, 1, 2, 3, 4, 5, 8, 16, 100, 19_000, 536_870_911]) << 3) | (field.tag & 7)) >>> 0,
      }
      break
    case 3:
      fields[at] = { ...field, tag: ((field.tag & ~7) | random.below(8)) >>> 0 }
      break
    case 4:
      fields[at] = {
        tag: field.tag,
        value: Buffer.concat([varint(random.pick([0, 1, 127, 2 ** 20, 2 ** 31 - 1])), field.value]),
      }
      break
    case 5:
      fields[at] = { tag: field.tag, value: nested(random, field) }
      break
    default:
      fields[at] = { tag: field.tag, value: inside(random, field) }
  }
  return Buffer.concat(fields.flatMap(({ tag, value }) => [varint(tag), value]))
}

function inside(random: Random, { tag, value }: Field): Buffer {
  if ((tag & 7) !== 2)
    return random.percent(50) ? Buffer.from('ffffffffffffffffff01', 'hex') : mutateBytes(random, value)
  const content = value.subarray(lengthOfVarint(value))
  const changed = random.percent(70) ? mutateProto(random, content) : mutateBytes(random, content)
  return Buffer.concat([varint(changed.length), changed])
}

/** The field inside itself, many times. */
function nested(random: Random, { tag, value }: Field): Buffer {
  let result = value
  for (let levels = random.pick([2, 70, 1_100]); levels > 0 && result.length < 20_000; levels--) {
    const content = Buffer.concat([varint(tag), result])
    result = Buffer.concat([varint(content.length), content])
  }
  return result
}

function readFields(bytes: Buffer): Field[] | undefined {
  const fields: Field[] = []
  for (let at = 0; at < bytes.length; ) {
    const tagLength = lengthOfVarint(bytes.subarray(at))
    const tag = readVarint(bytes.subarray(at))
    const start = at + tagLength
    const rest = bytes.subarray(start)
    const length = { 0: lengthOfVarint(rest), 1: 8, 2: lengthOfVarint(rest) + readVarint(rest), 5: 4 }[tag & 7]
    if (tagLength === 0 || length === undefined || length > rest.length) return undefined
    fields.push({ tag, value: rest.subarray(0, length) })
    at = start + length
  }
  return fields
}

function lengthOfVarint(bytes: Buffer): number {
  return bytes.findIndex((byte) => byte < 128) + 1
}

function readVarint(bytes: Buffer): number {
  let value = 0
  for (let at = 0; at < lengthOfVarint(bytes); at++) value += ((bytes[at] as number) & 127) * 2 ** (7 * at)
  return value
}

export function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Buffer.from([...bytes, rest])
}
