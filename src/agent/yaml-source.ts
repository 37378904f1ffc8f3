import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml'
import { AgentFileError, type Path, type Position } from './finding.ts'

/** A YAML file: its value, and where each part of it stands. */
export interface YamlSource {
  readonly file: string
  readonly value: unknown
  /** Where the key that a path ends in stands; for a path that is not in the file, its nearest ancestor. */
  at(path: Path): Position
  /** Where the value of a path stands. */
  valueAt(path: Path): Position
  /** Keys of the mapping at a path in the order of the file (an object would put `42` before `root`). */
  keys(path: Path): readonly string[]
}

/** Reads YAML. A syntax error is an `AgentFileError` with line and column. */
export function parseYaml(text: string, file: string): YamlSource {
  const lineCounter = new LineCounter()
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const document = parseDocument(source, { lineCounter, merge: true, prettyErrors: false })
  const position = (offset: number): Position => {
    const { line, col } = lineCounter.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  if (document.errors.length > 0) {
    throw new AgentFileError(
      document.errors.map((error) => ({
        severity: 'error',
        file,
        path: '',
        message: syntaxText(error.code, error.message),
        ...position(error.pos[0]),
      })),
    )
  }

  const follow = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node)

  function locate(path: Path, want: 'key' | 'value'): Position {
    let node: unknown = document.contents
    let found = offsetOf(node) ?? 0
    for (const [index, step] of path.entries()) {
      const here = follow(node)
      if (isMap(here)) {
        const pair = here.items.find((item) => keyOf(item) === String(step))
        if (pair === undefined) break
        const last = index === path.length - 1
        const value = offsetOf(pair.value)
        found = (last && want === 'value' ? (value ?? offsetOf(pair.key)) : offsetOf(pair.key)) ?? found
        node = pair.value
      } else if (isSeq(here)) {
        const item = here.items[Number(step)]
        if (item === undefined) break
        found = offsetOf(item) ?? found
        node = item
      } else break
    }
    return position(found)
  }

  return {
    file,
    value: document.toJS(),
    at: (path) => locate(path, 'key'),
    valueAt: (path) => locate(path, 'value'),
    keys(path) {
      let node: unknown = follow(document.contents)
      for (const step of path) {
        if (isMap(node)) node = follow(node.items.find((item) => keyOf(item) === String(step))?.value)
        else if (isSeq(node)) node = follow(node.items[Number(step)])
        else return []
      }
      return isMap(node) ? node.items.map(keyOf) : []
    },
  }
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key)
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0]
}

function syntaxText(code: string, message: string): string {
  switch (code) {
    case 'TAB_AS_INDENT':
      return 'a tab is not allowed as indentation: use spaces'
    case 'DUPLICATE_KEY':
      return 'this key is given twice in the same mapping: keep one'
    case 'MULTIPLE_DOCS':
      return 'the file holds more than one YAML document: keep one (remove the line `---`)'
    default:
      return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  }
}
