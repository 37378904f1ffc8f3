import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { run, taskOf } from '../../test/agent/kit.ts'
import { loadAgentFile } from './load.ts'
import { loadAgentModule } from './module.ts'

const folder = resolve(import.meta.dirname, '../../examples')
const env = {
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  GATEWAY_URL: 'http://gateway.example/v1',
  GATEWAY_TOKEN: 'k',
}

const files: Readonly<Record<string, { readonly models: readonly string[]; readonly skills?: readonly string[] }>> = {
  'basic.yaml': { models: ['openai/gpt-5-mini'] },
  'commands.yaml': { models: ['anthropic/claude-sonnet-4-5'], skills: ['commands', 'translate', 'shorten', 'rhyme'] },
  'custom-provider.yaml': { models: ['gateway/small-chat'] },
  'fallback.yaml': { models: ['openai/gpt-5-mini', 'anthropic/claude-sonnet-4-5', 'dmr/ai/qwen3:4b'] },
  'pirate.yaml': { models: ['anthropic/claude-sonnet-4-5'] },
  'pong.yaml': { models: ['dmr/ai/qwen3:4b'] },
  'structured-output.yaml': { models: ['openai/gpt-5-mini'], skills: ['structured-output', 'demo'] },
}

test('every agent file among the examples is in the table', () => {
  const found = readdirSync(folder).filter((name) => name.endsWith('.yaml') && !name.endsWith('.fake.yaml'))
  expect(found.sort()).toEqual(Object.keys(files).sort())
})

for (const [name, { models, skills }] of Object.entries(files)) {
  test(`the example ${name} loads without a warning`, async () => {
    const agent = await loadAgentFile(`${folder}/${name}`, { env, probe: false, strict: true })
    expect(agent.warnings).toEqual([])
    expect(agent.models).toEqual(models)
    expect(agent.skills.map((skill) => skill.id)).toEqual(skills ?? [agent.name])
  })
}

test('all forms of the pong example answer pong', async () => {
  const pong = await loadAgentFile(`${folder}/pong.yaml`, { env: {}, fake: `${folder}/pong.fake.yaml` })
  expect(pong).toMatchObject({
    name: 'pong',
    description: 'Answers every message with the word pong.',
    agentName: 'root',
    warnings: [],
  })
  expect(await run(pong, taskOf('ping'))).toEqual(['WORKING', 'pong'])
  expect((await run(pong, taskOf('slowly, please'))).join('')).toBe('WORKINGpong')
  expect(await run(pong, taskOf('fail'))).toEqual([
    'WORKING',
    'FAILED: The model script pong.fake.yaml failed: HTTP 400, the provider did not accept the request (the script was asked to fail)',
  ])
})

test('the example in code answers with what it hears', async () => {
  const alias = { 'parlance/server': resolve(import.meta.dirname, '../engine/executor.ts') }
  const echo = await loadAgentModule(`${folder}/echo.ts`, { alias })
  expect(echo.name).toBe('echo')
  expect(await run(echo, taskOf([{ text: 'a' }, { data: 1 }]))).toEqual([{ text: 'a' }, { data: 1 }])
})
