import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createFolder,
  events,
  type Folder,
  loadText,
  type ModelServer,
  problem,
  type Reply,
  run,
  startModelServer,
  taskOf,
} from '../../../test/agent/kit.ts'
import type { LoadedAgent } from '../load.ts'

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

function load(provider: string, more = ''): Promise<LoadedAgent> {
  const text = `
agents: { root: { model: m, description: d, instruction: Be short. } }
models:
  m:
    provider: ${provider}
    model: some-model
    base_url: ${server.url}
${more.replace(/^/gm, '    ')}
`
  return loadText(folder, text, { env: { ANTHROPIC_API_KEY: 'key-of-anthropic', GEMINI_API_KEY: 'key-of-gemini' } })
}

function anthropicAnswer(stop = 'end_turn'): Reply {
  const delta = (index: number, value: object) =>
    ['content_block_delta', { type: 'content_block_delta', index, delta: value }] as const
  return events([
    [
      'message_start',
      {
        type: 'message_start',
        message: {
          id: 'i',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          usage: { input_tokens: 1, output_tokens: 0 },
        },
      },
    ],
    [
      'content_block_start',
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    ],
    delta(0, { type: 'thinking_delta', thinking: 'hmm' }),
    ['content_block_stop', { type: 'content_block_stop', index: 0 }],
    ['content_block_start', { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }],
    delta(1, { type: 'text_delta', text: 'po' }),
    delta(1, { type: 'text_delta', text: 'ng' }),
    ['content_block_stop', { type: 'content_block_stop', index: 1 }],
    ['message_delta', { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 2 } }],
    ['message_stop', { type: 'message_stop' }],
  ])
}

function googleAnswer(finish = 'STOP'): Reply {
  const piece = (parts: readonly object[], more: object = {}) =>
    [undefined, { candidates: [{ content: { role: 'model', parts }, ...more }] }] as const
  return events([
    piece([{ text: 'hmm', thought: true }]),
    piece([{ text: 'po' }]),
    piece([{ text: 'ng' }], { finishReason: finish }),
  ])
}

test('Anthropic: text streams, thinking does not', async () => {
  server.answer(anthropicAnswer())
  const agent = await load('anthropic', 'max_tokens: 2000\nthinking_budget: 1500')
  expect(await run(agent, taskOf('ping'))).toEqual(['WORKING', 'po', 'ng'])
  const [request] = server.requests
  expect(request?.path).toBe('/v1/messages')
  expect(request?.headers['x-api-key']).toBe('key-of-anthropic')
  expect(request?.body).toMatchObject({
    model: 'some-model',
    stream: true,
    thinking: { type: 'enabled', budget_tokens: 1500 },
    system: [{ type: 'text', text: 'Be short.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'ping' }] }],
  })
})

test('Google: text streams, thinking does not', async () => {
  server.answer(googleAnswer())
  const agent = await load('google', 'temperature: 0.1\nthinking_budget: 0\nprovider_opts: { top_k: 3, seed: 4 }')
  expect(await run(agent, taskOf('ping'))).toEqual(['WORKING', 'po', 'ng'])
  const [request] = server.requests
  expect(request?.path).toBe('/v1beta/models/some-model:streamGenerateContent?alt=sse')
  expect(request?.headers['x-goog-api-key']).toBe('key-of-gemini')
  expect(request?.body).toMatchObject({
    generationConfig: { temperature: 0.1, topK: 3, seed: 4, thinkingConfig: { thinkingBudget: 0 } },
    systemInstruction: { parts: [{ text: 'Be short.' }] },
    contents: [{ role: 'user', parts: [{ text: 'ping' }] }],
  })
})

for (const [provider, answer] of [
  ['anthropic', anthropicAnswer('max_tokens')],
  ['google', googleAnswer('MAX_TOKENS')],
] as const) {
  test(`${provider}: an answer that was cut off says so`, async () => {
    server.answer(answer)
    const yields = await run(await load(provider), taskOf('ping'))
    expect(yields).toEqual([
      'WORKING',
      'po',
      'ng',
      'COMPLETED: The answer was cut off: the model reached its limit of tokens (max_tokens)',
    ])
  })
}

const failures: readonly (readonly [string, number, object, string])[] = [
  [
    'anthropic',
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'HTTP 529, the provider is overloaded (Overloaded)',
  ],
  [
    'anthropic',
    401,
    { type: 'error', error: { type: 'authentication_error', message: 'bad key-of-anthropic' } },
    'HTTP 401, the provider did not accept the API key',
  ],
  [
    'google',
    429,
    { error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' } },
    'HTTP 429, the provider limits the rate of requests (quota)',
  ],
]
for (const [provider, status, body, text] of failures) {
  test(`${provider}: HTTP ${status} is told safely`, async () => {
    server.answer(problem(status, body))
    const yields = await run(await load(provider), taskOf('ping'))
    expect(yields).toEqual(['WORKING', `FAILED: The model ${provider}/some-model failed: ${text}`])
  })
}

test('Anthropic: an error in the middle keeps the text', async () => {
  server.answer(
    events([
      [
        'message_start',
        {
          type: 'message_start',
          message: {
            id: 'i',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            usage: { input_tokens: 1, output_tokens: 0 },
          },
        },
      ],
      ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } }],
      ['error', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    ]),
  )
  const yields = await run(await load('anthropic'), taskOf('ping'))
  expect(yields.slice(0, 2)).toEqual(['WORKING', 'half'])
  expect(yields[2]).toBe(
    'FAILED: The model anthropic/some-model failed: HTTP 529, the provider is overloaded (Overloaded)',
  )
})

test('pictures and PDF files reach a model that takes them, by bytes and by URL', async () => {
  server.answer(anthropicAnswer())
  const agent = await load('anthropic')
  expect(agent.inputModes).toContain('image/png')
  expect(agent.inputModes).toContain('application/pdf')
  const parts = [
    { text: 'What is this?' },
    { raw: 'iVBORw0KGgo=', mediaType: 'image/png' },
    { url: 'https://example.com/a.pdf', mediaType: 'application/pdf' },
    { raw: Buffer.from('a;b').toString('base64'), mediaType: 'text/csv', filename: 'a.csv' },
    { data: { a: 1 } },
  ]
  await run(agent, taskOf(parts))
  expect(server.requests[0]?.body.messages[0].content).toMatchObject([
    { type: 'text', text: 'What is this?' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
    { type: 'text', text: 'File a.csv:\na;b' },
    { type: 'text', text: '{"a":1}' },
  ])
})

test('a URL that the provider would not fetch itself is refused, never fetched here', async () => {
  server.answer(googleAnswer())
  const parts = [{ url: `${server.url}/inside.png`, mediaType: 'image/png' }]
  expect(await run(await load('google'), taskOf(parts))).toEqual([
    'WORKING',
    'REJECTED: This agent does not fetch files: send the bytes of the image/png instead of its URL',
  ])
  expect(server.requests).toEqual([])
})

test('what a client has to say is logged once and never printed', async () => {
  server.answer(anthropicAnswer())
  const logged: string[] = []
  const printed: unknown[] = []
  const { warn, info } = console
  console.warn = (...texts) => void printed.push(texts)
  console.info = (...texts) => void printed.push(texts)
  try {
    const log = { info() {}, warn: (text: string) => void logged.push(text), error() {} }
    const agent = await load('anthropic', 'frequency_penalty: 0.5\nmax_tokens: 100')
    await run(agent, taskOf('one', { log }))
    await run(agent, taskOf('two', { log }))
  } finally {
    console.warn = warn
    console.info = info
  }
  expect(printed).toEqual([])
  expect(logged).toEqual(["the model's client says: frequencyPenalty is not supported"])
})
