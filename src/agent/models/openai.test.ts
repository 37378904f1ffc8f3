import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  chat,
  chatChunk,
  createFolder,
  type Folder,
  loadText,
  type ModelServer,
  problem,
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

function load(model = '', agent = ''): Promise<LoadedAgent> {
  const text = `
agents:
  root:
    model: local
    description: d
    instruction: Be short.
${agent.replace(/^/gm, '    ')}
models:
  local:
    provider: openai
    model: some-model
    base_url: ${server.url}/v1
    token_key: SECRET
${model.replace(/^/gm, '    ')}
`
  return loadText(folder, text, { env: { SECRET: 'sk-very-secret-key-1234' } })
}

test('text arrives piece by piece, and the request carries what the file says', async () => {
  server.answer(chat(['po', 'ng']))
  const agent = await load(
    'temperature: 0.5\nmax_tokens: 99\ntop_p: 0.9\nfrequency_penalty: 0.1\npresence_penalty: 0.2\n' +
      'provider_opts: { seed: 7, top_k: 5, min_p: 0.1, http_headers: { x-team: blue } }',
  )
  expect(await run(agent, taskOf('ping'))).toEqual(['WORKING', 'po', 'ng'])
  const [request] = server.requests
  expect(request?.path).toBe('/v1/chat/completions')
  expect(request?.headers.authorization).toBe('Bearer sk-very-secret-key-1234')
  expect(request?.headers['x-team']).toBe('blue')
  expect(request?.body).toEqual({
    model: 'some-model',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.5,
    max_tokens: 99,
    top_p: 0.9,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    seed: 7,
    top_k: 5,
    min_p: 0.1,
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'ping' },
    ],
  })
})

const silentThinking: readonly (readonly [string, readonly (string | object)[]])[] = [
  ['reasoning_content', [{ reasoning_content: 'hmm ' }, { reasoning_content: 'yes' }, 'pong']],
  ['reasoning', [{ reasoning: 'hmm' }, 'pong']],
  ['a think block', ['<think>\nhmm</think>\n\npong']],
  ['a think block in pieces', ['<th', 'ink>h', 'mm</', 'think', '>\n', '\npo', 'ng']],
]
for (const [name, deltas] of silentThinking) {
  test(`thinking is no part of the answer: ${name}`, async () => {
    server.answer(chat(deltas))
    const yields = await run(await load(), taskOf('ping'))
    expect(yields.slice(1).join('')).toBe('pong')
  })
}

const failures: readonly (readonly [string, number, object, string])[] = [
  [
    'wrong key',
    401,
    { error: { message: 'Incorrect API key: sk-very-secret-key-1234' } },
    'HTTP 401, the provider did not accept the API key',
  ],
  [
    'refused',
    400,
    { error: { message: 'bad temperature' } },
    'HTTP 400, the provider did not accept the request (bad temperature)',
  ],
  [
    'unknown model',
    404,
    { error: { message: 'no such model' } },
    'HTTP 404, the provider does not know the model (no such model)',
  ],
  [
    'too fast',
    429,
    { error: { message: 'slow down, see https://x.test/?key=1' } },
    'HTTP 429, the provider limits the rate of requests (slow down, see …)',
  ],
  ['broken', 500, { error: { message: 'oops' } }, 'HTTP 500, the provider failed (oops)'],
  ['no JSON', 503, {}, 'HTTP 503, the provider is not available'],
]
for (const [name, status, body, text] of failures) {
  test(`a model error is told safely: ${name}`, async () => {
    server.answer(problem(status, body))
    const logged: unknown[] = []
    const log = { info() {}, warn: (_: string, fields?: object) => void logged.push(fields), error() {} }
    const yields = await run(await load(), taskOf('ping', { log }))
    expect(yields).toHaveLength(2)
    expect(yields[1]).toContain(`FAILED: The model openai/some-model failed: ${text}`)
    expect(JSON.stringify([yields, logged])).not.toContain('very-secret')
    expect(logged[0]).toMatchObject({ model: 'openai/some-model', status, baseUrl: `${server.url}/v1` })
    expect(server.requests).toHaveLength(status === 429 || status >= 500 ? 3 : 1)
  })
}

test('an error in the middle keeps the text and is not tried again', async () => {
  server.answer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chatChunk({ content: 'half' }))
    response.end('data: {"error":{"message":"overheated","code":500}}\n\n')
  })
  const yields = await run(await load(), taskOf('ping'))
  expect(yields).toEqual([
    'WORKING',
    'half',
    'FAILED: The model openai/some-model failed: HTTP 500, the provider failed (overheated)',
  ])
  expect(server.requests).toHaveLength(1)
})

test('a connection that breaks in the middle keeps the text', async () => {
  server.answer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chatChunk({ content: 'half' }), () => setTimeout(() => response.destroy(), 20))
  })
  const yields = await run(await load(), taskOf('ping'))
  expect(yields.slice(0, 2)).toEqual(['WORKING', 'half'])
  expect(yields[2]).toBe('FAILED: The model openai/some-model could not be reached: the connection broke off')
})

test('a stream that ends without saying so is a failure', async () => {
  server.answer(chat(['half'], null))
  const yields = await run(await load(), taskOf('ping'))
  expect(yields[2]).toContain(
    'FAILED: The model openai/some-model failed: Response stream ended without a finish reason',
  )
})

test('nothing listens', async () => {
  const gone = await startModelServer()
  await gone.close()
  const text = `
agents: { root: { model: local/x, description: d } }
providers: { local: { base_url: "${gone.url}/v1" } }
`
  const yields = await run(await loadText(folder, text), taskOf('ping'))
  expect(yields).toEqual(['WORKING', 'FAILED: The model local/x could not be reached: nothing listens'])
})

const endings: readonly (readonly [string, readonly (string | object)[], string, readonly string[]])[] = [
  [
    'cut off',
    ['half'],
    'length',
    ['half', 'COMPLETED: The answer was cut off: the model reached its limit of 50 tokens (max_tokens)'],
  ],
  [
    'cut off before any text',
    [{ reasoning_content: 'x' }],
    'length',
    ['FAILED: The model gave no text: the model reached its limit of 50 tokens (max_tokens)'],
  ],
  ['filtered', ['half'], 'content_filter', ['half', "FAILED: The answer was cut off by the provider's content filter"]],
  ['filtered at once', [], 'content_filter', ["FAILED: The provider's content filter stopped the answer"]],
  ['nothing', [], 'stop', ['FAILED: The model gave no text as answer']],
  ['only thoughts', ['<think>x</think>'], 'stop', ['FAILED: The model thought but gave no text as answer']],
  [
    'a tool that is not there',
    [{ tool_calls: [{ index: 0, id: '1', type: 'function', function: { name: 'shell', arguments: '{}' } }] }],
    'tool_calls',
    ['FAILED: The model asked for a tool that this agent does not have: shell'],
  ],
]
for (const [name, deltas, finish, expected] of endings) {
  test(`the status says how an answer ended: ${name}`, async () => {
    server.answer(chat(deltas, finish))
    expect(await run(await load('max_tokens: 50'), taskOf('ping'))).toEqual(['WORKING', ...expected])
  })
}

test('a cancel closes the connection to the model', async () => {
  let closed: () => void = () => {}
  const hungUp = new Promise<void>((resolve) => {
    closed = resolve
  })
  server.answer((response) => {
    response.on('close', closed)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chatChunk({ content: 'first' }))
  })
  const controller = new AbortController()
  const seen: unknown[] = []
  const agent = await load()
  await expect(
    (async () => {
      for await (const each of agent.run(taskOf('ping', { signal: controller.signal }))) {
        seen.push(each)
        if (each === 'first') controller.abort(new Error('canceled'))
      }
    })(),
  ).rejects.toThrow('canceled')
  expect(seen.at(-1)).toBe('first')
  await hungUp
})

test('a reader that stops early closes the connection to the model', async () => {
  let closed: () => void = () => {}
  const hungUp = new Promise<void>((resolve) => {
    closed = resolve
  })
  server.answer((response) => {
    response.on('close', closed)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chatChunk({ content: 'first' }))
  })
  for await (const each of (await load()).run(taskOf('ping'))) if (each === 'first') break
  await hungUp
})

test('reasoning models of OpenAI get the members they know', async () => {
  server.answer(chat(['x']))
  const text = `
agents: { root: { model: m, description: d } }
models:
  m: { provider: openai, model: gpt-5-mini, base_url: "${server.url}/v1", temperature: 0, max_tokens: 10, thinking_budget: low }
`
  await run(await loadText(folder, text), taskOf('ping'))
  expect(server.requests[0]?.headers.authorization).toBeUndefined()
  expect(server.requests[0]?.body).toMatchObject({ max_completion_tokens: 10, reasoning_effort: 'low' })
  expect(Object.keys(server.requests[0]?.body)).not.toContain('max_tokens')
  expect(Object.keys(server.requests[0]?.body)).not.toContain('temperature')
})
