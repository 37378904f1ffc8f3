import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadAgentFile } from '../src/agent/load.ts'
import { readScript } from '../src/agent/models/scripted-file.ts'
import { createProgram } from '../src/cli/program.ts'
import { countMarked, withTables } from './docs/marked.ts'
import { anchorsOf, type Block, blocksOf, commandsOf, linksOf, readPages } from './docs/pages.ts'
import { lists, root, tables } from './docs/tables.ts'

const pages = readPages()
const docs = pages.filter(({ path }) => path === 'README.md' || path.startsWith('docs/'))
const blocks = docs.flatMap(blocksOf)

// `DOCS=write npx vitest run test/docs.test.ts` brings the tables up to date; words of a page's own stay where they are.
if (process.env.DOCS === 'write') {
  for (const { path, text } of docs) writeFileSync(join(root, path), withTables(text).text)
}

/** A folder with these files in it, gone when the test ends. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

describe('tables', () => {
  for (const { path, text } of readPages().filter(({ text }) => countMarked(text) > 0)) {
    test(`those of ${path} say what the code says, and nothing is left to be told`, () => {
      const made = withTables(text)
      expect(text).toBe(made.text)
      expect(made.missing).toEqual([])
    })
  }

  test('each table that the code gives is on a page', () => {
    const all = docs.map(({ text }) => text).join('\n')
    for (const name of Object.keys(tables)) expect(all).toContain(`<!-- table: ${name} -->`)
    for (const name of Object.keys(lists)) expect(all).toContain(`<!-- list: ${name} -->`)
  })

  test('a row too many, a wrong cell and a row without words are noticed', () => {
    const head = '<!-- table: pollingDefaults -->\n| `polling` | Default | What |\n|---|---|---|\n'
    const made = withTables(`${head}| \`base\` | 1 | Words. |\n| \`gone\` | 2 | Words. |\n`)
    expect(made.text).toBe(`${head}| \`base\` | 400 | Words. |\n| \`cap\` | 5,000 | |\n`)
    expect(made.missing).toEqual(['pollingDefaults: `cap`'])
  })
})

describe('links', () => {
  for (const page of pages) {
    test(`those of ${page.path} lead somewhere`, () => {
      const dead = linksOf(page).filter((link) => {
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? page.path : join(dirname(page.path), file)
        if (!existsSync(join(root, target))) return true
        const there = pages.find(({ path }) => path === target)
        return anchor !== undefined && (there === undefined || !anchorsOf(there).has(anchor))
      })
      expect(dead).toEqual([])
    })
  }
})

describe('commands', () => {
  const known = new Map<string, ReadonlySet<string>>()
  for (const command of createProgram(async () => {}).commands) {
    const options = [command, ...command.commands].flatMap((each) => each.options)
    const flags = new Set(options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined)))
    for (const name of [command.name(), ...command.aliases()]) known.set(name, new Set([...flags, '-h', '--help']))
  }

  /** What is wrong with the words of a command line. */
  function faults([name = '', ...words]: readonly string[]): readonly string[] {
    if (name.startsWith('--') || name === 'help') return []
    const flags = known.get(name)
    if (flags === undefined) return [`no command ${name}`]
    const given = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split('=')[0] as string)
    return given.filter((flag) => !flags.has(flag)).map((flag) => `${name} has no ${flag}`)
  }

  const shell = blocks.filter(({ language }) => language === 'sh')

  test('those in shell blocks exist, with their flags', () => {
    const lines = shell.flatMap((block) => commandsOf(block.text).map((words) => ({ block, words })))
    expect(lines.length).toBeGreaterThan(5)
    const wrong = lines.flatMap(({ block, words }) =>
      faults(words).map((fault) => `${block.page}:${block.line}: ${fault}`),
    )
    expect(wrong).toEqual([])
  })

  test('a wrong command and a wrong flag are noticed', () => {
    const text = 'npx parlance serv a.yaml\nTOKEN=x parlance send http://a "--no such" --strem \\\n  -z # --more\n'
    expect(commandsOf(text).flatMap(faults)).toEqual(['no command serv', 'send has no --strem', 'send has no -z'])
  })
})

describe('agent files and scripts', () => {
  const yaml = blocks.filter(({ language }) => language === 'yaml')
  const anyKey = new Proxy({}, { get: (_, name) => (/_(KEY|TOKEN)$/.test(String(name)) ? 'a-key' : undefined) })

  for (const { page, line, text } of yaml.filter((block) => /^(rules|default):/m.test(block.text))) {
    test(`the script at ${page}:${line} is one`, async () => {
      const script = await readScript(join(folderWith({ 'fake.yaml': text }), 'fake.yaml'))
      expect(script.rules.length).toBeGreaterThan(0)
    })
  }

  for (const { page, line, text } of yaml.filter((block) => /^agents:/m.test(block.text))) {
    test(`the agent file at ${page}:${line} loads without a warning`, async () => {
      const folder = folderWith({ 'agent.yaml': text })
      const agent = await loadAgentFile(join(folder, 'agent.yaml'), { env: anyKey, probe: false })
      expect(agent.warnings).toEqual([])
    })
  }
})

/** A file for each block; one that begins with a comment such as `// echo.ts` has that name, and others of the page can import it. */
function sourceFiles(list: readonly Block[]): ReadonlyMap<string, Block> {
  return new Map(
    list.map((block) => {
      const name = /^\/\/ ([\w-]+\.ts)\n/.exec(block.text)?.[1] ?? `line-${block.line}.ts`
      return [`${block.page.replaceAll('/', '-')}/${name}`, block] as const
    }),
  )
}

/** Complaints of the compiler, `file(line,column): …`, those of the sources of Parlance left out. */
function compile(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = folderWith(files)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
  const options = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      rootDir: '/',
      isolatedDeclarations: false,
      declaration: false,
      typeRoots: [join(root, 'node_modules/@types')],
      paths: {
        parlance: [join(root, 'src/index.ts')],
        'parlance/stores/*': [join(root, 'src/stores/*.ts')],
        'parlance/*': [join(root, 'src/*/index.ts')],
      },
    },
    include: ['**/*.ts'],
    exclude: ['node_modules'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], { cwd: folder }, (_, output) => {
      resolve(output.split('\n').filter((line) => /^\S*\.ts\(/.test(line) && !line.startsWith('..')))
    })
  })
}

test('TypeScript blocks compile against the package, and a wrong one would not', { timeout: 30_000 }, async () => {
  const typescript = blocks.filter(({ language }) => language === 'ts')
  expect(typescript.length).toBeGreaterThan(10)
  const files = sourceFiles(typescript)
  // Pages other than that of the agent may begin with an agent that was written there.
  const shared = typescript.find(({ text }) => text.startsWith('// echo.ts\n'))?.text ?? ''
  const texts: Record<string, string> = {
    'control.ts': "import { connect } from 'parlance'\nexport const wrong: number = connect\n",
  }
  for (const [path, { text }] of files) {
    texts[path] = text.includes('import ') || text.includes('export ') ? text : `export {}\n${text}`
    texts[join(dirname(path), 'echo.ts')] ??= shared
  }
  const complaints = await compile(texts)
  expect(complaints.filter((line) => line.startsWith('control.ts(2,'))).toHaveLength(1)
  expect(complaints.filter((line) => !line.startsWith('control.ts'))).toEqual([])
})
