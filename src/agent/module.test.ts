import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFolder, type Folder, run, taskOf } from '../../test/agent/kit.ts'
import { loadAgentModule } from './module.ts'

let folder: Folder

beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.remove())

const fields =
  "name: 'n', description: 'd', version: '1', skills: [], inputModes: [], outputModes: [], capabilities: {}"

for (const [name, text] of [
  ['one.mjs', `export const agent = { ${fields}, async *run() { yield 'hi' } }`],
  [
    'two.ts',
    `const text: string = 'hi'\nexport const agent = { ${fields}, async *run(_task: unknown) { yield text } }`,
  ],
  ['three.ts', `enum Word { Hi = 'hi' }\nexport const agent = { ${fields}, async *run() { yield Word.Hi as string } }`],
] as const) {
  test(`an agent from ${name}`, async () => {
    const agent = await loadAgentModule(await folder.write(name, text))
    expect(agent.name).toBe('n')
    expect(await run(agent, taskOf('x'))).toEqual(['hi'])
  })
}

const wrong: readonly (readonly [string, string, string])[] = [
  [
    'nothing.mjs',
    'const agent = 1',
    'nothing.mjs must export its agent by the name agent (it exports nothing by name): export const agent = agent(',
  ],
  ['other.mjs', 'export const bot = {}', 'other.mjs must export its agent by the name agent (it exports bot)'],
  ['default.ts', 'export default {} as object', 'must export its agent by the name agent (it exports nothing by name)'],
  ['number.mjs', 'export const agent = 1', 'number.mjs: the export agent is no agent (it is not an object)'],
  [
    'bare.mjs',
    "export const agent = { name: 'n', description: 'd', version: '1' }",
    'the export agent is no agent (run is missing)',
  ],
  ['broken.mjs', "throw new Error('my own error')", 'my own error'],
]
for (const [name, text, expected] of wrong) {
  test(`no agent from ${name}`, async () => {
    await expect(loadAgentModule(await folder.write(name, text))).rejects.toThrow(expected)
  })
}

test('a package that the module cannot find is taken from where the caller says', async () => {
  const shared = await folder.write('shared.mjs', "export const word = 'from afar'")
  for (const name of ['far.mjs', 'far.ts']) {
    const text = `import { word } from 'no-such-package/word'\nexport const agent = { ${fields}, async *run() { yield word } }`
    const path = await folder.write(name, text)
    await expect(loadAgentModule(path)).rejects.toThrow('no-such-package')
    const agent = await loadAgentModule(path, { alias: { 'no-such-package/word': shared } })
    expect(await run(agent, taskOf('x'))).toEqual(['from afar'])
  }
})

test('a module that is not there', async () => {
  await expect(loadAgentModule('none.ts')).rejects.toThrow('none.ts: there is no such file')
})
