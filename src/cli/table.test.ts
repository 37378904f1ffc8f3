import { expect, test } from 'vitest'
import { tabbedLines, tableLines } from './table.ts'

const columns = [{ title: 'ID' }, { title: 'STATE', style: (text: string) => `<${text}>` }, { title: 'TEXT' }]
const rows = [
  ['1', 'working', 'short'],
  ['22', 'ok', 'a long text\nthat does not fit'],
]

test('tableLines aligns columns and cuts the last one where the terminal ends', () => {
  expect(tableLines(columns, rows, { columns: 28, head: (text) => text })).toEqual([
    'ID  STATE    TEXT',
    '1   <working>  short',
    '22  <ok>       a long text th…',
  ])
})

test('tabbedLines keeps each row on one line', () => {
  expect(tabbedLines([['1', 'a\tb\nc', '\u001b[31mx']])).toEqual(['1\ta b c\tx'])
})
