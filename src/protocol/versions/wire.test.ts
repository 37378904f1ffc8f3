import { expect, test } from 'vitest'
import { A2AError } from '../errors.ts'
import { majorMinor } from '../version-text.ts'
import { selectWire, wires } from './wire.ts'

for (const asked of ['1.0', '1.0.1', ' 1.0 ', '1.0.17']) {
  test(`VERS-03 AMB-63 the patch number plays no part: ${asked}`, () => {
    expect(selectWire(asked, '0.3').version).toBe('1.0')
  })
}

for (const asked of ['99.0', '0.5', '1.1', '2.0', 'abc', '1', '1.x', '1.0.x', 'v1.0', '1.0, 1.0', '-1.0', '1.0.1.1']) {
  test(`VERS-08 VERS-13 VERS-18 not supported: ${asked}`, () => {
    const error = refusal(asked)
    expect(error.code).toBe('VersionNotSupported')
    expect(error.metadata).toEqual({ supportedVersions: wires.map(({ version }) => version).join(',') })
  })
}

test('AMB-52 no version means the assumed one', () => {
  expect(selectWire('', '1.0').version).toBe('1.0')
})

test('a long version text is not given back whole', () => {
  expect(refusal('9'.repeat(5_000)).message.length).toBeLessThan(200)
})

test('majorMinor', () => {
  expect(['1.0', '1.0.3', '12.34', '', '1'].map(majorMinor)).toEqual(['1.0', '1.0', '12.34', undefined, undefined])
})

function refusal(asked: string): A2AError {
  try {
    selectWire(asked, '0.3')
  } catch (error) {
    return A2AError.from(error)
  }
  throw new Error(`${asked} was accepted`)
}
