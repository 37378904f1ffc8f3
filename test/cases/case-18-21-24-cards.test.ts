import { networkInterfaces } from 'node:os'
import { Client, credentials } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { readCard } from '../../src/cards/read.ts'
import { connect } from '../../src/client/connect.ts'
import {
  cardOf,
  connectFast,
  type Peer,
  type Script,
  sendJson,
  sendResult,
  startPeer,
  taskOf,
} from '../../src/client/testing.ts'
import type { AgentOptions } from '../../src/engine/executor.ts'
import { A2AError } from '../../src/protocol/errors.ts'
import type { AgentCard, AgentInterface } from '../../src/protocol/generated/v1/types.ts'
import { wires } from '../../src/protocol/versions/wire.ts'
import { onCleanup } from '../harness.ts'
import { plainRequest } from './plain-http.ts'
import { scriptedAgent } from './scripted-agent.ts'
import { serve } from './served.ts'
import { allBindings } from './wire.ts'

const cardPath = '/.well-known/agent-card.json'

async function cardAt(url: string, headers: Record<string, string> = {}): Promise<AgentCard> {
  const { status, text } = await plainRequest(url, { method: 'GET', path: cardPath, headers })
  expect(status).toBe(200)
  return JSON.parse(text) as AgentCard
}

/** Calls an interface exactly as the card has it; gives a status of HTTP, 200 for gRPC too. */
async function callInterface({ url, protocolBinding, protocolVersion }: AgentInterface): Promise<number> {
  const old = protocolVersion === '0.3'
  const headers = { 'content-type': 'application/json', 'a2a-version': protocolVersion }
  if (protocolBinding === 'GRPC') return checkHealth(url)
  if (protocolBinding === 'HTTP+JSON') return (await fetch(`${url}${old ? '/v1' : ''}/tasks`, { headers })).status
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: old ? 'tasks/list' : 'ListTasks' })
  const answer = await fetch(url, { method: 'POST', headers, body })
  return ((await answer.json()) as { result?: unknown }).result === undefined ? 500 : answer.status
}

function checkHealth(target: string): Promise<number> {
  const client = new Client(target, credentials.createInsecure())
  const asIs = (bytes: Buffer): Buffer => bytes
  return new Promise((resolve) => {
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', asIs, asIs, Buffer.alloc(0), (error) => {
      client.close()
      resolve(error === null ? 200 : 500)
    })
  })
}

/** The host and port of an interface, whether its address is a URL or not. */
function hostOf({ url, protocolBinding }: AgentInterface): string {
  return protocolBinding === 'GRPC' ? url : new URL(url).host
}

const served = wires.flatMap(({ version }) => allBindings.map((binding) => `${binding} ${version}`))

const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
const hasIpv6 = addresses.some(({ address }) => address === '::1')

/** Addresses of this machine by which another one could reach it, as they stand in a URL. */
const outside = addresses
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))

describe('the URLs of a card', () => {
  const everywhere = ['0', ':0', '0.0.0.0:0', '*:0', 0, ...(hasIpv6 ? ['[::]:0', '[0:0:0:0:0:0:0:0]:0'] : [])]
  for (const listen of everywhere) {
    it(`Case 18: listening on ${JSON.stringify(listen)}, each interface can be called as it is written, from every side (CARD-05, CARD-07, CARD-09, CARD-13, EQ-05)`, async () => {
      const { server } = await serve({ listen })
      const port = new URL(server.url).port
      expect(port).not.toBe('0')
      const onlyIpv4 = String(listen).startsWith('0.0.0.0') || !hasIpv6
      const local = onlyIpv4 ? ['127.0.0.1'] : ['127.0.0.1', 'localhost', '[::1]']
      for (const host of [...local, ...outside.filter((host) => !onlyIpv4 || !host.startsWith('['))]) {
        const { supportedInterfaces } = await cardAt(`http://${host}:${port}`)
        expect(supportedInterfaces.map((iface) => `${iface.protocolBinding} ${iface.protocolVersion}`)).toEqual(served)
        for (const iface of supportedInterfaces) {
          expect(hostOf(iface)).toBe(`${host}:${port}`)
          expect(iface.protocolVersion).toMatch(/^\d+\.\d+$/)
          expect(await callInterface(iface)).toBe(200)
        }
      }
    })
  }

  it('Case 18: a request for an address of nobody, or without a host, is not told to go there (CARD-09)', async () => {
    const { server } = await serve({ listen: ':0' })
    const port = new URL(server.url).port
    for (const host of [`0.0.0.0:${port}`, `[::]:${port}`, `0.0.0.0`, `[0:0::0]:${port}`]) {
      const { supportedInterfaces } = await cardAt(`http://127.0.0.1:${port}`, { host })
      for (const iface of supportedInterfaces) expect(hostOf(iface)).toMatch(/^(127\.0\.0\.1|\[::1\])(:\d+)?$/)
    }
    for (const host of ['a b', 'x/../y', 'x@y', '<script>', 'x:99999', '']) {
      const answer = await plainRequest(`http://127.0.0.1:${port}`, {
        method: 'GET',
        path: cardPath,
        headers: { host },
      })
      expect(answer.text).not.toMatch(/script>|@y|0\.0\.0\.0/)
      expect([200, 400]).toContain(answer.status)
    }
  })

  it.each(['https://agents.example/echo', 'https://agents.example/echo/', 'http://10.0.0.7:8080'])(
    'Case 18: %s as public URL holds for everybody, its route neither lost nor doubled (CARD-07)',
    async (publicUrl) => {
      const { server } = await serve({ publicUrl, listen: ':0' })
      const base = publicUrl.replace(/\/$/, '')
      expect([server.url, server.cardUrl]).toEqual([base, `${base}${cardPath}`])
    },
  )

  it('Case 18: behind a trusted proxy the URLs are those of the proxy (CARD-07)', async () => {
    const trusting = await serve({ trustProxy: true })
    const headers = {
      'x-forwarded-host': 'agents.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-prefix': '/echo',
    }
    const urls = (await cardAt(trusting.url, headers)).supportedInterfaces.map(({ url }) => url)
    // Behind a path there is no gRPC on the port of everything else.
    expect(new Set(urls)).toEqual(new Set(['https://agents.example/echo/invoke', 'https://agents.example/echo']))
    const untrusting = await serve()
    for (const iface of (await cardAt(untrusting.url, headers)).supportedInterfaces)
      expect(hostOf(iface)).toBe(new URL(untrusting.url).host)
  })

  it.each([
    ['https://agents.example', 'agents.example:443'],
    ['http://agents.example', 'agents.example:80'],
    ['https://[2001:db8::7]:8443/', '[2001:db8::7]:8443'],
  ])('Case 18: gRPC under the public URL %s is %s (AMB-60)', async (publicUrl, target) => {
    const { server } = await serve({ publicUrl, listen: '127.0.0.1:0' })
    expect(server.grpcTarget).toBe(target)
  })

  it('Case 18: gRPC on a port of its own is listed with that port, and answers there (AMB-60, CARD-07)', async () => {
    const { server } = await serve({ listen: '127.0.0.1:0', grpcListen: '127.0.0.1:0' })
    const { supportedInterfaces } = await cardAt(server.url)
    const grpc = supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === 'GRPC')
    expect(grpc).toHaveLength(wires.length)
    for (const iface of grpc) {
      expect(iface.url).toBe(server.grpcTarget)
      expect(iface.url).not.toBe(new URL(server.url).host)
      expect(await callInterface(iface)).toBe(200)
    }
  })
})

const agents: readonly (readonly [name: string, options: Partial<AgentOptions>])[] = [
  ['nothing beyond its name', {}],
  [
    'every list empty',
    { skills: [], inputModes: [], outputModes: [], extensions: [], securityRequirements: [], securitySchemes: {} },
  ],
  [
    'a skill with empty lists',
    {
      skills: [
        {
          id: 's',
          name: 'S',
          description: 'D',
          tags: [],
          examples: [],
          inputModes: [],
          outputModes: [],
          securityRequirements: [],
        },
      ],
    },
  ],
  ['no streaming', { streaming: false }],
]

/** Every path of a JSON document whose value is null or an empty list. */
function hollow(value: unknown, path = ''): string[] {
  if (value === null) return [path]
  if (typeof value !== 'object') return []
  if (Array.isArray(value) && value.length === 0) return [path]
  return Object.entries(value).flatMap(([name, member]) => hollow(member, `${path}.${name}`))
}

describe.each(agents)('an agent with %s', (_, options) => {
  it('Case 21: its card holds no null and no empty list, and every list that is required (CARD-02, CARD-03, CARD-29, DM-04, PJ-13)', async () => {
    const card = await cardAt((await serve({ agent: scriptedAgent(options) })).url)
    expect(hollow(card)).toEqual([])
    for (const name of ['supportedInterfaces', 'defaultInputModes', 'defaultOutputModes', 'skills'] as const) {
      expect(card[name].length).toBeGreaterThan(0)
    }
    for (const { tags } of card.skills) expect(tags.length).toBeGreaterThan(0)
    const warnings: string[] = []
    expect(readCard(card, { warnings })).toEqual(card)
    expect(warnings).toEqual([])
  })

  it('Case 21: our client calls it without a warning', async () => {
    const agent = await connectFast((await serve({ agent: scriptedAgent(options) })).url)
    expect((await agent.send('chunk:a:hi')).text).toBe('hi')
    expect(agent.warnings).toEqual([])
  })
})

/** A peer that serves a card and answers each send with COMPLETED. */
async function peerWith(card: (url: string) => unknown): Promise<Peer> {
  const script: Script = (request, response) => {
    if (request.url === cardPath) return sendJson(response, card(peer.url))
    if (request.url === '/rpc') return sendResult(response, request, { task: taskOf('TASK_STATE_COMPLETED') })
    return sendJson(response, {}, 404)
  }
  const peer: Peer = await startPeer(script)
  onCleanup(() => peer.close())
  return peer
}

const old = { protocolBinding: 'JSONRPC', protocolVersion: '0.3' }
const cards: readonly (readonly [name: string, change: (card: AgentCard) => unknown, warning?: RegExp])[] = [
  ['pure 1.0', (card) => card],
  [
    'both in one',
    (card) => ({
      ...card,
      url: 'https://old.example',
      preferredTransport: 'JSONRPC',
      protocolVersion: '0.3.0',
      security: [],
      supportsAuthenticatedExtendedCard: false,
    }),
  ],
  [
    '1.0 with an interface of 0.3 before it',
    (card) => ({ ...card, supportedInterfaces: [{ url: 'http://127.0.0.1:1/', ...old }, ...card.supportedInterfaces] }),
  ],
  [
    'security as 0.3 has it',
    (card) => ({ ...card, securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'X' } }, security: [{ k: [] }] }),
    /securitySchemes\.k/,
  ],
  [
    'protocolVersion 1.0.1',
    (card) => ({
      ...card,
      supportedInterfaces: card.supportedInterfaces.map((iface) => ({ ...iface, protocolVersion: '1.0.1' })),
    }),
    /protocolVersion.*1\.0\.1/,
  ],
  [
    'nulls for what is optional',
    (card) => ({
      ...card,
      provider: null,
      iconUrl: null,
      documentationUrl: null,
      securitySchemes: null,
      securityRequirements: null,
      signatures: null,
    }),
  ],
  ['skills of null', (card) => ({ ...card, skills: null }), /skills/],
  ['no skills', ({ skills: _, ...card }) => card, /skills/],
  [
    'members of a later version',
    (card) => ({ ...card, mood: 'sunny', capabilities: { ...card.capabilities, dreaming: { deep: [1] } } }),
  ],
  [
    'bindings that nobody knows before the one that works',
    (card) => ({
      ...card,
      supportedInterfaces: [
        { url: 'pigeon:coop', protocolBinding: 'urn:pigeon', protocolVersion: '1.0' },
        { url: 'pigeon.example:1', protocolBinding: 'SMOKE', protocolVersion: '1.0' },
        ...card.supportedInterfaces,
      ],
    }),
  ],
]

describe('cards of others', () => {
  for (const [name, change, warning] of cards) {
    it(`Case 21, 24: ${name}: found, read, and called (CARD-17, VERS-03, DM-05)`, async () => {
      const peer = await peerWith((url) => change(cardOf(url, { capabilities: {} })))
      const agent = await connectFast(peer.url)
      expect((await agent.send('hi')).state).toBe('TASK_STATE_COMPLETED')
      if (warning === undefined) expect(agent.warnings).toEqual([])
      else expect(agent.warnings.join('\n')).toMatch(warning)
    })
  }

  it('Case 24: pure 0.3: found, read, and called in its own words', async () => {
    const peer: Peer = await startPeer((request, response) => {
      if (request.url === cardPath) {
        const { supportedInterfaces: _, ...others } = cardOf(peer.url, { capabilities: {} })
        return sendJson(response, { ...others, url: `${peer.url}/rpc`, protocolVersion: '0.3.0' })
      }
      const status = { state: 'completed' }
      return sendResult(response, request, { kind: 'task', id: 't', contextId: 'c', status })
    })
    const agent = await connectFast(peer.url)
    expect(agent.card.supportedInterfaces).toEqual([{ url: `${peer.url}/rpc`, ...old }])
    expect((await agent.send('hi')).state).toBe('TASK_STATE_COMPLETED')
    expect(peer.seen('message/send')).toHaveLength(1)
    expect(agent.warnings).toEqual([])
  })

  it.each<[name: string, change: (card: AgentCard) => unknown, code: string, text: RegExp]>([
    ['no interface', (card) => ({ ...card, supportedInterfaces: [] }), 'InvalidAgentResponse', /supportedInterfaces/],
    [
      'interfaces of null',
      (card) => ({ ...card, supportedInterfaces: null }),
      'InvalidAgentResponse',
      /supportedInterfaces/,
    ],
    [
      'nothing but bindings that nobody knows',
      (card) => ({
        ...card,
        supportedInterfaces: [{ url: 'x:y', protocolBinding: 'urn:pigeon', protocolVersion: '1.0' }],
      }),
      'UnsupportedOperation',
      /urn:pigeon/,
    ],
    [
      'interfaces that are a string',
      (card) => ({ ...card, supportedInterfaces: 'none' }),
      'InvalidAgentResponse',
      /supportedInterfaces.*array/,
    ],
    ['a skill that is a string', (card) => ({ ...card, skills: ['say'] }), 'InvalidAgentResponse', /skills\[0\]/],
    [
      'a scheme of two kinds',
      (card) => ({
        ...card,
        securitySchemes: {
          k: { apiKeySecurityScheme: { location: 'header', name: 'X' }, httpAuthSecurityScheme: { scheme: 'Bearer' } },
        },
      }),
      'InvalidAgentResponse',
      /securitySchemes\.k/,
    ],
  ])('Case 21, 24: %s is refused in words that name the place', async (_, change, code, text) => {
    const peer = await peerWith((url) => change(cardOf(url)))
    const error = await connectFast(peer.url).then(
      () => undefined,
      (thrown: unknown) => A2AError.from(thrown),
    )
    expect(error).toMatchObject({ code, message: expect.stringMatching(text) })
  })

  it('Case 21: whatever stands in place of any one member, a card is read or refused by its path, and nothing crashes', async () => {
    const whole = await cardAt(
      (await serve({ agent: scriptedAgent({ provider: { organization: 'O', url: 'https://o.example' } }) })).url,
    )
    const paths: (readonly (string | number)[])[] = []
    const visit = (value: unknown, path: readonly (string | number)[]): void => {
      if (path.length > 0) paths.push(path)
      if (typeof value === 'object' && value !== null) {
        for (const [name, member] of Object.entries(value)) visit(member, [...path, name])
      }
    }
    visit(whole, [])
    for (const path of paths) {
      for (const wrong of [undefined, null, 7, 'x', '', true, [], {}, [null], [[]], { a: 1 }]) {
        const copy = structuredClone(whole) as unknown as Record<string | number, unknown>
        const parent = path.slice(0, -1).reduce((value, name) => value[name] as Record<string | number, unknown>, copy)
        parent[path.at(-1) ?? ''] = wrong
        const outcome = await connect(copy as unknown as AgentCard).catch((error: unknown) => error)
        if (!(outcome instanceof Error)) continue
        expect(A2AError.is(outcome), `${path.join('.')} = ${JSON.stringify(wrong)}: ${outcome.message}`).toBe(true)
        const { code, message } = outcome as A2AError
        expect([
          'InvalidAgentResponse',
          'UnsupportedOperation',
          'VersionNotSupported',
          'ExtensionSupportRequired',
        ]).toContain(code)
        expect(message).toContain(String(path[0]))
      }
    }
  })
})
