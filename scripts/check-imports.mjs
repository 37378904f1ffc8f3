// Holds the sources to the table of allowed imports, and hand-written files to their length.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findCycles, loadedBy, readGraph } from './imports/graph.mjs'
import { exceptions, folders, lazyNodeFolders, lightEntries, lineLimit } from './imports/table.mjs'

/** All complaints about the sources under `root`, as lines of text. */
export function checkImports(root) {
  const sources = list(root, 'src').filter((path) => path.endsWith('.ts'))
  const graph = readGraph(root, sources)
  const problems = []
  for (const { path, imports } of graph.values()) {
    for (const found of imports) {
      const rule = checkEdge(path, found)
      if (rule) problems.push(`${path}:${found.line}: ${rule}`)
    }
  }
  const shipped = new Map([...graph].filter(([path]) => !isTest(path)))
  for (const path of shipped.keys())
    if (runsIn(path) === 'any') problems.push(...checkReach(shipped, path, nodeModuleIn))
  for (const path of lightEntries) if (shipped.has(path)) problems.push(...checkReach(shipped, path, packageIn))
  for (const cycle of findCycles(shipped)) problems.push(`import cycle: ${cycle.join(' → ')}`)
  return [...new Set([...problems, ...checkLengths(root)])]
}

function checkEdge(path, { specifier, kind, target, exists }) {
  if (specifier === undefined)
    return isTest(path) || runsIn(path) === 'node' ? undefined : 'import() of a computed name'
  if (target === undefined) return isTest(path) ? undefined : checkPackage(path, specifier, kind)
  if (!/\.(ts|json)$/.test(specifier)) return `'${specifier}' must name the file itself, with its .ts ending`
  if (!exists) return `'${specifier}' does not exist`
  if (isTest(path)) return undefined
  if (isTest(target)) return `'${specifier}' is a test; shipped code may not import it`
  if (!target.startsWith('src/')) return `'${specifier}' lies outside of src; shipped code may not import it`
  const [from, to] = [folderOf(path), folderOf(target)]
  if (from === to) return undefined
  const row = folders[from]
  if (!row) return `folder '${from}' has no row in scripts/imports/table.mjs`
  if (row.imports !== 'all' && !row.imports.includes(to)) {
    return `${from} may not import ${to} ('${specifier}'); it may import ${row.imports.join(', ') || 'nothing'}`
  }
  if (kind === 'lazy' && runsIn(path) === 'any' && runsIn(target) === 'node' && !lazyNodeFolders.includes(to)) {
    return `${path} runs anywhere and may not load ${to}, which needs Node ('${specifier}')`
  }
  return undefined
}

function checkPackage(path, specifier, kind) {
  if (isNodeModule(specifier)) {
    if (!specifier.startsWith('node:')) return `write 'node:${specifier}'`
    if (runsIn(path) === 'any') return `${path} runs anywhere and may not import '${specifier}'`
    return undefined
  }
  const name = packageName(specifier)
  if (name === 'parlance') return `'${specifier}': inside the package import the file itself`
  const allowed = folders[folderOf(path)]?.packages ?? []
  if (allowed.includes(name)) return undefined
  return `${folderOf(path)} may not import the package '${name}' (${kind}); it may import ${allowed.join(', ') || 'none'}`
}

// Follows what is loaded together with a file and reports the first step that `offence` finds wrong.
function checkReach(graph, start, offence) {
  for (const [path, way] of loadedBy(graph, start)) {
    const wrong = offence(graph.get(path)?.imports ?? [])
    if (wrong) return [`${start}: loads '${wrong}' (${way.join(' → ')})`]
  }
  return []
}

function nodeModuleIn(imports) {
  return imports.find(({ specifier, kind, target }) => kind === 'static' && !target && isNodeModule(specifier))
    ?.specifier
}

function packageIn(imports) {
  return imports.find(({ specifier, kind, target }) => kind === 'static' && !target && !isNodeModule(specifier))
    ?.specifier
}

function checkLengths(root) {
  return ['src', 'scripts', 'bench', 'test', 'examples']
    .flatMap((folder) => list(root, folder))
    .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path) && !path.includes('/generated/'))
    .flatMap((path) => {
      const lines = readFileSync(join(root, path), 'utf8').trimEnd().split('\n').length
      return lines < lineLimit ? [] : [`${path}: ${lines} lines; a hand-written file stays under ${lineLimit}`]
    })
}

function runsIn(path) {
  const exception = Object.entries(exceptions).find(
    ([name]) => path === name || (name.endsWith('/') && path.startsWith(name)),
  )
  return exception?.[1] ?? folders[folderOf(path)]?.runs
}

function folderOf(path) {
  const parts = path.split('/')
  return parts.length > 2 ? parts[1] : path
}

function packageName(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function isNodeModule(specifier) {
  return specifier.startsWith('node:') || builtinModules.includes(specifier)
}

// `testing.ts` of a folder serves its tests; that of the stores is published.
function isTest(path) {
  return path.endsWith('.test.ts') || (/^src\/[\w/]+\/testing\.ts$/.test(path) && path !== 'src/stores/testing.ts')
}

function list(root, folder) {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`.replaceAll('\\', '/'))
    .filter((path) => !path.includes('node_modules/'))
    .sort()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? join(import.meta.dirname, '..')
  const problems = checkImports(root)
  for (const problem of problems) console.error(problem)
  console.log(`check-imports: ${problems.length === 0 ? 'ok' : `${problems.length} problems`}`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
