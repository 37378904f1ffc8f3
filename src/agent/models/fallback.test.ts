import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  chat,
  createFolder,
  type Folder,
  loadText,
  type ModelServer,
  problem,
  run,
  startModelServer,
  taskOf,
} from '../../../test/agent/kit.ts'
import type { AgentFileOptions, LoadedAgent } from '../load.ts'
import { durationOf } from './cooldown.ts'

let folder: Folder
let first: ModelServer
let second: ModelServer

beforeAll(async () => {
  folder = await createFolder()
  first = await startModelServer()
  second = await startModelServer()
})
afterAll(async () => {
  await Promise.all([first.close(), second.close()])
  await folder.remove()
})

function load(fallback: string, options: AgentFileOptions = {}): Promise<LoadedAgent> {
  const text = `
agents:
  root:
    model: first/a
    description: d
    fallback: { models: [second/b], ${fallback} }
providers:
  first: { base_url: "${first.url}" }
  second: { base_url: "${second.url}" }
`
  return loadText(folder, text, options)
}

const busy = problem(503, { error: { message: 'busy' } })
const rejected = problem(400, { error: { message: 'bad' } })
const limited = problem(429, { error: { message: 'slow' } })

test('a failing model is tried again with growing waits, then the next one answers', async () => {
  first.answer(busy)
  second.answer(chat(['b']))
  const waits: number[] = []
  const agent = await load('retries: 3', { sleep: async (wait) => void waits.push(wait) })
  expect(await run(agent, taskOf('x'))).toEqual(['WORKING', 'b'])
  expect(first.requests).toHaveLength(4)
  expect(waits).toEqual([500, 1000, 2000])
})

test('a model that recovers answers itself', async () => {
  first.answer(busy, chat(['a']))
  second.answer(chat(['b']))
  expect(await run(await load(''), taskOf('x'))).toEqual(['WORKING', 'a'])
  expect(second.requests).toHaveLength(0)
})

const attempts: readonly (readonly [string, string, number])[] = [
  ['two more attempts by default', '', 3],
  ['0 means the default', 'retries: 0', 3],
  ['-1 means none', 'retries: -1', 1],
  ['a number means that many', 'retries: 1', 2],
]
for (const [name, fallback, expected] of attempts) {
  test(`retries: ${name}`, async () => {
    first.answer(busy)
    second.answer(chat(['b']))
    await run(await load(fallback), taskOf('x'))
    expect(first.requests).toHaveLength(expected)
  })
}

test('a refused request goes to the next model at once, and the refusing one stays in use', async () => {
  first.answer(rejected)
  second.answer(chat(['b']))
  const agent = await load('')
  expect(await run(agent, taskOf('x'))).toEqual(['WORKING', 'b'])
  expect(first.requests).toHaveLength(1)
  await run(agent, taskOf('x'))
  expect(first.requests).toHaveLength(2)
})

test('a rate limit goes to the next model at once', async () => {
  first.answer(limited)
  second.answer(chat(['b']))
  expect(await run(await load(''), taskOf('x'))).toEqual(['WORKING', 'b'])
  expect(first.requests).toHaveLength(1)
})

test('the wait that a provider asks for is kept', async () => {
  first.answer(problem(503, {}, { 'retry-after': '7' }), chat(['a']))
  const waits: number[] = []
  await run(await load('', { sleep: async (wait) => void waits.push(wait) }), taskOf('x'))
  expect(waits).toEqual([7000])
})

test('a model that failed is left alone for the cooldown, then asked again', async () => {
  let now = 1_000_000
  first.answer(busy)
  second.answer(chat(['b']))
  const agent = await load('retries: -1, cooldown: 1m30s', { now: () => now })
  await run(agent, taskOf('x'))
  expect(first.requests).toHaveLength(1)
  now += 89_999
  await run(agent, taskOf('x'))
  expect(first.requests).toHaveLength(1)
  now += 1
  first.answer(chat(['a']))
  expect(await run(agent, taskOf('x'))).toEqual(['WORKING', 'a'])
})

test('when all models rest, all are asked again; when all fail, each reason is told', async () => {
  first.answer(busy)
  second.answer(rejected)
  const agent = await load('retries: -1')
  const expected = [
    'WORKING',
    'FAILED: The model first/a failed: HTTP 503, the provider is not available (busy); ' +
      'The model second/b failed: HTTP 400, the provider did not accept the request (bad)',
  ]
  expect(await run(agent, taskOf('x'))).toEqual(expected)
  second.answer(busy)
  await run(agent, taskOf('x'))
  first.answer(chat(['a']))
  expect(await run(agent, taskOf('x'))).toEqual(['WORKING', 'a'])
})

test('a cancel while waiting ends the run', async () => {
  first.answer(busy)
  const controller = new AbortController()
  const agent = await load('', {
    sleep: async (_, signal) => {
      controller.abort(new Error('canceled'))
      signal.throwIfAborted()
    },
  })
  await expect(run(agent, taskOf('x', { signal: controller.signal }))).rejects.toThrow('canceled')
})

test('one of several models is picked for each turn', async () => {
  first.answer(chat(['a']))
  second.answer(chat(['b']))
  let chance = 0
  const text = `
agents: { root: { model: "first/a, second/b", description: d } }
providers: { first: { base_url: "${first.url}" }, second: { base_url: "${second.url}" } }
`
  const agent = await loadText(folder, text, { random: () => chance })
  expect(agent.models).toEqual(['first/a', 'second/b'])
  expect(await run(agent, taskOf('x'))).toEqual(['WORKING', 'a'])
  chance = 0.99
  expect(await run(agent, taskOf('x'))).toEqual(['WORKING', 'b'])
})

for (const [text, expected] of [
  ['500ms', 500],
  ['30s', 30_000],
  ['1m', 60_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
] as const) {
  test(`a duration of ${text}`, () => {
    expect(durationOf(text)).toBe(expected)
  })
}
