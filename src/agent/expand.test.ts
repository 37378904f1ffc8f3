// biome-ignore-all lint/suspicious/noTemplateCurlyInString: agent files write variables this way
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Folder } from '../../test/agent/kit.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { expandShell, expandTemplate } from './expand.ts'

let folder: Folder
let environment: Environment

beforeAll(async () => {
  folder = await createFolder()
  environment = await readEnvironment({ variables: { USER: 'ann', EMPTY: '' }, secretsDir: folder.path })
})
afterAll(() => folder.remove())

const rows: readonly (readonly [string, string, (readonly string[])?])[] = [
  ['Hello ${env.USER}!', 'Hello ann!'],
  ['${env.NONE}', ''],
  ["${env.NONE || 'you'}", 'you'],
  ['${env.EMPTY || env.NONE || "it\\"s"}', 'it"s'],
  ["${env.USER ?? 'x'} and ${ env['USER'] }", 'ann and ann'],
  ['$USER and ${USER} stay', '$USER and ${USER} stay'],
  ['${env.USER.toUpperCase()}', '${env.USER.toUpperCase()}', ['${env.USER.toUpperCase()}']],
  ['${process.exit(1)}', '${process.exit(1)}'],
  ['${}', '${}'],
  ["${'a' || }", "${'a' || }"],
]
for (const [text, expected, unknown = []] of rows) {
  test(`a template: ${text}`, () => {
    expect(expandTemplate(text, environment)).toEqual({ text: expected, unknown })
  })
}

test('shell variables are filled in, and the missing ones named', () => {
  expect(expandShell('http://$USER:${PORT}/${env.USER}', environment)).toEqual({
    text: 'http://ann:/ann',
    missing: ['PORT'],
  })
})

test('files win over the environment, which wins over mounted secrets', async () => {
  await folder.write('one.env', '# comment\nexport A=file\nB="quoted # text"\n')
  await folder.write('two.env', 'A=later\nC=two')
  await folder.write('A', 'secret')
  await folder.write('D', 'mounted\n')
  await folder.write('E', 'mounted')
  const { get } = await readEnvironment({
    files: ['one.env', `${folder.path}/two.env`],
    workingDir: folder.path,
    variables: { A: 'process', E: 'process' },
    secretsDir: folder.path,
  })
  expect(['A', 'B', 'C', 'D', 'E', 'F', '../A'].map(get)).toEqual([
    'file',
    'quoted # text',
    'two',
    'mounted',
    'process',
    undefined,
    undefined,
  ])
})

test('an environment file that is not there stops', async () => {
  await expect(readEnvironment({ files: ['none.env'], workingDir: folder.path })).rejects.toThrow(
    'none.env:1:1: cannot be read as an environment file: there is no such file',
  )
})
