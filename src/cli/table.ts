import { cleanLine, width } from './terminal-text.ts'

/** One column of a table. */
export interface Column {
  readonly title: string
  /** Styles a cell once it has its width. */
  readonly style?: (text: string) => string
}

/**
 * Rows as aligned lines with a head. Cells are made safe and put on one line; the last column ends where the terminal does.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { columns: total, head }: { readonly columns: number; readonly head: (text: string) => string },
): string[] {
  const cells = rows.map((row) => row.map((cell) => cleanLine(cell)))
  const last = columns.length - 1
  const widths = columns.map(({ title }, at) => Math.max(width(title), ...cells.map((row) => width(row[at] ?? ''))))
  const before = widths.slice(0, last).reduce((sum, columnWidth) => sum + columnWidth + 2, 0)
  const room = Math.max(10, total - before)
  const line = (row: readonly string[], style: (text: string, at: number) => string): string =>
    columns
      .map((_, at) => {
        const cell = row[at] ?? ''
        if (at === last) return style(cleanLine(cell, room), at)
        return style(cell, at) + ' '.repeat((widths[at] as number) - width(cell) + 2)
      })
      .join('')
      .trimEnd()
  return [
    line(
      columns.map(({ title }) => title),
      (text) => head(text),
    ),
    ...cells.map((row) => line(row, (text, at) => columns[at]?.style?.(text) ?? text)),
  ]
}

/** Rows as lines with tabs between the cells, for other programs. */
export function tabbedLines(rows: readonly (readonly string[])[]): string[] {
  return rows.map((row) => row.map((cell) => cleanLine(cell)).join('\t'))
}
