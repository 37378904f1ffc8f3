import { expect, test } from 'vitest'
import type { HttpRequest } from '../lib/http.ts'
import { type BaseUrlOptions, createBaseUrl, createHostCheck, type Listening } from './base-url.ts'

const wildcard: Listening = { host: '0.0.0.0', port: 4000, secure: false }
const local: Listening = { host: '127.0.0.1', port: 4000, secure: false }

interface Row {
  readonly name: string
  readonly options?: BaseUrlOptions
  readonly place?: Listening
  readonly headers?: Record<string, string>
  readonly request?: Partial<HttpRequest>
  readonly url: string
}

const forwarded = { host: 'inner:1', 'x-forwarded-host': 'out.example', 'x-forwarded-proto': 'https' }
const rows: readonly Row[] = [
  {
    name: 'public URL first',
    options: { publicUrl: 'https://a.example/x/' },
    place: local,
    url: 'https://a.example/x',
  },
  {
    name: 'public URL without its usual port',
    options: { publicUrl: 'https://A.example:443' },
    url: 'https://a.example',
  },
  { name: 'the address listened on', place: local, headers: { host: 'evil.example' }, url: 'http://127.0.0.1:4000' },
  { name: 'the usual port is left out', place: { ...local, port: 80 }, url: 'http://127.0.0.1' },
  { name: 'IPv6', place: { ...local, host: '::1' }, url: 'http://[::1]:4000' },
  { name: 'the host behind a wildcard', place: wildcard, headers: { host: 'box:4000' }, url: 'http://box:4000' },
  { name: 'a mapped port behind a wildcard', place: wildcard, headers: { host: 'box:9' }, url: 'http://box:9' },
  { name: 'the host behind [::]', place: { ...wildcard, host: '::' }, headers: { host: 'Box' }, url: 'http://box' },
  {
    name: 'never the wildcard itself',
    place: wildcard,
    headers: { host: '0.0.0.0:4000' },
    url: 'http://127.0.0.1:4000',
  },
  { name: 'never [::] itself', place: wildcard, headers: { host: '[::]:4000' }, url: 'http://[::1]:4000' },
  { name: 'no host at all', place: wildcard, url: 'http://localhost:4000' },
  {
    name: 'no listener of ours',
    headers: { host: 'fn.example' },
    request: { secure: true },
    url: 'https://fn.example',
  },
  {
    name: 'mounted',
    headers: { host: 'a.example' },
    request: { mount: '/agents/echo' },
    url: 'http://a.example/agents/echo',
  },
  { name: 'a proxy that is not trusted', place: local, headers: forwarded, url: 'http://127.0.0.1:4000' },
  {
    name: 'a trusted proxy',
    options: { trustProxy: true },
    place: local,
    headers: forwarded,
    url: 'https://out.example',
  },
  {
    name: 'a trusted proxy with a port and a prefix',
    options: { trustProxy: true },
    place: local,
    headers: { ...forwarded, 'x-forwarded-host': 'out.example:444, inner', 'x-forwarded-prefix': '/echo/' },
    url: 'https://out.example:444/echo',
  },
  {
    name: 'a prefix that is none',
    options: { trustProxy: true },
    place: local,
    headers: { ...forwarded, 'x-forwarded-prefix': '//evil.example' },
    url: 'https://out.example',
  },
  {
    name: 'a trusted proxy that says nothing',
    options: { trustProxy: true },
    place: local,
    headers: { host: 'a' },
    url: 'http://127.0.0.1:4000',
  },
]
for (const { name, options = {}, place, headers = {}, request, url } of rows) {
  test(`CARD-07 base URL: ${name}`, () => {
    const read = { headers, secure: false, ...request } as HttpRequest
    expect(createBaseUrl(options, () => place)(read)).toBe(url)
  })
}

for (const host of ['a b', 'a/b', '<script>', 'a:99999', 'user@a', '', 'a..:x', '[::1']) {
  test(`a Host that is none is refused: ${JSON.stringify(host)}`, () => {
    const read = { headers: { host }, secure: false } as unknown as HttpRequest
    expect(() => createBaseUrl({}, () => wildcard)(read)).toThrow('Host')
  })
}

for (const publicUrl of [
  'a.example',
  'ftp://a.example',
  'https://u:p@a.example',
  'https://a.example/?x',
  'http://0.0.0.0:80',
  'http://[::]/',
]) {
  test(`a public URL that cannot be called is refused: ${publicUrl}`, () => {
    expect(() => createBaseUrl({ publicUrl }, () => undefined)).toThrow(TypeError)
  })
}

test('hosts can be listed', () => {
  const check = createHostCheck({ allowedHosts: ['a.example', 'b.example:81'] })
  const allowed = (host: string): boolean => {
    try {
      check?.({ headers: { host } } as unknown as HttpRequest)
      return true
    } catch {
      return false
    }
  }
  expect(['a.example', 'A.example:5', 'b.example:81'].filter((host) => !allowed(host))).toEqual([])
  expect(['', 'b.example', 'evil.example', 'a.example.evil'].filter(allowed)).toEqual([])
  expect(createHostCheck({})).toBeUndefined()
})
