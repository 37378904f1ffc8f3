import { expect, test } from 'vitest'
import { isLoopback, isUnspecified, type ListenAddress, parseListen, urlHost } from './address.ts'

const tcp = (host: string, port: number): ListenAddress => ({ kind: 'tcp', host, port })
const addresses: readonly (readonly [text: string | number, address: ListenAddress])[] = [
  [8080, tcp('::', 8080)],
  ['8080', tcp('::', 8080)],
  [':8080', tcp('::', 8080)],
  ['*:8080', tcp('::', 8080)],
  ['[::]:8080', tcp('::', 8080)],
  ['[::1]:0', tcp('::1', 0)],
  ['0.0.0.0:80', tcp('0.0.0.0', 80)],
  ['127.0.0.1:8082', tcp('127.0.0.1', 8082)],
  [' localhost:65535 ', tcp('localhost', 65_535)],
  ['unix:///run/agent.sock', { kind: 'unix', path: '/run/agent.sock' }],
]
for (const [text, address] of addresses) {
  test(`listen ${JSON.stringify(text)}`, () => {
    expect(parseListen(text)).toEqual(address)
  })
}

for (const text of [
  '',
  'localhost',
  'localhost:',
  ':65536',
  '::1:80',
  'http://x:1',
  '-1',
  'a b:1',
  'unix://x',
  '1.5',
  '[x]:1',
]) {
  test(`listen ${JSON.stringify(text)} is refused with what to write instead`, () => {
    expect(() => parseListen(text)).toThrow(/unix:\/\/\/|host:port/)
  })
}

test('CARD-09 unspecified hosts', () => {
  expect(['0.0.0.0', '::', '[::]', '0:0:0:0:0:0:0:0', '[0::0]'].filter((host) => !isUnspecified(host))).toEqual([])
  expect(['127.0.0.1', '::1', 'localhost', '0', ''].filter(isUnspecified)).toEqual([])
})

test('loopback hosts', () => {
  expect(
    ['127.0.0.1', '127.1.2.3', 'localhost', 'a.localhost', '::1', '[::1]', '::ffff:127.0.0.1'].filter(
      (host) => !isLoopback(host),
    ),
  ).toEqual([])
  expect(['0.0.0.0', '10.0.0.1', 'localhost.example', '127.0.0.1.example', '::'].filter(isLoopback)).toEqual([])
})

test('hosts in URLs', () => {
  expect([urlHost('::1'), urlHost('[::1]'), urlHost('a.example')]).toEqual(['[::1]', '[::1]', 'a.example'])
})
