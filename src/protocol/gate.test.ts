import { expect, test } from 'vitest'
import { A2AError } from './errors.ts'
import { createGate } from './gate.ts'
import type { AgentCapabilities } from './generated/v1/types.ts'
import { operations } from './operations.ts'

function outcome(
  capabilities: AgentCapabilities,
  { name, extensions = [] }: { name: string; extensions?: string[] },
): string {
  const operation = operations.find((row) => row.name === name)
  if (operation === undefined) throw new Error(`no operation ${name}`)
  try {
    createGate(capabilities)(operation, { extensions })
    return 'passed'
  } catch (error) {
    return A2AError.from(error).code
  }
}

for (const { name, needs } of operations) {
  test(`CAP-01 ${name} when nothing is declared, and when all is`, () => {
    const all = { streaming: true, pushNotifications: true, extendedAgentCard: true }
    expect(outcome({}, { name })).toBe(needs === undefined ? 'passed' : needs.error)
    expect(outcome(all, { name })).toBe('passed')
  })
}

const required = { streaming: true, extensions: [{ uri: 'urn:x', required: true }, { uri: 'urn:y' }] }
for (const name of ['SendMessage', 'SendStreamingMessage']) {
  test(`CAP-06 EXT-12 ${name} must declare a required extension`, () => {
    expect(outcome(required, { name })).toBe('ExtensionSupportRequired')
    expect(outcome(required, { name, extensions: ['urn:X', 'urn:y'] })).toBe('ExtensionSupportRequired')
    expect(outcome(required, { name, extensions: ['urn:x'] })).toBe('passed')
  })
}

test('AMB-72 other operations need no required extension', () => {
  expect(outcome(required, { name: 'GetTask' })).toBe('passed')
})
