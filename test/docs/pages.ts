import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './tables.ts'

/** A page of the docs. */
export interface Page {
  /** From the root of the repository. */
  readonly path: string
  readonly text: string
}

/** The pages whose links are checked: those at the root and those in `docs`. */
export function readPages(): readonly Page[] {
  const names = readdirSync(root).filter((name) => name.endsWith('.md'))
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
  return [...names, ...docs.map((name) => `docs/${name}`)].map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }))
}

/** A block of code and the line on which it begins. */
export interface Block {
  readonly page: string
  readonly line: number
  readonly language: string
  readonly text: string
}

/** The blocks of code of a page. */
export function blocksOf({ path, text }: Page): readonly Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    page: path,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[1] ?? '',
    text: match[2] ?? '',
  }))
}

/** The anchors of a page's headings, as hosts of Markdown make them. */
export function anchorsOf({ text }: Page): ReadonlySet<string> {
  const headings = withoutBlocks(text).matchAll(/^#+ (.+)$/gm)
  return new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )
}

/** The targets of a page's links that lead to files of the repository. */
export function linksOf({ text }: Page): readonly string[] {
  return [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
}

function withoutBlocks(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

/** The command lines of a shell block that call `parlance`, as words. */
export function commandsOf(text: string): readonly (readonly string[])[] {
  const lines = text.replace(/\\\n\s*/g, ' ').split('\n')
  return lines.flatMap((line) => {
    const words = wordsOf(line)
    const at = words.indexOf('parlance')
    return at < 0 ? [] : [words.slice(at + 1)]
  })
}

/** Words up to a comment, a pipe or a redirection. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (/^(#|[|>&;])/.test(word)) break
    words.push(word)
  }
  return words
}
