import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createFolder,
  type Folder,
  loadText,
  type ModelServer,
  problem,
  run,
  startModelServer,
  taskOf,
} from '../../../test/agent/kit.ts'

let folder: Folder
let runner: ModelServer

beforeAll(async () => {
  folder = await createFolder()
  runner = await startModelServer()
})
afterAll(async () => {
  await runner.close()
  await folder.remove()
})

const text = 'agents: { root: { model: dmr/ai/qwen3:4b, description: d } }'

async function warnings(host: string): Promise<readonly string[]> {
  const agent = await loadText(folder, text, { env: { MODEL_RUNNER_HOST: host }, probe: true })
  return agent.warnings.map((warning) => warning.message)
}

const lists: readonly (readonly [string, readonly string[], number])[] = [
  ['the model', ['ai/other', 'ai/qwen3:4b'], 0],
  ['the model by its full name', ['docker.io/ai/qwen3:4b'], 0],
  ['another size of the model', ['ai/qwen3:8b', 'ai/qwen3'], 1],
  ['nothing, which may mean that it loads on demand', [], 0],
]
for (const [name, ids, expected] of lists) {
  test(`a model runner that lists ${name}`, async () => {
    runner.answer(problem(200, { object: 'list', data: ids.map((id) => ({ id })) }))
    const found = await warnings(runner.url)
    expect(runner.requests[0]?.path).toBe('/engines/v1/models')
    expect(found).toEqual(
      expected === 0
        ? []
        : ['The model runner does not have ai/qwen3:4b. Fetch it with: docker model pull ai/qwen3:4b'],
    )
  })
}

test('a model runner that answers in another way is left in peace', async () => {
  runner.answer(problem(500, {}))
  expect(await warnings(runner.url)).toEqual([])
  runner.answer((_, __) => {})
  runner.answer((response) => void response.end('not json'))
  expect(await warnings(runner.url)).toEqual([])
})

test('no model runner: the file loads with a warning, and the answer names the address and the ways on', async () => {
  const gone = await startModelServer()
  await gone.close()
  const expected =
    `The model dmr/ai/qwen3:4b could not be reached: nothing listens at ${gone.url}/engines/v1. ` +
    'Start a model runner there (docker model pull ai/qwen3:4b), set base_url or MODEL_RUNNER_HOST to where one listens, ' +
    'or serve with --fake FILE to answer from a script'
  const agent = await loadText(folder, text, { env: { MODEL_RUNNER_HOST: gone.url }, probe: true, strict: true })
  expect(agent.warnings).toMatchObject([{ message: expected, line: 1, column: 19 }])
  expect(await run(agent, taskOf('ping'))).toEqual(['WORKING', `FAILED: ${expected}`])
})

test('a model that the runner does not have names the command that fetches it', async () => {
  runner.answer(problem(404, { error: { message: 'model not found' } }))
  const agent = await loadText(folder, text, { env: { MODEL_RUNNER_HOST: runner.url } })
  expect((await run(agent, taskOf('ping')))[1]).toBe(
    'FAILED: The model dmr/ai/qwen3:4b failed: HTTP 404, the provider does not know the model (model not found). Fetch it with: docker model pull ai/qwen3:4b',
  )
})
