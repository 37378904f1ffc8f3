// Holds the published package to what it promises: packed, installed in an empty folder, every subpath imported on three
// versions of Node, the exported names compared with a frozen list. `--write` freezes what is exported now.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { parseSync } from 'vite'
import { nodePath } from './nodes.mjs'
import { importedNames, packAndInstall, publishedModules } from './pack.mjs'
import { ensureBuilt } from './prepare.mjs'
import { root } from './run.mjs'

const frozenFile = join(root, 'scripts', 'exports.json')
const problems = []
await ensureBuilt()
const { tarball, folder } = packAndInstall()
const modules = publishedModules()

const nodes = [process.execPath, nodePath(22), nodePath(24)]
const values = Object.fromEntries(modules.map(({ subpath, specifier }) => [subpath, sameOnAll(specifier)]))
const types = Object.fromEntries(modules.map(({ subpath, file }) => [subpath, typeNames(file)]))
compareWithFrozen(
  Object.fromEntries(modules.map(({ subpath }) => [subpath, { values: values[subpath], types: types[subpath] }])),
)
checkCommand()
await checkPackage()

for (const problem of problems) console.error(problem)
console.log(
  `check-exports: ${problems.length === 0 ? `ok, ${modules.length} subpaths` : `${problems.length} problems`}`,
)
process.exitCode = problems.length === 0 ? 0 : 1

function sameOnAll(specifier) {
  const [first, ...others] = nodes.map((node) => {
    try {
      return importedNames(node, folder, specifier).join(' ')
    } catch (error) {
      problems.push(error.message)
      return undefined
    }
  })
  if (others.some((names) => names !== first)) problems.push(`${specifier}: the names differ between versions of Node`)
  return first ? first.split(' ') : []
}

// Types leave nothing behind at run time, so their names are read from the declarations.
function typeNames(file) {
  const path = join(root, file.replace(/\.js$/, '.d.ts'))
  const { module } = parseSync(path, readFileSync(path, 'utf8'))
  const names = module.staticExports.flatMap(({ entries }) =>
    entries.map(({ exportName, moduleRequest }) => {
      if (exportName.name === null && moduleRequest)
        problems.push(`${path}: 'export *' hides what is public; list the names`)
      return exportName.name
    }),
  )
  const seen = values[modules.find((module) => module.file === file).subpath]
  return [...new Set(names)].filter((name) => name && !seen.includes(name)).sort()
}

function compareWithFrozen(found) {
  if (process.argv.includes('--write')) {
    if (problems.length === 0) writeFileSync(frozenFile, `${JSON.stringify(found, null, 2)}\n`)
    return
  }
  const frozen = JSON.parse(readFileSync(frozenFile, 'utf8'))
  for (const subpath of new Set([...Object.keys(frozen), ...Object.keys(found)])) {
    for (const kind of ['values', 'types']) {
      const [before, now] = [frozen[subpath]?.[kind] ?? [], found[subpath]?.[kind] ?? []]
      const list = (names) => names.map((name) => `'${name}'`).join(', ')
      const gone = before.filter((name) => !now.includes(name))
      const added = now.filter((name) => !before.includes(name))
      if (gone.length > 0) problems.push(`${subpath}: ${kind} no longer exported: ${list(gone)}`)
      if (added.length > 0) problems.push(`${subpath}: ${kind} exported but not frozen: ${list(added)}`)
    }
  }
  if (problems.length > 0) problems.push('if the change is meant: node scripts/check-exports.mjs --write')
}

function checkCommand() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const node of nodes) {
    const command = join(folder, 'node_modules', 'parlance', 'dist', 'cli', 'main.js')
    const printed = execFileSync(node, [command, '--version'], { cwd: folder, encoding: 'utf8' }).trim()
    if (printed !== version) problems.push(`parlance --version with ${node} printed '${printed}', not '${version}'`)
  }
}

async function checkPackage() {
  const { messages, pkg } = await publint({ pkgDir: root, strict: true })
  for (const message of messages) {
    // The `browser` map keeps gRPC out of pages; `imports` would have to name built files, which tests on the sources lack.
    if (message.code === 'USE_EXPORTS_OR_IMPORTS_BROWSER') continue
    problems.push(`publint: ${formatMessage(message, pkg, { color: false })}`)
  }
  const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
  const args = [attw, tarball, '--profile', 'esm-only', '--no-color', '--no-emoji', '--no-summary']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) problems.push(`attw: the types do not resolve as they should\n${stdout}${stderr}`)
}
