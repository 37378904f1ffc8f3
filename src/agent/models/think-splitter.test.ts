import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createThinkSplitter } from './think-splitter.ts'

function split(pieces: readonly string[]): { text: string; thought: boolean } {
  const splitter = createThinkSplitter()
  const text = pieces.map((piece) => splitter.push(piece)).join('') + splitter.end()
  return { text, thought: splitter.thought }
}

const rows: readonly (readonly [string, string, boolean])[] = [
  ['plain', 'plain', false],
  ['<think>a</think>b', 'b', true],
  ['\n <think>\na</think>\n\n b', 'b', true],
  ['<think></think>b', 'b', true],
  ['<think>a</think> <think>b</think>c', 'c', true],
  ['before <think>a</think>after', 'before after', true],
  ['the tag <think> opens a block', 'the tag <think> opens a block', false],
  ['<think>never closed', '', true],
  ['  indented', '  indented', false],
  ['a <thin', 'a <thin', false],
  ['a < b </think> c', 'a < b </think> c', false],
  ['<think>a < b </thin</think>c', 'c', true],
  ['  ', '  ', false],
  ['', '', false],
]
for (const [text, expected, thought] of rows) {
  test(`splits ${JSON.stringify(text)}`, () => {
    expect(split([text])).toEqual({ text: expected, thought })
    expect(split([...text])).toEqual({ text: expected, thought })
  })
}

const fragment = fc.constantFrom(
  '<think>',
  '</think>',
  '<',
  'think',
  '>',
  '/',
  ' ',
  '\n',
  'word',
  '<thi',
  'nk>',
  'é',
  '😀',
)

test('how the text is cut into pieces changes nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fragment, { maxLength: 12 }),
      fc.array(fc.nat({ max: 40 }), { maxLength: 8 }),
      (fragments, cuts) => {
        const text = fragments.join('')
        const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((left, right) => left - right)
        const pieces = [...places, text.length].map((end, index) => text.slice(places[index - 1] ?? 0, end))
        expect(split(pieces)).toEqual(split([text]))
      },
    ),
    { numRuns: 500 },
  )
})

test('text without a tag comes back as it is, and at once', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', ' ', '\n', '>', 'think', '/'), { maxLength: 10 }), (pieces) => {
      const splitter = createThinkSplitter()
      const given = pieces.map((piece) => splitter.push(piece)).join('')
      expect(given + splitter.end()).toBe(pieces.join(''))
      if (pieces.join('').trim() !== '') expect(given).toBe(pieces.join(''))
    }),
  )
})

test('a closed block never shows', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (thought, answer) => {
      fc.pre(!/<|>/.test(thought) && !/<|>/.test(answer))
      expect(split([`<think>${thought}</think>${answer}`]).text).toBe(answer.trimStart())
    }),
  )
})
