import { ByteList } from '../../lib/byte-list.ts'
import { A2AError } from '../../protocol/errors.ts'
import { messageTooLarge } from './limits.ts'

/** Bytes before each message: a flag, and the length in four bytes. */
export const prefixLength = 5

/** Takes one message of a call, as it stood in its frame. */
export type OnFrame = (payload: Buffer, compressed: boolean) => void

/** Takes frames out of chunks, however those are cut; a frame that is in one chunk is not copied. */
export class FrameReader {
  readonly #limit: number
  readonly #onFrame: OnFrame
  readonly #held = new ByteList()
  /** No frame ends before so many bytes are there. */
  #wanted = prefixLength

  /** Messages of more than `limit` bytes are refused by their prefix. */
  constructor(limit: number, onFrame: OnFrame) {
    this.#limit = limit
    this.#onFrame = onFrame
  }

  /** Whether a frame has begun that has not ended. */
  get isCut(): boolean {
    return this.#held.length > 0
  }

  /** Throws PayloadTooLarge, and InvalidRequest for bytes that cannot begin a frame. */
  push(chunk: Buffer): void {
    if (this.#held.length > 0) {
      this.#held.add(chunk)
      if (this.#held.length < this.#wanted) return
      const { buffer, byteOffset, byteLength } = this.#held.take()
      this.#take(Buffer.from(buffer, byteOffset, byteLength))
    } else this.#take(chunk)
  }

  #take(bytes: Buffer): void {
    let at = 0
    for (;;) {
      this.#wanted = prefixLength
      if (bytes.length - at < prefixLength) break
      const flag = bytes[at] as number
      const length = bytes.readUInt32BE(at + 1)
      if (flag > 1) {
        throw new A2AError('InvalidRequest', `A message begins with the flag ${flag}; gRPC knows 0 and 1`)
      }
      if (length > this.#limit) throw messageTooLarge(this.#limit)
      const end = at + prefixLength + length
      if (end > bytes.length) {
        this.#wanted = prefixLength + length
        break
      }
      this.#onFrame(bytes.subarray(at + prefixLength, end), flag === 1)
      at = end
    }
    if (at < bytes.length) this.#held.add(at === 0 ? bytes : bytes.subarray(at))
  }
}

/** A message with its prefix, in one buffer. */
export function frameOf(message: Uint8Array, compressed = false): Buffer {
  const frame = Buffer.allocUnsafe(prefixLength + message.length)
  frame[0] = compressed ? 1 : 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, prefixLength)
  return frame
}
