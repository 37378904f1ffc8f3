import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nameOf, type Pass, passes, playPass, suites } from './passes.ts'
import type { Result } from './run.ts'
import { allBindings } from './wire/peer.ts'

interface LeftOut {
  /** What the check says when it is left out. */
  readonly reason: string
  readonly ids: RegExp
  readonly when?: (pass: Pass) => boolean
}

/** What cannot be looked at, and why. Whatever else is left out is a fault. */
const leftOut: readonly LeftOut[] = [
  {
    reason: 'the card does not declare pushNotifications',
    ids: /^(?:SEC-)?PUSH-|push\/set$/,
  },
  {
    reason: 'the card does not declare extendedAgentCard',
    ids: /^(?:CARD-EXT|SEC-EXTCARD)-/,
  },
  { reason: 'the card is not signed', ids: /^CARD-SIGN-/ },
  { reason: 'the card requires no extension', ids: /^CORE-CAP-004$/ },
  {
    reason: 'the card declares streaming',
    ids: /^CORE-CAP-00(?:1|2)$/,
    when: ({ mode }) => mode !== 'reduced',
  },
  {
    reason: 'the card does not declare streaming',
    ids: /^(?:CORE-STREAM-|STREAM-|REST-SUB-|GRPC-STREAM-|JSONRPC-SSE-001$|GRPC-ERR-003$|HTTP_JSON-SSE-|AUTH-INTASK-005$)/,
    when: ({ mode }) => mode === 'reduced',
  },
  {
    reason: 'the server lets everybody in',
    ids: /^(?:BIND-EQUIV-004|AUTH-SERVER-002|AUTH-SCOPE-\d+|SEC-AUTH-\d+|CLIENT-AUTH-\d+)$/,
    when: ({ mode }) => mode !== 'auth',
  },
  { reason: 'the server is on this machine, where encryption is not asked for', ids: /^AUTH-TLS-001$/ },
  { reason: 'the server is called without encryption', ids: /^AUTH-TLS-002$/ },
  { reason: 'is about clients, and the server is called without encryption', ids: /^AUTH-SERVER-001$/ },
  { reason: 'happens where no caller can look', ids: /^AUTH-INTASK-004$/ },
]

/** The two suites use one id for different things. */
function reasonFor(pass: Pass, id: string): string {
  const declared = pass.suite === 'acts' ? 'CORE-CAP-001' : 'CORE-CAP-002'
  const row = leftOut.find(({ ids, when }) => ids.test(id) && (when?.(pass) ?? true))
  if (row?.reason === 'the card declares streaming' && id !== declared) return ''
  return row?.reason ?? ''
}

const started = new Map<Pass, Promise<readonly Result[]>>()

/** The results of a pass; those after it begin meanwhile, as most of the time goes into waiting. */
async function play(pass: Pass): Promise<readonly Result[]> {
  const at = passes.indexOf(pass)
  for (const next of passes.slice(at, at + 3)) if (!started.has(next)) started.set(next, playPass(next))
  return (await started.get(pass)) ?? []
}

afterAll(async () => {
  await Promise.allSettled(started.values())
}, 120_000)

describe.each(passes.map((pass) => [nameOf(pass), pass] as const))('%s', (_, pass) => {
  let results: readonly Result[] = []

  beforeAll(async () => {
    results = await play(pass)
  }, 120_000)

  const { checks = [] } = suites[pass.suite] ?? {}
  const rows = checks.map(({ id, title, on = allBindings }) => ({
    id,
    reason: reasonFor(pass, id),
    says: reasonFor(pass, id) === '' ? title : `is left out, as ${reasonFor(pass, id)}`,
    places: on === 'once' ? ['-'] : on,
  }))

  it.each(rows.map((row) => [`${row.id} ${row.says}`, row] as const))('%s', (_, { id, reason, places }) => {
    const seen = results.filter((result) => result.id === id)
    const outcome = reason === '' ? 'pass' : 'skip'
    expect(seen.map(({ binding, ...rest }) => ({ binding, outcome: rest.outcome, reason: rest.reason }))).toEqual(
      places.map((binding) => ({ binding, outcome, reason })),
    )
  })
})

describe('the suites', () => {
  it.each([
    ['tck-1.0', 129],
    ['acts', 113],
  ])('%s has its %i ids, each once', (suite, count) => {
    const ids = suites[suite]?.checks.map(({ id }) => id) ?? []
    expect(ids).toHaveLength(count)
    expect(new Set(ids).size).toBe(count)
  })
})
