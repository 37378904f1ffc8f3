import { mutateBytes } from './mutate-bytes.ts'
import type { Random } from './random.ts'
import { strangeText } from './strange.ts'

/** A request of HTTP/1.1, not yet bytes. */
export interface HttpShape {
  readonly verb: string
  readonly path: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer
}

const verbs = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'PROPFIND', 'post', 'X']

const headerValues: Readonly<Record<string, readonly string[]>> = {
  'content-type': [
    'text/plain',
    'application/json; charset=utf-16',
    'application/a2a+json',
    'application/grpc',
    'application/grpc-web',
    'multipart/form-data',
    ';',
    '',
    'application/json, text/plain',
  ],
  'a2a-version': ['', '1.0', '1', '1.0.1', '0.3', '0.3.0', '2.0', '1.0, 0.3', 'one', '-1', '1'.repeat(500)],
  'a2a-extensions': ['', ',', 'https://ext.example/a', 'https://ext.example/a,'.repeat(300), 'no uri'],
  'x-a2a-extensions': ['https://ext.example/a', ',,'],
  'idempotency-key': ['', 'one', 'one', '"quoted"', 'k'.repeat(1_000)],
  'last-event-id': ['0', '1', '-1', '1e9', 'x', '99999999999999999999', ''],
  accept: ['text/event-stream', 'application/a2a+json', '*/*;q=0', '', 'image/png', ','.repeat(500)],
  'accept-encoding': ['gzip', 'identity;q=0'],
  'content-encoding': ['gzip', 'br', 'identity'],
  'content-length': ['0', '1', '999999999', '-1', 'x', '1, 1', '99999999999999999999'],
  'transfer-encoding': ['chunked', 'gzip, chunked', 'identity'],
  authorization: ['Bearer', 'Bearer x', 'Basic =', ''],
  traceparent: ['00-00-00-00', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
  origin: ['null', 'https://page.example', 'x'],
  host: ['', 'a b', 'evil.example', '[::1', 'x'.repeat(300)],
  'x-forwarded-proto': ['https', 'x'],
  'x-forwarded-host': ['evil.example', '', 'a,b'],
  expect: ['100-continue', 'x'],
  upgrade: ['websocket', 'h2c'],
  connection: ['keep-alive', 'upgrade', 'close, x'],
  cookie: ['a=b', '='.repeat(5_000)],
  'x-many': ['y'.repeat(20_000)],
}

/** The request with its verb, path, query or headers changed. */
export function mutateHead(random: Random, shape: HttpShape): HttpShape {
  switch (random.below(6)) {
    case 0:
      return { ...shape, verb: random.pick(verbs) }
    case 1:
    case 2:
      return { ...shape, path: mutatePath(random, shape.path) }
    default:
      return { ...shape, headers: mutateHeaders(random, shape.headers) }
  }
}

function mutateHeaders(random: Random, headers: HttpShape['headers']): HttpShape['headers'] {
  const name = random.pick(Object.keys(headerValues))
  const value = random.percent(85) ? random.pick(headerValues[name] as readonly string[]) : latin(strangeText(random))
  const added = [name, value] as const
  const others = headers.filter(([other]) => other !== name)
  return random.percent(10) ? [...headers, added] : [...others, added]
}

/** Text that can stand in a header or a path without ending it. */
function latin(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[\r\n]/g, ' ')
}

const segments = [
  '',
  '.',
  '..',
  '%',
  '%00',
  '%2F',
  '%2e%2e',
  '%ff',
  '%C3%28',
  '{id}',
  '*',
  ':cancel',
  ':',
  ';a=b',
  '~',
  '__proto__',
  'tasks',
  'v1',
  'acme',
  'nobody',
  'a'.repeat(3_000),
  'message:send',
  'extendedAgentCard',
]

const queries = [
  '?',
  '?&&',
  '?=',
  '?%',
  '?%ff=%ff',
  '?pageSize=0',
  '?pageSize=-1',
  '?pageSize=1e9',
  '?pageSize=1&pageSize=2',
  '?historyLength=x',
  '?status=NOPE',
  '?status=',
  '?pageToken=%00',
  '?pageToken=bm90aGluZw',
  '?contextId=',
  '?includeArtifacts=1',
  '?statusTimestampAfter=yesterday',
  '?statusTimestampAfter=2020-01-01T00:00:00+01:00',
  '?__proto__=1',
  '?constructor=1',
  '?id=other',
  '?tenant=acme',
  '?tenant=nobody',
  '?message=%7B%7D',
  `?${'a=b&'.repeat(2_000)}`,
]

function mutatePath(random: Random, path: string): string {
  const [plain = '/', query = ''] = path.split('?')
  switch (random.below(7)) {
    case 0:
      return `${plain}${random.pick(queries)}${query && `&${query}`}`
    case 1:
      return `${plain}?${encodeURIComponent(Buffer.from(strangeText(random).slice(0, 50)).toString())}=1`
    case 2:
      return random.pick([
        '*',
        'http://other.example/invoke',
        'https://',
        '//',
        '',
        '/\\',
        'x',
        `/${'a/'.repeat(2_000)}`,
      ])
    case 3:
      return mutateBytes(random, Buffer.from(path))
        .toString('latin1')
        .replace(/[\r\n ]/g, '')
    default: {
      const parts = plain.split('/')
      parts.splice(1 + random.below(parts.length), random.below(2), random.pick(segments))
      return parts.join('/') + (query && `?${query}`)
    }
  }
}

/** The bytes of a request; `content-length` is right unless a header of that name says something else. */
export function toBytes({ verb, path, headers, body }: HttpShape): Buffer {
  const has = (name: string): boolean => headers.some(([other]) => other === name)
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  if (!has('host')) lines.unshift('host: agent.example\r\n')
  if (!has('connection')) lines.push('connection: close\r\n')
  if (body.length > 0 && !has('content-length') && !has('transfer-encoding'))
    lines.push(`content-length: ${body.length}\r\n`)
  return Buffer.concat([Buffer.from(`${verb} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), body])
}

/** Whether the sender has said all that it announced, so that an answer is due. */
export function isComplete({ headers, verb }: HttpShape): boolean {
  const odd = ['content-length', 'transfer-encoding', 'connection', 'upgrade']
  return verb !== 'CONNECT' && !headers.some(([name]) => odd.includes(name))
}

const chunkings: readonly ((body: string) => string)[] = [
  (body) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  (body) =>
    `1\r\n${body[0] ?? 'x'}\r\n${(Buffer.byteLength(body) - 1).toString(16)};ext=1\r\n${body.slice(1)}\r\n0\r\nTrailer: x\r\n\r\n`,
  (body) => `${body.length + 9}\r\n${body}\r\n0\r\n\r\n`,
  (body) => `ffffffffffff\r\n${body}`,
  (body) => `x\r\n${body}\r\n0\r\n\r\n`,
  (body) => `-1\r\n${body}`,
]

/** The request with its body in chunks, well or badly. */
export function inChunks(random: Random, shape: HttpShape): HttpShape {
  const body = random.pick(chunkings)(shape.body.toString('utf8'))
  return { ...shape, body: Buffer.from(body), headers: [...shape.headers, ['transfer-encoding', 'chunked']] }
}
