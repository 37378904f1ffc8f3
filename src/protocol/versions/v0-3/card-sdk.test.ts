import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver } from '@a2a-js/sdk/client'
import * as older from 'a2a-js-sdk-v0-3/client'
import { describe, expect, test } from 'vitest'
import type { AgentCard } from '../../generated/v1/types.ts'
import { fromCard03, mergeCard03, toCard03 } from './card.ts'

const url = 'https://agent.example'
const interfaces = ['1.0', '0.3'].flatMap((protocolVersion) => [
  { url: `${url}/invoke`, protocolBinding: 'JSONRPC', protocolVersion },
  { url, protocolBinding: 'HTTP+JSON', protocolVersion },
])
const card: AgentCard = {
  name: 'Agent',
  description: 'Does things',
  supportedInterfaces: interfaces,
  version: '1',
  capabilities: { streaming: true, extendedAgentCard: true },
  securitySchemes: {
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } },
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
    oauth: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: `${url}/token`, scopes: { a: 'A' } } } } },
  },
  securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { oauth: { list: ['a'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'D', tags: ['t'], securityRequirements: [{ schemes: { key: {} } }] }],
}

/** Gives one document to whoever fetches, and keeps the addresses that were asked for. */
function serving(document: object): { readonly fetchImpl: typeof fetch; readonly seen: string[] } {
  const seen: string[] = []
  return {
    seen,
    fetchImpl: async (input) => {
      seen.push(String(input))
      return Response.json(document)
    },
  }
}

const forOlder: readonly (readonly [name: string, document: object])[] = [
  ['0.3 as JSON', toCard03(card, 'json')],
  ['0.3 as the proto', toCard03(card, 'proto')],
  ['merged', mergeCard03(card)],
]

describe('the published SDK for 0.3', () => {
  for (const [name, document] of forOlder) {
    test(`DISC-02 AMB-62 reads our card: ${name}`, async () => {
      const { fetchImpl, seen } = serving(document)
      const read = await new older.DefaultAgentCardResolver({ fetchImpl }).resolve(url)
      expect(seen).toEqual([`${url}/.well-known/agent-card.json`])
      expect(read).toMatchObject({
        name: 'Agent',
        url: `${url}/invoke`,
        preferredTransport: 'JSONRPC',
        protocolVersion: '0.3.0',
        supportsAuthenticatedExtendedCard: true,
        securitySchemes: {
          bearer: { type: 'http', scheme: 'Bearer' },
          key: { type: 'apiKey', in: 'header', name: 'X-Key' },
          oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: `${url}/token`, scopes: { a: 'A' } } } },
        },
        security: [{ bearer: [] }, { oauth: ['a'] }],
        skills: [{ id: 's', security: [{ key: [] }] }],
      })
      expect(fromCard03(JSON.parse(JSON.stringify(read)), () => {}).securityRequirements).toEqual(
        card.securityRequirements,
      )
    })

    test(`CARD-07 appends /v1 to the URL of our HTTP+JSON interface by itself: ${name}`, async () => {
      const { fetchImpl, seen } = serving({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } })
      const transports = [
        new older.RestTransportFactory({ fetchImpl }),
        new older.JsonRpcTransportFactory({ fetchImpl }),
      ]
      const options = {
        transports,
        preferredTransports: ['HTTP+JSON'],
        cardResolver: new older.DefaultAgentCardResolver(),
      }
      const read = await new older.DefaultAgentCardResolver(serving(document)).resolve(url)
      const client = await new older.ClientFactory(options).createFromAgentCard(read)
      await client.getTask({ id: 't' })
      expect(seen).toEqual([`${url}/v1/tasks/t`])
    })
  }
})

const forNewer: readonly (readonly [name: string, document: object])[] = [
  ['1.0', card],
  ['merged', mergeCard03(card)],
]

describe('the published SDK for 1.0', () => {
  for (const [name, document] of forNewer) {
    for (const enabled of [false, true]) {
      test(`DISC-02 AMB-62 reads our card, ${enabled ? 'with' : 'without'} its support of 0.3: ${name}`, async () => {
        const { fetchImpl } = serving(document)
        const cardResolver = new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled } })
        const read = await cardResolver.resolve(url)
        expect(read).toMatchObject({ name: 'Agent', supportedInterfaces: interfaces })
        const factory = new ClientFactory(
          ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { cardResolver }),
        )
        expect((await factory.createFromUrl(url)).protocolVersion).toBe('1.0')
      })
    }
  }

  test('AMB-62 reads our card of 0.3, with its support of 0.3', async () => {
    const { fetchImpl } = serving(toCard03(card, 'json'))
    const read = await new DefaultAgentCardResolver({ fetchImpl, legacyCompat: { enabled: true } }).resolve(url)
    expect(read.supportedInterfaces).toContainEqual(expect.objectContaining({ url, protocolBinding: 'HTTP+JSON' }))
    expect(read.securityRequirements).toHaveLength(2)
  })
})
