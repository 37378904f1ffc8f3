import { describe, expect, test } from 'vitest'
import type { AgentCard } from '../protocol/generated/v1/types.ts'
import { askedShape, type CardShape, inShape } from './card-shape.ts'

const newer = { url: 'https://agent.example/invoke', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
const older = { ...newer, protocolVersion: '0.3' }
const card: AgentCard = {
  name: 'Agent',
  description: 'Does things',
  supportedInterfaces: [newer, older],
  version: '1',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'D', tags: ['t'] }],
}

describe('AMB-62 which form a request for the card gets', () => {
  const now = '/.well-known/agent-card.json'
  const old = '/.well-known/agent.json'
  const rows: readonly (readonly [version: string | undefined, path: string, usual: CardShape, shape: CardShape])[] = [
    [undefined, now, '1.0', '1.0'],
    ['', now, '1.0', '1.0'],
    ['1.0', now, '1.0', '1.0'],
    ['0.3', now, '1.0', '0.3'],
    [' 0.3.0 ', now, '1.0', '0.3'],
    ['2.0', now, '1.0', '1.0'],
    ['nonsense', now, '1.0', '1.0'],
    [undefined, now, 'merged', 'merged'],
    ['2.0', now, 'merged', 'merged'],
    ['1.0', now, 'merged', '1.0'],
    ['0.3', now, 'merged', '0.3'],
    [undefined, now, '0.3', '0.3'],
    ['1.0', now, '0.3', '1.0'],
    [undefined, old, '1.0', '0.3'],
    [undefined, `/acme${old}`, '1.0', '0.3'],
    [undefined, old, 'merged', 'merged'],
    ['1.0', old, '1.0', '1.0'],
  ]
  for (const [version, path, usual, shape] of rows) {
    test(`version ${JSON.stringify(version)} at ${path}, where ${usual} is usual: ${shape}`, () => {
      const headers = version === undefined ? {} : { 'a2a-version': version }
      expect(askedShape({ headers, path } as Parameters<typeof askedShape>[0], usual)).toBe(shape)
    })
  }
})

describe('AMB-62 a card in each form', () => {
  const losses: string[] = []
  const note = (loss: string): void => void losses.push(loss)

  test('of 1.0, as it is', () => expect(inShape(card, '1.0', note)).toBe(card))

  test('of 0.3, without anything of 1.0', () => {
    const shaped = inShape(card, '0.3', note)
    expect(shaped).toMatchObject({ url: older.url, protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' })
    expect(shaped).not.toHaveProperty('supportedInterfaces')
  })

  test('of both', () => {
    expect(inShape(card, 'merged', note)).toMatchObject({ ...card, url: older.url, protocolVersion: '0.3.0' })
  })

  for (const supportedInterfaces of [[newer], [newer, { ...older, tenant: 't' }]]) {
    test(`CARD-05 where nobody of 0.3 is served, of 1.0 whatever was asked for: ${JSON.stringify(supportedInterfaces)}`, () => {
      const only = { ...card, supportedInterfaces }
      for (const shape of ['0.3', 'merged'] as const) expect(inShape(only, shape, note)).toBe(only)
    })
  }

  test('nothing was lost on the way', () => expect(losses).toEqual([]))
})
