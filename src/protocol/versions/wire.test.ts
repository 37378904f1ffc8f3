import { describe, expect, test } from 'vitest'
import { majorMinor } from '../version-text.ts'
import { isSupported, type Recognised, recognise, type Wire, wires } from './wire.ts'

/** Recognises a JSON-RPC method. */
function method(name: string, asked: string, assumed = '0.3'): Recognised<string> | undefined {
  return recognise({ asked, assumed, look: (wire: Wire) => wire.jsonRpc.find(name)?.name })
}

for (const asked of ['1.0', '1.0.1', ' 1.0 ', '1.0.17']) {
  test(`VERS-03 AMB-63 the patch number plays no part: ${JSON.stringify(asked)}`, () => {
    expect(isSupported(asked)).toBe(true)
    expect(method('GetTask', asked)).toMatchObject({ wire: { version: '1.0' }, found: 'GetTask' })
    expect(method('GetTask', asked)?.error).toBeUndefined()
  })
}

for (const asked of ['99.0', '0.5', '1.1', '2.0', 'abc', '1', '1.x', '1.0.x', 'v1.0', '1.0, 1.0', '-1.0', '1.0.1.1']) {
  test(`VERS-08 VERS-13 VERS-15 VERS-18 not supported: ${asked}`, () => {
    expect(isSupported(asked)).toBe(false)
    const error = method('GetTask', asked)?.error
    expect(error?.code).toBe('VersionNotSupported')
    expect(error?.metadata).toEqual({ supportedVersions: wires.map(({ version }) => version).join(',') })
    expect(error?.message).toContain(asked)
  })
}

describe('the method decides, and the version that is named has to agree', () => {
  const cases = [
    { name: 'GetTask', asked: '', assumed: '0.3', says: 'send the header A2A-Version: 1.0' },
    { name: 'GetTask', asked: '', assumed: '1.0', wire: '1.0' },
    { name: 'GetTask', asked: '0.3', assumed: '0.3', says: 'send 1.0' },
    { name: 'tasks/get', asked: '', assumed: '0.3', wire: '0.3' },
    { name: 'tasks/get', asked: '', assumed: '1.0', wire: '0.3' },
    { name: 'tasks/get', asked: '0.3', assumed: '0.3', wire: '0.3' },
    { name: 'tasks/get', asked: '0.3.0', assumed: '0.3', wire: '0.3' },
    { name: 'tasks/get', asked: '1.0', assumed: '0.3', says: 'leave the header out, or send 0.3' },
    { name: 'tasks/get', asked: '2.0', assumed: '0.3', says: 'not supported' },
  ]
  for (const { name, asked, assumed, wire, says } of cases) {
    test(`VERS-07 VERS-09 AMB-52 ${name} with version "${asked}", where none means ${assumed}`, () => {
      const recognised = method(name, asked, assumed)
      if (says === undefined) {
        expect(recognised?.error).toBeUndefined()
        expect(recognised?.wire.version).toBe(wire)
      } else {
        expect(recognised?.error?.code).toBe('VersionNotSupported')
        expect(recognised?.error?.message).toContain(says)
      }
    })
  }
})

test('what no version has is not recognised', () => {
  for (const asked of ['', '1.0', '0.3', '99.0']) expect(method('task/get', asked)).toBeUndefined()
})

test('a long version text is not given back whole', () => {
  expect(method('GetTask', '9'.repeat(5_000))?.error?.message.length).toBeLessThan(250)
})

test('majorMinor', () => {
  expect(['1.0', '1.0.3', '12.34', '', '1'].map(majorMinor)).toEqual(['1.0', '1.0', '12.34', undefined, undefined])
})
