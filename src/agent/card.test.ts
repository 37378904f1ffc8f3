import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Folder } from '../../test/agent/kit.ts'
import { type LoadedAgent, loadAgentFile } from './load.ts'

let folder: Folder

beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.remove())

async function load(text: string, name = 'My Agent.yaml'): Promise<LoadedAgent> {
  return loadAgentFile(await folder.write(name, text), { env: { WHO: 'ann' }, probe: false })
}

test('the card of a full file', async () => {
  const agent = await load(`
agents:
  root:
    model: openai/x
    description: "Helps \${env.WHO}. "
    welcome_message: hello
    commands:
      - fix: { description: Fixes it., instruction: Fix. }
      - hidden: No description.
      - "My Agent": { description: Same id., instruction: x }
models: { unused: { provider: nope, model: x } }
providers: { openai: { base_url: "http://localhost:1" } }
metadata: { author: "Ann (https://example.com/ann)", version: 2.1, tags: [a, b], license: MIT, readme: r }
`)
  const { run: _run, warm: _warm, ...rest } = agent
  expect(rest).toEqual({
    name: 'My Agent',
    description: 'Helps ann.',
    version: '2.1',
    agentName: 'root',
    models: ['openai/x'],
    safety: 'restricted',
    warnings: [],
    resumable: false,
    capabilities: { streaming: true, pushNotifications: false },
    provider: { organization: 'Ann', url: 'https://example.com/ann' },
    inputModes: [
      'text/plain',
      'text/markdown',
      'text/csv',
      'text/html',
      'application/json',
      'application/xml',
      'application/yaml',
    ],
    outputModes: ['text/plain'],
    skills: [
      { id: 'my-agent', name: 'My Agent', description: 'Helps ann.', tags: ['a', 'b'] },
      { id: 'fix', name: 'fix', description: 'Fixes it.', tags: ['a', 'b'], examples: ['/fix'] },
      { id: 'my-agent-2', name: 'My Agent', description: 'Same id.', tags: ['a', 'b'], examples: ['/My Agent'] },
    ],
  })
})

test('the card of a bare file', async () => {
  const text = 'agents: { root: { model: ollama/x } }'
  const agent = await load(text, 'bare.yaml')
  expect(agent).toMatchObject({
    name: 'bare',
    description: 'Agent bare',
    skills: [{ id: 'bare', name: 'bare', description: 'Agent bare', tags: ['bare'] }],
  })
  expect(agent.version).toMatch(/^0\.0\.0\+[0-9a-f]{12}$/)
  expect((await load(text, 'bare.yaml')).version).toBe(agent.version)
  expect((await load(`${text} `, 'bare.yaml')).version).not.toBe(agent.version)
  expect(Object.keys(agent)).not.toContain('provider')
})

for (const [author, expected] of [
  ['Ann <https://example.com>', { organization: 'Ann', url: 'https://example.com' }],
  ['https://example.com/ann', { organization: 'example.com', url: 'https://example.com/ann' }],
  ['Ann', undefined],
  ['Ann <ann@example.com>', undefined],
] as const) {
  test(`the provider of author ${author}`, async () => {
    const agent = await load(`agents: { root: { model: ollama/x } }\nmetadata: { author: "${author}" }`)
    expect(agent.provider).toEqual(expected)
  })
}
