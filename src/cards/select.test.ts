import { describe, expect, test } from 'vitest'
import type { AgentInterface } from '../protocol/generated/v1/types.ts'
import { readCard } from './read.ts'
import { selectInterfaces } from './select.ts'

const sound = {
  name: 'A',
  description: 'B',
  version: '1',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'D', tags: ['t'] }],
}

function select(
  supportedInterfaces: unknown,
  { versions = ['1.0'], bindings = ['JSONRPC', 'HTTP+JSON'] }: { versions?: string[]; bindings?: string[] } = {},
) {
  const warnings: string[] = []
  const card = readCard({ ...sound, supportedInterfaces }, { warnings })
  const cardUrl = 'https://agent.example/.well-known/agent-card.json'
  const options = { bindings, versions, cardUrl, warnings }
  return { interfaces: selectInterfaces(card, options), warnings }
}

const rpc: AgentInterface = { url: 'https://agent.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
const rest: AgentInterface = {
  url: 'https://agent.example/',
  protocolBinding: 'HTTP+JSON',
  protocolVersion: '1.0',
  tenant: 'a/b ü',
}

describe('CARD-17 which interface is used', () => {
  test('the order of the card, with URL and tenant untouched (CARD-18)', () => {
    expect(select([rest, rpc]).interfaces).toEqual([rest, rpc])
    expect(select([rest, rpc]).warnings).toEqual([])
  })

  test('unknown bindings and other versions are skipped (CUST-13)', () => {
    const others = [
      { ...rpc, protocolBinding: 'GRPC', url: 'agent.example:50051' },
      { ...rpc, protocolBinding: 'https://x.example/binding' },
      { ...rpc, protocolVersion: '0.3' },
      { ...rpc, protocolVersion: '1.1' },
    ]
    expect(select([...others, rest]).interfaces).toEqual([rest])
  })

  test('AMB-88 the newer version first, and in each version the order of the card', () => {
    const old = [
      { ...rest, protocolVersion: '0.3' },
      { ...rpc, protocolVersion: '0.3' },
    ]
    const listed = [old[0], rest, { ...rpc, protocolVersion: '2.0' }, old[1], rpc]
    const { interfaces, warnings } = select(listed, { versions: ['1.0', '0.3'] })
    expect(interfaces).toEqual([rest, rpc, ...old])
    expect(warnings).toEqual([])
    expect(select(listed, { versions: ['0.3'] }).interfaces).toEqual(old)
  })

  const targets: readonly { given: string; expected?: string | undefined }[] = [
    { given: 'agent.example:50051' },
    { given: 'agent.example' },
    { given: '10.0.0.7:50051' },
    { given: '[2001:db8::7]:50051' },
    { given: 'dns:///agent.example:50051' },
    { given: 'dns:agent.example:50051' },
    { given: 'http://agent.example:50051' },
    { given: 'https://agent.example' },
    { given: 'grpc://agent.example:50051' },
    { given: 'grpcs://agent.example' },
    // A card from elsewhere may not send callers, with their credentials, to a socket of their own machine.
    { given: 'unix:/run/agent.sock', expected: undefined },
    { given: 'unix-abstract:agent', expected: undefined },
    { given: '0.0.0.0:50051', expected: 'agent.example:50051' },
    { given: '[::]:50051', expected: 'agent.example:50051' },
    { given: ':50051', expected: 'agent.example:50051' },
    { given: 'dns:///0.0.0.0:50051', expected: 'dns:///agent.example:50051' },
    { given: 'grpc://[0:0:0:0:0:0:0:0]:50051', expected: 'grpc://agent.example:50051' },
    { given: 'http://0.0.0.0', expected: 'http://agent.example' },
    { given: '/grpc', expected: undefined },
  ]
  for (const { given, ...rest } of targets) {
    test(`AMB-60 an address of gRPC: ${given}`, () => {
      const expected = 'expected' in rest ? rest.expected : given
      const iface = { url: given, protocolBinding: 'GRPC', protocolVersion: '1.0' }
      const { interfaces, warnings } = select([iface, rpc], { bindings: ['GRPC', 'JSONRPC'] })
      expect(interfaces).toEqual(expected === undefined ? [rpc] : [{ ...iface, url: expected }, rpc])
      expect(warnings).toEqual(
        expected === undefined || expected === given
          ? []
          : [expect.stringMatching(/^supportedInterfaces\[0\]\.url.*names no host/)],
      )
    })
  }

  const bent: readonly { name: string; given: object; expected: object; warning: RegExp }[] = [
    {
      name: 'a binding in lower case',
      given: { ...rest, protocolBinding: 'http+json' },
      expected: rest,
      warning: /protocolBinding.*"HTTP\+JSON"/,
    },
    {
      name: 'a patch number (VERS-03)',
      given: { ...rpc, protocolVersion: '1.0.1' },
      expected: rpc,
      warning: /protocolVersion.*Major\.Minor/,
    },
    {
      name: 'no version',
      given: { ...rpc, protocolVersion: undefined },
      expected: rpc,
      warning: /protocolVersion: is missing/,
    },
    { name: 'a relative URL', given: { ...rpc, url: '/rpc' }, expected: rpc, warning: /must be absolute/ },
    {
      name: 'an unspecified IPv4 host',
      given: { ...rpc, url: 'http://0.0.0.0:8080/rpc' },
      expected: { ...rpc, url: 'http://agent.example:8080/rpc' },
      warning: /names no host/,
    },
    {
      name: 'an unspecified IPv6 host',
      given: { ...rpc, url: 'http://[::]:8080/rpc' },
      expected: { ...rpc, url: 'http://agent.example:8080/rpc' },
      warning: /names no host/,
    },
  ]
  for (const { name, given, expected, warning } of bent) {
    test(`${name} is put right, with a warning`, () => {
      const { interfaces, warnings } = select([given])
      expect(interfaces).toEqual([expected])
      expect(warnings.join('\n')).toMatch(warning)
    })
  }

  const refused: readonly { name: string; given: unknown; code: string; text: RegExp }[] = [
    { name: 'none', given: [], code: 'InvalidAgentResponse', text: /supportedInterfaces: is required/ },
    { name: 'null', given: null, code: 'InvalidAgentResponse', text: /supportedInterfaces: is required/ },
    { name: 'missing', given: undefined, code: 'InvalidAgentResponse', text: /supportedInterfaces: is required/ },
    {
      name: 'only other bindings',
      given: [{ ...rpc, protocolBinding: 'GRPC' }],
      code: 'UnsupportedOperation',
      text: /supportedInterfaces\[0\] \(GRPC 1\.0 at https:\/\/agent\.example\/rpc\)/,
    },
    {
      name: 'only other versions',
      given: [{ ...rpc, protocolVersion: '0.3' }],
      code: 'VersionNotSupported',
      text: /JSONRPC 0\.3/,
    },
    { name: 'without URL', given: [{ ...rpc, url: '' }], code: 'UnsupportedOperation', text: /no url/ },
  ]
  for (const { name, given, code, text } of refused) {
    test(`interfaces: ${name}`, () => {
      expect(() => select(given)).toThrow(expect.objectContaining({ code, message: expect.stringMatching(text) }))
    })
  }
})

describe('reading a card liberally', () => {
  function read(changes: object): { card: ReturnType<typeof readCard>; warnings: string[] } {
    const warnings: string[] = []
    return { card: readCard({ ...sound, supportedInterfaces: [rpc], ...changes }, { warnings }), warnings }
  }

  const rows: readonly { name: string; changes: object; path?: string }[] = [
    { name: 'skills null', changes: { skills: null }, path: 'skills' },
    { name: 'skills missing', changes: { skills: undefined }, path: 'skills' },
    { name: 'securitySchemes null', changes: { securitySchemes: null } },
    { name: 'unknown members', changes: { xUnknown: { deep: [1] }, capabilities: { stateTransitionHistory: true } } },
    { name: 'empty mode lists', changes: { defaultInputModes: [], defaultOutputModes: [] }, path: 'defaultInputModes' },
    {
      name: 'a skill with an empty name and no tags',
      changes: { skills: [{ id: 'x_', name: '', description: 'D' }] },
      path: 'skills[0].name',
    },
    { name: 'no capabilities', changes: { capabilities: undefined }, path: 'capabilities' },
    {
      name: 'snake_case',
      changes: {
        supportedInterfaces: undefined,
        supported_interfaces: [{ url: rpc.url, protocol_binding: 'JSONRPC', protocol_version: '1.0' }],
      },
    },
  ]
  for (const { name, changes, path } of rows) {
    test(`${name} is tolerated${path ? ' and named by its path' : ''}`, () => {
      const { card, warnings } = read(changes)
      expect(card.supportedInterfaces).toEqual([rpc])
      expect(Array.isArray(card.skills)).toBe(true)
      if (path === undefined) expect(warnings).toEqual([])
      else expect(warnings.some((text) => text.startsWith(`${path}:`))).toBe(true)
    })
  }

  test('what has the wrong type is reported by its path', () => {
    expect(() => read({ skills: [{ id: 's', name: 7 }] })).toThrow(
      expect.objectContaining({
        code: 'InvalidAgentResponse',
        message: expect.stringMatching(/skills\[0\]\.name: must be a string/),
      }),
    )
  })
})
