import { expect, test } from 'vitest'
import { bearerTokens } from '../auth/bearer.ts'
import { ask, createFakeEndpoint, type FakeEndpoint, type FakeRequest } from '../bindings/testing.ts'
import { agent } from '../engine/executor.ts'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import { createHttpServer, type HandlerOptions, type HttpServer } from './server.ts'

const echo = agent({
  name: 'Echo',
  description: 'says it again',
  version: '1',
  async *run() {
    yield 'x'
  },
})
const cardPath = '/.well-known/agent-card.json'
const rpc = {
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}',
}

function create(options: HandlerOptions & { endpoint?: FakeEndpoint } = {}): HttpServer {
  return createHttpServer(echo, { endpoint: createFakeEndpoint(), ...options })
}

async function cardOf(server: HttpServer, request: FakeRequest = {}): Promise<AgentCard> {
  return JSON.parse((await ask(server.handle, { method: 'GET', url: cardPath, ...request })).text)
}

for (const url of ['/invoke', '/invoke/', '/', '/a2a', '/a2a/']) {
  test(`JRPC-20 JSON-RPC answers at ${url}`, async () => {
    expect((await ask(create().handle, { url, ...rpc })).text).toContain('"result"')
  })
}

test('the paths are settable', async () => {
  const server = create({ paths: { jsonRpc: ['/rpc'], rest: '/rest/' } })
  expect((await ask(server.handle, { url: '/rpc/', ...rpc })).status).toBe(200)
  expect((await ask(server.handle, { url: '/invoke', ...rpc })).status).toBe(404)
  expect((await ask(server.handle, { method: 'GET', url: '/rest/tasks' })).status).toBe(200)
  const urls = (await cardOf(server)).supportedInterfaces.map(({ url }) => url)
  expect([...new Set(urls)]).toEqual(['http://agent.example/rpc', 'http://agent.example/rest'])
  expect(() => create({ paths: { jsonRpc: ['rpc'] } })).toThrow(TypeError)
})

test('DISC-01 DISC-02 DISC-04 DISC-05 the card needs no version, and lists each binding', async () => {
  const answer = await ask(create().handle, { method: 'GET', url: cardPath, headers: { 'a2a-version': '' } })
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe('application/json')
  expect(JSON.parse(answer.text).supportedInterfaces).toEqual(
    ['1.0', '0.3'].flatMap((protocolVersion) => [
      { url: 'http://agent.example/invoke', protocolBinding: 'JSONRPC', protocolVersion },
      { url: 'http://agent.example', protocolBinding: 'HTTP+JSON', protocolVersion },
    ]),
  )
})

test('DISC-07 DISC-08 DISC-09 DISC-10 the card can be cached and asked for again', async () => {
  const { handle } = create({ cardMaxAge: 60 })
  const get = (headers: Record<string, string>): Promise<number> =>
    ask(handle, { method: 'GET', url: cardPath, headers }).then(({ status }) => status)
  const { headers } = await ask(handle, { method: 'GET', url: cardPath })
  expect(headers['cache-control']).toBe('public, max-age=60')
  expect(headers.etag).toMatch(/^"[0-9a-f]{32}"$/)
  const { etag = '', 'last-modified': modified = '' } = headers
  const later = new Date(Date.parse(modified) + 5_000).toUTCString()
  const earlier = new Date(Date.parse(modified) - 5_000).toUTCString()
  expect(await get({ 'if-none-match': etag })).toBe(304)
  expect(await get({ 'if-none-match': `"x", W/${etag}` })).toBe(304)
  expect(await get({ 'if-none-match': '*' })).toBe(304)
  expect(await get({ 'if-none-match': '"x"' })).toBe(200)
  expect(await get({ 'if-none-match': '"x"', 'if-modified-since': later })).toBe(200)
  expect(await get({ 'if-modified-since': modified })).toBe(304)
  expect(await get({ 'if-modified-since': later })).toBe(304)
  expect(await get({ 'if-modified-since': earlier })).toBe(200)
  expect(await get({ 'if-modified-since': 'yesterday' })).toBe(200)
  const other = await ask(handle, { method: 'GET', url: cardPath, headers: { host: 'other.example' } })
  expect(other.headers.etag).not.toBe(etag)
  expect((await ask(handle, { method: 'POST', url: cardPath })).headers.allow).toBe('GET, HEAD')
})

test('many hosts do not fill the memory', async () => {
  const server = create()
  for (let index = 0; index < 200; index++) {
    const host = `h${index}.example`
    expect((await cardOf(server, { headers: { host } })).supportedInterfaces[0]?.url).toBe(`http://${host}/invoke`)
  }
})

test('a broken Host gets an error in the form of HTTP+JSON', async () => {
  const answer = await ask(create().handle, { method: 'GET', url: cardPath, headers: { host: 'a b' } })
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.text).error.status).toBe('INVALID_ARGUMENT')
})

test('CARD-32 a declared tenant has its own card, any other has none', async () => {
  const server = create({ tenants: ['acme', 'a/b'] })
  const card = await cardOf(server, { url: `/acme${cardPath}` })
  expect(card.supportedInterfaces.map(({ url, tenant }) => [url, tenant])).toEqual([
    ['http://agent.example/invoke', 'acme'],
    ['http://agent.example', 'acme'],
  ])
  expect((await cardOf(server, { url: `/a%2Fb${cardPath}` })).supportedInterfaces[0]?.tenant).toBe('a/b')
  expect((await cardOf(server)).supportedInterfaces[0]).not.toHaveProperty('tenant')
  expect((await ask(server.handle, { method: 'GET', url: `/other${cardPath}` })).status).toBe(404)
  for (const tenant of ['tasks', 'message:send', '']) expect(() => create({ tenants: [tenant] })).toThrow(TypeError)
})

test('SEC-07 CARD-22 with tokens the card says so and stays open; protectCard closes it', async () => {
  const authenticator = bearerTokens(['secret'])
  const authorized = { ...rpc.headers, authorization: 'Bearer secret' }
  const open = create({ authenticator })
  expect((await ask(open.handle, { url: '/invoke', ...rpc })).status).toBe(401)
  expect((await ask(open.handle, { url: '/invoke', ...rpc, headers: authorized })).status).toBe(200)
  expect(await cardOf(open)).toMatchObject({
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
    securityRequirements: [{ schemes: { bearer: {} } }],
  })
  const closed = create({ authenticator, protectCard: true })
  const refused = await ask(closed.handle, { method: 'GET', url: cardPath })
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer realm="a2a"'])
  expect(JSON.parse(refused.text).error.status).toBe('UNAUTHENTICATED')
  const answer = await ask(closed.handle, { method: 'GET', url: cardPath, headers: authorized })
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'private, max-age=300'])
})

test('the owner of a call is who was authenticated', async () => {
  const endpoint = createFakeEndpoint()
  const server = create({ endpoint, authenticator: bearerTokens([{ token: 'secret', name: 'alice' }]) })
  await ask(server.handle, { url: '/invoke', ...rpc, headers: { authorization: 'Bearer secret' } })
  await ask(server.handle, { method: 'GET', url: '/tasks', headers: { authorization: 'Bearer secret' } })
  expect(endpoint.calls.map(({ context }) => context.owner)).toEqual(['alice', 'alice'])
})

test('CAP-02 CAP-03 CAP-04 what the card does not declare gets its error before anything else', async () => {
  const quiet = agent({ name: 'Q', description: 'q', version: '1', streaming: false, run: echo.run })
  const { handle } = createHttpServer(quiet, { endpoint: createFakeEndpoint() })
  const call = async (method: string): Promise<number> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method })
    return JSON.parse((await ask(handle, { url: '/invoke', ...rpc, body })).text).error.code
  }
  expect(await call('SendStreamingMessage')).toBe(-32004)
  expect(await call('SubscribeToTask')).toBe(-32004)
  expect(await call('CreateTaskPushNotificationConfig')).toBe(-32003)
  expect(await call('GetExtendedAgentCard')).toBe(-32004)
})

test('health paths, before and while draining', async () => {
  const server = create()
  const get = async (url: string): Promise<unknown[]> => {
    const { status, text } = await ask(server.handle, { method: 'GET', url })
    return [status, JSON.parse(text)]
  }
  expect(await get('/healthz')).toEqual([200, { status: 'ok' }])
  expect(await get('/readyz')).toEqual([200, { status: 'ready' }])
  server.drain()
  expect(await get('/healthz')).toEqual([200, { status: 'ok' }])
  expect(await get('/readyz')).toEqual([503, { status: 'draining' }])
})

test('CORS holds on every path, the card and errors included', async () => {
  const { handle } = create({ cors: { origins: ['https://app.example'] } })
  const headers = { ...rpc.headers, origin: 'https://app.example' }
  for (const request of [
    { url: '/invoke', ...rpc, headers },
    { method: 'GET', url: cardPath, headers },
    { method: 'GET', url: '/none', headers },
  ]) {
    const answer = await ask(handle, request)
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example')
    expect(answer.headers.vary).toContain('origin')
  }
  const preflight = {
    method: 'OPTIONS',
    url: '/invoke',
    headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
  }
  expect((await ask(handle, preflight)).status).toBe(204)
  expect((await ask(create().handle, preflight)).status).toBe(405)
})

test('allowed hosts, SEC-04 HSTS behind a trusted proxy', async () => {
  const strict = create({ allowedHosts: ['agent.example'] })
  expect((await ask(strict.handle, { url: '/invoke', ...rpc })).status).toBe(200)
  expect((await ask(strict.handle, { url: '/invoke', ...rpc, headers: { host: 'evil.example' } })).status).toBe(403)
  const proxied = create({ trustProxy: true })
  const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'out.example' }
  const answer = await ask(proxied.handle, { method: 'GET', url: cardPath, headers })
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000')
  expect(answer.headers.vary).toContain('x-forwarded-host')
  expect(JSON.parse(answer.text).supportedInterfaces[0].url).toBe('https://out.example/invoke')
  expect((await ask(proxied.handle, { method: 'GET', url: cardPath })).headers).not.toHaveProperty(
    'strict-transport-security',
  )
})

test('settings that cannot work are refused at once', () => {
  expect(() => create({ publicUrl: 'nonsense' })).toThrow(TypeError)
  expect(() => create({ protectCard: true })).toThrow('needs a way to authenticate')
  expect(() => create({ cors: { origins: ['x'] } })).toThrow(TypeError)
  const broken = { ...echo, skills: [] }
  expect(() => createHttpServer(broken, { endpoint: createFakeEndpoint() })).toThrow('skills')
})
