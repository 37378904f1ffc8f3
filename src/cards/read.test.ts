import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { A2AError } from '../protocol/errors.ts'
import { mergeCard03, toCard03 } from '../protocol/versions/v0-3/card.ts'
import { readCard } from './read.ts'
import { recognizeCard } from './recognize.ts'

const common = {
  name: 'Atlas',
  description: 'Finds ways',
  version: '7',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'way', name: 'Way', description: 'Finds a way', tags: ['maps'] }],
}
const url = 'https://atlas.example/a2a'
const rpc = { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
const rpc03 = { ...rpc, protocolVersion: '0.3' }
const newer = { ...common, supportedInterfaces: [rpc] }
const both = {
  ...common,
  supportedInterfaces: [rpc, rpc03],
  securitySchemes: { k: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
}
const older = { ...common, url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' }
const flat = { k: { type: 'http', scheme: 'Bearer' } }
const wrapped = { k: { httpAuthSecurityScheme: { scheme: 'Bearer' } } }

function read(json: unknown): { readonly card: ReturnType<typeof readCard>; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  return { card: readCard(json, { warnings }), warnings }
}

interface Row {
  readonly name: string
  readonly json: object
  readonly shape: ReturnType<typeof recognizeCard>['shape']
  readonly draft?: boolean
  /** `binding version` of each interface. */
  readonly interfaces: readonly string[]
  readonly warnings?: readonly RegExp[]
}

const rows: readonly Row[] = [
  { name: 'a: pure 1.0', json: newer, shape: '1.0', interfaces: ['JSONRPC 1.0'] },
  { name: 'b: pure 0.3', json: older, shape: '0.3', interfaces: ['JSONRPC 0.3'] },
  {
    name: 'b: 0.3 with flat schemes',
    json: { ...older, securitySchemes: flat, security: [{ k: [] }] },
    shape: '0.3',
    interfaces: ['JSONRPC 0.3'],
  },
  {
    name: 'b: 0.2.x',
    json: { ...common, url, protocolVersion: '0.2.6' },
    shape: '0.3',
    interfaces: ['JSONRPC 0.3'],
    warnings: [/^protocolVersion: 0\.2 is older/],
  },
  { name: 'b: of before protocolVersion', json: { ...common, url }, shape: '0.3', interfaces: ['JSONRPC 0.3'] },
  {
    name: 'b: 0.3 with an empty list of 1.0',
    json: { ...older, supportedInterfaces: [] },
    shape: '0.3',
    interfaces: ['JSONRPC 0.3'],
  },
  {
    name: 'b: 0.3 with a null list of 1.0',
    json: { ...older, supportedInterfaces: null },
    shape: '0.3',
    interfaces: ['JSONRPC 0.3'],
  },
  {
    name: 'b: 0.3 as the proto has it',
    json: { ...older, securitySchemes: wrapped, security: [{ schemes: { k: { list: [] } } }] },
    shape: '0.3',
    draft: true,
    interfaces: ['JSONRPC 0.3'],
  },
  {
    name: 'b: 0.3 with wrapped security alone',
    json: { ...older, security: [{ schemes: { k: {} } }] },
    shape: '0.3',
    draft: true,
    interfaces: ['JSONRPC 0.3'],
  },
  {
    name: 'b: 0.3 with supportsExtendedAgentCard',
    json: { ...older, supportsExtendedAgentCard: false },
    shape: '0.3',
    draft: true,
    interfaces: ['JSONRPC 0.3'],
  },
  {
    name: 'b: 0.3 with a scheme called schemes',
    json: { ...older, security: [{ schemes: [] }] },
    shape: '0.3',
    interfaces: ['JSONRPC 0.3'],
  },
  { name: 'b: written from 1.0', json: toCard03(both, 'json'), shape: '0.3', interfaces: ['JSONRPC 0.3'] },
  { name: 'c: both in one', json: mergeCard03(both), shape: 'merged', interfaces: ['JSONRPC 1.0', 'JSONRPC 0.3'] },
  {
    name: 'c: both in one, schemes as 0.3 has them',
    json: { ...newer, ...older, securitySchemes: flat, security: [{ k: [] }] },
    shape: 'merged',
    interfaces: ['JSONRPC 1.0', 'JSONRPC 0.3'],
  },
  {
    name: 'c: both in one, with the URL of 1.0 at the top',
    json: { ...newer, url, protocolVersion: '1.0' },
    shape: 'merged',
    interfaces: ['JSONRPC 1.0'],
  },
  { name: 'd: 1.0 with interfaces of 0.3', json: both, shape: '1.0', interfaces: ['JSONRPC 1.0', 'JSONRPC 0.3'] },
  {
    name: 'e: 1.0 with the security of 0.3',
    json: {
      ...newer,
      securitySchemes: flat,
      security: [{ k: [] }],
      supportsAuthenticatedExtendedCard: true,
      skills: [{ ...common.skills[0], security: [{ k: [] }] }],
    },
    shape: '1.0',
    interfaces: ['JSONRPC 1.0'],
    warnings: [
      /^security: is called securityRequirements/,
      /^skills\[0\]\.security: is called/,
      /^securitySchemes\.k: has the form of 0\.3/,
      /^supportsAuthenticatedExtendedCard: is called capabilities/,
    ],
  },
  {
    name: 'f: a patch number',
    json: { ...newer, supportedInterfaces: [{ ...rpc, protocolVersion: '1.0.1' }] },
    shape: '1.0',
    interfaces: ['JSONRPC 1.0.1'],
  },
  {
    name: 'a draft of 1.0 with one version for all interfaces',
    json: { ...common, protocolVersion: '1.0', supportedInterfaces: [{ url, transport: 'JSONRPC' }] },
    shape: '1.0',
    interfaces: ['JSONRPC 1.0'],
    warnings: [
      /^supportedInterfaces\[0\]\.protocolVersion: is missing/,
      /^supportedInterfaces\[0\]\.transport: is called protocolBinding/,
    ],
  },
]

describe('every shape of card becomes one of 1.0', () => {
  for (const { name, json, shape, draft = false, interfaces, warnings = [] } of rows) {
    test(`Case 24 AMB-61 AMB-62 ${name}`, () => {
      expect(recognizeCard(json)).toEqual({ shape, draft })
      const result = read(json)
      expect(
        result.card.supportedInterfaces.map((iface) => `${iface.protocolBinding} ${iface.protocolVersion}`),
      ).toEqual(interfaces)
      expect(result.card).toMatchObject({ name: 'Atlas', skills: [{ id: 'way', tags: ['maps'] }] })
      expect(result.warnings).toEqual(warnings.map((text) => expect.stringMatching(text)))
      if ('securitySchemes' in json) expect(result.card.securitySchemes).toEqual(wrapped)
      if ('security' in json && 'securitySchemes' in json) {
        expect(result.card.securityRequirements).toEqual([{ schemes: { k: {} } }])
      }
    })
  }

  test('CARD-29 a card of both versions keeps its signatures, one of 0.3 cannot', () => {
    const signatures = [{ protected: 'e30', signature: 'AA' }]
    expect(read({ ...newer, ...older, signatures }).card.signatures).toEqual(signatures)
    const { card, warnings } = read({ ...older, signatures })
    expect(card).not.toHaveProperty('signatures')
    expect(warnings).toEqual([expect.stringMatching(/^signatures: were left out/)])
  })

  test('DM-05 a card that holds nothing of any version says what 1.0 wants', () => {
    const { card, warnings } = read(common)
    expect(card.supportedInterfaces).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('supportedInterfaces: is required')])
  })

  for (const [name, json, text] of [
    ['a list of 1.0 that is text', { ...older, supportedInterfaces: 'none' }, 'supportedInterfaces: must be an array'],
    ['0.3 without a URL', { ...older, url: undefined }, 'url: is required'],
    ['0.3 with a URL of another type', { ...older, url: {} }, 'url: must be a string'],
    ['0.3 with security of text', { ...older, security: ['k'] }, 'security[0]: must be a JSON object'],
    ['no card at all', null, 'must be a JSON object'],
  ] as const) {
    test(`DM-05 refused by its path: ${name}`, () => {
      expect(() => read(json)).toThrow(
        expect.objectContaining({ code: 'InvalidAgentResponse', message: expect.stringContaining(text) }),
      )
    })
  }
})

/** The places in a JSON document, as lists of member names. */
function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([name, inner]) => places(inner, [...path, name]))]
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by
  const inner = (value as Record<string, unknown>)[name]
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  return Object.assign(copy, { [name]: replaced(inner, rest, by) })
}

const full03 = {
  ...older,
  additionalInterfaces: [{ url, transport: 'GRPC' }],
  provider: { organization: 'O', url },
  securitySchemes: { ...flat, o: { type: 'oauth2', flows: { password: { tokenUrl: url, scopes: {} } } } },
  security: [{ k: [] }, { schemes: { o: { list: ['a'] } } }],
  authentication: { schemes: ['Bearer'] },
  signatures: [{ protected: 'e30', signature: 'AA' }],
  supportsAuthenticatedExtendedCard: true,
}

// Members that every object has, in a form that it has not.
const oddObject = fc.dictionary(fc.constantFrom('toString', 'valueOf', 'constructor', 'type', 'flows'), fc.jsonValue())

for (const [name, json] of [
  ['0.3', full03],
  ['merged', { ...full03, ...both, securitySchemes: full03.securitySchemes }],
] as const) {
  test(`Case 21 DM-05 whatever stands in place of one member of a ${name} card, it is read or refused by its path`, () => {
    const paths = places(json).slice(1)
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.oneof(fc.jsonValue({ maxDepth: 3 }), oddObject), (path, wrong) => {
        try {
          expect(read(replaced(json, path, wrong)).card.supportedInterfaces.length).toBeGreaterThan(0)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'InvalidAgentResponse' })
          expect((thrown as A2AError).violations.length).toBeGreaterThan(0)
        }
      }),
      { numRuns: 400 },
    )
  })
}

test('Case 21 any JSON at all is read or refused', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => {
      try {
        read(json)
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'InvalidAgentResponse' })
      }
    }),
  )
})
