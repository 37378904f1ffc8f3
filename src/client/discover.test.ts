import { describe, expect, test } from 'vitest'
import { A2AError } from '../protocol/errors.ts'
import { type CachedCard, createCardCache, toCached } from './card-cache.ts'
import { connect } from './connect.ts'
import { cardAddresses, toUrl } from './discover.ts'
import { cardOf, connectFast, type Peer, sendJson, startPeer } from './testing.ts'

const wellKnown = '/.well-known/agent-card.json'
const old = '/.well-known/agent.json'

/** A peer with a card at these paths and nothing else. */
async function withCardAt(...paths: readonly string[]): Promise<Peer> {
  const peer: Peer = await startPeer((request, response) => {
    if (paths.includes(request.url)) sendJson(response, cardOf(peer.url))
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<html>')
  })
  return peer
}

describe('where the card is looked for (DISC-01)', () => {
  const rows: readonly { given: string; url: string }[] = [
    { given: 'example.com', url: 'https://example.com/' },
    { given: ' example.com:8443/a ', url: 'https://example.com:8443/a' },
    { given: 'localhost:8080', url: 'http://localhost:8080/' },
    { given: '127.0.0.1', url: 'http://127.0.0.1/' },
    { given: '[::1]:80', url: 'http://[::1]/' },
    { given: 'http://example.com#x', url: 'http://example.com/' },
  ]
  for (const { given, url } of rows) test(given.trim(), () => expect(toUrl(given).href).toBe(url))

  test('what is no address is refused in clear words', () => {
    for (const given of ['', 'ftp://x', 'http://', 'https://user:pass@x', 'a b'])
      expect(() => toUrl(given)).toThrow(expect.objectContaining({ code: 'InvalidParams' }))
    expect(() => toUrl('https://user:pass@x')).not.toThrow(/pass@/)
  })

  test('the addresses, in order', () => {
    expect(cardAddresses(new URL('http://h'))).toEqual([`http://h${wellKnown}`, `http://h${old}`])
    expect(cardAddresses(new URL('http://h/my.card.json?x=1'))).toEqual(['http://h/my.card.json?x=1'])
    expect(cardAddresses(new URL('http://h/a/'))).toEqual([
      `http://h/a${wellKnown}`,
      'http://h/a/',
      `http://h${wellKnown}`,
      `http://h/a${old}`,
      `http://h${old}`,
    ])
  })

  for (const path of [wellKnown, `/a${wellKnown}`, '/a', old, `/a${old}`, '/own/card.json']) {
    test(`a card at ${path}`, async () => {
      const peer = await withCardAt(path)
      const agent = await connectFast(peer.url + (path === '/own/card.json' ? path : path.startsWith('/a') ? '/a' : ''))
      expect(agent.card.name).toBe('Peer')
      expect(agent.warnings.some((text) => text.includes(old))).toBe(path.endsWith(old))
      for (const { headers } of peer.requests) expect(headers['a2a-version']).toBe('1.0')
    })
  }

  test('a card as an object needs no request', async () => {
    const agent = await connect(cardOf('http://agent.example'))
    expect(agent.interface.url).toBe('http://agent.example/rpc')
  })

  test('no card: each address with what it answered', async () => {
    const peer = await startPeer((request, response) => {
      if (request.url === wellKnown) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')
      else if (request.url === '/x') sendJson(response, { detail: 'hello' })
      else sendJson(response, {}, 404)
    })
    const error = await connectFast(`${peer.url}/x`).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'NotFound' })
    const lines = (error as Error).message.split('\n')
    expect(lines).toEqual([
      `No agent card was found for ${peer.url}/x. Tried:`,
      `  ${peer.url}/x${wellKnown}: HTTP status 404`,
      `  ${peer.url}/x: HTTP status 200, but JSON that is no agent card`,
      `  ${peer.url}${wellKnown}: HTTP status 200, but not JSON (text/html)`,
      `  ${peer.url}/x${old}: HTTP status 404`,
      `  ${peer.url}${old}: HTTP status 404`,
    ])
  })

  test('nobody there', async () => {
    const peer = await startPeer(() => {})
    await peer.close()
    const message = expect.stringMatching(new RegExp(`${wellKnown}: Cannot reach .*ECONNREFUSED`))
    await expect(connectFast(peer.url)).rejects.toMatchObject({ code: 'Unavailable', message })
  })

  test('a card that is kept from the caller: the challenge is passed on', async () => {
    const peer = await startPeer((_, response) =>
      sendJson(response, {}, 401, { 'www-authenticate': 'Bearer realm="agents"' }),
    )
    await expect(connectFast(peer.url)).rejects.toMatchObject({
      code: 'Unauthenticated',
      message: expect.stringMatching(
        /agent-card\.json is not for everyone.*Bearer realm="agents".*`token` or `headers`/,
      ),
      headers: { 'www-authenticate': 'Bearer realm="agents"' },
    })
    expect(peer.requests).toHaveLength(1)
  })

  test('a card that cannot be read is reported by path', async () => {
    const peer = await startPeer((_, response) => sendJson(response, { ...cardOf('http://x'), skills: 'many' }))
    await expect(connectFast(peer.url)).rejects.toMatchObject({
      code: 'InvalidAgentResponse',
      message: expect.stringMatching(/skills: must be an array/),
    })
  })

  test('the search can be given up', async () => {
    const abort = new AbortController()
    const peer = await startPeer(() => abort.abort())
    await expect(connectFast(peer.url, { signal: abort.signal })).rejects.toMatchObject({ code: 'Cancelled' })
  })

  test('an extension that is required must be known (EXT-23)', async () => {
    const card = cardOf('http://x', { capabilities: { extensions: [{ uri: 'urn:x', required: true }] } })
    await expect(connect(card)).rejects.toMatchObject({
      code: 'ExtensionSupportRequired',
      message: expect.stringContaining('urn:x'),
    })
    expect((await connect(card, { extensions: ['urn:x'] })).card.name).toBe('Peer')
  })
})

describe('credentials', () => {
  test('go with the request for the card, and to its interfaces', async () => {
    const peer: Peer = await startPeer((request, response) => {
      if (request.method === 'GET') sendJson(response, cardOf(peer.url))
      else
        sendJson(response, {
          jsonrpc: '2.0',
          id: 1,
          result: { tasks: [], nextPageToken: '', pageSize: 1, totalSize: 0 },
        })
    })
    let calls = 0
    const agent = await connectFast(peer.url, { token: async () => `t${++calls}`, headers: { 'x-key': 'k' } })
    await agent.list()
    expect(peer.requests.map(({ headers }) => [headers.authorization, headers['x-key']])).toEqual([
      ['Bearer t1', 'k'],
      ['Bearer t2', 'k'],
    ])
  })

  test('do not follow a redirect to another origin', async () => {
    const other = await withCardAt('/card')
    const peer = await startPeer((_, response) => void response.writeHead(302, { location: `${other.url}/card` }).end())
    const agent = await connectFast(peer.url, { token: 't', headers: () => ({ 'x-key': 'k' }) })
    expect(agent.card.name).toBe('Peer')
    expect(peer.requests[0]?.headers).toMatchObject({ authorization: 'Bearer t', 'x-key': 'k' })
    expect(other.requests[0]?.headers.authorization).toBeUndefined()
    expect(other.requests[0]?.headers['x-key']).toBeUndefined()
  })

  test('are not sent in the clear when the card came encrypted', async () => {
    const seen: Record<string, string | undefined> = {}
    const card = cardOf('http://agent.example')
    const fetch: typeof globalThis.fetch = async (input, init) => {
      seen[String(input)] = new Headers(init?.headers).get('authorization') ?? undefined
      const body = String(input).endsWith('.json')
        ? card
        : { jsonrpc: '2.0', id: 1, error: { code: -31401, message: 'who?' } }
      return Response.json(body)
    }
    const agent = await connect('agent.example', { fetch, token: 't' })
    await expect(agent.list()).rejects.toMatchObject({ code: 'Unauthenticated' })
    expect(seen).toEqual({ [`https://agent.example${wellKnown}`]: 'Bearer t', 'http://agent.example/rpc': undefined })
    expect(agent.warnings).toEqual([expect.stringMatching(/credentials: not sent to http:\/\/agent\.example/)])
  })

  test('401: the error names the challenge and the schemes of the card', async () => {
    const card = cardOf('', {
      securitySchemes: {
        bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
        key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
        oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: 'https://x', scopes: {} } } } },
        oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://id.example' } },
        tls: { mtlsSecurityScheme: {} },
      },
    })
    const peer = await startPeer((_, response) => sendJson(response, {}, 401, { 'www-authenticate': 'Bearer' }))
    const supportedInterfaces = cardOf(peer.url).supportedInterfaces
    const agent = await connectFast({ ...card, supportedInterfaces })
    const error = await agent.send('hi').catch((thrown: unknown) => thrown)
    expect(A2AError.is(error)).toBe(true)
    expect(error).toMatchObject({ code: 'Unauthenticated', origin: 'remote' })
    expect((error as Error).message).toMatch(
      /challenge: Bearer\. The card names: bearer \(HTTP Bearer\), key \(API key in header X-Key\), oauth \(OAuth 2\), oidc \(OpenID Connect, https:\/\/id\.example\), tls \(TLS client certificate\)/,
    )
  })
})

describe('DISC-11 DISC-12 DISC-13 caching', () => {
  const now = 1_000_000
  const rows: readonly { name: string; headers: Record<string, string>; fresh: number | undefined }[] = [
    { name: 'max-age', headers: { 'cache-control': 'public, max-age=120' }, fresh: 120_000 },
    { name: 'max-age minus Age', headers: { 'cache-control': 'max-age=120', age: '100' }, fresh: 20_000 },
    {
      name: 'max-age before Expires',
      headers: { 'cache-control': 'max-age=5', expires: new Date(now + 60_000).toUTCString() },
      fresh: 5_000,
    },
    { name: 'no-cache', headers: { 'cache-control': 'no-cache, max-age=120' }, fresh: 0 },
    { name: 'no-store', headers: { 'cache-control': 'No-Store' }, fresh: undefined },
    { name: 'Vary: *', headers: { vary: '*' }, fresh: undefined },
    {
      name: 'Expires and Date',
      headers: { date: new Date(0).toUTCString(), expires: new Date(30_000).toUTCString() },
      fresh: 30_000,
    },
    { name: 'Expires in the past', headers: { expires: '0' }, fresh: 0 },
    { name: 'nothing', headers: {}, fresh: 60_000 },
  ]
  for (const { name, headers, fresh } of rows) {
    test(name, () => {
      const kept = toCached({ headers: new Headers(headers), url: 'http://x' }, '{}', now)
      expect(kept === undefined ? undefined : kept.expires - now).toBe(fresh)
    })
  }

  async function peerWith(headers: Record<string, string>): Promise<Peer> {
    const peer: Peer = await startPeer((request, response) => {
      const same = headers.etag !== undefined && request.headers['if-none-match'] === headers.etag
      const unchanged =
        headers['last-modified'] !== undefined && request.headers['if-modified-since'] === headers['last-modified']
      if (same || unchanged) response.writeHead(304, { 'cache-control': 'max-age=60' }).end()
      else sendJson(response, cardOf(peer.url), 200, headers)
    })
    return peer
  }

  test('a fresh card is not asked for again', async () => {
    const peer = await peerWith({ 'cache-control': 'max-age=60' })
    const cache = new Map<string, CachedCard>()
    await connect(peer.url, { cache })
    await connect(peer.url, { cache })
    expect(peer.requests).toHaveLength(1)
    expect([...cache.keys()]).toEqual([peer.url + wellKnown])
  })

  for (const validator of [{ etag: '"v1"' }, { 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' }]) {
    test(`a stale card is asked for with ${Object.keys(validator)}, and a 304 makes it fresh again`, async () => {
      const peer = await peerWith({ ...validator, 'cache-control': 'max-age=0' } as Record<string, string>)
      const cache = createCardCache()
      for (let turn = 0; turn < 3; turn++) expect((await connect(peer.url, { cache })).card.name).toBe('Peer')
      expect(peer.requests).toHaveLength(2)
      expect(cache.get(peer.url + wellKnown)).toMatchObject(
        Object.fromEntries(
          Object.entries(validator).map(([name, value]) => [name === 'etag' ? name : 'lastModified', value]),
        ),
      )
    })
  }

  test('without a cache of the caller, nothing is kept that was fetched with credentials', async () => {
    const peer = await peerWith({ 'cache-control': 'max-age=60' })
    await connect(peer.url, { token: 'a' })
    await connect(peer.url, { token: 'b' })
    expect(peer.requests).toHaveLength(2)
    await connect(peer.url)
    await connect(peer.url)
    expect(peer.requests).toHaveLength(3)
  })

  test('forgets the oldest of many', () => {
    const cache = createCardCache()
    for (let at = 0; at <= 100; at++) cache.set(`http://h${at}`, { text: '{}', url: '', expires: 0 })
    expect(cache.get('http://h0')).toBeUndefined()
    expect(cache.get('http://h1')).toBeDefined()
    expect(cache.get('http://h100')).toBeDefined()
  })
})
