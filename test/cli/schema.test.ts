import { expect, test } from 'vitest'
import { here } from './kit.ts'

const choose = 'error: schema: choose one of --json-schema [TYPE], --openapi and --proto\n'
const rows: readonly (readonly [flags: string, document: object])[] = [
  ['--json-schema task', { $ref: '#/$defs/Task', $defs: { Task: {}, Part: {} } }],
  ['--json-schema', { $defs: { AgentCard: {} } }],
  ['--openapi', { openapi: '3.1.0' }],
]
for (const [flags, document] of rows) {
  test(`parlance schema ${flags} prints a document`, async () => {
    const { code, out, err } = await here('schema', ...flags.split(' '))
    expect([code, err]).toEqual([0, ''])
    expect(JSON.parse(out)).toMatchObject(document)
  })
}

test('parlance schema asks for exactly one kind, and for a message that there is', async () => {
  expect(await here('schema')).toEqual({ code: 2, out: '', err: choose })
  expect(await here('schema', '--proto', '--openapi')).toEqual({ code: 2, out: '', err: choose })
  const unknown = await here('schema', '--json-schema', 'Tusk')
  expect(unknown.err).toMatch(/^error: --json-schema: the protocol has no message Tusk\nhint: one of /)
})
