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
} from '../../../test/agent/kit.ts'
import { keepSpans } from '../../observe/testing.ts'

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

const file = (): string => `
agents:
  root: { model: m, description: d, instruction: be kind }
models:
  m: { provider: local, model: tiny, max_tokens: 50, temperature: 0.5 }
providers: { local: { base_url: "${server.url}" } }
`

test.each([false, true])(
  'SEC-67 a question to a model is a span of the run that asks; texts are told: %s',
  async (content) => {
    const agent = await loadText(folder, file())
    server.answer(chat(['good ', 'day']))
    const { tracer, named } = keepSpans({ content })
    const whole = tracer.start('run')
    await whole.run(() => run(agent, taskOf('hello')))
    whole.end()
    const span = named('chat tiny')
    expect(span).toMatchObject({ kind: 'client', parentId: named('run').spanId, failure: undefined })
    expect(span.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'local',
      'gen_ai.request.model': 'tiny',
      'gen_ai.request.max_tokens': 50,
      'gen_ai.request.temperature': 0.5,
      'gen_ai.response.finish_reasons': ['stop'],
    })
    const told = JSON.stringify([span.attributes['gen_ai.input.messages'], span.attributes['gen_ai.output.messages']])
    for (const text of ['be kind', 'hello', 'good day']) expect(told.includes(text)).toBe(content)
  },
)

test('a question that failed says so, and not with the words of others', async () => {
  const agent = await loadText(folder, file())
  server.answer((response) => {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'secret words' } }))
  })
  const { tracer, spans, named } = keepSpans()
  await tracer.start('run').run(() => run(agent, taskOf('hello')))
  expect(named('chat tiny').attributes['error.type']).toMatch(/Error$/)
  expect(named('chat tiny').failure).toBeDefined()
  expect(JSON.stringify(spans.map(({ attributes, failure }) => [attributes, failure]))).not.toContain('secret words')
})
