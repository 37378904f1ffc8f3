import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import { frameOf, prefixLength } from './frame.ts'

/**
 * Messages of the protocol have no place for the number of an event. Callers that name the resume extension in
 * `a2a-extensions` find it behind all other fields, in a varint field of this number; every other reader of protocol
 * buffers would skip it.
 */
export const eventField = 50_117

/** The same frame, with the number of its event in its message; without one it stays as it is. */
export function withEventNumber(frame: Buffer, id: number | undefined): Buffer {
  if (id === undefined) return frame
  const field = new BinaryWriter()
    .uint32(eventField << 3)
    .uint32(id)
    .finish()
  return frameOf(Buffer.concat([frame.subarray(prefixLength), field]))
}

/** The number of the event that a message of a stream tells; undefined where it has none. */
export function readEventNumber(message: Uint8Array): number | undefined {
  const reader = new BinaryReader(message)
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag()
    if (field === eventField && type === 0) return reader.uint32()
    reader.skip(type, field)
  }
  return undefined
}
