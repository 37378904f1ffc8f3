import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentCard } from '../../generated/v1/types.ts'
import { validate } from '../../validate.ts'
import { type CardForm, fromCard03, mergeCard03, toCard03 } from './card.ts'

const forms: readonly CardForm[] = ['json', 'proto']
const cardUrl = 'https://bakery.example'

/** A card of 1.0 with everything that 0.3 can say too. */
const bakery: AgentCard = {
  name: 'Bakery',
  description: 'Takes orders for bread',
  supportedInterfaces: [
    { url: `${cardUrl}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url: 'bakery.example:443', protocolBinding: 'GRPC', protocolVersion: '0.3' },
    { url: `${cardUrl}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
  ],
  provider: { url: cardUrl, organization: 'Old Mill' },
  version: '4.2.0',
  documentationUrl: `${cardUrl}/docs`,
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: 'urn:rye', required: true, params: { grain: 1.5 } }],
    extendedAgentCard: true,
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { description: 'ask us', location: 'header', name: 'X-Key' } },
    bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } },
    code: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: {
            authorizationUrl: `${cardUrl}/authorize`,
            tokenUrl: `${cardUrl}/token`,
            refreshUrl: `${cardUrl}/refresh`,
            scopes: { order: 'order bread' },
          },
        },
        oauth2MetadataUrl: `${cardUrl}/.well-known/oauth-authorization-server`,
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: `${cardUrl}/.well-known/openid-configuration` } },
    tls: { mtlsSecurityScheme: { description: 'a client certificate' } },
  },
  securityRequirements: [{ schemes: { code: { list: ['order'] }, tls: {} } }, { schemes: { key: {} } }, {}],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [
    {
      id: 'order',
      name: 'Order',
      description: 'Orders bread',
      tags: ['bread'],
      examples: ['two loaves'],
      inputModes: ['text/plain'],
      securityRequirements: [{ schemes: { bearer: {} } }],
    },
  ],
  iconUrl: `${cardUrl}/icon.png`,
}

/** The same in the form of types.ts. */
const bakery03 = {
  protocolVersion: '0.3.0',
  name: 'Bakery',
  description: 'Takes orders for bread',
  url: `${cardUrl}/rpc`,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: `${cardUrl}/rpc`, transport: 'JSONRPC' },
    { url: 'bakery.example:443', transport: 'GRPC' },
    { url: `${cardUrl}/rest`, transport: 'HTTP+JSON' },
  ],
  iconUrl: `${cardUrl}/icon.png`,
  provider: { url: cardUrl, organization: 'Old Mill' },
  version: '4.2.0',
  documentationUrl: `${cardUrl}/docs`,
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: 'urn:rye', required: true, params: { grain: 1.5 } }],
  },
  securitySchemes: {
    key: { type: 'apiKey', in: 'header', description: 'ask us', name: 'X-Key' },
    bearer: { type: 'http', scheme: 'Bearer', bearerFormat: 'JWT' },
    code: {
      type: 'oauth2',
      flows: {
        authorizationCode: {
          authorizationUrl: `${cardUrl}/authorize`,
          tokenUrl: `${cardUrl}/token`,
          refreshUrl: `${cardUrl}/refresh`,
          scopes: { order: 'order bread' },
        },
      },
      oauth2MetadataUrl: `${cardUrl}/.well-known/oauth-authorization-server`,
    },
    oidc: { type: 'openIdConnect', openIdConnectUrl: `${cardUrl}/.well-known/openid-configuration` },
    tls: { type: 'mutualTLS', description: 'a client certificate' },
  },
  security: [{ code: ['order'], tls: [] }, { key: [] }, {}],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain', 'application/json'],
  skills: [
    {
      id: 'order',
      name: 'Order',
      description: 'Orders bread',
      tags: ['bread'],
      examples: ['two loaves'],
      inputModes: ['text/plain'],
      security: [{ bearer: [] }],
    },
  ],
  supportsAuthenticatedExtendedCard: true,
}

function read(json: unknown): { readonly card: AgentCard; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  return { card: fromCard03(json, (text) => warnings.push(text)), warnings }
}

function written(
  card: AgentCard,
  form: CardForm = 'json',
): { readonly card: object; readonly losses: readonly string[] } {
  const losses: string[] = []
  return { card: toCard03(card, form, (loss) => losses.push(loss)), losses }
}

describe('D-34 to D-43: a card in both directions', () => {
  test('the form of types.ts is written as the tables say', () => {
    expect(written(bakery)).toEqual({ card: bakery03, losses: [] })
  })

  test('the form of the proto keeps wrapped schemes and requirements', () => {
    const { card, losses } = written(bakery, 'proto')
    expect(losses).toEqual([])
    expect(card).toEqual({
      ...bakery03,
      securitySchemes: bakery.securitySchemes,
      security: [{ schemes: { code: { list: ['order'] }, tls: {} } }, { schemes: { key: {} } }, { schemes: {} }],
      skills: [{ ...bakery03.skills[0], security: [{ schemes: { bearer: {} } }] }],
    })
  })

  for (const form of forms) {
    test(`what was written as ${form} is read again without a word`, () => {
      expect(read(written(bakery, form).card)).toEqual({ card: bakery, warnings: [] })
    })
  }
})

describe('what 0.3 has no place for is left out, and told', () => {
  const flow = { tokenUrl: 'https://x/t', scopes: {} }
  const oauth = (flows: object): Partial<AgentCard> =>
    ({ securitySchemes: { o: { oauth2SecurityScheme: { flows } } } }) as Partial<AgentCard>
  const rows: readonly { name: string; change: Partial<AgentCard>; losses: string[]; part: object }[] = [
    {
      name: 'signatures',
      change: { signatures: [{ protected: 'e30', signature: 'AA' }] },
      losses: ['card-signatures'],
      part: {},
    },
    {
      name: 'the device code flow',
      change: oauth({ deviceCode: { ...flow, deviceAuthorizationUrl: 'https://x/d' } }),
      losses: ['card-device-code'],
      part: { securitySchemes: { o: { type: 'oauth2', flows: {} } } },
    },
    {
      name: 'pkceRequired',
      change: oauth({ authorizationCode: { ...flow, authorizationUrl: 'https://x/a', pkceRequired: true } }),
      losses: ['card-pkce'],
      part: {
        securitySchemes: {
          o: { type: 'oauth2', flows: { authorizationCode: { ...flow, authorizationUrl: 'https://x/a' } } },
        },
      },
    },
    {
      name: 'an interface of a tenant',
      change: {
        supportedInterfaces: [
          ...bakery.supportedInterfaces,
          { url: 'https://t.example', protocolBinding: 'JSONRPC', protocolVersion: '0.3', tenant: 't' },
        ],
      },
      losses: ['card-tenant'],
      part: { url: bakery03.url, additionalInterfaces: bakery03.additionalInterfaces },
    },
  ]
  for (const { name, change, losses, part } of rows) {
    test(name, () => {
      const result = written({ ...bakery, ...change })
      expect(result.losses).toEqual(losses)
      expect(result.card).toMatchObject(part)
      expect(result.card).not.toHaveProperty('signatures')
      expect(JSON.stringify(result.card)).not.toMatch(/pkce|deviceCode/)
    })
  }
})

describe('interfaces of a written card', () => {
  const newer = { url: 'https://new.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
  test('CARD-15 those of 0.3 only, each URL and transport once, the first as the main one', () => {
    const [rpc = newer, grpc = newer] = bakery.supportedInterfaces
    const supportedInterfaces = [newer, grpc, rpc, grpc]
    expect(written({ ...bakery, supportedInterfaces }).card).toMatchObject({
      url: 'bakery.example:443',
      preferredTransport: 'GRPC',
      additionalInterfaces: [bakery03.additionalInterfaces[1], bakery03.additionalInterfaces[0]],
    })
  })

  test('a card that lists none of 0.3 keeps what it lists', () => {
    expect(written({ ...bakery, supportedInterfaces: [newer] }).card).toMatchObject({
      url: newer.url,
      additionalInterfaces: [{ url: newer.url, transport: 'JSONRPC' }],
    })
  })
})

describe('AMB-62 the merged card', () => {
  const both: AgentCard = {
    ...bakery,
    supportedInterfaces: [
      { url: `${cardUrl}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ...bakery.supportedInterfaces,
    ],
  }

  test('has the members of both versions, and each scheme in both forms', () => {
    const merged = mergeCard03(both)
    expect(merged).toMatchObject({ ...both, ...bakery03, skills: [{ ...both.skills[0], ...bakery03.skills[0] }] })
    expect(merged.capabilities).toEqual(both.capabilities)
  })

  test('is the card of 1.0 to a reader that ignores what it does not know', () => {
    const warnings: string[] = []
    expect(validate('AgentCard', mergeCard03(both), { lenient: true, warnings })).toEqual(both)
    expect(warnings).toEqual([])
  })

  test('is read as what it was made from', () => {
    expect(read(mergeCard03(both))).toEqual({ card: both, warnings: [] })
  })

  test('is the card of 0.3 without the members of 1.0', () => {
    const { supportedInterfaces, securityRequirements, ...older } = mergeCard03(both)
    expect(read(older)).toEqual({ card: bakery, warnings: [] })
  })

  test('interfaces that only its older half lists are added, in the older version', () => {
    const merged = mergeCard03({ ...both, supportedInterfaces: both.supportedInterfaces.slice(0, 1) })
    expect(read(merged).card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual(['1.0', '0.3'])
  })
})

const word = fc.stringMatching(/^[a-z]{1,6}$/)
const url = word.map((name) => `https://${name}.example/`)
const scopes = fc.dictionary(word, word, { maxKeys: 2 })
const flows = fc.oneof(
  fc.record({ authorizationCode: fc.record({ authorizationUrl: url, tokenUrl: url, scopes }) }),
  fc.record({ clientCredentials: fc.record({ tokenUrl: url, refreshUrl: url, scopes }) }),
  fc.record({
    implicit: fc.record({ authorizationUrl: url, scopes: fc.dictionary(word, word, { minKeys: 1, maxKeys: 2 }) }),
  }),
)
const scheme = fc.oneof(
  fc.record({
    apiKeySecurityScheme: fc.record({ location: fc.constantFrom('query', 'header', 'cookie'), name: word }),
  }),
  fc.record({ httpAuthSecurityScheme: fc.record({ scheme: word, bearerFormat: word }) }),
  fc.record({ oauth2SecurityScheme: fc.record({ flows, description: word }) }),
  fc.record({ openIdConnectSecurityScheme: fc.record({ openIdConnectUrl: url }) }),
  fc.constant({ mtlsSecurityScheme: {} }),
)
const requirement = fc
  .dictionary(
    word,
    fc.oneof(
      fc.constant({}),
      fc.array(word, { minLength: 1, maxLength: 2 }).map((list) => ({ list })),
    ),
    {
      minKeys: 1,
      maxKeys: 3,
    },
  )
  .map((schemes) => ({ schemes }))
const requirements = fc.array(requirement, { minLength: 1, maxLength: 2 })
const cards = fc
  .record(
    {
      name: word,
      description: word,
      version: word,
      supportedInterfaces: fc.uniqueArray(
        fc.record({
          url,
          protocolBinding: fc.constantFrom('JSONRPC', 'GRPC', 'HTTP+JSON', 'urn:pigeon'),
          protocolVersion: fc.constant('0.3'),
        }),
        { minLength: 1, maxLength: 3, selector: (iface) => JSON.stringify(iface) },
      ),
      capabilities: fc.record({ streaming: fc.boolean(), extendedAgentCard: fc.boolean() }, { requiredKeys: [] }),
      securitySchemes: fc.dictionary(word, scheme, { minKeys: 1, maxKeys: 3 }),
      securityRequirements: requirements,
      defaultInputModes: fc.array(word, { minLength: 1, maxLength: 2 }),
      defaultOutputModes: fc.array(word, { minLength: 1, maxLength: 2 }),
      skills: fc.array(
        fc.record(
          {
            id: word,
            name: word,
            description: word,
            tags: fc.array(word, { minLength: 1 }),
            securityRequirements: requirements,
          },
          { requiredKeys: ['id', 'name', 'description', 'tags'] },
        ),
        { minLength: 1, maxLength: 2 },
      ),
      iconUrl: url,
      documentationUrl: url,
      provider: fc.record({ url, organization: word }),
    },
    {
      requiredKeys: [
        'name',
        'description',
        'version',
        'supportedInterfaces',
        'capabilities',
        'defaultInputModes',
        'defaultOutputModes',
        'skills',
      ],
      noNullPrototype: true,
    },
  )
  .map((card) => validate('AgentCard', card))

for (const form of forms) {
  test(`D-34 to D-43: any card comes back from ${form} as it was, with nothing lost`, () => {
    fc.assert(
      fc.property(cards, (card) => {
        const { card: older, losses } = written(card, form)
        expect(losses).toEqual([])
        expect(read(JSON.parse(JSON.stringify(older)))).toEqual({ card, warnings: [] })
      }),
    )
  })
}

test('AMB-62 any card comes back from its merged form as it was', () => {
  fc.assert(
    fc.property(cards, (card) => {
      expect(read(JSON.parse(JSON.stringify(mergeCard03(card))))).toEqual({ card, warnings: [] })
    }),
  )
})
