import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createProgram } from './program.ts'

/** The flags that a command gets from a command line, and how it ended when that is wrong. */
async function parse(...args: readonly string[]): Promise<{ flags?: object; code?: string }> {
  let flags: object | undefined
  const program = createProgram((given) => {
    flags = given
    return Promise.resolve()
  })
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ outputError: () => {}, writeErr: () => {}, writeOut: () => {} })
  }
  try {
    await program.parseAsync(args, { from: 'user' })
    return { ...(flags && { flags }) }
  } catch (error) {
    return { code: (error as { code: string }).code }
  }
}

const serving = { listen: '127.0.0.1:8082', workers: '1', grace: '10s', drainDelay: '250ms' }
const rows: readonly (readonly [line: string, result: object])[] = [
  ['send http://a.test hello world', { flags: { wait: true } }],
  ['send http://a.test hello --no-wait --json', { flags: { wait: false, json: true } }],
  ['send http://a.test --file a --file b --data 1', { flags: { wait: true, file: ['a', 'b'], data: ['1'] } }],
  ['send http://a.test - --header x:1 --header y:2', { flags: { wait: true, header: ['x:1', 'y:2'] } }],
  ['serve a.yaml', { flags: serving }],
  ['serve a.yaml -a root -l :1 -s memory', { flags: { ...serving, agent: 'root', listen: ':1', store: 'memory' } }],
  [
    'serve a.yaml --session-db x.db --tenant a --tenant b',
    { flags: { ...serving, sessionDb: 'x.db', tenant: ['a', 'b'] } },
  ],
  ['serve a.yaml --env-from-file a --env-from-file b', { flags: { ...serving, envFromFile: ['a', 'b'] } }],
  ['serve a.yaml --safety loose', { code: 'commander.invalidArgument' }],
  ['serve', { code: 'commander.missingArgument' }],
  ['card a.test b', { code: 'commander.excessArguments' }],
  ['discover a.test', { flags: {} }],
  ['subscribe a.test t --from 3', { flags: { from: '3' } }],
  ['get a.test', { code: 'commander.missingArgument' }],
  ['schema --json-schema', { flags: { jsonSchema: true } }],
  ['schema --json-schema Task', { flags: { jsonSchema: 'Task' } }],
  ['sned a.test', { code: 'commander.unknownCommand' }],
  ['send a.test --tokne x', { code: 'commander.unknownOption' }],
  ['--help', { code: 'commander.helpDisplayed' }],
]

describe('the command line', () => {
  for (const [line, result] of rows) {
    test(`parlance ${line}`, async () => {
      expect(await parse(...line.split(' '))).toEqual(result)
    })
  }
})

test('docs/cli.md tells of every command and every flag', () => {
  const docs = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
  const program = createProgram(() => Promise.resolve())
  const commands = program.commands.flatMap((command) => [command, ...command.commands])
  const flags = commands.flatMap(({ options }) => options.map(({ long }) => long ?? ''))
  const names = program.commands.flatMap((command) => [
    `parlance ${command.name()}`,
    ...command.commands.map((under) => `parlance ${command.name()} ${under.name()}`),
  ])
  const missing = [...names, ...flags].filter((text) => !docs.includes(text))
  expect(missing).toEqual([])
})
