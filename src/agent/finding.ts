/** Where in a file something stands; both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Keys and indexes that lead from the top of a YAML file to a value. */
export type Path = readonly (string | number)[]

/** Something that a person should know about an agent file. An error stops the start, a warning does not. */
export interface Finding extends Position {
  readonly severity: 'error' | 'warning'
  readonly file: string
  /** Where, as keys: `agents.root.model`. */
  readonly path: string
  /** What is wrong and what is allowed. */
  readonly message: string
}

/** Thrown when an agent file cannot be served. The message lists every finding, one a line, as `file:line:column: what`. */
export class AgentFileError extends Error {
  override readonly name = 'AgentFileError'
  readonly findings: readonly Finding[]

  constructor(findings: readonly Finding[]) {
    super(findings.map(formatFinding).join('\n'))
    this.findings = findings
  }
}

/** `file:line:column: path: message`, the form that editors and terminals can jump to. */
export function formatFinding(finding: Finding): string {
  const path = finding.path === '' ? '' : `${finding.path}: `
  return `${finding.file}:${finding.line}:${finding.column}: ${path}${finding.message}`
}

/** A path as people write it: `agents.root.toolsets[0].type`. */
export function pathText(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? step : `.${step}`
  }
  return text
}

/** Collects what is found in one file. */
export interface Findings {
  readonly list: readonly Finding[]
  error(path: Path, message: string): void
  warn(path: Path, message: string): void
}

/** A collector for one file; `at` tells where a path stands. */
export function createFindings(file: string, at: (path: Path) => Position): Findings {
  const list: Finding[] = []
  const add = (severity: Finding['severity'], path: Path, message: string): void => {
    list.push({ severity, file, path: pathText(path), message, ...at(path) })
  }
  return {
    list,
    error: (path, message) => add('error', path, message),
    warn: (path, message) => add('warning', path, message),
  }
}

/** The word of `known` that someone who wrote `word` most likely meant. */
export function closest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const change = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(change, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[right.length]!
}
