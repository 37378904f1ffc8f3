import { lists, memberRows, type Row, tables } from './tables.ts'

const marker = /^<!-- (table|members|list): (.+?) -->\n/gm

/**
 * A page with every marked table as it must be. Words that a page has of its own stay with their row, which is found by its
 * first cell. `missing` names the rows whose own words are not there.
 */
export function withTables(text: string): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = []
  const made = text.replace(/^<!-- (table|members|list): (.+?) -->\n((?:[^\n]+\n)+)/gm, (_, kind, name, block) => {
    const head = `<!-- ${kind}: ${name} -->\n`
    if (kind === 'list') return `${head}${known(lists, name)()}\n`
    const [file = '', type = ''] = String(name).split(' ')
    const rows = kind === 'members' ? memberRows(file, type) : known(tables, name)()
    return head + table(String(block), rows, (row) => missing.push(`${name}: ${row}`))
  })
  return { text: made, missing }
}

/** How many tables and lists of a page are marked. */
export function countMarked(text: string): number {
  return [...text.matchAll(marker)].length
}

function known<T>(all: Readonly<Record<string, T>>, name: string): T {
  const found = Object.hasOwn(all, name) ? all[name] : undefined
  if (found === undefined) throw new TypeError(`no table ${name} is known`)
  return found
}

function table(block: string, rows: readonly Row[], miss: (row: string) => void): string {
  const [header = '', rule = '', ...lines] = block.trimEnd().split('\n')
  const columns = cellsOf(rule).length
  const own = new Map(lines.map(cellsOf).map((cells) => [cells[0], cells]))
  const made = rows.map((row) => {
    const old = own.get(row[0]) ?? []
    const cells = Array.from({ length: columns }, (_, at) => {
      const fixed = row[at]
      if (fixed !== undefined) return fixed
      const words = old[at] ?? ''
      if (words === '') miss(row[0])
      return words
    })
    return `|${cells.map((cell) => (cell === '' ? ' |' : ` ${cell} |`)).join('')}`
  })
  return `${[header, rule, ...made].join('\n')}\n`
}

function cellsOf(line: string): readonly string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}
