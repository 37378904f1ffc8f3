import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Entry } from '../engine/store.ts'
import { packLog, unpackLog } from './packed-log.ts'

const json = fc.jsonValue().map((value) => JSON.stringify(value))
const inside = fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text).slice(1, -1))
const seq = fc.nat()
const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ kind: fc.constant('message' as const), seq, text: json }),
  fc.record(
    {
      kind: fc.constant('status' as const),
      seq,
      state: fc.constantFrom('TASK_STATE_WORKING' as const, 'TASK_STATE_COMPLETED' as const),
      time: fc.nat(),
      message: json,
      metadata: json,
    },
    { requiredKeys: ['kind', 'seq', 'state', 'time'] },
  ) as fc.Arbitrary<Entry>,
  fc.record(
    {
      kind: fc.constant('chunk' as const),
      seq,
      artifact: fc.nat(),
      head: json,
      append: fc.boolean(),
      lastChunk: fc.boolean(),
      plain: fc.constant(true),
      parts: inside,
      metadata: json,
    },
    { requiredKeys: ['kind', 'seq', 'artifact', 'append', 'lastChunk', 'plain', 'parts'] },
  ) as fc.Arbitrary<Entry>,
)

it('a packed log is the same log, whatever its texts hold', () => {
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      expect(unpackLog(packLog(entries))).toEqual(entries)
    }),
  )
})
