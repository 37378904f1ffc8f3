import { expect, test } from 'vitest'
import type { Exchange } from './http-client.ts'
import { allTrees, toTree, writeTree } from './json-tree.ts'
import { judgeGrpc, judgeHttp } from './judge.ts'
import { mutateTree } from './mutate-json.ts'
import { createRandom } from './random.ts'
import { fuzz } from './run.ts'
import { seeds } from './seeds.ts'
import { aim, describeShot } from './shots.ts'

const answered = (status: number, body: string, type = 'application/json'): Exchange => ({
  answers: [{ status, type, body, whole: true }],
  hung: false,
})
const refused = { status: 200, code: 5, text: '', type: '', body: Buffer.alloc(0), reset: 0, hung: false, left: false }

/** What this agent does not offer, so that even a valid call is refused. */
const notOffered = /ushNotification|ExtendedAgentCard|ExtendedCard|GetAgentCard|\/v1\/card/

test('mutated calls over every binding and version never make the server blame itself, fall, hang or store', async () => {
  const report = await fuzz({ rounds: 2_000, seed: 20_260_101 })
  expect(report.faults).toEqual([])
  expect(report.refusedSeeds.filter((label) => !notOffered.test(label))).toEqual([])
  expect(report.outcomes.accepted).toBeGreaterThan(100)
  expect(report.outcomes.refused).toBeGreaterThan(500)
}, 60_000)

test.each([
  ['throws', 'status 500'],
  ['stores', 'a refused request stored a task'],
] as const)(
  'a server that %s where it should refuse is noticed',
  async (flaw, what) => {
    const { faults } = await fuzz({ rounds: 300, seed: 1, flaw, enough: 1, only: /1.0 HTTP\+JSON GetTask$/ })
    expect(faults.map((fault) => fault.what).join()).toContain(what)
  },
  20_000,
)

test.each([
  ['silence', judgeHttp({ answers: [], hung: false }, true)],
  ['a hanging request', judgeHttp({ answers: [], hung: true }, false)],
  ['a broken body', judgeHttp(answered(200, '{"jsonrpc"'), true)],
  ['a redirect', judgeHttp(answered(302, ''), true)],
  ['an internal error of JSON-RPC', judgeHttp(answered(200, '{"error":{"code":-32603}}'), true)],
  [
    'an internal error in a stream',
    judgeHttp(answered(200, 'data: {"error":{"code":-32603}}\n\n', 'text/event-stream'), true),
  ],
  ['INTERNAL', judgeGrpc({ ...refused, code: 13 })],
  ['UNKNOWN', judgeGrpc({ ...refused, code: 2 })],
  ['an answer without a status', judgeGrpc({ ...refused, code: undefined })],
  ['a stream that is reset by INTERNAL_ERROR', judgeGrpc({ ...refused, code: undefined, reset: 2 })],
])('%s is a fault', (_name, verdict) => {
  expect(verdict.fault).toBeDefined()
})

test('the same seed makes the same calls, another seed makes others', () => {
  const ids = { task: () => 't', context: () => 'c', fresh: () => 'm' }
  const shots = (seed: number): string[] =>
    Array.from({ length: 200 }, (_, round) => {
      const random = createRandom(seed).fork(round)
      return describeShot(aim(random, random.pick(seeds).make(random, ids)))
    })
  expect(shots(1)).toEqual(shots(1))
  const others = new Set(shots(2))
  expect(shots(1).filter((shot) => others.has(shot)).length).toBeLessThan(20)
})

test('a changed tree is another one, most of the time', () => {
  const value = { id: 't', parts: [{ text: 'a' }, { data: { b: [1, 2] } }] }
  const texts = Array.from({ length: 300 }, (_, seed) => writeTree(mutateTree(createRandom(seed), toTree(value))))
  expect(texts.filter((text) => text === JSON.stringify(value)).length).toBeLessThan(30)
  expect(new Set(texts).size).toBeGreaterThan(150)
  expect(allTrees(toTree(value))).toHaveLength(10)
})
