import { expect, test } from 'vitest'
import { here } from './kit.ts'

const choose = 'error: schema: choose one of --json-schema [TYPE], --openapi and --proto [VERSION]\n'
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

test.each([
  ['--proto', 'package lf.a2a.v1;'],
  ['--proto 1.0', 'package lf.a2a.v1;'],
  ['--proto 0.3', 'package a2a.v1;'],
])('parlance schema %s prints Protocol Buffers', async (flags, line) => {
  const { code, out } = await here('schema', ...flags.split(' '))
  expect([code, out.split('\n').includes(line)]).toEqual([0, true])
})

test('parlance schema --proto knows two versions', async () => {
  expect(await here('schema', '--proto', '2.0')).toMatchObject({ code: 2, err: expect.stringContaining('1.0 or 0.3') })
})
