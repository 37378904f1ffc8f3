import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseSync, Visitor } from 'vite'

/**
 * The imports of one source file: `{ specifier, kind, line }`, where `kind` is `type` (erased), `static` (loaded with the file)
 * or `lazy` (loaded when the expression runs).
 */
export function readImports(path, text) {
  const { program, module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`)
  const found = []
  const add = (specifier, kind, start) => found.push({ specifier, kind, line: text.slice(0, start).split('\n').length })
  for (const { moduleRequest, start } of module.staticImports) {
    // `import { type A } from` still loads the module; only `import type` does not.
    const erased = /^import\s+type\s+(?!from\b|,)/.test(text.slice(start))
    add(moduleRequest.value, erased ? 'type' : 'static', start)
  }
  new Visitor({
    ExportNamedDeclaration(node) {
      if (node.source) add(node.source.value, node.exportKind === 'type' ? 'type' : 'static', node.start)
    },
    ExportAllDeclaration(node) {
      add(node.source.value, node.exportKind === 'type' ? 'type' : 'static', node.start)
    },
    ImportExpression(node) {
      add(node.source.type === 'Literal' ? node.source.value : undefined, 'lazy', node.start)
    },
    TSImportType(node) {
      add(node.source.value, 'type', node.start)
    },
  }).visit(program)
  return found
}

/** Reads all files and resolves what they import: a map from path to `{ path, imports }`, each import with `target` if it is a file here. */
export function readGraph(root, paths) {
  const graph = new Map()
  for (const path of paths) {
    const imports = readImports(path, readFileSync(join(root, path), 'utf8')).map((found) => {
      if (!found.specifier?.startsWith('.')) return found
      const target = relative(root, join(root, dirname(path), found.specifier)).replaceAll('\\', '/')
      return { ...found, target, exists: existsSync(join(root, target)) }
    })
    graph.set(path, { path, imports })
  }
  return graph
}

/** Every file that loading `start` loads, with the way to it: a map from path to the list of paths that led there. */
export function loadedBy(graph, start) {
  const ways = new Map([[start, [start]]])
  for (const [path, way] of ways) {
    for (const { target, kind } of graph.get(path)?.imports ?? []) {
      if (kind === 'static' && target && !ways.has(target)) ways.set(target, [...way, target])
    }
  }
  return ways
}

/** Rings of files that load each other. Types may go round: nothing is loaded for them. */
export function findCycles(graph) {
  const state = new Map()
  const stack = []
  const cycles = []
  const visit = (path) => {
    state.set(path, 'open')
    stack.push(path)
    for (const { target, kind } of graph.get(path)?.imports ?? []) {
      if (kind !== 'static' || !target || !graph.has(target)) continue
      if (state.get(target) === 'open') cycles.push([...stack.slice(stack.indexOf(target)), target])
      else if (!state.has(target)) visit(target)
    }
    stack.pop()
    state.set(path, 'done')
  }
  for (const path of graph.keys()) if (!state.has(path)) visit(path)
  return cycles
}
