import { generateText, jsonSchema, streamText, tool } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Folder, loadText, run, taskOf, userMessage } from '../../../test/agent/kit.ts'
import type { LoadedAgent } from '../load.ts'
import { readScript } from './scripted-file.ts'
import { createScriptedModel } from './scripted-model.ts'

let folder: Folder

beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.remove())

async function load(script: string, agent = 'model: openai/gpt-5-mini, description: d'): Promise<LoadedAgent> {
  const fake = await folder.write('script.yaml', script)
  return loadText(folder, `agents: { root: { ${agent} } }`, { fake })
}

test('rules are tried in order, the default last, and groups are filled in', async () => {
  const agent = await load(`
rules:
  - when: { text: "add (\\\\d+) and (\\\\d+)" }
    reply: ["{{1}} + ", "{{2}}"]
  - when: { turn: 2 }
    reply: "turn {{turn}}"
default: { reply: "You said: {{text}}" }
`)
  expect(agent.models).toEqual(['script script.yaml'])
  expect(await run(agent, taskOf('ADD 1 and 2'))).toEqual(['WORKING', '1 + ', '2'])
  expect(await run(agent, taskOf('hi'))).toEqual(['WORKING', 'You said: hi'])
  const earlier = [
    {
      id: '1',
      status: { state: 'TASK_STATE_COMPLETED' as const },
      history: [userMessage('a')],
      artifacts: [{ artifactId: 'a', parts: [{ text: 'b' }] }],
    },
  ]
  expect(await run(agent, taskOf('hi', { earlier }))).toEqual(['WORKING', 'turn 2'])
})

test('a rule may look at the system prompt, and be used a number of times', async () => {
  const agent = await load(
    `
rules:
  - { when: { system: "as a (cat|dog)" }, times: 1, reply: meow }
default: { reply: human }
`,
    'description: d, instruction: Speak as a cat.',
  )
  expect(await run(agent, taskOf('hi'))).toEqual(['WORKING', 'meow'])
  expect(await run(agent, taskOf('hi'))).toEqual(['WORKING', 'human'])
})

const plays: readonly (readonly [string, string, readonly string[]])[] = [
  ['thinking is no part of the answer', 'default: { reasoning: [hm, hm], reply: x }', ['x']],
  [
    'an error',
    'default: { error: { status: 400, message: no } }',
    ['FAILED: The model script script.yaml failed: HTTP 400, the provider did not accept the request (no)'],
  ],
  ['an error that passes', 'rules: [{ times: 1, error: { status: 503 } }]\ndefault: { reply: x }', ['x']],
  [
    'an error after a chunk',
    'default: { reply: [a, b], error: { status: 500, message: no, after: 1 } }',
    ['a', 'FAILED: The model script script.yaml failed: HTTP 500, the provider failed (no)'],
  ],
  [
    'an error after all chunks',
    'default: { reply: a, error: { status: 500, after: 9 } }',
    ['a', 'FAILED: The model script script.yaml failed: HTTP 500, the provider failed (scripted error)'],
  ],
  [
    'the end of the limit',
    'default: { reply: a, finish: length }',
    ['a', 'COMPLETED: The answer was cut off: the model reached its limit of tokens (max_tokens)'],
  ],
  [
    'a tool that is not there',
    'default: { tool_calls: [{ name: shell, arguments: { cmd: ls } }] }',
    ['FAILED: The model asked for a tool that this agent does not have: shell'],
  ],
  ['nothing', 'default: {}', ['FAILED: The model gave no text as answer']],
]
for (const [name, script, expected] of plays) {
  test(`a script plays: ${name}`, async () => {
    expect(await run(await load(script), taskOf('hi'))).toEqual(['WORKING', ...expected])
  })
}

test('no rule fits', async () => {
  const yields = await run(await load('rules: [{ when: { text: bye }, reply: x }]'), taskOf('hi'))
  expect(yields[1]).toMatch(/FAILED: .*no rule of .*script.yaml fits turn 1, and it has no default/)
})

test('chunks wait for their delay, and a cancel ends the waiting', async () => {
  for (const script of [
    'default: { reply: [a, { text: b, delay: 3600000 }] }',
    'default: { reply: a, hang: true }',
    'default: { delay: 3600000, reply: a }',
  ]) {
    const controller = new AbortController()
    const agent = await load(script)
    const running = run(agent, taskOf('hi', { signal: controller.signal }))
    const waiting = setTimeout(() => controller.abort(new Error('canceled')), 30)
    await expect(running).rejects.toThrow('canceled')
    clearTimeout(waiting)
  }
})

test('problems of the models of the file do not stop a script', async () => {
  const agent = await load('default: { reply: x }', 'model: github-copilot/x, description: d')
  expect(agent.warnings).toMatchObject([{ severity: 'warning', path: 'agents.root.model' }])
  expect(await run(agent, taskOf('hi'))).toEqual(['WORKING', 'x'])
})

const wrong: readonly (readonly [string, string])[] = [
  ['', '1:1: a script needs rules or a default'],
  [
    'rules:\n  - when: { txt: a }\n    reply: x',
    '2:13: rules[0].when.txt: unknown key; known here: text, system, tool, turn',
  ],
  [
    'default:\n  replay: x',
    '2:3: default.replay: unknown key; known here: reply, reasoning, delay, tool_calls, error, finish, hang',
  ],
  [
    'rules:\n  - when: { text: "(" }\n    reply: x',
    '2:13: rules[0].when.text: must be a regular expression (Invalid regular expression: /(/: Unterminated group), is "("',
  ],
  ['default:\n  error: { status: 200 }', '2:12: default.error.status: must be at least 400, is 200'],
  ['default:\n  error: { code: 500 }', '2:3: default.error.status: is missing: it must be a number'],
  [
    'default:\n  reply: { a: b }',
    '2:3: default.reply: must be a text or a list of chunks (each a text, or text and delay), is a mapping',
  ],
  ['rules: [', 'not valid YAML'],
]
for (const [script, expected] of wrong) {
  test(`a script that is wrong: ${JSON.stringify(script)}`, async () => {
    await expect(load(script)).rejects.toThrow(expected)
  })
}

test('a script that is not there', async () => {
  await expect(readScript('none.yaml')).rejects.toThrow(
    'none.yaml:1:1: cannot be read as a script: there is no such file',
  )
})

test('tools: a script asks for one, and goes on with its result', async () => {
  const file = await folder.write(
    'tools.yaml',
    'rules:\n  - { when: { tool: look }, reply: done }\n  - { tool_calls: [{ name: look, arguments: { at: 1 } }] }\n',
  )
  const model = createScriptedModel(await readScript(file))
  const look = tool({ inputSchema: jsonSchema<{ at: number }>({ type: 'object' }), execute: async ({ at }) => at + 1 })
  const asked = streamText({ model, prompt: 'x', tools: { look } })
  expect(await asked.finishReason).toBe('tool-calls')
  expect((await asked.toolResults)[0]).toMatchObject({ toolName: 'look', input: { at: 1 }, output: 2 })
  const messages = [{ role: 'user' as const, content: 'x' }, ...(await asked.response).messages]
  expect((await generateText({ model, messages })).text).toBe('done')
})
