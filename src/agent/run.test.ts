// biome-ignore-all lint/suspicious/noTemplateCurlyInString: agent files write variables this way
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  chat,
  createFolder,
  type Folder,
  loadText,
  type ModelServer,
  run,
  startModelServer,
  taskOf,
  userMessage,
} from '../../test/agent/kit.ts'
import type { Task } from '../protocol/generated/v1/types.ts'
import type { AgentFileOptions, LoadedAgent } from './load.ts'

let folder: Folder
let server: ModelServer

beforeAll(async () => {
  folder = await createFolder()
  server = await startModelServer()
})
afterAll(async () => {
  await server.close()
  await folder.remove()
})

function load(agent = '', options: AgentFileOptions = {}): Promise<LoadedAgent> {
  const text = `
agents:
  root:
    model: local/m
    description: d
${agent.replace(/^/gm, '    ')}
providers: { local: { base_url: "${server.url}" } }
`
  return loadText(folder, text, options)
}

/** The messages that the model got for a task, as `role: text`. */
async function asked(agent: LoadedAgent, task = taskOf('now')): Promise<readonly string[]> {
  server.answer(chat(['x']))
  await run(agent, task)
  return server.requests[0]?.body.messages.map(
    (message: { role: string; content: string }) => `${message.role}: ${message.content}`,
  )
}

function pastTask(id: string, said: readonly string[], answers: readonly string[], more: Partial<Task> = {}): Task {
  return {
    id,
    contextId: 'context',
    status: { state: 'TASK_STATE_COMPLETED' },
    history: said.map((text) => userMessage(text)),
    artifacts: answers.map((text, index) => ({ artifactId: `${index}`, parts: [{ text }] })),
    ...more,
  }
}

test('the conversation of the context comes before the message', async () => {
  const earlier = [pastTask('1', ['hi'], ['hello']), pastTask('2', ['how are you'], ['fine'])]
  expect(await asked(await load(), taskOf('now', { earlier }))).toEqual([
    'user: hi',
    'assistant: hello',
    'user: how are you',
    'assistant: fine',
    'user: now',
  ])
})

test('earlier turns of the same task are paired with their answers', async () => {
  const task = taskOf('three', {
    history: [userMessage('one'), { ...userMessage('so far'), role: 'ROLE_AGENT' }, userMessage('two')],
    stored: pastTask('task', ['one', 'two', 'three'], ['first', 'second'], { status: { state: 'TASK_STATE_WORKING' } }),
  })
  expect(await asked(await load(), task)).toEqual([
    'user: one',
    'assistant: first',
    'user: two',
    'assistant: second',
    'user: three',
  ])
})

test('failed and running tasks: no error text becomes an answer, neighbours of one role are joined', async () => {
  const earlier = [
    pastTask('1', ['a'], [], {
      status: { state: 'TASK_STATE_FAILED', message: { ...userMessage('broken'), role: 'ROLE_AGENT' } },
    }),
    pastTask('2', ['running'], ['half'], { status: { state: 'TASK_STATE_WORKING' } }),
    pastTask('3', ['b'], [], {
      status: { state: 'TASK_STATE_COMPLETED', message: { ...userMessage('by status'), role: 'ROLE_AGENT' } },
    }),
    pastTask('4', ['c'], ['kept'], { status: { state: 'TASK_STATE_FAILED' } }),
  ]
  expect(await asked(await load(), taskOf('now', { earlier }))).toEqual([
    'user: a\nb',
    'assistant: by status',
    'user: c',
    'assistant: kept',
    'user: now',
  ])
})

test('num_history_items limits what the model sees, and never starts with an answer', async () => {
  const earlier = ['1', '2', '3'].map((id) => pastTask(id, [`q${id}`], [`a${id}`]))
  expect(await asked(await load('num_history_items: 2'), taskOf('now', { earlier }))).toEqual([
    'user: q3',
    'assistant: a3',
    'user: now',
  ])
  expect(await asked(await load('num_history_items: 3'), taskOf('now', { earlier }))).toEqual([
    'user: q3',
    'assistant: a3',
    'user: now',
  ])
  expect(await asked(await load(), taskOf('now', { earlier }))).toHaveLength(7)
})

test('data, files and tasks of other contexts are told to the model as text', async () => {
  const other = pastTask('other', ['q'], ['the result'], { contextId: 'elsewhere' })
  const task = taskOf([
    { text: 'sum it up' },
    { data: [1, null] },
    { url: 'https://example.com/a.txt', mediaType: 'text/plain', filename: 'a.txt' },
  ])
  const withReference = {
    ...task,
    message: { ...task.message, referenceTaskIds: ['other'] },
    references: async () => [other],
  }
  expect(await asked(await load(), withReference)).toEqual([
    'user: Result of the task other:\nthe result\nsum it up\n[1,null]\nFile a.txt:\nhttps://example.com/a.txt',
  ])
})

test('a picture for a model that takes none is refused', async () => {
  const yields = await run(await load(), taskOf([{ raw: 'AA==', mediaType: 'image/png', filename: 'a.png' }]))
  expect(yields).toEqual(['WORKING', 'REJECTED: This agent cannot read image/png (a.png)'])
})

test('the system prompt: instruction, files, date, environment', async () => {
  await folder.write('more.md', 'Be kind.\n')
  const agent = await load(
    'instruction: |\n  Use ${env.USER} as it is.\ninstruction_file: [more.md]\nadd_date: true\nadd_environment_info: true',
    { now: () => Date.UTC(2026, 10, 30), workingDir: folder.path, env: { USER: 'ann' } },
  )
  const [system] = await asked(agent)
  expect(system).toContain(
    "system: Use ${env.USER} as it is.\n\nBe kind.\n\nToday's date: 2026-11-30\n\nAbout the environment:",
  )
  expect(system).toContain(`Working folder: ${folder.path}`)
})

const commands: readonly (readonly [string, string])[] = [
  ['/sum a b', 'Add a to b.'],
  ['/sum a', 'Add a to .'],
  ['  /short this text\nplease', 'Make it short:\n\nthis text\nplease'],
  ['/short', 'Make it short:'],
  ['/named', 'Hello ann, $USER'],
  ['/unknown x', '/unknown x'],
  ['say /sum a b', 'say /sum a b'],
]
for (const [text, expected] of commands) {
  test(`a command: ${text}`, async () => {
    const agent = await load(
      'commands:\n  sum: { description: Adds., instruction: Add $1 to $2. }\n  short: "Make it short:"\n  named: "Hello ${env.USER}, $USER"',
      { env: { USER: 'ann' } },
    )
    expect(await asked(agent, taskOf(text))).toEqual([`user: ${expected}`])
  })
}

const modes: readonly (readonly [string, readonly string[], string, readonly unknown[]])[] = [
  ['any', [], '', ['WORKING', '{"a":1}']],
  ['text', ['text/plain'], '', ['WORKING', '{"a":1}']],
  ['a range', ['image/png', 'Text/*;q=1'], '', ['WORKING', '{"a":1}']],
  [
    'something else',
    ['image/png', 'audio/*'],
    '',
    ['REJECTED: This agent answers with text/plain, and the caller accepts only image/png, audio/*'],
  ],
  ['any, from JSON', [], 'json', ['WORKING', { data: { a: 1 }, mediaType: 'application/json' }]],
  ['JSON', ['application/json', 'text/plain'], 'json', ['WORKING', { data: { a: 1 }, mediaType: 'application/json' }]],
  ['text, from JSON', ['text/plain'], 'json', ['WORKING', { text: '{"a":1}' }]],
  [
    'something else, from JSON',
    ['text/html'],
    'json',
    ['REJECTED: This agent answers with application/json or text/plain, and the caller accepts only text/html'],
  ],
]
const schema =
  'structured_output:\n  name: my answer\n  strict: true\n  schema: { type: object, required: [a], properties: { a: { type: number } } }'
for (const [name, acceptedOutputModes, json, expected] of modes) {
  test(`the caller accepts ${name}`, async () => {
    server.answer(chat(['{"a":1}']))
    expect(await run(await load(json === '' ? '' : schema), taskOf('x', { acceptedOutputModes }))).toEqual(expected)
  })
}

test('a schema goes to the model with its name', async () => {
  await asked(await load(schema))
  expect(server.requests[0]?.body.response_format).toMatchObject({
    type: 'json_schema',
    json_schema: { name: 'my_answer', strict: true, schema: { required: ['a'] } },
  })
})

const answers: readonly (readonly [string, string, string, string])[] = [
  ['no JSON', 'I think 1', 'stop', 'FAILED: The model was asked for JSON and gave text that is not valid JSON'],
  [
    'JSON of another shape',
    '{"b":1}',
    'stop',
    'FAILED: The model gave JSON that does not fit the schema of the agent (a: ',
  ],
  ['JSON that was cut off', '{"a":', 'length', 'FAILED: The answer was cut off before its JSON was complete'],
  ['nothing', '', 'stop', 'FAILED: The model gave no text as answer'],
]
for (const [name, text, finish, expected] of answers) {
  test(`structured output: ${name}`, async () => {
    server.answer(chat([text], finish))
    const yields = await run(await load(schema), taskOf('x'))
    expect(yields).toHaveLength(2)
    expect(yields[1]).toContain(expected)
  })
}

test('structured output: a fence and thoughts around the JSON are taken off', async () => {
  server.answer(chat(['<think>{}</think>```json\n{"a": 2}\n```']))
  expect((await run(await load(schema), taskOf('x')))[1]).toEqual({ data: { a: 2 }, mediaType: 'application/json' })
})
