import { describe, expect, test } from 'vitest'
import { agentCommand, connectOptions } from './connection.ts'
import { quote } from './shell.ts'
import { parseTarget } from './target.ts'

const basic = (text: string): string => `Basic ${btoa(text)}`
const targets: readonly (readonly [text: string, url: string, authorization?: string])[] = [
  ['example.com', 'example.com'],
  ['http://127.0.0.1:8082', 'http://127.0.0.1:8082'],
  ['http://me:secret@example.com/a', 'http://example.com/a', basic('me:secret')],
  ['https://me:s%40crt@example.com', 'https://example.com', basic('me:s@crt')],
  ['https://me:s@crt@example.com', 'https://example.com', basic('me:s@crt')],
  ['key@example.com', 'example.com', basic('key:')],
  ['https://example.com/a@b', 'https://example.com/a@b'],
  ['https://example.com/?q=a@b', 'https://example.com/?q=a@b'],
]
describe('parseTarget', () => {
  for (const [text, url, authorization] of targets) {
    test(`of ${text}`, () => {
      expect(parseTarget(text)).toEqual({ url, ...(authorization !== undefined && { authorization }) })
    })
  }
})

describe('connectOptions', () => {
  const env = { PARLANCE_TOKEN: 'fromenv' }

  test('takes the token of the flag, else of the environment, unless an authorization is given', () => {
    expect(connectOptions('a.test', { token: 'flag' }, env).options.token).toBe('flag')
    expect(connectOptions('a.test', {}, env).options.token).toBe('fromenv')
    expect(connectOptions('a.test', { header: ['Authorization: Basic x'] }, env).options).toEqual({
      headers: { authorization: 'Basic x' },
    })
    expect(connectOptions('me:x@a.test', {}, env).options).toEqual({ headers: { authorization: basic('me:x') } })
  })

  test('refuses a token that no header can carry, without repeating it', () => {
    expect(() => connectOptions('a.test', { token: 'se cret' }, {})).toThrow(
      /^--token: must be printable characters without spaces$/,
    )
  })

  test('names the one binding as cards do', () => {
    expect(connectOptions('a.test', { binding: 'grpc' }, {}).options).toEqual({ binding: 'GRPC' })
    expect(connectOptions('a.test', { binding: 'http' }, {}).options).toEqual({ binding: 'HTTP+JSON' })
    const line = agentCommand(parseTarget('a.test'), { binding: 'grpc' }, ['get', 't'])
    expect(line).toContain('get a.test t')
    expect(line).toContain(' --binding grpc')
  })

  test('makes one limit of the timeout', () => {
    const limits = { firstByte: 5_000, firstByteOfSend: 5_000, idle: 5_000 }
    expect(connectOptions('a.test', { timeout: '5s' }, {}).options).toEqual({ limits })
  })
})

test('agentCommand can be copied to a shell and shows no secret', () => {
  const flags = { token: 'SECRET', header: ['X-Key: SECRET'] }
  const line = agentCommand(parseTarget('http://me:SECRET@a.test/'), flags, ['send', '--task', 'a b', "it's"])
  expect(line).toBe(`npx parlance send http://a.test/ --task 'a b' 'it'\\''s' --token TOKEN --header 'X-Key: …'`)
})

test('quote leaves plain words alone', () => {
  expect(['a-b.c', '', '$HOME', '~/x', 'http://a.test:1/?q=1'].map(quote)).toEqual([
    'a-b.c',
    "''",
    "'$HOME'",
    "'~/x'",
    "'http://a.test:1/?q=1'",
  ])
})
