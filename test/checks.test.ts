import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const repository = join(import.meta.dirname, '..')

/** Runs one of the checks and gives its exit code and what it complained about. */
function runCheck(script: string, folder: string): Promise<{ code: number; complaints: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(repository, 'scripts', script), folder], (error, _output, complaints) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, complaints })
    })
  })
}

/** A folder with these files in it, gone when the test ends. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

const refused: { name: string; files: Record<string, string>; complaint: string }[] = [
  {
    name: 'an edge that the table does not list',
    files: { 'src/protocol/a.ts': "import { b } from '../engine/b.ts'\nb()\n", 'src/engine/b.ts': 'export {}\n' },
    complaint: 'src/protocol/a.ts:1: protocol may not import engine',
  },
  {
    name: 'such an edge by a type',
    files: { 'src/lib/a.ts': "import type { B } from '../engine/b.ts'\nlet b: B\n", 'src/engine/b.ts': 'export {}\n' },
    complaint: 'src/lib/a.ts:1: lib may not import engine',
  },
  {
    name: 'such an edge by a type written in place',
    files: { 'src/lib/a.ts': "let b: import('../engine/b.ts').B\n", 'src/engine/b.ts': 'export {}\n' },
    complaint: 'src/lib/a.ts:1: lib may not import engine',
  },
  {
    name: 'such an edge by exporting again',
    files: { 'src/lib/a.ts': "\nexport * from '../engine/b.ts'\n", 'src/engine/b.ts': 'export {}\n' },
    complaint: 'src/lib/a.ts:2: lib may not import engine',
  },
  {
    name: 'a module of Node in a folder for any runtime',
    files: { 'src/client/a.ts': "import { join } from 'node:path'\njoin('a')\n" },
    complaint: "src/client/a.ts:1: src/client/a.ts runs anywhere and may not import 'node:path'",
  },
  {
    name: 'a module of Node that is reached through others',
    files: {
      'src/stores/memory.ts': "import { b } from './b.ts'\nb()\n",
      'src/stores/b.ts': "export * from './c.ts'\n",
      'src/stores/c.ts': "import 'node:fs'\n",
    },
    complaint: "loads 'node:fs' (src/stores/memory.ts → src/stores/b.ts → src/stores/c.ts)",
  },
  {
    name: 'an import of types only that still loads its module',
    files: {
      'src/stores/memory.ts': "import { type B } from './b.ts'\nlet b: B\n",
      'src/stores/b.ts': "import 'node:fs'\nexport type B = 1\n",
    },
    complaint: "loads 'node:fs' (src/stores/memory.ts → src/stores/b.ts)",
  },
  {
    name: 'a package that the folder may not use',
    files: { 'src/engine/a.ts': "import { z } from 'zod'\nz()\n" },
    complaint: "src/engine/a.ts:1: engine may not import the package 'zod'",
  },
  {
    name: 'a package that a light entry loads at once',
    files: {
      'src/index.ts': "export { c } from './client/c.ts'\n",
      'src/client/c.ts': "import 'eventsource-parser'\nexport const c = 1\n",
    },
    complaint: "src/index.ts: loads 'eventsource-parser' (src/index.ts → src/client/c.ts)",
  },
  {
    name: 'an import without the ending of the file',
    files: { 'src/lib/a.ts': "import './b'\n", 'src/lib/b.ts': '' },
    complaint: "'./b' must name the file itself",
  },
  {
    name: 'a ring of imports',
    files: { 'src/lib/a.ts': "export * from './b.ts'\n", 'src/lib/b.ts': "export * from './a.ts'\n" },
    complaint: 'import cycle: src/lib/a.ts → src/lib/b.ts → src/lib/a.ts',
  },
  {
    name: 'a file that is too long',
    files: { 'scripts/a.mjs': 'x()\n'.repeat(400) },
    complaint: 'scripts/a.mjs: 400 lines',
  },
]

for (const { name, files, complaint } of refused) {
  test(`check-imports refuses ${name}`, async () => {
    const { code, complaints } = await runCheck('check-imports.mjs', folderWith(files))
    expect(complaints).toContain(complaint)
    expect(code).toBe(1)
  })
}

test('check-imports accepts what the table lists, types that go round, lazy packages, and what tests need', async () => {
  const folder = folderWith({
    'src/index.ts': "export type { C } from './client/c.ts'\nexport { c } from './client/c.ts'\n",
    'src/client/c.ts': [
      "import type { B } from '../lib/b.ts'",
      "import type { D } from './d.ts'",
      "export const text = `import 'node:fs'`",
      'export type C = B',
      'export const c = 1',
    ].join('\n'),
    'src/client/d.ts': "import { c } from './c.ts'\nexport type D = typeof c\n",
    'src/engine/testing.ts': "import '../stores/memory.ts'\n",
    'src/stores/memory.ts': '',
    'src/lib/b.ts': "// import 'node:fs'\nexport type B = 'node:fs'\n",
    'src/cards/e.ts': "export const e = () => import('jose')\n",
    'scripts/a.mjs': 'x()\n'.repeat(399),
  })
  expect(await runCheck('check-imports.mjs', folder)).toEqual({ code: 0, complaints: '' })
})

test('check-rules refuses a claim without a test and a test without a claim', async () => {
  const folder = folderWith({
    'test/claimed-rules.json': JSON.stringify([`SEND-${98}`]),
    'src/engine/a.test.ts': `test('LIST-${99}', () => {})`,
  })
  const { code, complaints } = await runCheck('check-rules.mjs', folder)
  expect(complaints.trim().split('\n')).toEqual([
    `SEND-${98} is claimed, but no test names it`,
    `LIST-${99} is named by src/engine/a.test.ts, but not claimed`,
  ])
  expect(code).toBe(1)
})
