import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire'
import type { Schema } from '../../protocol/schema.ts'
import { readFields } from './decode.ts'
import { type Sink, writeFields } from './encode.ts'
import { faultError } from './fault.ts'
import { createTables } from './field-table.ts'

/** Protobuf bytes of the messages of one version, from and to their ProtoJSON values. */
export interface Codec {
  /**
   * The bytes of a message. Throws InvalidParams that names the field for what protobuf cannot hold, such as NaN, and
   * TypeError for a type that the schema lacks.
   */
  encode(type: string, value: object): Uint8Array
  /**
   * A message as canonical ProtoJSON has it, but numbers of an enum that have no name stay numbers: `validate` reports
   * them. Throws InvalidParams for bytes that are no such message.
   */
  decode(type: string, bytes: Uint8Array): Record<string, unknown>
}

/** A writer that has grown beyond this many bytes is not kept. */
const mostKept = 65_536

/** A codec for the messages of a schema; each type is prepared once, when it is first used. */
export function createCodec(schema: Schema): Codec {
  const tables = createTables(schema)
  let kept: BinaryWriter | undefined
  return {
    encode(type, value) {
      const table = tables(type)
      const sink: Sink = { writer: kept ?? new BinaryWriter(), depth: 0 }
      kept = undefined
      try {
        writeFields(table, sink, value)
      } catch (thrown) {
        throw faultError(thrown)
      }
      const bytes = sink.writer.finish()
      if (bytes.length <= mostKept) kept = sink.writer
      return bytes
    },
    decode(type, bytes) {
      const table = tables(type)
      const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      try {
        const source = { reader: new BinaryReader(buffer), bytes: buffer, depth: 0 }
        return readFields(table, source, { end: buffer.length, into: {} })
      } catch (thrown) {
        throw faultError(thrown)
      }
    },
  }
}
