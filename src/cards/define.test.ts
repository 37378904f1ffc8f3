import { expect, test } from 'vitest'
import { type AgentDescription, defineCard, joinCapabilities } from './define.ts'

const skill = { id: 's', name: 'S', description: 'does s', tags: ['s'] }
const agent: AgentDescription = {
  name: 'Echo',
  description: 'says it again',
  version: '1.2.3',
  skills: [skill],
  inputModes: ['text/plain'],
  outputModes: ['text/plain'],
  capabilities: { streaming: true, pushNotifications: false },
}
const interfaces = [{ url: 'https://a.example/invoke', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]

test('CARD-02 PJ-14 a card has all that is required, and nothing empty', () => {
  expect(defineCard(agent, { interfaces })).toEqual({
    name: 'Echo',
    description: 'says it again',
    supportedInterfaces: interfaces,
    version: '1.2.3',
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [skill],
  })
})

test('CARD-22 EXT-01 schemes and extensions of agent and server are joined', () => {
  const bearer = { httpAuthSecurityScheme: { scheme: 'Bearer' } }
  const card = defineCard(
    { ...agent, securitySchemes: { own: bearer }, capabilities: { extensions: [{ uri: 'urn:a', required: true }] } },
    {
      interfaces,
      securitySchemes: { bearer },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      extensions: [{ uri: 'urn:a', description: 'server' }, { uri: 'urn:b' }],
    },
  )
  expect(card.securitySchemes).toEqual({ own: bearer, bearer })
  expect(card.securityRequirements).toEqual([{ schemes: { bearer: {} } }])
  expect(card.capabilities.extensions).toEqual([{ uri: 'urn:a', required: true }, { uri: 'urn:b' }])
})

test('capabilities without extensions stay without', () => {
  expect(joinCapabilities({ streaming: true, extensions: [] }, [])).toEqual({ streaming: true })
})

const wrong: readonly (readonly [rule: string, change: Partial<AgentDescription>, text: string])[] = [
  ['CARD-02', { name: '' }, 'name'],
  ['CARD-03', { skills: [] }, 'skills'],
  ['CARD-03', { inputModes: [] }, 'defaultInputModes'],
  ['CARD-03', { skills: [{ ...skill, tags: [] }] }, 'skills[0].tags'],
  ['CARD-23', { securityRequirements: [{ schemes: { lost: {} } }] }, 'lost'],
  ['CARD-23', { skills: [{ ...skill, securityRequirements: [{ schemes: { toString: {} } }] }] }, 'toString'],
  ['CARD-30', { documentationUrl: 'docs' }, 'documentationUrl'],
  ['CARD-30', { provider: { url: 'x', organization: 'X' } }, 'provider.url'],
  ['two skills with one id', { skills: [skill, skill] }, 'two skills have the id s'],
]
for (const [rule, change, text] of wrong) {
  test(`${rule} a card that breaks a rule is not made: ${JSON.stringify(change)}`, () => {
    expect(() => defineCard({ ...agent, ...change }, { interfaces })).toThrow(text)
    expect(() => defineCard({ ...agent, ...change }, { interfaces })).toThrow(TypeError)
  })
}

test('CARD-09 interfaces are absolute', () => {
  expect(() => defineCard(agent, { interfaces: [] })).toThrow('supportedInterfaces')
  const relative = [...interfaces, { url: '/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }]
  expect(() => defineCard(agent, { interfaces: relative })).toThrow('supportedInterfaces[1].url')
  const grpc = { url: 'a.example:50051', protocolBinding: 'GRPC', protocolVersion: '1.0' }
  expect(defineCard(agent, { interfaces: [grpc] }).supportedInterfaces).toEqual([grpc])
})
