import { describe, expect, test } from 'vitest'
import { A2AError } from '../../errors.ts'
import type { AgentCard } from '../../generated/v1/types.ts'
import { validate } from '../../validate.ts'
import { fromCard03 } from './card.ts'

function read(json: unknown): { readonly card: AgentCard; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  return { card: fromCard03(json, (text) => warnings.push(text)), warnings }
}

/** The smallest sound card of 0.3. */
const small03 = {
  protocolVersion: '0.3.0',
  name: 'Mill',
  description: 'Grinds',
  url: 'https://mill.example/a2a',
  version: '1',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'grind', name: 'Grind', description: 'Grinds corn', tags: ['corn'] }],
}
const main = { url: 'https://mill.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }

describe('reading cards of before 1.0', () => {
  const rows: readonly {
    name: string
    json: object
    interfaces?: readonly object[]
    part?: object
    warnings?: readonly RegExp[]
  }[] = [
    { name: 'the smallest card', json: small03 },
    { name: '0.2.5 without a transport', json: { ...small03, protocolVersion: '0.2.5' }, warnings: [/0\.2 is older/] },
    { name: '0.2.0 without a version', json: { ...small03, protocolVersion: undefined } },
    { name: 'a patch number', json: { ...small03, protocolVersion: ' 0.3.17 ' } },
    {
      name: 'a version that its form denies',
      json: { ...small03, protocolVersion: '1.0' },
      warnings: [/has the form of 0\.3/],
    },
    {
      name: 'null for everything optional',
      json: {
        ...small03,
        provider: null,
        security: null,
        securitySchemes: null,
        signatures: null,
        additionalInterfaces: null,
        preferredTransport: null,
        iconUrl: null,
        supportsAuthenticatedExtendedCard: null,
      },
    },
    { name: 'an empty transport (D-42)', json: { ...small03, preferredTransport: '' } },
    {
      name: 'transports in any case',
      json: {
        ...small03,
        preferredTransport: 'http+json',
        additionalInterfaces: [
          { url: 'x:1', transport: 'grpc' },
          { url: 'https://y', transport: 'jsonRPC' },
        ],
      },
      interfaces: [
        { ...main, protocolBinding: 'HTTP+JSON' },
        { url: 'x:1', protocolBinding: 'GRPC', protocolVersion: '0.3' },
        { url: 'https://y', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      warnings: [
        /^preferredTransport: "http\+json" must be written "HTTP\+JSON"/,
        /^additionalInterfaces\[0\]\.transport/,
        /^additionalInterfaces\[1\]\.transport/,
      ],
    },
    {
      name: 'the main interface listed again, and a transport that nobody knows',
      json: {
        ...small03,
        preferredTransport: 'JSONRPC',
        additionalInterfaces: [
          { url: main.url, transport: 'JSONRPC' },
          { url: 'pigeon:coop', transport: 'urn:pigeon' },
          { url: 'pigeon:coop', transport: 'urn:pigeon' },
        ],
      },
      interfaces: [main, { url: 'pigeon:coop', protocolBinding: 'urn:pigeon', protocolVersion: '0.3' }],
    },
    {
      name: 'entries without a URL or transport',
      json: { ...small03, additionalInterfaces: [{ url: 'https://x' }, { transport: 'GRPC' }] },
      warnings: [/^additionalInterfaces\[0\]/, /^additionalInterfaces\[1\]/],
    },
    {
      name: 'no main interface',
      json: { ...small03, url: undefined, additionalInterfaces: [{ url: main.url, transport: 'JSONRPC' }] },
      warnings: [/^url: is required/],
    },
    {
      name: 'snake_case, as a proto reader takes it (D-04)',
      json: {
        ...small03,
        default_input_modes: ['a/b'],
        defaultInputModes: undefined,
        preferred_transport: 'GRPC',
        supports_authenticated_extended_card: true,
        security_schemes: { k: { api_key_security_scheme: { location: 'query', name: 'k' } } },
      },
      interfaces: [{ ...main, protocolBinding: 'GRPC' }],
      part: {
        defaultInputModes: ['a/b'],
        capabilities: { extendedAgentCard: true },
        securitySchemes: { k: { apiKeySecurityScheme: { location: 'query', name: 'k' } } },
      },
    },
    {
      name: 'members of nobody, and stateTransitionHistory',
      json: { ...small03, mood: 'sunny', capabilities: { stateTransitionHistory: true } },
      part: { capabilities: {} },
      warnings: [/^capabilities\.stateTransitionHistory: was left out/],
    },
    {
      name: 'the extended card of the first draft of 1.0 (A.2.2)',
      json: { ...small03, supportsExtendedAgentCard: true },
      part: { capabilities: { extendedAgentCard: true } },
    },
    {
      name: 'signatures',
      json: { ...small03, signatures: [{ protected: 'e30', signature: 'AA' }] },
      warnings: [/^signatures: were left out/],
    },
    {
      name: 'no skills, no modes, no capabilities',
      json: {
        ...small03,
        skills: undefined,
        defaultInputModes: undefined,
        defaultOutputModes: null,
        capabilities: undefined,
      },
      part: { skills: [], defaultInputModes: [], defaultOutputModes: [], capabilities: {} },
      warnings: [
        /^capabilities: is required/,
        /^defaultInputModes: is required/,
        /^defaultOutputModes: is required/,
        /^skills: is required/,
      ],
    },
    {
      name: 'the authentication member of the first cards (D-63)',
      json: {
        ...small03,
        protocolVersion: undefined,
        authentication: { schemes: ['Bearer', 'wax seal'], credentials: 'secret' },
      },
      part: {
        securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
        securityRequirements: [{ schemes: { bearer: {} } }],
      },
      warnings: [/^authentication: .*Bearer, wax seal/],
    },
    {
      name: 'a draft: interfaces listed, one version for all, older names',
      json: {
        ...small03,
        url: undefined,
        protocolVersion: undefined,
        protocolVersions: ['1.0'],
        supportedInterfaces: [{ url: main.url, transport: 'JSONRPC' }],
      },
      interfaces: [{ ...main, protocolVersion: '1.0' }],
    },
  ]
  for (const { name, json, interfaces = [main], part = {}, warnings = [] } of rows) {
    test(`DM-05 ${name}`, () => {
      const result = read(json)
      expect(result.card.supportedInterfaces).toEqual(interfaces)
      expect(result.card).toMatchObject({ name: 'Mill', ...part })
      expect(result.warnings).toEqual(warnings.map((text) => expect.stringMatching(text)))
      expect(JSON.stringify(result.card)).not.toContain('secret')
      expect(validate('AgentCard', result.card, { lenient: true })).toEqual(result.card)
    })
  }
})

describe('reading what secures a card', () => {
  const key = { apiKeySecurityScheme: { location: 'header', name: 'X' } }
  const flow = { tokenUrl: 'https://x/t', scopes: { a: 'A' } }
  const code = { ...flow, authorizationUrl: 'https://x/a' }
  const schemes: readonly { name: string; given: object; expected: object | undefined; warning?: RegExp }[] = [
    { name: 'flat', given: { type: 'apiKey', in: 'header', name: 'X' }, expected: key },
    { name: 'wrapped', given: key, expected: key },
    { name: 'both at once', given: { type: 'apiKey', in: 'header', name: 'X', ...key }, expected: key },
    {
      name: 'flat with the words of the proto (D-39)',
      given: { type: 'apiKey', location: 'header', name: 'X' },
      expected: key,
    },
    { name: 'without type', given: { in: 'header', name: 'X' }, expected: key },
    { name: 'type in another case', given: { type: 'APIKEY', in: 'header', name: 'X' }, expected: key },
    {
      name: 'HTTP',
      given: { type: 'http', scheme: 'basic' },
      expected: { httpAuthSecurityScheme: { scheme: 'basic' } },
    },
    {
      name: 'HTTP without type',
      given: { scheme: 'basic' },
      expected: { httpAuthSecurityScheme: { scheme: 'basic' } },
    },
    {
      name: 'OpenID without type',
      given: { openIdConnectUrl: 'https://x' },
      expected: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://x' } },
    },
    { name: 'mutual TLS (D-38)', given: { type: 'mutualTls' }, expected: { mtlsSecurityScheme: {} } },
    { name: 'mutual TLS by its short name', given: { type: 'mtls' }, expected: { mtlsSecurityScheme: {} } },
    {
      name: 'OAuth without type',
      given: { flows: { password: flow } },
      expected: { oauth2SecurityScheme: { flows: { password: flow } } },
    },
    {
      name: 'OAuth with a null among its flows',
      given: { type: 'oauth2', flows: { implicit: null, password: flow } },
      expected: { oauth2SecurityScheme: { flows: { password: flow } } },
    },
    {
      name: 'OAuth without a flow',
      given: { type: 'oauth2', flows: {} },
      expected: { oauth2SecurityScheme: { flows: {} } },
      warning: /^securitySchemes\.s.*flows/,
    },
    {
      name: 'a type of nobody',
      given: { type: 'seal' },
      expected: undefined,
      warning: /^securitySchemes\.s: has the type "seal", which is not known/,
    },
    { name: 'nothing', given: {}, expected: undefined, warning: /^securitySchemes\.s: has no type/ },
  ]
  for (const { name, given, expected, warning } of schemes) {
    test(`DM-49 scheme: ${name}`, () => {
      const { card, warnings } = read({ ...small03, securitySchemes: { s: given } })
      expect(card.securitySchemes?.s).toEqual(expected)
      expect(warnings).toEqual(warning === undefined ? [] : [expect.stringMatching(warning)])
    })
  }

  const requirements: readonly { name: string; given: unknown; expected: unknown }[] = [
    { name: 'flat (D-36)', given: [{ s: ['a'] }], expected: [{ schemes: { s: { list: ['a'] } } }] },
    { name: 'wrapped', given: [{ schemes: { s: { list: ['a'] } } }], expected: [{ schemes: { s: { list: ['a'] } } }] },
    {
      name: 'wrapped, with a plain list',
      given: [{ schemes: { s: ['a'] } }],
      expected: [{ schemes: { s: { list: ['a'] } } }],
    },
    {
      name: 'wrapped and empty',
      given: [{ schemes: { s: { list: [] }, t: {} } }],
      expected: [{ schemes: { s: {}, t: {} } }],
    },
    { name: 'flat with null', given: [{ s: null }], expected: [{ schemes: { s: {} } }] },
    {
      name: 'a scheme called schemes',
      given: [{ schemes: ['a'] }],
      expected: [{ schemes: { schemes: { list: ['a'] } } }],
    },
    { name: 'nothing needed', given: [{}, { s: [] }], expected: [{}, { schemes: { s: {} } }] },
    { name: 'alternatives', given: [{ s: [] }, { t: [] }], expected: [{ schemes: { s: {} } }, { schemes: { t: {} } }] },
  ]
  for (const { name, given, expected } of requirements) {
    test(`DM-47 requirement: ${name}`, () => {
      const skill = { ...small03.skills[0], security: given }
      const { card, warnings } = read({ ...small03, security: given, skills: [skill] })
      expect(card.securityRequirements).toEqual(expected)
      expect(card.skills[0]?.securityRequirements).toEqual(expected)
      expect(warnings).toEqual([])
    })
  }

  test('DM-55 D-40 several flows become several schemes, and a requirement one alternative for each', () => {
    const { card } = read({
      ...small03,
      securitySchemes: {
        o: { type: 'oauth2', flows: { password: flow, clientCredentials: flow, authorizationCode: code } },
        o_password: { type: 'http', scheme: 'basic' },
        p: { type: 'oauth2', flows: { implicit: { ...code, tokenUrl: undefined }, clientCredentials: flow } },
      },
      security: [{ o: ['a'], p: [] }, { o_password: [] }],
    })
    expect(Object.keys(card.securitySchemes ?? {})).toEqual([
      'o',
      'o_clientCredentials',
      'o_password_2',
      'o_password',
      'p',
      'p_implicit',
    ])
    expect(card.securitySchemes?.o).toEqual({ oauth2SecurityScheme: { flows: { authorizationCode: code } } })
    expect(card.securitySchemes?.p).toEqual({ oauth2SecurityScheme: { flows: { clientCredentials: flow } } })
    const list = ['a']
    expect(card.securityRequirements).toEqual([
      { schemes: { o: { list }, p: {} } },
      { schemes: { o: { list }, p_implicit: {} } },
      { schemes: { o_clientCredentials: { list }, p: {} } },
      { schemes: { o_clientCredentials: { list }, p_implicit: {} } },
      { schemes: { o_password_2: { list }, p: {} } },
      { schemes: { o_password_2: { list }, p_implicit: {} } },
      { schemes: { o_password: {} } },
    ])
  })

  test('DM-55 a requirement of very many flows does not explode', () => {
    const flows = { authorizationCode: code, clientCredentials: flow, implicit: code, password: flow }
    const names = Array.from({ length: 40 }, (_, index) => `s${index}`)
    const { card, warnings } = read({
      ...small03,
      securitySchemes: Object.fromEntries(names.map((name) => [name, { type: 'oauth2', flows }])),
      security: [Object.fromEntries(names.map((name) => [name, []]))],
    })
    expect(card.securityRequirements).toHaveLength(1)
    expect(warnings).toEqual([expect.stringMatching(/^security\[0\]: stands for .* only the first is used/)])
  })
})

describe('what cannot be read is refused by its path', () => {
  const rows: readonly { name: string; json: unknown; field: string }[] = [
    { name: 'no object', json: [small03], field: '' },
    { name: 'no URL', json: { ...small03, url: undefined }, field: 'url' },
    { name: 'a URL that is a number', json: { ...small03, url: 7 }, field: 'url' },
    { name: 'a transport that is a list', json: { ...small03, preferredTransport: [] }, field: 'preferredTransport' },
    {
      name: 'additional interfaces that are none',
      json: { ...small03, additionalInterfaces: {} },
      field: 'additionalInterfaces',
    },
    {
      name: 'an additional interface of text',
      json: { ...small03, additionalInterfaces: ['x'] },
      field: 'additionalInterfaces[0]',
    },
    { name: 'security of text', json: { ...small03, security: ['x'] }, field: 'security[0]' },
    {
      name: 'security of a skill',
      json: { ...small03, skills: [{ ...small03.skills[0], security: 7 }] },
      field: 'skills[0].security',
    },
    { name: 'a name that is a number', json: { ...small03, name: 7 }, field: 'name' },
    { name: 'a scheme of text', json: { ...small03, securitySchemes: { s: 'x' } }, field: 'securitySchemes.s' },
    { name: 'skills of text', json: { ...small03, skills: 'x' }, field: 'skills' },
  ]
  for (const { name, json, field } of rows) {
    test(`DM-05 ${name}`, () => {
      const error = A2AError.from(
        (() => {
          try {
            return read(json)
          } catch (thrown) {
            return thrown
          }
        })(),
      )
      expect(error.code).toBe('InvalidParams')
      expect(error.violations.map((violation) => violation.field)).toEqual([field])
    })
  }
})
