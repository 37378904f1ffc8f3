import { expect, test } from 'vitest'
import { readExtensions, readVersion } from './service-parameters.ts'

const extensions: readonly (readonly [value: string | undefined, uris: string[], rule: string])[] = [
  [undefined, [], 'EXT-05'],
  ['', [], 'EXT-05'],
  ['urn:a', ['urn:a'], 'EXT-02'],
  ['urn:a,urn:b', ['urn:a', 'urn:b'], 'EXT-03'],
  [' urn:a , ,urn:b,, urn:a', ['urn:a', 'urn:b'], 'EXT-04 AMB-87'],
  ['urn:A,urn:a', ['urn:A', 'urn:a'], 'EXT-19'],
]
for (const [value, uris, rule] of extensions) {
  test(`${rule} extensions of ${JSON.stringify(value)}`, () => {
    expect(readExtensions(value)).toEqual(uris)
  })
}

const versions: readonly (readonly [headers: Record<string, string>, query: string, version: string, rule: string])[] =
  [
    [{}, '', '', 'VERS-09'],
    [{ 'a2a-version': '1.0' }, '', '1.0', 'VERS-04'],
    [{}, 'A2A-Version=1.0', '1.0', 'VERS-05 VERS-06'],
    [{}, 'pageSize=2&a2a-version=1.0', '1.0', 'SVC-01 REST-36'],
    [{ 'a2a-version': '1.0' }, 'A2A-Version=0.3', '1.0', 'VERS-14 AMB-50'],
    [{}, 'pageSize=2', '', 'VERS-09'],
  ]
for (const [headers, query, version, rule] of versions) {
  test(`${rule} version of ${JSON.stringify(headers)} ?${query}`, () => {
    expect(readVersion({ headers, query })).toBe(version)
  })
}
