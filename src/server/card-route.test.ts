import { ClientFactory as OlderFactory } from 'a2a-js-sdk-v0-3/client'
import { describe, expect, test } from 'vitest'
import { ask, createFakeEndpoint } from '../bindings/testing.ts'
import { agent } from '../engine/executor.ts'
import type { AgentInterface } from '../protocol/generated/v1/types.ts'
import { createHttpServer, type HandlerOptions, type HttpServer } from './server.ts'

const cardPath = '/.well-known/agent-card.json'
const oldPath = '/.well-known/agent.json'
const base = 'http://agent.example'

function create(options: HandlerOptions = {}): HttpServer {
  const echo = agent({
    name: 'Echo',
    description: 'says it again',
    version: '1',
    securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } } },
    async *run() {
      yield 'x'
    },
  })
  return createHttpServer(echo, { endpoint: createFakeEndpoint(), ...options })
}

interface Got {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly card: Readonly<Record<string, unknown>> & { readonly supportedInterfaces: readonly AgentInterface[] }
}

async function get(
  server: HttpServer,
  { version = '', url = cardPath, tag }: { version?: string; url?: string; tag?: string | undefined } = {},
): Promise<Got> {
  const headers = {
    'a2a-version': version,
    ...(tag !== undefined && { 'if-none-match': tag }),
  }
  const answer = await ask(server.handle, { method: 'GET', url, headers })
  return { ...answer, card: answer.text === '' ? {} : JSON.parse(answer.text) }
}

function listed({ card }: Got): readonly string[] {
  return card.supportedInterfaces.map((iface) => `${iface.protocolBinding} ${iface.protocolVersion} ${iface.url}`)
}

const older = {
  protocolVersion: '0.3.0',
  url: `${base}/invoke`,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: `${base}/invoke`, transport: 'JSONRPC' },
    { url: base, transport: 'HTTP+JSON' },
  ],
  securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
}

test('CARD-04 CARD-06 CARD-15 the card lists each binding in each version, the newest version first', async () => {
  const server = create()
  const expected = ['1.0', '0.3'].flatMap((version) => [
    `JSONRPC ${version} ${base}/invoke`,
    `HTTP+JSON ${version} ${base}`,
  ])
  expect(listed(await get(server))).toEqual(expected)
})

test('CARD-04 AMB-60 gRPC is listed once there is a listener that speaks it', async () => {
  const server = create()
  server.setListening({ host: '127.0.0.1', port: 8082, secure: false, grpcPort: 8082 })
  const grpc = listed(await get(server)).filter((text) => text.startsWith('GRPC'))
  expect(grpc).toEqual(['GRPC 1.0 127.0.0.1:8082', 'GRPC 0.3 127.0.0.1:8082'])
  expect((await get(server, { version: '0.3' })).card.additionalInterfaces).toContainEqual({
    url: '127.0.0.1:8082',
    transport: 'GRPC',
  })
})

describe('AMB-62 DISC-05 the form of the card', () => {
  test('of 1.0 for everybody else, of 0.3 for those who ask for it', async () => {
    const server = create()
    for (const version of ['', '1.0', '9.9']) {
      const { card } = await get(server, { version })
      expect(card).toHaveProperty('supportedInterfaces')
      expect(card).not.toHaveProperty('url')
    }
    const { card } = await get(server, { version: '0.3' })
    expect(card).toMatchObject(older)
    expect(card).not.toHaveProperty('supportedInterfaces')
  })

  test('of both in one document by the profile, to those who name no version', async () => {
    const server = create({ profile: { cardShape: 'merged' } })
    const { card } = await get(server)
    expect(card).toMatchObject({ ...older, supportedInterfaces: expect.any(Array) })
    expect(card.securitySchemes).toMatchObject({ key: { type: 'apiKey', apiKeySecurityScheme: { name: 'X-Key' } } })
    expect((await get(server, { version: '1.0' })).card).not.toHaveProperty('url')
    expect((await get(server, { version: '0.3' })).card).not.toHaveProperty('supportedInterfaces')
  })

  test('of 0.3 by the profile', async () => {
    expect((await get(create({ profile: { cardShape: '0.3' } }))).card).toMatchObject(older)
  })

  test('of 0.3 at the address of before 0.3, where that is served', async () => {
    const server = create({ paths: { cards: [cardPath, oldPath] } })
    expect((await get(server, { url: oldPath })).card).toMatchObject(older)
    expect((await get(server)).card).toHaveProperty('supportedInterfaces')
    expect((await get(create(), { url: oldPath })).status).toBe(404)
  })
})

test('DISC-14 DISC-10 each form has its own tag, and Vary names what they differ by', async () => {
  const server = create({ paths: { cards: [cardPath, oldPath] } })
  const [newer, old, merged] = [
    await get(server),
    await get(server, { version: '0.3' }),
    await get(create({ profile: { cardShape: 'merged' } })),
  ]
  expect(new Set([newer, old, merged].map(({ headers }) => headers.etag)).size).toBe(3)
  for (const { headers } of [newer, old, merged]) expect(headers.vary).toBe('a2a-version')
  expect((await get(server, { version: '0.3', tag: old.headers.etag })).status).toBe(304)
  expect((await get(server, { version: '0.3', tag: newer.headers.etag })).status).toBe(200)
  expect((await get(server, { tag: newer.headers.etag })).status).toBe(304)
})

test('DISC-14 Vary names the headers of a trusted proxy too', async () => {
  expect((await get(create({ trustProxy: true }))).headers.vary).toBe(
    'a2a-version, x-forwarded-host, x-forwarded-proto, x-forwarded-prefix',
  )
})

test('CARD-32 CARD-05 the card of a tenant lists what takes a tenant, which nothing of 0.3 does', async () => {
  const server = create({ tenants: ['acme'] })
  const url = `/acme${cardPath}`
  for (const version of ['1.0', '0.3']) {
    const { supportedInterfaces } = (await get(server, { url, version })).card
    expect(new Set(supportedInterfaces.map(({ tenant, protocolVersion }) => `${tenant} ${protocolVersion}`))).toEqual(
      new Set(['acme 1.0']),
    )
  }
})

test('CAP-04 a profile without an extended card declares none', async () => {
  const extended = agent({
    name: 'E',
    description: 'e',
    version: '1',
    capabilities: { extendedAgentCard: true },
    async *run() {},
  } as Parameters<typeof agent>[0])
  const endpoint = createFakeEndpoint()
  const plain = await get(createHttpServer(extended, { endpoint, profile: { extendedCard: false } }))
  expect(plain.card.capabilities).not.toHaveProperty('extendedAgentCard')
})

test('the published SDK for 0.3 finds its way by our card, at both addresses', async () => {
  const server = create({ paths: { cards: [cardPath, oldPath] }, profile: { cardShape: 'merged' } })
  for (const path of [cardPath, oldPath]) {
    const { card } = await get(server, { url: path })
    const client = await new OlderFactory().createFromAgentCard(card as never)
    expect((client as unknown as { transport: { endpoint: string } }).transport.endpoint).toBe(`${base}/invoke`)
  }
})
