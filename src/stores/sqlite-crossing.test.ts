import fc from 'fast-check'
import { expect, it } from 'vitest'
import { packRequest, unpackRequest } from './sqlite-crossing.ts'

it('a batch that crosses to the thread arrives as it was, whatever text is in it', () => {
  const string = fc.oneof(
    fc.constant(null),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', '\ud83d', '\ude00', 'é', '\u0000'),
  )
  const numbers = fc.array(fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true })))
  fc.assert(
    fc.property(fc.array(string), numbers, (strings, values) => {
      const request = { kind: 'commit' as const, process: 7, batch: { numbers: values, strings } }
      const [packed, transfer] = packRequest(request)
      expect(unpackRequest(structuredClone(packed, { transfer }))).toEqual(request)
    }),
  )
})
